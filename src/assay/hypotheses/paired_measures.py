"""Two models on the same items, compared in any measure: paired bootstrap and permutation (T5)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import check_choice, check_count
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.progress import steps
from assay.core.results import TestOutcome, with_notes
from assay.core.rng import Rng, seed_of, stream
from assay.core.vocabulary import ALTERNATIVES, Alternative
from assay.estimates.bootstrap import Replicates, replicates_of
from assay.estimates.bootstrap_exact import (
    WAYS,
    ExactBootstrap,
    MeanTerms,
    Way,
    exact_bootstrap,
    of_terms,
    terms_of,
)
from assay.estimates.label_weights import STACK
from assay.estimates.method_question import MethodQuestion
from assay.estimates.resampling_cells import reduce
from assay.evidence.argument_checks import as_predictions
from assay.evidence.item_arrays import Columns
from assay.evidence.predictions import Predictions
from assay.evidence.tally import Tally
from assay.hypotheses.replicate_answers import exact_difference, sampled_difference
from assay.kernels.auc import pooled_placements
from assay.kernels.ranks import midranks
from assay.kernels.sign_flip_distribution import TailProbability
from assay.kernels.sign_flip_tests import flip_tails
from assay.kernels.tails import two_tails
from assay.measures.registry import Measure, find_measure

AnyMeasure = str | Measure | Callable[..., float]

FEW = 10
"""Items with different answers below which the percentile bootstrap is known to be too narrow."""
LISTED = 100_000
"""Ways to swap that are all looked at; beyond it they are drawn."""


@method(
    question="Do two models differ in a measure on the same items?",
    takes="predictions",
    gives="test",
    unit="item",
    assumes=("items (or clusters) are independent", "enough items to stand for their source"),
    reference="Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapters 13 and 15",
    requirement="T5",
    formula="[D*_(j), D*_(B+1-j)], j = floor((1 - level)/2 (B + 1)), D* = A - B on a resample; "
    "p = 2 min(#(D* <= 0) + 1, #(D* >= 0) + 1)/(B + 1), B = n_resamples",
    exempt={"contains": "a biased measure may lie outside the central part of its replicates"},
    title="paired bootstrap test",
    calibrated_by="any_measure",
)
def paired_bootstrap(
    evidence: Any,
    *,
    measure: AnyMeasure = "accuracy",
    models: Sequence[str] | None = None,
    alternative: str = "two-sided",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
    method: Way = "auto",
) -> TestOutcome:
    """The difference of a measure, items resampled together for both models.

    The percentile interval and a p-value from the same replicates, so that they agree. Evidence
    in clusters is resampled by whole clusters. The answer mirrors when A and B are swapped. A
    mean over items has the exact distribution (no seed) unless ``method`` is "sampled".
    """
    predictions, pair = pair_of(evidence, models)
    asked = MethodQuestion.of("paired_bootstrap", level=level, alternative=alternative)
    chosen, way = find_measure(measure), check_choice(method, WAYS, "method")
    check_count(n_resamples, "n_resamples", at_least=1)
    bound = chosen.bind(predictions.classes, predictions.positive)
    law = exact_bootstrap(predictions, bound, pair, way=way)
    found = _exact(asked, law, predictions, chosen, pair)
    if found is not None:
        return found
    return _sampled(asked, predictions, chosen, pair, n_resamples, seed_of(rng))


@method(
    question="Do two models differ in a measure on the same items (permutation test)?",
    takes="predictions",
    gives="test",
    unit="item",
    assumes=("items are independent", "under the null the answers to each item could be swapped"),
    reference="Noreen (1989), Computer-Intensive Methods; Yeh (2000), COLING",
    requirement="T5",
    formula="p = (1 + swappings with |difference| at least as large)/(1 + n_resamples)",
    exempt={
        "decides": "its null is that the models are exchangeable, more than that the measure is equal",
        "contains": "the interval beside it is the percentile bootstrap's",
    },
    title="paired permutation test",
)
def paired_measure_permutation(
    evidence: Any,
    *,
    measure: AnyMeasure = "accuracy",
    models: Sequence[str] | None = None,
    alternative: str = "two-sided",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> TestOutcome:
    """The difference of a measure, the two models' answers swapped at random item by item.

    Labels are swapped in the table of distinct rows, exactly where there are few ways; scores
    become midranks first, so that models on different scales can be swapped. The interval beside
    it is the paired bootstrap's.
    """
    predictions, pair = pair_of(evidence, models)
    beside = _beside(level)
    side = check_choice(alternative, ALTERNATIVES, "alternative")
    size, seed = check_count(n_resamples, "n_resamples", at_least=1), seed_of(rng)
    return _permuted(beside, predictions, pair, find_measure(measure), side, size, seed)


def permutation_beside(
    bootstrap: TestOutcome,
    evidence: Predictions,
    *,
    measure: Measure,
    level: float,
    n_resamples: int,
    rng: int,
) -> TestOutcome:
    """The same where the paired bootstrap was drawn already, with these numbers: it is not drawn twice."""
    predictions, pair = pair_of(evidence, None)
    drawn = None if bootstrap.seed is None else bootstrap
    asked = _beside(level)
    return _permuted(asked, predictions, pair, measure, "two-sided", n_resamples, rng, drawn)


def _beside(level: float) -> MethodQuestion:
    """The paired bootstrap, whose interval stands beside the permutation's p-value."""
    return MethodQuestion.of("paired_bootstrap", level=level)


def _permuted(
    asked: MethodQuestion,
    predictions: Predictions,
    pair: tuple[str, str],
    chosen: Measure,
    side: Alternative,
    size: int,
    seed: int,
    beside: TestOutcome | None = None,
) -> TestOutcome:
    if predictions.weighted or predictions.clusters is not None:
        what = "importance weights" if predictions.weighted else "clusters"
        raise NotApplicable(
            f"swapping treats all items alike, and the evidence has {what}: use paired_bootstrap"
        )
    bound = chosen.bind(predictions.classes, predictions.positive)
    terms = terms_of(predictions, bound, pair, joined=False)
    swapped = _swaps(predictions, bound, pair, terms, size, seed)
    law = None if terms is None or terms.change is not None else of_terms(terms)
    beside = beside or _exact(asked, law, predictions, chosen, pair)
    beside = beside or _sampled(asked, predictions, chosen, pair, size, seed)
    outcome = replace(
        beside,
        method="paired_measure_permutation",
        alternative=side,
        p_value=swapped.p_value(side),
        notes=(note("exchangeable-null", measure=bound.called), *beside.notes),
        details=(
            ("swaps", swapped.size),
            ("exact", swapped.exact),
            ("how", swapped.how),
            ("log10_p", swapped.log10_p(side)),
        ),
    )
    if swapped.exact or outcome.p_value is None:
        return outcome
    error = math.sqrt(outcome.p_value * (1.0 - outcome.p_value) / size)
    return with_notes(outcome, note("sampled", n=size, what="swappings", error=error))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Swaps:
    """The differences that swapping gives, with their probabilities, and the observed one."""

    observed: float
    differences: FloatArray
    shares: FloatArray
    exact: bool

    @property
    def size(self) -> int:
        return self.differences.size

    @property
    def how(self) -> str:
        return "listed" if self.exact else "sampled"

    def p_value(self, side: Alternative) -> float | None:
        """The observed way counts among the drawn ones; an undefined difference counts as large."""
        if math.isnan(self.observed):
            return None
        slack = 1e-10 * max(1.0, abs(self.observed))
        sizes = np.nan_to_num(self.differences, nan=math.inf)
        lower = np.nan_to_num(self.differences, nan=-math.inf)
        extra = 0.0 if self.exact else 1.0 / (self.shares.size + 1)
        if side == "two-sided":
            far = np.abs(sizes) >= abs(self.observed) - slack
        else:
            far = (
                sizes >= self.observed - slack
                if side == "greater"
                else (lower <= self.observed + slack)
            )
        return min(1.0, float(self.shares[far].sum()) + extra)

    def log10_p(self, side: Alternative) -> float | None:
        p_value = self.p_value(side)
        return math.log10(p_value) if p_value else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flips:
    """Both tails over all 2^n swappings, of a difference that is a sum over items."""

    more: TailProbability
    fewer: TailProbability
    exact: bool = True
    size: float = math.inf

    @property
    def how(self) -> str:
        return self.more.how

    def p_value(self, side: Alternative) -> float | None:
        return two_tails(self.more.p, self.fewer.p, side)

    def log10_p(self, side: Alternative) -> float | None:
        """Finite where the p-value itself is below the smallest number."""
        logs = {"greater": self.more.log_p, "less": self.fewer.log_p}
        doubled = min(logs.values()) + math.log(2.0)
        return min(0.0, logs.get(side, doubled)) / math.log(10.0)


def pair_of(evidence: Any, models: Sequence[str] | None) -> tuple[Predictions, tuple[str, str]]:
    predictions = as_predictions(evidence)
    names = tuple(models or predictions.models)
    if len(names) != 2:
        raise EvidenceError(
            f"two models are compared; got {len(names)} ({', '.join(names)}): name them with models="
        )
    return predictions, (names[0], names[1])


def _exact(
    asked: MethodQuestion,
    law: ExactBootstrap | None,
    predictions: Predictions,
    measure: Measure,
    pair: tuple[str, str],
) -> TestOutcome | None:
    """The paired bootstrap where its distribution is known; None: draw instead."""
    if law is None:
        return None
    found = exact_difference(asked, law, measure.called, predictions.n)
    return found and with_notes(found, *_few_disagreements(predictions, measure, pair))


def _sampled(
    asked: MethodQuestion,
    predictions: Predictions,
    measure: Measure,
    pair: tuple[str, str],
    n_resamples: int,
    seed: int,
) -> TestOutcome:
    found = joint_replicates(predictions, measure, pair, n_resamples, seed)
    value, replicates = found.difference(*pair)
    return sampled_difference(
        asked,
        measure,
        value,
        replicates,
        predictions.n,
        seed=seed,
        details=(
            ("n_resamples", n_resamples),
            ("undefined", int(np.isnan(replicates).sum())),
            ("resampled", found.kind),
        ),
        notes=_few_disagreements(predictions, measure, pair),
        units=found.units,
    )


def joint_replicates(
    predictions: Predictions, measure: Measure, pair: tuple[str, str], n_resamples: int, seed: int
) -> Replicates:
    """Joint replicates, with the same draws whichever model is called A."""
    reduced = reduce(predictions, measure, pair)
    if reduced.values[0] < reduced.values[1]:
        reduced = reduce(predictions, measure, pair[::-1])
    return replicates_of(reduced, n_resamples=n_resamples, rng=seed)


def _few_disagreements(
    predictions: Predictions, measure: Measure, pair: tuple[str, str]
) -> tuple[Note, ...]:
    if measure.reduction != "tally":
        return ()
    tally = predictions.tally(pair)
    differ = int(tally.counts @ (tally.rows[:, 1] != tally.rows[:, 2]))
    return (note("few-disagreements", count=differ),) if differ < FEW else ()


def _swaps(
    predictions: Predictions,
    measure: Measure,
    pair: tuple[str, str],
    terms: MeanTerms | None,
    size: int,
    seed: int,
) -> _Swaps | _Flips:
    """What swapping does to the difference: all ways where it is a sum over items, else some."""
    if terms is not None:
        flips = _flips(terms.values, terms.counts)
        if flips is not None:
            return flips
    if measure.reduction == "tally":
        return _label_swaps(predictions.tally(pair), measure, size, seed)
    columns = predictions.sorted_columns(measure.needs, pair)
    if measure.of_area is not None:  # under swapping its difference is a sum over items
        answers = np.stack([midranks(one, axis=0) for one in columns.predictions])
        flips = _flips(pooled_placements(columns.truth, answers))
        if flips is not None:
            return flips
    return _item_swaps(columns, measure, size, seed)


def _flips(differences: FloatArray, counts: Any = None) -> _Flips | None:
    """The tails of the sum of differences whose signs are flipped; None where they are not cheap."""
    tails = flip_tails(differences, counts)
    return None if tails is None else _Flips(more=tails[0], fewer=tails[1])


def _label_swaps(tally: Tally, measure: Measure, size: int, seed: int) -> _Swaps:
    """Of the items with truth t that one model calls x and the other y, some have x from A.

    Their number is binomial with probability 1/2, so a swapping is one draw per group, whatever
    the number of items; the two confusion matrices always add up to the same sum.
    """
    n_classes = len(tally.classes)
    truth, one, other = tally.rows.T
    low, high = np.minimum(one, other), np.maximum(one, other)
    groups, place = np.unique(np.stack([truth, low, high], axis=1), axis=0, return_inverse=True)
    place = place.ravel()
    members = np.bincount(place, weights=tally.counts).astype(np.int64)
    open_ = groups[:, 1] != groups[:, 2]
    both = tally.confusion(tally.models[0]) + tally.confusion(tally.models[1])
    kept = np.zeros(n_classes**2)
    np.add.at(kept, groups[~open_, 0] * n_classes + groups[~open_, 1], members[~open_])
    drawn, shares = _swapped_counts(members[open_], size, seed)
    swapped = groups[open_]
    differences = np.empty(len(drawn))
    rows = max(1, STACK // n_classes**2)
    for start in range(0, len(drawn), rows):
        part = drawn[start : start + rows]
        tables = np.tile(kept, (len(part), 1))
        for column, (t, x, y) in enumerate(swapped.tolist()):
            tables[:, t * n_classes + x] += part[:, column]
            tables[:, t * n_classes + y] += members[open_][column] - part[:, column]
        first = tables.reshape(-1, n_classes, n_classes)
        values = measure.function(first) - measure.function(both - first)
        differences[start : start + rows] = values
    a, b = (float(measure.function(tally.confusion(model))) for model in tally.models)
    return _Swaps(
        observed=a - b,
        differences=differences,
        shares=shares,
        exact=_ways(members[open_]) <= LISTED,
    )


def _ways(members: IntArray) -> float:
    return float(np.prod(members + 1.0))


def _swapped_counts(members: IntArray, size: int, seed: int) -> tuple[IntArray, FloatArray]:
    """How many of each group A gets: all ways with their probabilities, or random ones."""
    if _ways(members) > LISTED:
        drawn = stream(seed).binomial(members, 0.5, size=(size, members.size))
        return drawn, np.full(size, 1.0 / (size + 1))
    ways = int(_ways(members))
    drawn = (
        np.stack(np.unravel_index(np.arange(ways), tuple(members + 1)), axis=1)
        if (members.size)
        else np.zeros((1, 0), dtype=np.int64)
    )
    shares = np.ones(ways)
    for column, count in enumerate(members.tolist()):
        coins = np.array([math.comb(count, k) for k in range(count + 1)], dtype=np.float64)
        shares *= (coins / coins.sum())[drawn[:, column]]
    return drawn.astype(np.int64), shares


def _item_swaps(columns: Columns, measure: Measure, size: int, seed: int) -> _Swaps:
    """Scores, probabilities, values or losses swapped item by item."""
    truth, answers = columns.truth, columns.predictions
    if measure.reduction == "sorted_scores":
        answers = np.stack([midranks(one, axis=0) for one in answers])
    if answers.ndim == 2:  # the same draws whatever the order of the items and of the models
        low, high = answers.min(axis=0), answers.max(axis=0)
        keys = (high, low, truth) if truth.size else (high, low)
        order = np.lexsort(keys)
        truth = truth[order] if truth.size else truth
        pair = np.stack([low[order], high[order]])
    else:
        pair = answers
    prepared = measure.prepare is not None
    evaluate = (_of_entries if prepared else _of_choices)(measure, truth, pair)
    observed = [_alone(measure, columns.truth, one) for one in answers]
    differences = np.empty(size)
    block = max(1, 2**20 // max(1, columns.n))
    for number, start in steps("permuting", list(enumerate(range(0, size, block)))):
        rows = min(block, size - start)
        choices = stream(seed, number).integers(0, 2, size=(rows, columns.n), dtype=np.int8)
        differences[start : start + rows] = evaluate(choices)
    return _Swaps(
        observed=observed[0] - observed[1],
        differences=differences,
        shares=np.full(size, 1.0 / (size + 1)),
        exact=False,
    )


def _alone(measure: Measure, truth: Any, answers: Any) -> float:
    """The measure of one model's answers."""
    if measure.reduction == "moments" and measure.features is not None:
        means = np.asarray(measure.features(truth, answers), dtype=np.float64).mean(axis=0)
        return float(measure.function(means))
    return float(measure.function(truth, answers))


def _of_entries(
    measure: Measure, truth: Any, pair: NDArray[Any]
) -> Callable[[NDArray[np.int8]], FloatArray]:
    """The same for rankings: both answers to all items are sorted once, and half of them count."""
    if measure.prepare is None:
        raise TypeError(f"{measure.called} does not rank")
    function = measure.prepare(np.concatenate([truth, truth]), np.concatenate([pair[0], pair[1]]))

    def of_weights(choices: NDArray[np.int8]) -> FloatArray:
        chosen = choices.view(np.uint8)
        weights = np.concatenate([1 - chosen, chosen], axis=1)
        return np.asarray(function(weights) - function(1 - weights))

    return of_weights


def _of_choices(
    measure: Measure, truth: Any, pair: NDArray[Any]
) -> Callable[[NDArray[np.int8]], FloatArray]:
    """The difference of the measure when A takes the chosen of each pair and B the other."""
    if measure.reduction == "moments" and measure.features is not None:
        first, second = (np.asarray(measure.features(truth, one), np.float64) for one in pair)
        gain, total = second - first, first.mean(axis=0) + second.mean(axis=0)

        def of_means(choices: NDArray[np.int8]) -> FloatArray:
            moved = np.einsum("bi,ij->bj", choices.astype(np.float64), gain) / len(gain)
            means = first.mean(axis=0) + moved
            return np.asarray(measure.function(means) - measure.function(total - means))

        return of_means

    def of_rows(choices: NDArray[np.int8]) -> FloatArray:
        values = np.empty(len(choices))
        for row, choice in enumerate(choices.astype(bool)):
            mask = choice if pair.ndim == 2 else choice[:, None]
            mine, theirs = np.where(mask, pair[1], pair[0]), np.where(mask, pair[0], pair[1])
            values[row] = _alone(measure, truth, mine) - _alone(measure, truth, theirs)
        return values

    return of_rows
