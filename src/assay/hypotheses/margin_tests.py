"""One-sided tests of a difference against any null, such as a margin: by t, by score, from replicates."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.results import Details, Estimate
from assay.core.vocabulary import Alternative
from assay.estimates.bootstrap_exact import ExactBootstrap
from assay.kernels.tails import normal_p, t_p


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginTests:
    """One-sided tests of a difference against any null: its statistic and p-value."""

    __test__ = False  # not a pytest class

    letter: str
    of: Callable[[float, Alternative], tuple[float, float]]
    details: Details = ()


def t_tests(effect: Estimate, details: Details) -> MarginTests | None:
    error, df, value = effect.standard_error, dict(details).get("df"), effect.value
    if error is None or value is None or not isinstance(df, float | int):
        return None

    def test(null: float, side: Alternative) -> tuple[float, float]:
        t = (value - null) / error
        return t, t_p(t, df, side)

    return MarginTests(letter="t", of=test, details=(("standard_error", error), ("df", df)))


def score_tests(difference: float, variance: Callable[[float], Any]) -> MarginTests:
    def test(null: float, side: Alternative) -> tuple[float, float]:
        z = (difference - null) / float(np.sqrt(variance(null)))
        return z, normal_p(z, side)

    return MarginTests(letter="z", of=test, details=(("difference", difference),))


def law_tests(law: ExactBootstrap) -> MarginTests:
    """Tests from the distribution that the interval is of: drawn ones would contradict it near the margin."""

    def test(null: float, side: Alternative) -> tuple[float, float]:
        # where no resample could reach the margin, p is at most that of the rarest one
        log_p = max(law.law.log_tail(null, upper=side == "less"), law.law.log_least)
        return law.value - null, min(1.0, math.exp(log_p))

    return MarginTests(letter="distance", of=test, details=law.details())


def replicate_tests(replicates: FloatArray, effect: Estimate) -> MarginTests:
    def test(null: float, side: Alternative) -> tuple[float, float]:
        against = replicates <= null if side == "greater" else replicates >= null
        p_value = (int(np.count_nonzero(against)) + 1) / (replicates.size + 1)
        return float(effect.value or 0.0) - null, p_value

    return MarginTests(letter="distance", of=test, details=(("n_resamples", replicates.size),))


def unseen_tests(value: float, units: float, span: float) -> MarginTests:
    """All units agree on a value: what so many cannot rule out, as Tango's interval has it."""

    def test(null: float, side: Alternative) -> tuple[float, float]:
        room = null + span if value >= null else span - null
        z = math.copysign(math.sqrt(units * abs(value - null) / room), value - null)
        return z, normal_p(z, side)

    whole = int(units) if float(units).is_integer() else units
    return MarginTests(letter="z", of=test, details=(("n", whole),))
