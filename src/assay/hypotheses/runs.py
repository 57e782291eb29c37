"""Is one training procedure better than another over seeds, almost everywhere: T17.

Means of runs are compared by two_sample_t (Welch) and permutation_two_samples; here it is whole
distributions: almost stochastic order.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import as_floats, as_values, check_choice, check_count, check_level
from assay.core.errors import EvidenceError, UsageError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import FamilyOutcome, TestOutcome
from assay.core.rng import Rng, seed_of
from assay.core.vocabulary import DIRECTIONS, Direction
from assay.estimates.method_question import MethodQuestion
from assay.estimates.runs import FEW_RUNS
from assay.kernels.ranks import round_ties
from assay.kernels.special import ndtr
from assay.kernels.stochastic_order import ratio_replicates, sorted_uniforms, violation_ratio
from assay.kernels.tails import alpha_of, normal_reach

Variant = Literal["smoothed", "normal"]
VARIANTS: tuple[Variant, ...] = ("smoothed", "normal")
Judgement = tuple[float | None, float | None, tuple[Note, ...]]
"""A p-value, the upper bound of the ratio, and caveats."""

_ASSUMES = ("independent runs, each with its own seed", "A and B share no runs", "one task")
_REFERENCE = (
    "del Barrio, Cuesta-Albertos & Matrán (2018), in The Mathematics of the Uncertain; "
    "Dror, Shlomov & Reichart (2019), ACL 2019"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RunsQuestion(MethodQuestion):
    """How the violation ratio is judged: ``comparisons`` questions share one level."""

    variant: Variant
    n_resamples: int
    seed: int
    comparisons: int

    @property
    def alpha(self) -> float:
        """The level of one question (Bonferroni)."""
        return alpha_of(self.level) / self.comparisons


@method(
    question="Are runs of A better than runs of B almost everywhere in their distribution?",
    takes="runs",
    gives="test",
    unit="seed",
    assumes=_ASSUMES,
    reference=_REFERENCE,
    requirement="T17",
    formula="violation_ratio = integral of (Qa - Qb)² where Qa < Qb, over the integral of (Qa - Qb)²; "
    "eps_min: its upper bound; A is almost stochastically larger where eps_min < null",
    exempt={
        "swap": "of B over A the ratio is one less that of A over B, not its negative",
        "contains": "a percentile bound of few runs may lie below the ratio itself",
    },
    name="ASO",
    title="test of almost stochastic order (ASO)",
)
def aso(
    a: Any,
    b: Any,
    *,
    null: float = 0.5,
    direction: Direction = "higher",
    variant: Variant = "smoothed",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> TestOutcome:
    """Almost stochastic order: how far A falls short of dominating B, with its upper bound eps_min.

    ``null`` is the ratio below which A counts as better: 0.5 (default), or stricter. "smoothed" is a
    percentile bound whose level is about 5 % when A and B are alike; "normal", the one published,
    rejects 17-22 % then.
    """
    scores = (_runs(a, "a", direction), _runs(b, "b", direction))
    settings = _settings("aso", null, variant, level, n_resamples, rng, comparisons=1)
    uniforms = [
        sorted_uniforms(one.size, settings.n_resamples, settings.seed, place)
        for place, one in enumerate(scores)
    ]
    ratio, replicates = _resampled(scores[0], scores[1], uniforms[0], uniforms[1], settings)
    return _outcome(ratio, replicates, (scores[0].size, scores[1].size), settings)


@method(
    question="Which of many models is better than which almost everywhere in its distribution?",
    takes="many-runs",
    gives="family",
    unit="seed",
    assumes=_ASSUMES,
    reference=_REFERENCE,
    requirement="T17",
    formula="aso of every ordered pair at level 1 - (1 - level)/(k (k - 1)); p times k (k - 1)",
    exempt={"contains": "a percentile bound of few runs may lie below the ratio itself"},
    name="multi ASO",
    title="tests of almost stochastic order (ASO)",
)
def multi_aso(
    runs: Any,
    *,
    null: float = 0.5,
    direction: Direction = "higher",
    variant: Variant = "smoothed",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> FamilyOutcome:
    """Almost stochastic order of all ordered pairs of models, with Bonferroni's correction.

    Both orders of a pair are questions of the family, k (k - 1) in all; the chance of any false
    answer is held over them.
    """
    scores = _many_runs(runs, direction)
    models = tuple(scores)
    comparisons = len(models) * (len(models) - 1)
    settings = _settings("multi_aso", null, variant, level, n_resamples, rng, comparisons)
    uniforms = {
        name: sorted_uniforms(values.size, settings.n_resamples, settings.seed, place)
        for place, (name, values) in enumerate(scores.items())
    }
    found: dict[tuple[str, str], TestOutcome] = {}
    for a, b in combinations(models, 2):
        ratio, replicates = _resampled(scores[a], scores[b], uniforms[a], uniforms[b], settings)
        sizes = (scores[a].size, scores[b].size)
        found[a, b] = _outcome(ratio, replicates, sizes, settings)
        found[b, a] = _outcome(1.0 - ratio, 1.0 - replicates, sizes, settings)
    pairs = tuple((a, b) for a in models for b in models if a != b)
    return FamilyOutcome(
        method="multi_aso",
        models=models,
        pairs=pairs,
        outcomes=tuple(found[pair] for pair in pairs),
        adjustment="bonferroni",
        seed=settings.seed,
        details=(
            ("comparisons", comparisons),
            ("individual_level", 1.0 - settings.alpha),
            ("null", settings.null),
            ("n_resamples", settings.n_resamples),
        ),
    )


def _settings(
    name: str,
    null: float,
    variant: str,
    level: float,
    n_resamples: int,
    rng: Rng,
    comparisons: int,
) -> _RunsQuestion:
    threshold = float(null)
    if not 0.0 < threshold <= 0.5:
        raise UsageError(
            f"null is the violation ratio below which A counts as better, above 0 and at most 0.5; "
            f"got {null!r}"
        )
    return _RunsQuestion(
        method=name,
        side="less",
        unit="seed",
        variant=check_choice(variant, VARIANTS, "variant"),
        null=threshold,
        level=check_level(level),
        n_resamples=check_count(n_resamples, "n_resamples", at_least=2),
        seed=seed_of(rng),
        comparisons=comparisons,
    )


def _runs(values: Any, what: str, direction: Direction) -> FloatArray:
    """Sorted run scores of one task, turned so that higher is better."""
    scores = as_floats(values, what)
    if scores.ndim == 2:
        raise EvidenceError(
            f"{what} has several tasks, and almost stochastic order compares one: go task by task, "
            "or use probability_of_improvement, which averages over tasks"
        )
    scores = as_values(scores, what)
    higher = check_choice(direction, DIRECTIONS, "direction") == "higher"
    return np.sort(scores if higher else -scores)


def _many_runs(runs: Any, direction: Direction) -> dict[str, FloatArray]:
    """A mapping of models to run scores, or a sequence of arrays."""
    alone = isinstance(runs, str) or not hasattr(runs, "__len__") or getattr(runs, "ndim", 1) == 0
    if alone:
        raise EvidenceError(
            f"give the run scores of each model as a mapping of names to arrays; got {runs!r}"
        )
    named = runs if isinstance(runs, Mapping) else {f"model {i + 1}": x for i, x in enumerate(runs)}
    if len(named) < 2:
        raise EvidenceError(f"comparing needs runs of two models at least; got {len(named)}")
    return {str(name): _runs(values, str(name), direction) for name, values in named.items()}


def _resampled(
    a: FloatArray,
    b: FloatArray,
    uniforms_a: FloatArray,
    uniforms_b: FloatArray,
    settings: _RunsQuestion,
) -> tuple[float, FloatArray]:
    """The violation ratio of sorted samples and its replicates; decimal ties are ties."""
    joint = round_ties(np.concatenate([a, b]))
    a, b = joint[: a.size], joint[a.size :]
    smooth = settings.variant == "smoothed"
    replicates = ratio_replicates(a, b, uniforms_a, uniforms_b, smooth=smooth)
    return float(violation_ratio(a, b)), replicates


def _outcome(
    ratio: float, replicates: FloatArray, sizes: tuple[int, int], settings: _RunsQuestion
) -> TestOutcome:
    least = 1 / math.comb(sum(sizes), sizes[0])
    if settings.variant == "smoothed":
        p_single, high, notes = _by_percentile(replicates, least, settings)
    else:
        p_single, high, notes = _by_normal(ratio, replicates, settings)
    interval = None
    if high is not None:
        interval = settings.interval(0.0, high)
    error, seed = float(replicates.std(ddof=1)) or None, settings.seed
    effect = settings.estimate("violation_ratio", ratio, sum(sizes), interval, error, seed=seed)
    p_value = None if p_single is None else min(1.0, p_single * settings.comparisons)
    return settings.outcome(
        ratio,
        p_value,
        effect,
        notes=(*notes, *_caveats(replicates, sizes, least, settings)),
        details=(
            ("violation_ratio", ratio),
            ("eps_min", high),
            ("p_unadjusted", p_single),
            ("runs_a", sizes[0]),
            ("runs_b", sizes[1]),
            ("variant", settings.variant),
            ("n_resamples", settings.n_resamples),
        ),
        seed=seed,
    )


def _caveats(
    replicates: FloatArray, sizes: tuple[int, int], least: float, settings: _RunsQuestion
) -> tuple[Note, ...]:
    notes: tuple[Note, ...] = ()
    if least > settings.alpha and settings.variant == "smoothed":
        have, alpha = f"{sizes[0]} and {sizes[1]} runs", settings.alpha
        notes = (note("cannot-reach-alpha", have=have, alpha=alpha, least=least),)
    elif min(sizes) < FEW_RUNS:
        notes = (note("few-runs", count=min(sizes), where="", needed=FEW_RUNS),)
    if not np.any(replicates != 0.5):
        notes = (*notes, note("no-disagreement", n=sum(sizes)))
    return notes


def _by_percentile(replicates: FloatArray, least: float, settings: _RunsQuestion) -> Judgement:
    """The share of replicates at or above the null, and the bound that says the same.

    No p is below that of complete separation of as many exchangeable runs.
    """
    notes: tuple[Note, ...] = ()
    n = replicates.size
    p_value = max((np.count_nonzero(replicates >= settings.null) + 1) / (n + 1), least)
    place = math.floor(settings.alpha * (n + 1) + 1e-9)
    if least > settings.alpha:
        high = 1.0
    elif place < 1:
        have, alpha, smallest = f"{n} resamples", settings.alpha, 1.0 / (n + 1)
        notes = (note("cannot-reach-alpha", have=have, alpha=alpha, least=smallest),)
        high = 1.0
    else:
        high = float(np.partition(replicates, n - place)[n - place])
    return float(p_value), high, notes


def _by_normal(ratio: float, replicates: FloatArray, settings: _RunsQuestion) -> Judgement:
    """Del Barrio et al.: the ratio plus a normal quantile of bootstrap standard errors."""
    heuristic = note("heuristic-level", method="aso with a normal bound", measured="")
    error = float(replicates.std(ddof=1))
    if error == 0.0:
        remedy = "use the variant smoothed, which allows for runs not yet seen"
        flat = note("zero-variance", what="the resamples", method="the normal bound", remedy=remedy)
        return None, None, (heuristic, flat)
    high = min(1.0, max(0.0, ratio + normal_reach(1.0 - settings.alpha, "less") * error))
    return float(ndtr((ratio - settings.null) / error)), high, (heuristic,)
