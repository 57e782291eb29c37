"""Scores by fold of one algorithm: how the folds were made, and the interval that allows for it."""

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.checks import as_floats, as_values, check_count
from assay.core.errors import EvidenceError, UsageError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate
from assay.core.tolerances import TIE
from assay.core.vocabulary import POPULATION, Alternative
from assay.estimates.method_question import MethodQuestion
from assay.kernels.tails import t_reach

ONE_RUN = 20
"""More scores than this are hardly the folds of one run: the design has to be said."""

ITEMS = "look at the items: a paired test on one test set, such as mcnemar"
NO_SPREAD = note("zero-variance", what="the folds", method="a t test", remedy=ITEMS)
ONE_FOLD = note("single-value", what="one fold", needed="at least two folds")

PerFold = float | ArrayLike
"""One size for all folds, or one size for each."""
Said = tuple[int | None, float | None, PerFold | None, PerFold | None]
"""How splits were made: folds, test_share, n_test, n_train."""
CAUTION = 2.0
"""By how much the cautious t multiplies Nadeau and Bengio's correction; measured in docs/folds.md."""
HELD_FOLDS, HELD_REPEATS = 5, 2
"""Repeated folds on which the cautious t held its level best of all tests in simulation."""


def are_held(folds: int, repeats: int) -> bool:
    """Whether the cautious t decides over such folds."""
    return folds == HELD_FOLDS and repeats >= HELD_REPEATS


@method(
    question="How good is one algorithm, over folds or random splits?",
    takes="sample",
    gives="estimate",
    unit="fold",
    assumes=(
        "scores are near normal",
        "the correlation between folds is the share of data tested, n_test / (n_test + n_train)",
    ),
    reference="nadeau2003",
    requirement="I10",
    same_as="R: x <- {scores}; mean(x) + c(-1, 1) * qt((1 + {level}) / 2, {df}) * sd(x) * "
    "sqrt(1 / {folds} + {ratio})",
    formula="mean ± t_critical · sd sqrt(1/folds + ratio)",
    interval="corrected t",
)
def corrected_t_interval(
    scores: ArrayLike,
    *,
    folds: int | None = None,
    test_share: float | None = None,
    n_test: PerFold | None = None,
    n_train: PerFold | None = None,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Estimate:
    """The cross-validated score with the interval that inverts ``corrected_t_one``.

    It covers the expected score of the algorithm trained on samples of the folds' training size,
    not the score of the one model fitted to all data; ``covers`` in the details says so.
    """
    said = (folds, test_share, n_test, n_train)
    return _interval("corrected_t_interval", 1.0, scores, said, alternative, level)


@method(
    question="How good is one algorithm, over repeated folds (doubled correction)?",
    takes="sample",
    gives="estimate",
    unit="fold",
    assumes=(
        "scores are near normal",
        "the correlation between folds is no more than the measured worlds have",
    ),
    reference="nadeau2003",
    requirement="I10",
    same_as="R: x <- {scores}; mean(x) + c(-1, 1) * qt((1 + {level}) / 2, {df}) * "
    "sqrt(var(x) * (1 / {folds} + 2 * {ratio}) + {training_sd}^2)",
    formula="mean ± t_critical · sqrt(sd² (1/folds + 2 ratio) + training_sd²)",
    interval="cautious t",
)
def cautious_t_interval(
    scores: ArrayLike,
    *,
    folds: int | None = None,
    test_share: float | None = None,
    n_test: PerFold | None = None,
    n_train: PerFold | None = None,
    training_sd: float = 0.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Estimate:
    """``corrected_t_interval`` with its correction doubled: the interval that inverts ``cautious_t_one``.

    ``training_sd``: by how much training varies beyond what splits of one sample show.
    """
    said = (folds, test_share, n_test, n_train)
    hidden = check_training_sd(training_sd)
    return _interval("cautious_t_interval", CAUTION, scores, said, alternative, level, hidden)


def check_training_sd(training_sd: float) -> float:
    """A standard deviation: a number from 0 on."""
    (value,) = as_values(np.atleast_1d(as_floats(training_sd, "training_sd")), "training_sd")
    if value < 0.0:
        raise UsageError(f"training_sd is a standard deviation, 0 or more; got {training_sd!r}")
    return float(value)


def _interval(
    method_id: str,
    caution: float,
    scores: ArrayLike,
    said: Said,
    alternative: str,
    level: float,
    training_sd: float = 0.0,
) -> Estimate:
    """The mean over folds with its interval, the correction taken ``caution`` times."""
    values = as_values(scores, "scores")
    asked = MethodQuestion.of(method_id, level=level, alternative=alternative, unit="fold")
    folds, test_share, n_test, n_train = said
    splits = splits_of(
        values.size, folds=folds, test_share=test_share, n_test=n_test, n_train=n_train
    )
    mean, n = float(values.mean()), values.size
    details: Details = (("mean", mean), ("folds", n), ("df", n - 1), ("ratio", splits.ratio))
    if caution != 1.0:
        details = (*details, ("training_sd", training_sd))
    where = "" if caution == 1.0 else " (docs/folds)"
    notes = (*splits.notes, note("heuristic-level", method=method_id, measured=where))
    interval, error = None, None
    if n == 1 or float(np.ptp(values)) <= TIE * float(np.abs(values).max()):
        notes = (*splits.notes, ONE_FOLD if n == 1 else NO_SPREAD)
    else:
        sd = float(values.std(ddof=1))
        error = math.hypot(sd * math.sqrt(1.0 / n + caution * splits.ratio), training_sd)
        critical = t_reach(asked.level, n - 1, asked.side)
        interval = asked.around(mean, critical * error)
        details = (*details, ("sd", sd), ("standard_error", error), ("t_critical", critical))
    details = (*details, ("covers", POPULATION["fold"]))
    return asked.estimate("mean", mean, n, interval, error, notes=notes, details=details)


@lru_cache(maxsize=256)
def measured_level(method_id: str, resamples: int, ratio: float) -> str:
    """What calibration measured for the most similar design, in words; "" where nothing was."""
    designs = _measured_levels().get(method_id, [])
    if not designs:
        return ""

    def distance(one: dict[str, Any]) -> float:
        return abs(math.log(one["splits"] / resamples)) + abs(math.log(one["ratio"] / ratio))

    nearest = min(designs, key=distance)
    low, high = (f"{100 * share:.0f}" for share in nearest["range"])
    return (
        f": {low} to {high}% for two exchangeable learners, nominal 5% "
        f"({nearest['design']}, 50 to 1,000 items)"
    )


@lru_cache(maxsize=1)
def _measured_levels() -> dict[str, list[dict[str, Any]]]:
    """Ranges of measured levels by method and design, as `make calibrate` wrote them."""
    path = Path(__file__).with_name("fold_levels.json")
    found: dict[str, list[dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Splits:
    """How data were split: items tested over items trained, and what had to be assumed."""

    ratio: float
    notes: tuple[Note, ...] = ()


def splits_of(
    resamples: int,
    *,
    folds: int | None = None,
    test_share: float | None = None,
    n_test: PerFold | None = None,
    n_train: PerFold | None = None,
) -> Splits:
    """The design of the splits; unequal sizes count total tested over total trained."""
    sizes = n_test is not None or n_train is not None
    said = (folds is not None) + (test_share is not None) + sizes
    if said > 1 or (said == 0 and resamples > ONE_RUN):
        raise UsageError(
            f"the corrected t must know how the {resamples} splits were made. Give one of: folds=K "
            "for (repeated) K-fold, n_test and n_train, or test_share"
        )
    if folds is not None:
        whole = check_count(folds, "folds", at_least=2)
        if resamples % whole:
            raise EvidenceError(
                f"{resamples} scores are not whole runs of {whole} folds; where folds are missing "
                "give n_test and n_train instead"
            )
        return Splits(ratio=1.0 / (whole - 1))
    if test_share is not None:
        share = float(test_share)
        if not 0.0 < share < 1.0:
            raise UsageError(f"test_share lies between 0 and 1, got {test_share!r}")
        return Splits(ratio=share / (1.0 - share))
    if sizes:
        tested, trained = (
            _mean_size(given, what, resamples)
            for given, what in ((n_test, "n_test"), (n_train, "n_train"))
        )
        return Splits(ratio=tested / trained)
    assumed = note("assumed-one-run", folds=resamples)
    return Splits(ratio=1.0 / max(resamples - 1, 1), notes=(assumed,))


def _mean_size(given: PerFold | None, what: str, resamples: int) -> float:
    """The mean size of a part, from one size or from one per split."""
    if given is None:
        raise UsageError(f"{what} is missing: n_test and n_train go together")
    sizes = as_values(np.atleast_1d(as_floats(given, what)), what)
    if sizes.size not in (1, resamples):
        raise EvidenceError(
            f"{what} is one size or one per split: {resamples} are needed, {sizes.size} came"
        )
    if (sizes <= 0).any():
        raise UsageError(f"{what} counts items and is above 0; got {sizes.min():g}")
    return float(sizes.mean())
