"""Families of pairs: differences with standard errors become outcomes, one per pair."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import repeat
from typing import Any, Literal, cast, get_args

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.bulk_results import from_columns
from assay.core.checks import check_choice
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.memo import later
from assay.core.methods import record_of
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, FamilyOutcome, Interval, Scalar, TestOutcome
from assay.core.vocabulary import Unit
from assay.hypotheses.multiplicity import Adjustment, adjusted_array, bergmann_hommel, shaffer
from assay.kernels.adjustments import individual_levels
from assay.kernels.special import betaln, hyp2f1, log_ndtr, ndtr, ndtri, stdtr, stdtrit
from assay.kernels.studentized_range import log10_range_sf, range_isf, range_sf
from assay.kernels.tails import alpha_of

FamilyAdjustment = Literal[
    "holm",
    "bonferroni",
    "sidak",
    "hochberg",
    "hommel",
    "holland",
    "finner",
    "li",
    "rom",
    "bh",
    "by",
    "shaffer",
    "bergmann_hommel",
    "none",
]
_UNDERFLOW = 1e-290


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyQuestion:
    """What is asked of one family of pairs, and what is known about it so far."""

    method: str
    models: tuple[str, ...]
    measure: str
    n: int
    unit: Unit
    level: float
    notes: tuple[Note, ...] = ()
    details: Details = ()
    interval: str = ""
    """The name of the interval, where it is not the method's own."""

    def noting(self, *notes: Note) -> "FamilyQuestion":
        return replace(self, notes=(*self.notes, *notes)) if notes else self

    def knowing(self, **details: Scalar) -> "FamilyQuestion":
        return replace(self, details=(*self.details, *details.items()))

    def ranked(self, means: FloatArray) -> "FamilyQuestion":
        """With the mean rank of every model."""
        ranks = zip(self.models, means.tolist(), strict=True)
        return self.knowing(**{f"mean rank: {model}": rank for model, rank in ranks})

    def named(self, interval: str) -> "FamilyQuestion":
        return replace(self, interval=interval)


def pair_indices(models: Sequence[str], control: str | int | None) -> tuple[IntArray, IntArray]:
    """All pairs in the order of the models, or every other model (first) and the control."""
    k = len(models)
    if control is None:
        return _all_pairs(k)
    place = _place(models, control)
    others = np.delete(np.arange(k), place)
    return others, np.full(k - 1, place)


@lru_cache(maxsize=8)
def _all_pairs(k: int) -> tuple[IntArray, IntArray]:
    """The pairs of k models, row by row of the upper triangle; not to be written to."""
    first, second = np.triu_indices(k, 1)
    for array in (first, second):
        array.setflags(write=False)
    return first, second


def check_adjustment(adjustment: str, n_pairs: int, n_models: int) -> str:
    """An adjustment that this family can have."""
    chosen: str = check_choice(adjustment, get_args(FamilyAdjustment), "adjustment")
    if chosen in ("shaffer", "bergmann_hommel") and n_pairs != n_models * (n_models - 1) // 2:
        raise NotApplicable(f"{chosen} is for all pairs; against one control use holm or hommel")
    return chosen


def adjusted_p_values(p: FloatArray, adjustment: str) -> FloatArray:
    """Adjusted p-values of a family whose pairs, where all are there, come in order of rows."""
    if adjustment == "none":
        return p
    if adjustment == "shaffer":
        return np.array(shaffer(p))
    if adjustment == "bergmann_hommel":
        return np.array(bergmann_hommel(p))
    return adjusted_array(p, cast("Adjustment", adjustment))


def pair_levels(
    p: FloatArray, adjustment: str, alpha: float
) -> tuple[FloatArray, tuple[Note, ...]]:
    """The level at which each pair is tested; Bonferroni's, with a note, where there is none."""
    levels = individual_levels(p, adjustment=adjustment, alpha=alpha)
    if levels is not None:
        return levels, ()
    differs = note("variant-differs", variant=adjustment, default="bonferroni")
    return np.full(p.size, alpha / p.size), (differs,)


def adjusted_family(
    question: FamilyQuestion,
    differences: FloatArray,
    errors: FloatArray,
    first: IntArray,
    second: IntArray,
    adjustment: str,
    *,
    df: float = np.inf,
) -> FamilyOutcome:
    """Normal or t tests of differences, their p-values adjusted.

    The interval of a pair is at the level at which the procedure tests it, so that it excludes
    zero exactly when the adjusted p is at most alpha.
    """
    chosen = check_adjustment(adjustment, first.size, len(question.models))
    statistics = differences / errors
    p, logs = _two_sided(statistics, df)
    adjusted = adjusted_p_values(p, chosen)
    levels, differs = pair_levels(p, chosen, alpha_of(question.level))
    question = question.noting(*differs)

    def outcomes() -> tuple[TestOutcome, ...]:
        reach = -(ndtri(levels / 2) if np.isinf(df) else stdtrit(df, levels / 2))
        limits = (differences - reach * errors, differences + reach * errors)
        extra = {"p_unadjusted": p, "log10_p_unadjusted": logs, "individual_level": 1 - levels}
        return _outcomes(question, (differences, errors, *limits), (statistics, adjusted), extra)

    return _family(question, first, second, later(outcomes), chosen)


def adjusted_outcomes(
    run: Callable[[str, str, float], TestOutcome],
    pairs: Sequence[tuple[str, str]],
    *,
    level: float,
    adjustment: str = "holm",
) -> tuple[TestOutcome, ...]:
    """One test of every pair with adjusted p-values, each interval at the level of its own step.

    ``run`` gets the names of A and B and a level. Pairs whose p-value is undefined stand aside.
    """
    first = [run(a, b, level) for a, b in pairs]
    defined = [place for place, one in enumerate(first) if one.p_value is not None]
    p = np.array([first[place].p_value for place in defined], dtype=np.float64)
    outcomes = list(first)
    if not defined:
        return tuple(outcomes)
    levels, notes = pair_levels(p, adjustment, alpha_of(level))
    adjusted = adjusted_p_values(p, adjustment)
    for place, own, p_value in zip(defined, levels.tolist(), adjusted.tolist(), strict=True):
        found = run(*pairs[place], 1.0 - own)
        effect = found.effect
        interval = effect.interval and replace(effect.interval, level=level)
        outcomes[place] = replace(
            found,
            p_value=float(p_value),
            effect=replace(effect, interval=interval),
            notes=(*found.notes, *notes),
            details=(
                ("p_unadjusted", first[place].p_value),
                ("individual_level", 1.0 - own),
                *found.details,
            ),
        )
    return tuple(outcomes)


def range_family(
    question: FamilyQuestion, means: FloatArray, errors: FloatArray, *, df: float = np.inf
) -> FamilyOutcome:
    """All pairs by the studentized range of k means, which needs no further adjustment."""
    k = means.size
    first, second = np.triu_indices(k, 1)
    differences = means[first] - means[second]

    def outcomes() -> tuple[TestOutcome, ...]:
        q = np.sqrt(2) * np.abs(differences) / errors
        reach = range_isf(alpha_of(question.level), k, df) / np.sqrt(2) * errors
        p = range_sf(q, k, df)
        with np.errstate(divide="ignore"):
            logs = log10_range_sf(q, k, p) if np.isinf(df) else np.log10(p)
        unadjusted, _ = _two_sided(differences / errors, df)
        limits = (differences - reach, differences + reach)
        extra = {"p_unadjusted": unadjusted, "log10_p": logs}
        return _outcomes(question, (differences, errors, *limits), (q, p), extra)

    return _family(question, first, second, later(outcomes), "single-step")


def undefined_family(
    question: FamilyQuestion, differences: FloatArray, first: IntArray, second: IntArray
) -> FamilyOutcome:
    """Without spread there is no test: differences only, and a note that says so."""
    spread = note(
        "zero-variance",
        what="the ranks left after taking out the models",
        method=question.method,
        remedy="use nemenyi or friedman_posthoc, whose spread is known",
    )
    outcomes = tuple(
        TestOutcome(
            method=question.method,
            statistic=None,
            p_value=None,
            effect=Estimate(value=value, interval=None, **_facts(question)),
            notes=(spread,),
        )
        for value in differences.tolist()
    )
    return _family(question.noting(spread), first, second, outcomes, "none")


def _intervals(
    question: FamilyQuestion, low: FloatArray, high: FloatArray
) -> list[Interval | None]:
    """The intervals of the pairs; none of zero width, which would claim certainty.

    Only an exact test of equal differences rejects all but one.
    """
    ends = {"low": low.tolist(), "high": high.tolist()}
    called = question.interval or question.method
    found: list[Interval | None] = list(
        from_columns(Interval, ends, level=question.level, method=called)
    )
    record = record_of(question.method)
    exact = (low == high) & (low != 0.0) & (record is not None and record.exact)
    for row in np.flatnonzero(~(low < high) & ~exact).tolist():
        found[row] = None
    return found


def build_family(
    question: FamilyQuestion,
    pairs: tuple[IntArray, IntArray],
    effects: tuple[FloatArray, FloatArray | None, FloatArray, FloatArray],
    tests: tuple[FloatArray, FloatArray],
    adjustment: str,
    extra: dict[str, FloatArray],
    notes: Sequence[tuple[Note, ...]] | None = None,
) -> FamilyOutcome:
    """One outcome per pair from columns: (difference, error, low, high) and (statistic, p)."""
    return _family(question, *pairs, _outcomes(question, effects, tests, extra, notes), adjustment)


def _outcomes(
    question: FamilyQuestion,
    effects: tuple[FloatArray, FloatArray | None, FloatArray, FloatArray],
    tests: tuple[FloatArray, FloatArray],
    extra: dict[str, FloatArray],
    notes: Sequence[tuple[Note, ...]] | None = None,
) -> tuple[TestOutcome, ...]:
    differences, errors, low, high = effects
    count = differences.size
    estimates = from_columns(
        Estimate,
        {
            "value": differences.tolist(),
            "interval": _intervals(question, low, high),
            "standard_error": [None] * count if errors is None else errors.tolist(),
        },
        **_facts(question),
    )
    p_values = np.minimum(tests[1], 1.0).tolist()
    columns = [p_values, *(column.tolist() for column in extra.values())]
    named = [
        list(zip(repeat(name), column))
        for name, column in zip(("p_adjusted", *extra), columns, strict=True)
    ]
    outcomes = from_columns(
        TestOutcome,
        {
            "statistic": tests[0].tolist(),
            "p_value": p_values,
            "effect": estimates,
            "notes": [()] * count if notes is None else notes,
            "details": list(zip(*named, strict=True)),
        },
        method=question.method,
    )
    return tuple(outcomes)


def _family(
    question: FamilyQuestion,
    first: IntArray,
    second: IntArray,
    outcomes: tuple[TestOutcome, ...],
    adjustment: str,
) -> FamilyOutcome:
    models = question.models
    return FamilyOutcome(
        method=question.method,
        models=models,
        pairs=tuple(
            (models[a], models[b]) for a, b in zip(first.tolist(), second.tolist(), strict=True)
        ),
        outcomes=outcomes,
        adjustment=adjustment,
        notes=question.notes,
        details=(("n", question.n), ("k", len(models)), *question.details),
    )


def _facts(question: FamilyQuestion) -> dict[str, Any]:
    return {
        "measure": question.measure,
        "method": question.method,
        "n": question.n,
        "unit": question.unit,
    }


def _two_sided(statistics: FloatArray, df: float) -> tuple[FloatArray, FloatArray]:
    """Two-sided p-values and their decimal logarithms, which do not underflow."""
    size = np.abs(statistics)
    if np.isinf(df):
        return 2 * ndtr(-size), (np.log(2) + log_ndtr(-size)) / np.log(10)
    p = np.minimum(2 * stdtr(df, -size), 1.0)
    far = p < _UNDERFLOW
    with np.errstate(divide="ignore"):
        logs = np.log10(p)
    if far.any():
        logs[far] = _log_t_tails(size[far], df) / np.log(10)
    return p, logs


def _log_t_tails(t: FloatArray, df: float) -> FloatArray:
    """Log of both tails, the incomplete beta function by its hypergeometric series."""
    x = df / (df + t**2)
    a = df / 2
    series = hyp2f1(a + 0.5, 1.0, a + 1.0, x)
    logs = a * np.log(x) + 0.5 * np.log1p(-x) - np.log(a) - betaln(a, 0.5) + np.log(series)
    return cast("FloatArray", logs)


def _place(models: Sequence[str], control: str | int) -> int:
    if isinstance(control, int) and not isinstance(control, bool) and 0 <= control < len(models):
        return control
    if control in models:
        return models.index(cast("str", control))
    raise EvidenceError(f"no model {control!r} to be the control; there are {', '.join(models)}")
