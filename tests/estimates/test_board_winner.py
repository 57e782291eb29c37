"""The winner's score: plain where the lead is clear, lower where it is not, inside the range of the measure."""

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError
from assay.estimates.board_winner import Contenders, corrected_winner
from assay.estimates.unit_scores import UnitScores


def test_a_clear_leader_keeps_its_mean() -> None:
    rng = np.random.default_rng(0)
    table = {"best": rng.normal(9, 1, 40), "other": rng.normal(0, 1, 40)}
    found = assay.winner_score(table)
    assert found.model == "best"
    assert found.value == pytest.approx(table["best"].mean())
    assert found.interval is not None
    plain = table["best"].std(ddof=1) / np.sqrt(40) * 2.0227
    assert found.interval.high == pytest.approx(table["best"].mean() + plain, rel=1e-3)


def test_a_narrow_leader_is_corrected_downwards() -> None:
    rng = np.random.default_rng(1)
    table = {f"m{place}": rng.normal(0, 1, 50) for place in range(8)}
    found = assay.winner_score(table)
    facts = dict(found.details)
    assert found.value is not None
    assert found.value < float(str(facts["naive"]))
    assert facts["optimism"] == pytest.approx(float(str(facts["naive"])) - found.value)
    assert float(str(facts["low_reach"])) > float(str(facts["high_reach"]))


def test_lower_is_better_mirrors() -> None:
    rng = np.random.default_rng(2)
    table = rng.normal(0, 1, (30, 4))
    up, down = assay.winner_score(table), assay.winner_score(-table, direction="lower")
    assert down.value == pytest.approx(-(up.value or 0.0))
    assert up.interval is not None
    assert down.interval is not None
    assert down.interval.high == pytest.approx(-up.interval.low)


@pytest.mark.parametrize(("direction", "counts"), [("higher", (50, 48)), ("lower", (0, 2))])
def test_right_and_wrong_stays_inside_its_range(direction: str, counts: tuple[int, int]) -> None:
    rows = np.array([[place < count for count in counts] for place in range(50)]) / 50.0
    table = UnitScores(models=("a", "b"), contributions=rows, unit="item", words="", right=counts)
    given = Contenders.of(table, direction)  # type: ignore[arg-type]
    found = corrected_winner(given, level=0.95, measure="accuracy", n_draws=1000, seed=0)
    assert found.interval is not None  # although the winner does not vary
    assert 0.0 <= found.interval.low < found.interval.high <= 1.0
    assert found.value == (1.0 if direction == "higher" else 0.0)


def test_a_winner_that_does_not_vary_has_no_interval() -> None:
    found = assay.winner_score({"a": [2.0] * 9, "b": [0.0, 1.0, 0.5] * 3})
    assert found.interval is None
    assert [one.code for one in found.notes] == ["zero-variance"]


def test_limits_are_wilsons_where_items_are_right_or_wrong() -> None:
    rng = np.random.default_rng(3)
    right = (rng.random((60, 3)) < [0.97, 0.9, 0.8]).astype(float)
    counts = tuple(int(one) for one in right.sum(axis=0))
    table = UnitScores(
        models=("a", "b", "c"), contributions=right / 60, unit="item", words="", right=counts
    )
    found = corrected_winner(
        Contenders.of(table, "higher"), level=0.95, measure="accuracy", n_draws=1000, seed=0
    )
    assert found.interval is not None
    assert 0.0 < found.interval.low <= (found.value or 0) <= found.interval.high < 1.0


def test_one_unit_says_nothing() -> None:
    with pytest.raises(EvidenceError, match="two or more"):
        assay.winner_score([[1.0, 2.0]])
