"""The common methods on many pieces of evidence at once, equal to the methods call by call.

Each gives p-value, value and interval ends of ordinary evidence, and says which rows are not
ordinary (no spread, one class): those go to the method itself. The tests compare both ways.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import BoolArray, FloatArray
from assay.core.methods import Method
from assay.core.tolerances import NOISE, TIE
from assay.hypotheses.paired_outcomes import p_value_of
from assay.hypotheses.signed_ranks import EXACT_WORK
from assay.kernels.betting_wealth import log_wealths
from assay.kernels.integer_sums import subset_sum_cdf
from assay.kernels.ranks import decimal_differences
from assay.kernels.signed_ranks import SignedRanks
from assay.kernels.special import ndtr, stdtr, stdtrit
from assay.kernels.tails import normal_p, normal_reach, tail_of
from assay.simulate.answer_arrays import Answers
from assay.simulate.worlds.base import Arrays

Batched = Callable[[Arrays, dict[str, Any]], tuple[Answers, BoolArray]]
"""Answers, and the rows that are left to the method itself."""

FLAT_AREA = 1e-14
"""Below this the variance of an area is dust (as `estimates.roc` has it)."""


def one_sample_t(arrays: Arrays, options: dict[str, Any]) -> tuple[Answers, BoolArray]:
    """Student's t of each row against ``null``; also `mean_t`."""
    return _student(arrays["values"], options, "mean")


def paired_t(arrays: Arrays, options: dict[str, Any]) -> tuple[Answers, BoolArray]:
    """Student's t of each row of differences; also `mean_of_pairs`."""
    a, b = arrays["a"], arrays["b"]
    differences = a - b
    size = np.maximum(np.abs(a).max(axis=1), np.abs(b).max(axis=1))
    answers, odd = _student(differences, options, "mean_difference")
    return answers, odd | (np.ptp(differences, axis=1) <= 100.0 * NOISE * size)


def two_sample_t(arrays: Arrays, options: dict[str, Any]) -> tuple[Answers, BoolArray]:
    """Welch's t, or the pooled one, of each row."""
    a, b = arrays["a"], arrays["b"]
    m, n = a.shape[1], b.shape[1]
    squares = [((one - one.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) for one in (a, b)]
    noise = 1e-20 * np.maximum((a**2).max(axis=1), (b**2).max(axis=1))
    odd = (np.minimum(*squares) <= noise * (m + n)) | (min(m, n) < 2)
    with np.errstate(all="ignore"):
        if options.get("variant", "welch") == "pooled":
            df: Any = np.full(len(a), m + n - 2.0)
            error = np.sqrt(sum(squares) / df * (1.0 / m + 1.0 / n))
        else:
            one, other = squares[0] / (m - 1) / m, squares[1] / (n - 1) / n
            df = (one + other) ** 2 / (one**2 / (m - 1) + other**2 / (n - 1))
            error = np.sqrt(one + other)
        difference = a.mean(axis=1) - b.mean(axis=1)
        return _t_answers(difference, error, df, options, "mean_difference", 0.0), odd


def wilcoxon(arrays: Arrays, options: dict[str, Any]) -> tuple[Answers, BoolArray]:
    """Wilcoxon's p-values alone: the interval is not asked for in counting errors."""
    a, b = arrays["a"], arrays["b"]
    differences = a - b
    sizes = np.abs(differences)
    order = np.argsort(sizes, axis=1)
    ordered = np.take_along_axis(sizes, order, axis=1)
    scale = np.maximum(np.abs(a).max(axis=1), np.abs(b).max(axis=1))
    tolerance = np.maximum(TIE * ordered[:, -1], NOISE * scale)  # as round_ties, zero being one
    plain = (np.diff(ordered, axis=1, prepend=0.0) > tolerance[:, None]).all(axis=1)
    side, zeros = options.get("alternative", "two-sided"), options.get("zeros", "drop")
    way, correct = options.get("method", "auto"), options.get("correct", False)
    p = np.full(len(a), np.nan)
    odd = np.zeros(len(a), dtype=bool)
    if plain.any():
        positive = np.take_along_axis(differences > 0.0, order, axis=1)[plain]
        plus = positive @ np.arange(1, a.shape[1] + 1)
        p[plain] = _rank_sum_p(plus, a.shape[1], side, way, correct=correct)
    for row in np.flatnonzero(~plain):
        signed = SignedRanks.of(decimal_differences(a[row], b[row]), zeros)
        if signed.values.size == 0:
            odd[row] = True
            continue
        exact = way == "exact" or (way == "auto" and signed.work() <= EXACT_WORK)
        p[row] = signed.exact_p(side) if exact else signed.normal_p(side, correct=correct)
    empty = np.full((len(a), 1), np.nan)
    return Answers(p[:, None], empty, empty, empty, "pseudo_median", 0.0, side), odd


def mcnemar(arrays: Arrays, options: dict[str, Any]) -> tuple[Answers, BoolArray]:
    """McNemar's p-values alone."""
    side, variant = options.get("alternative", "two-sided"), options.get("variant", "score")
    p = mcnemar_p(arrays["cells"], variant, side)[:, None]
    empty = np.full(p.shape, np.nan)
    return Answers(p, empty, empty, empty, "accuracy", 0.0, side), np.zeros(len(p), dtype=bool)


def mcnemar_p(cells: NDArray[Any], variant: Any = "score", side: Any = "two-sided") -> FloatArray:
    """The p-values of tables (…, 4), worked out once for each distinct pair of discordant counts."""
    pairs = cells[..., 1:3]
    counts, place = np.unique(pairs.reshape(-1, 2), axis=0, return_inverse=True)
    found = np.array([p_value_of(int(a), int(b), variant, side) for a, b in counts])
    return found[place.ravel()].reshape(pairs.shape[:-1])


def anytime(arrays: Arrays, options: dict[str, Any]) -> tuple[Answers, BoolArray]:
    """The p-values of `anytime_mean_difference`, from the wealth of each row."""
    side, bound = options.get("alternative", "two-sided"), float(options.get("bound", 1.0))
    null = float(options.get("null", 0.0))
    differences = arrays["a"] - arrays["b"]
    odd = np.abs(differences).max(axis=1) > bound  # refused by the method, with its reason
    rising = np.clip((differences + bound) / (2.0 * bound), 0.0, 1.0)
    centre = (null + bound) / (2.0 * bound)
    up, down = log_wealths(rising, centre), log_wealths(1.0 - rising, 1.0 - centre)
    both = np.maximum(up, down) - np.log(2.0)
    log_e = {"two-sided": both, "greater": up, "less": down}[side]
    p = np.exp(-np.maximum(log_e, 0.0))[:, None]
    empty = np.full(p.shape, np.nan)
    return Answers(p, empty, empty, empty, "mean_difference", null, side), odd


def _rank_sum_p(plus: NDArray[Any], n: int, side: Any, way: str, *, correct: bool) -> FloatArray:
    """The p-value of each rank sum of n differences without ties, once for each distinct sum."""
    distinct, place = np.unique(plus, return_inverse=True)
    found = [_plain_rank_p(int(one), n, side, way, correct) for one in distinct]
    return np.array(found)[place]


@lru_cache(maxsize=2**16)
def _plain_rank_p(plus: int, n: int, side: Any, way: str, correct: bool) -> float:  # noqa: FBT001
    """As `SignedRanks` has it for the ranks 1 to n, of which ``plus`` is the sum of the positive."""
    total = n * (n + 1) // 2
    if way == "exact" or (way == "auto" and n * total / 2.0 <= EXACT_WORK):
        weights = np.arange(1, n + 1)
        if side == "less":
            return subset_sum_cdf(weights, plus)
        if side == "greater":
            return subset_sum_cdf(weights, total - plus)
        return min(1.0, 2.0 * subset_sum_cdf(weights, min(plus, total - plus)))
    distance = plus - total / 2.0
    if correct:
        half = np.sign(distance) * 0.5 if side == "two-sided" else 0.5
        distance += half if side == "less" else -half
    return min(1.0, normal_p(float(distance / np.sqrt(n * (n + 1) * (2 * n + 1) / 24.0)), side))


def delong(arrays: Arrays, options: dict[str, Any]) -> tuple[Answers, BoolArray]:
    """The AUC of each row with DeLong's interval."""
    above, below = placements(arrays["truth"], arrays["scores"])
    area = above.mean(axis=1)
    variance = _mean_variance(above, area) + _mean_variance(below, area)
    return _areas(area, variance, options, (0.0, 1.0)), variance <= FLAT_AREA


def delong_test(arrays: Arrays, options: dict[str, Any]) -> tuple[Answers, BoolArray]:
    """DeLong's test of each row: the difference of placements has the variance of the difference."""
    above, below = (
        one - other
        for one, other in zip(
            placements(arrays["truth"], arrays["a"]),
            placements(arrays["truth"], arrays["b"]),
            strict=True,
        )
    )
    difference = above.mean(axis=1)
    variance = _mean_variance(above, difference) + _mean_variance(below, difference)
    return _areas(difference, variance, options, (-1.0, 1.0)), variance <= FLAT_AREA


def placements(truth: NDArray[Any], scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of each positive the share of negatives below, of each negative that of positives above.

    As `kernels.auc.placements` of each row; the truth must be the same in all rows.
    """
    hits = truth[0].astype(bool)
    order = np.argsort(scores, axis=1)
    ordered = np.take_along_axis(scores, order, axis=1)
    positive = hits[order]
    below = np.cumsum(positive, axis=1, dtype=np.int32)  # positives at or below each place
    place = np.arange(1, scores.shape[1] + 1, dtype=np.int32)
    twice = np.empty(scores.shape, dtype=np.int32)
    same = ordered[:, 1:] == ordered[:, :-1]
    if same.any():
        begin, end = _groups(same)
        before = np.take_along_axis(np.pad(below, ((0, 0), (1, 0))), begin, axis=1)
        until = np.take_along_axis(below, end, axis=1)
        positives = before + until  # twice the positives below, ties half
        negatives = (begin - before) + (end + 1 - until)
    else:
        positives = 2 * below - positive
        negatives = 2 * (place - below) - ~positive
    np.put_along_axis(twice, order, np.where(positive, negatives, positives), axis=1)
    m = int(hits.sum())
    n = hits.size - m
    return twice[:, hits] / (2.0 * n), 1.0 - twice[:, ~hits] / (2.0 * m)


def _groups(same: BoolArray) -> tuple[NDArray[Any], NDArray[Any]]:
    """For sorted rows, where the group of ties of each place begins and ends."""
    rows, width = same.shape[0], same.shape[1] + 1
    starts = np.zeros((rows, width), dtype=np.int32)
    starts[:, 1:] = np.where(same, 0, np.arange(1, width, dtype=np.int32))
    begin = np.maximum.accumulate(starts, axis=1)
    stops = np.full((rows, width), width - 1, dtype=np.int32)
    stops[:, :-1] = np.where(same, width - 1, np.arange(width - 1, dtype=np.int32))
    end = np.minimum.accumulate(stops[:, ::-1], axis=1)[:, ::-1]
    return begin, end


def _mean_variance(placed: FloatArray, centre: FloatArray) -> FloatArray:
    size = placed.shape[1]
    centred = placed - centre[:, None]
    return np.asarray(np.einsum("ri,ri->r", centred, centred) / ((size - 1) * size))


def _areas(
    value: FloatArray, variance: FloatArray, options: dict[str, Any], ends: tuple[float, float]
) -> Answers:
    side, level = options.get("alternative", "two-sided"), options.get("level", 0.95)
    with np.errstate(all="ignore"):
        error = np.sqrt(variance)
        z = value / error
    reach = normal_reach(level, side) * error
    low = np.full_like(value, ends[0]) if side == "less" else value - reach
    high = np.full_like(value, ends[1]) if side == "greater" else value + reach
    p = 2.0 * ndtr(-np.abs(z)) if side == "two-sided" else ndtr(-z if side == "greater" else z)
    p, value, low, high = (column[:, None] for column in (p, value, low, high))
    return Answers(p, value, low, high, "roc_auc", 0.0, side)


def _student(
    values: FloatArray, options: dict[str, Any], measure: str
) -> tuple[Answers, BoolArray]:
    n = values.shape[1]
    mean = values.mean(axis=1)
    if n < 2:
        return _t_answers(mean, mean, n, options, measure, 0.0), np.ones(len(values), dtype=bool)
    squares = ((values - mean[:, None]) ** 2).sum(axis=1)
    odd = np.ptp(values, axis=1) <= 10.0 * NOISE * np.abs(values).max(axis=1)
    error = np.sqrt(squares / (n - 1) / n)
    return _t_answers(mean, error, n - 1.0, options, measure, float(options.get("null", 0.0))), odd


def _t_answers(
    value: FloatArray,
    error: FloatArray,
    df: Any,
    options: dict[str, Any],
    measure: str,
    null: float,
) -> Answers:
    side, level = options.get("alternative", "two-sided"), options.get("level", 0.95)
    with np.errstate(all="ignore"):
        t = (value - null) / error
        p = stdtr(df, -t if side == "greater" else t)
        if side == "two-sided":
            p = np.minimum(1.0, 2.0 * stdtr(df, -np.abs(t)))
        reach = -stdtrit(df, tail_of(level, side)) * error
    low = np.full_like(value, -np.inf) if side == "less" else value - reach
    high = np.full_like(value, np.inf) if side == "greater" else value + reach
    p, value, low, high = (column[:, None] for column in (p, value, low, high))
    return Answers(p, value, low, high, measure, null, side)


@dataclass(frozen=True, slots=True)
class BatchedForm:
    """A batched form: the options it knows, and whether it gives the ends of intervals."""

    answer: Batched
    options: frozenset[str]
    has_interval: bool = True


def _form(answer: Batched, *options: str, has_interval: bool = True) -> BatchedForm:
    return BatchedForm(answer, frozenset({"alternative", "level", *options}), has_interval)


FORMS: dict[str, BatchedForm] = {
    "one_mean": _form(one_sample_t, "null"),
    "paired_means": _form(paired_t),
    "separate_means": _form(two_sample_t, "variant"),
    "signed_ranks": _form(wilcoxon, "zeros", "method", "correct", has_interval=False),
    "discordant_counts": _form(mcnemar, "variant", has_interval=False),
    "betting_wealth": _form(anytime, "bound", "null", has_interval=False),
    "one_area": _form(delong),
    "two_areas": _form(delong_test),
}
"""Batched forms by what records of methods call them (``batched_by``)."""


def form_of(method: Method, question: str) -> BatchedForm | None:
    """The batched form of a method, if it has one that answers the question."""
    form = None if method.batched_by is None else FORMS[method.batched_by]
    return form if form is not None and (question == "error" or form.has_interval) else None
