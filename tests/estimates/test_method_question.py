"""What a call asks, and the frame of what it answers."""

import math

import pytest

from assay.core.errors import UsageError
from assay.estimates.method_question import MethodQuestion


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"alternative": "both"}, "two-sided, greater, less"),
        ({"level": 95}, "did you mean 0.95"),
        ({"unit": "day"}, "unit is one of"),
    ],
)
def test_options_are_held_to_what_they_may_be(option: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        MethodQuestion.of("paired_t", **{"level": 0.95, **option})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("side", "ends"),
    [("two-sided", (0.2, 0.6)), ("greater", (0.2, 1.0)), ("less", (0.0, 0.6))],
)
def test_one_limit_is_beside_the_end_of_the_range(side: str, ends: tuple[float, float]) -> None:
    found = MethodQuestion.of("wilson", level=0.9, alternative=side).sided((0.2, 0.6))
    assert (found.low, found.high, found.level, found.alternative) == (*ends, 0.9, side)


def test_the_interval_inverts_the_t_test() -> None:
    asked = MethodQuestion.of("paired_t", level=0.95, alternative="greater", null=0.5)
    outcome = asked.t_test("mean", 1.5, 0.4, 7, 8)
    assert outcome.statistic == pytest.approx(2.5)
    assert outcome.effect.interval is not None
    assert outcome.effect.interval.high == math.inf
    low = outcome.effect.interval.low
    again = MethodQuestion.of("paired_t", level=0.95, alternative="greater", null=low)
    assert again.t_test("mean", 1.5, 0.4, 7, 8).p_value == pytest.approx(0.05)
