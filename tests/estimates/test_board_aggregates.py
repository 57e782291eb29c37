"""What boards publish, by hand."""

import numpy as np
import pytest

from assay.core.errors import NotApplicable, UsageError
from assay.core.vocabulary import Direction
from assay.estimates.board_aggregates import AGGREGATES, aggregated
from assay.estimates.unit_scores import UnitScores
from assay.hypotheses.preferences import bradley_terry

SCORES = np.array([[0.9, 0.8, 0.7], [0.6, 0.8, 0.6], [0.9, 0.5, 0.7], [0.7, 0.8, 0.9]])


def table(scores: np.ndarray = SCORES) -> UnitScores:
    return UnitScores(
        models=("a", "b", "c"),
        contributions=scores / len(scores),
        unit="dataset",
        words="",
        scores=scores,
    )


def values(name: str, direction: Direction = "higher", **options: str) -> list[float]:
    found, _ = aggregated(table(), name, direction, **options)
    return [float(one) for one in found.values]


def test_ranks_wins_and_points() -> None:
    ranks = np.array([[1, 2, 3], [2.5, 1, 2.5], [1, 3, 2], [3, 2, 1]])
    assert values("mean_rank") == pytest.approx(ranks.mean(axis=0))
    assert values("borda") == pytest.approx((3 - ranks).sum(axis=0))
    assert values("win_rate") == pytest.approx((3 - ranks).mean(axis=0) / 2)
    assert aggregated(table(), "mean_rank", "higher")[1] == "lower"


def test_lower_scores_can_be_better() -> None:
    assert values("win_rate", "lower") == pytest.approx([1 - one for one in values("win_rate")])


def test_the_interquartile_mean() -> None:
    from scipy.stats import trim_mean

    assert values("iqm") == pytest.approx(trim_mean(SCORES, 0.25, axis=0))


def test_the_error_of_an_interquartile_mean_is_of_winsorised_scores() -> None:
    from scipy.stats.mstats import winsorize

    scores = np.random.default_rng(1).normal(0.0, 1.0, (12, 3))
    found, _ = aggregated(table(scores), "iqm", "higher")
    cut = np.asarray(winsorize(scores[:, 0], (0.25, 0.25)))
    assert (found.trimmed, found.df) == (6, 4)
    assert np.sqrt((found.root[:, 0] ** 2).sum()) == pytest.approx(cut.std() * np.sqrt(12) / 5)


def test_skill_and_improvability() -> None:
    losses = 1 - SCORES
    assert values("skill_score", baseline="b") == pytest.approx(
        (1 - losses / losses[:, [1]]).mean(axis=0)
    )
    assert values("skill_score", baseline="b")[1] == 0.0
    least = losses.min(axis=1, keepdims=True)
    assert values("improvability") == pytest.approx((1 - least / losses).mean(axis=0))


def test_elo_is_bradley_terry() -> None:
    wins = np.zeros((3, 3))
    for row in SCORES:
        wins += (row[:, None] > row[None, :]) + 0.5 * (row[:, None] == row[None, :])
    np.fill_diagonal(wins, 0)
    strengths = np.array([one.value for one in bradley_terry(wins).estimates], dtype=np.float64)
    found = np.array(values("elo"))
    assert found.mean() == pytest.approx(1000.0)
    assert (found - 1000.0) * np.log(10) / 400 == pytest.approx(
        strengths - strengths.mean(), abs=1e-6
    )


def test_the_influence_of_a_unit_on_elo_is_its_derivative() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1, (400, 3)) + np.array([0.3, 0.0, -0.2])
    whole, _ = aggregated(table(scores), "elo", "higher")
    without, _ = aggregated(table(scores[1:]), "elo", "higher")
    moved = whole.values - without.values
    step = whole.contributions[0] - whole.contributions.mean(axis=0)
    assert moved == pytest.approx(step, rel=0.1, abs=0.02)


@pytest.mark.parametrize("name", [name for name in AGGREGATES if name != "skill_score"])
def test_contributions_sum_to_the_aggregate_of_equal_models(name: str) -> None:
    rng = np.random.default_rng(1)
    scores = rng.uniform(0.2, 0.8, (12, 3))
    found, _ = aggregated(table(scores), name, "higher")
    assert found.contributions.shape == (12, 3)
    assert np.isfinite(found.contributions).all()


class TestRefusals:
    def test_unknown(self) -> None:
        with pytest.raises(UsageError, match="no aggregate 'median'"):
            values("median")

    def test_skill_needs_a_baseline(self) -> None:
        with pytest.raises(UsageError, match="baseline="):
            values("skill_score")

    def test_skill_needs_a_baseline_with_losses(self) -> None:
        scores = SCORES.copy()
        scores[0, 1] = 1.0
        with pytest.raises(NotApplicable, match="no loss"):
            aggregated(table(scores), "skill_score", "higher", baseline="b")

    def test_losses_are_not_negative(self) -> None:
        with pytest.raises(NotApplicable, match="at most 1"):
            aggregated(table(SCORES * 10), "improvability", "higher")

    def test_always_winning_has_no_elo(self) -> None:
        scores = np.array([[3.0, 2.0, 1.0]] * 4)
        with pytest.raises(NotApplicable, match="no finite Elo"):
            aggregated(table(scores), "elo", "higher")

    def test_units_that_do_not_count_alike(self) -> None:
        from dataclasses import replace

        with pytest.raises(NotApplicable, match="units of equal weight"):
            aggregated(replace(table(), scores=None), "win_rate", "higher")
