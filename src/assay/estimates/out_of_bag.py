"""The error of a learner from bootstrap samples: out-of-bag, .632 and .632+ (I8).

The methods work on the losses that a bootstrap run leaves behind; in training.py `bootstrap_run`
makes them with a scikit-learn estimator and `bagged_losses` reads them from a bagged one.
"""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import as_floats, as_values, check_size
from assay.core.errors import EvidenceError, UsageError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate
from assay.estimates.method_question import MethodQuestion
from assay.kernels.binomial import wilson_limits

INSIDE = 0.632
"""The share of items that a bootstrap sample holds, 1 - 1/e, to the three digits of the paper."""

FLAT = 1e-12
"""A standard error below this share of the losses is rounding."""

_MODELS = "the learner trained on other samples of this size, and the model fitted to these items"
_ITEMS = "these fitted models on new items"
_resampled = partial(method, gives="estimate", unit="item", requirement="I8")


@_resampled(
    question="How large is a learner's error on the items that a bootstrap sample left out?",
    takes="out-of-bag-losses",
    assumes=("independent items",),
    reference="Efron & Tibshirani (1997), JASA 92: 548-560; Breiman (1996), Out-of-bag estimation",
    formula="out_of_bag ± z standard_error; Wilson's shape of it for error rates",
)
def out_of_bag(losses: ArrayLike, *, level: float = 0.95) -> Estimate:
    """The mean loss of items under models that did not train on them.

    ``losses`` is one number per item (a bagged learner's own estimate, see `bagged_losses`), or a
    matrix of samples x items, NaN where the item was in the sample: then the interval allows for
    other training samples too. NaN for an item that was never left out.
    """
    left_out = _left_out(losses)
    rate = _is_rate(as_floats(losses, "out-of-bag losses"))
    spread = _spread(left_out)
    details: Details = (
        ("out_of_bag", left_out.mean),
        ("standard_error", spread.error),
        *spread.details,
        ("covers", _ITEMS if spread.fixed else "the learner trained on bootstrap samples"),
    )
    notes = (*left_out.notes, note("oob-pessimistic"))
    return _estimate(
        MethodQuestion.of("out_of_bag", level=level),
        left_out.mean,
        left_out,
        spread,
        rate=rate,
        details=details,
        notes=notes,
    )


@_resampled(
    question="How large is a learner's error, corrected for the pessimism of bootstrap samples?",
    takes="bootstrap-losses",
    assumes=("independent items", "a learner that does not fit its training items perfectly"),
    reference="Efron (1983), JASA 78: 316-331; Efron & Tibshirani (1997), JASA 92: 548-560",
    formula="0.368 resubstitution + 0.632 out_of_bag",
)
def bootstrap_632(fitted: ArrayLike, out_of_bag: ArrayLike, *, level: float = 0.95) -> Estimate:
    """The .632 estimate: resubstitution and out-of-bag error, weighed.

    ``fitted`` are the losses of the model trained on all items on these same items, ``out_of_bag``
    as in `out_of_bag`. Too small for learners that fit their training items well: `bootstrap_632_plus`.
    """
    inside, left_out, rate = _both(fitted, out_of_bag)
    value = (1.0 - INSIDE) * inside + INSIDE * left_out.mean
    spread = _spread(left_out)
    details: Details = (
        ("resubstitution", inside),
        ("out_of_bag", left_out.mean),
        ("standard_error", spread.error),
        *spread.details,
        ("covers", _ITEMS if spread.fixed else _MODELS),
    )
    return _estimate(
        MethodQuestion.of("bootstrap_632", level=level),
        value,
        left_out,
        spread,
        rate=rate,
        details=details,
        notes=left_out.notes,
    )


@_resampled(
    question="How large is a learner's error, allowing for how much it overfits?",
    takes="bootstrap-losses-rate",
    assumes=("independent items",),
    reference="Efron & Tibshirani (1997), JASA 92: 548-560",
    formula="bootstrap_632 + (outside - resubstitution) 0.368 0.632 overfitting/(1 - 0.368 overfitting), "
    "outside = min(out_of_bag, no_information), "
    "overfitting = (outside - resubstitution)/(no_information - resubstitution)",
)
def bootstrap_632_plus(
    fitted: ArrayLike, out_of_bag: ArrayLike, no_information: float, *, level: float = 0.95
) -> Estimate:
    """The .632+ estimate: the more a learner overfits, the more the out-of-bag error weighs.

    ``no_information`` is the loss of predictions that have nothing to do with the truth; see
    `no_information_rate`. The value lies between the two errors it is made of.
    """
    inside, left_out, rate = _both(fitted, out_of_bag)
    gamma = _number(no_information)
    outside = min(left_out.mean, gamma)
    overfits = outside > inside and gamma > inside
    overfitting = (outside - inside) / (gamma - inside) if overfits else 0.0
    plain = (1.0 - INSIDE) * inside + INSIDE * left_out.mean
    extra = INSIDE * (1.0 - INSIDE) * overfitting / (1.0 - (1.0 - INSIDE) * overfitting)
    value = plain + (outside - inside) * extra  # their eq. 32
    spread = _spread(left_out)
    details: Details = (
        ("resubstitution", inside),
        ("out_of_bag", left_out.mean),
        ("no_information", gamma),
        ("overfitting", overfitting),
        ("outside", outside),
        ("bootstrap_632", plain),
        ("standard_error", spread.error),
        *spread.details,
        ("covers", _ITEMS if spread.fixed else _MODELS),
    )
    return _estimate(
        MethodQuestion.of("bootstrap_632_plus", level=level),
        value,
        left_out,
        spread,
        rate=rate,
        details=details,
        notes=left_out.notes,
    )


def loss_estimate(
    asked: MethodQuestion,
    value: float,
    standard_error: float,
    n: int,
    *,
    rate: bool,
    positive: bool,
    behind: int | None = None,
    notes: tuple[Note, ...] = (),
    details: Details = (),
) -> Estimate:
    """A mean loss with the interval that its standard error gives; ``behind`` are the items in it, if not all ``n``.

    An error rate gets Wilson's shape for as many items as explain the standard error, at most all:
    it stays in [0, 1] and has a width at 0. The interval of a loss that cannot be negative is cut at 0,
    and where the standard error is 0 it has none.
    """
    interval = None
    if rate:
        share = min(max(value, 0.0), 1.0)
        variance = share * (1.0 - share)
        effective = float(n if behind is None else behind)
        if variance > 0.0 and standard_error > 0.0:  # 1: n - 1 stands in the variance of a sample
            effective = min(variance / standard_error**2 + 1.0, effective)
        limits = wilson_limits(share * effective, effective, asked.z)
        interval = asked.sided((float(limits[0]), float(limits[1])))
    elif standard_error > 0.0:
        low, high = value - asked.z * standard_error, value + asked.z * standard_error
        floor = 0.0 if positive else -math.inf
        interval = asked.sided((max(low, floor), high), (floor, math.inf))
    return asked.estimate(
        "error_rate" if rate else "mean_loss",
        value,
        n,
        interval,
        standard_error if standard_error > 0.0 else None,
        notes=notes,
        details=details,
    )


class _LeftOut(NamedTuple):
    """The losses of items where they were left out: each item's mean, and the samples behind it."""

    means: FloatArray  # of the items that were ever left out
    losses: FloatArray | None  # (samples, those items); None where only the means came
    n: int
    notes: tuple[Note, ...]

    @property
    def mean(self) -> float:
        return float(self.means.mean())


class _LossSpread(NamedTuple):
    error: float
    fixed: bool  # whether the training samples are taken as given
    details: Details


def _left_out(losses: ArrayLike) -> _LeftOut:
    meant = "numbers, NaN where an item was in the sample (losses_of makes them from predictions)"
    given = as_floats(losses, "out-of-bag losses", meant=meant)
    if given.ndim not in (1, 2) or given.size == 0 or np.isinf(given).any():
        raise EvidenceError(
            "out-of-bag losses are one finite number per item, or a matrix of samples x items; "
            f"got shape {given.shape}"
        )
    check_size(given, "the out-of-bag losses")
    table = np.atleast_2d(given)
    if given.ndim == 2 and len(table) > 1 and not np.isnan(table).any():
        raise EvidenceError(
            "every sample has a loss for every item, so no item was left out. Losses of items "
            "that a sample trained on must be NaN"
        )
    times = (~np.isnan(table)).sum(axis=0)
    seen = times > 0
    if np.count_nonzero(seen) < 2:
        raise EvidenceError("fewer than two items were ever left out: draw more samples")
    missing = int(np.count_nonzero(~seen))
    notes = (note("never-out-of-bag", count=missing, n=seen.size),) if missing else ()
    kept = table[:, seen]
    means = np.nansum(kept, axis=0) / times[seen]
    return _LeftOut(means, kept if len(table) > 1 else None, seen.size, notes)


def _both(fitted: ArrayLike, out_of_bag: ArrayLike) -> tuple[float, _LeftOut, bool]:
    """The resubstitution error and the left-out losses of the same items."""
    inside = as_values(fitted, "fitted")
    left_out = _left_out(out_of_bag)
    if left_out.n != inside.size:
        raise EvidenceError(
            f"{inside.size} losses of the fitted model but out-of-bag losses of {left_out.n} "
            "items: rows are samples, columns items"
        )
    rate = _is_rate(inside) and bool(((left_out.means >= 0.0) & (left_out.means <= 1.0)).all())
    if left_out.losses is not None:
        rate = rate and _is_rate(left_out.losses)
    return float(inside.mean()), left_out, rate


def _is_rate(losses: FloatArray) -> bool:
    """Whether every loss is 0 or 1, so that their mean is an error rate."""
    return bool(((losses == 0.0) | (losses == 1.0) | np.isnan(losses)).all())


def _number(no_information: Any) -> float:
    try:
        value = float(no_information)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(
            f"no_information is the loss of uninformed predictions, a number; got {no_information!r}: "
            "no_information_rate(truth, predictions) gives it"
        )
    return value


def _spread(left_out: _LeftOut) -> _LossSpread:
    """The delta method after the bootstrap of Efron and Tibshirani (1997, section 5).

    D_i is what one more copy of item i would change: as a test item, (E_i - mean)/n, and as a
    training item, through the losses of the others where i was in the sample against where it was
    not (how often it was in is not needed: 0.632 of that contrast is the slope in the number of
    copies). The noise of a finite number of samples is subtracted. At least the spread over items.
    """
    means = left_out.means
    n = means.size
    items = float(means.var(ddof=1)) / n
    if left_out.losses is None:
        return _LossSpread(math.sqrt(items), fixed=True, details=(("replicates", None),))
    effect, noise = _training_effects(left_out.losses)
    changes = (means - means.mean()) / n + effect
    variance = max(float((changes**2).sum() - noise), items)
    details: Details = (
        ("replicates", len(left_out.losses)),
        ("items_error", math.sqrt(items)),
    )
    return _LossSpread(math.sqrt(variance), fixed=False, details=details)


def _training_effects(losses: FloatArray) -> tuple[FloatArray, float]:
    """How much one more copy of each item in training changes the others' loss; its total noise."""
    out = ~np.isnan(losses)
    values = np.where(out, losses, 0.0)
    total, count = values.sum(axis=1, keepdims=True), out.sum(axis=1, keepdims=True)
    usable = count[:, 0] > 1
    out, values, total, count = out[usable], values[usable], total[usable], count[usable]
    others = (total - values) / (count - out)
    times_out, n = out.sum(axis=0), losses.shape[1]
    times_in = len(out) - times_out
    known = (times_out > 1) & (times_in > 1)
    if not known.any():
        return np.zeros(n), 0.0
    share = 1.0 - (1.0 - 1.0 / n) ** n
    contrast, noise = np.zeros(n), np.zeros(n)
    for part, times, sign in ((~out, times_in, 1.0), (out, times_out, -1.0)):
        size = np.maximum(times, 2)
        mean = (others * part).sum(axis=0) / size
        squares = (((others - mean) * part) ** 2).sum(axis=0)
        contrast += sign * mean
        noise += squares / (size - 1) / size
    effect = np.where(known, share * contrast, 0.0)
    effect = np.where(known, effect - effect[known].mean(), 0.0)
    return effect, float(share**2 * noise[known].sum())


def _estimate(
    asked: MethodQuestion,
    value: float,
    left_out: _LeftOut,
    spread: _LossSpread,
    *,
    rate: bool,
    details: Details,
    notes: tuple[Note, ...],
) -> Estimate:
    varies = spread.error > FLAT * float(np.abs(left_out.means).max())
    if not varies:
        what, remedy = "the out-of-bag losses", "look at the items"
        remedy = "Wilson's interval for so many items is given" if rate else remedy
        notes = (*notes, note("zero-variance", what=what, method=asked.method, remedy=remedy))
    if spread.fixed and asked.method != "out_of_bag":
        notes = (*notes, note("training-held-fixed"))
    return loss_estimate(
        asked,
        value,
        spread.error if varies else 0.0,
        left_out.n,
        rate=rate,
        positive=value >= 0.0 and bool((left_out.means >= 0.0).all()),
        behind=left_out.means.size,
        notes=notes,
        details=details,
    )
