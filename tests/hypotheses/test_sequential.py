"""Looking as often as one likes: level under continuous monitoring, and agreement with counting."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.hypotheses.sequential import (
    anytime_mean_difference,
    arriving_bonferroni,
    confidence_sequence,
)
from assay.kernels.betting_wealth import STAKES, log_wealth, log_wealth_path, lower_end
from assay.kernels.tails import normal_p

bounded = st.lists(st.floats(-1.0, 1.0).map(lambda x: round(x, 9)), min_size=1, max_size=30)


class TestAnytimeMeanDifference:
    def test_right_and_wrong_is_a_bet_on_discordant_items(self) -> None:
        """With values -1, 0, 1 and m = 1/2 the wealth is a mixture of (1 + f)^wins (1 - f)^losses."""
        wins, losses = 18, 5
        outcome = anytime_mean_difference([1.0] * wins + [-1.0] * losses + [0.0] * 40)
        up = float(np.mean((1 + STAKES) ** wins * (1 - STAKES) ** losses))
        down = float(np.mean((1 + STAKES) ** losses * (1 - STAKES) ** wins))
        e_value = max(up, down) / 2
        assert outcome.statistic == pytest.approx(e_value)
        assert outcome.p_value == pytest.approx(1.0 / e_value)
        assert outcome.effect.value == pytest.approx(13 / 63)

    @settings(max_examples=40)
    @given(bounded, st.sampled_from(["two-sided", "greater", "less"]), st.sampled_from([0.8, 0.95]))
    def test_interval_holds_the_mean_and_decides(
        self, differences: list[float], side: str, level: float
    ) -> None:
        outcome = anytime_mean_difference(differences, alternative=side, level=level)
        interval = outcome.effect.interval
        assert interval is not None
        assert outcome.p_value is not None
        mean = float(np.mean(differences))
        assert interval.low - 1e-9 <= mean <= interval.high + 1e-9
        if abs(outcome.p_value - (1 - level)) > 1e-9:
            assert (outcome.p_value <= 1 - level) == (not interval.contains(0.0))

    def test_ends_are_where_the_test_turns(self) -> None:
        differences = np.linspace(-0.4, 0.9, 60)
        interval = anytime_mean_difference(differences).effect.interval
        assert interval is not None
        for end, inward in ((interval.low, 1e-6), (interval.high, -1e-6)):
            inside = anytime_mean_difference(differences, null=end + inward).p_value
            outside = anytime_mean_difference(differences, null=end - inward).p_value
            assert inside is not None
            assert outside is not None
            assert outside <= 0.05 < inside

    def test_scale_of_the_losses_does_not_matter(self) -> None:
        differences = np.random.default_rng(1).uniform(-1, 1, 50) + 0.0
        one = anytime_mean_difference(differences)
        other = anytime_mean_difference(100 * differences, bound=100.0)
        assert one.p_value == pytest.approx(other.p_value)
        assert one.effect.interval is not None
        assert other.effect.interval is not None
        assert other.effect.interval.low == pytest.approx(100 * one.effect.interval.low)

    def test_details_tell_of_earlier_looks(self) -> None:
        differences = [1.0] * 12 + [-1.0] * 12
        outcome = anytime_mean_difference(differences)
        facts = dict(outcome.details)
        early = anytime_mean_difference(differences[: int(facts["first_n"])])  # type: ignore[arg-type]
        assert early.p_value is not None
        assert early.p_value <= 0.05
        assert outcome.p_value is not None
        assert outcome.p_value > 0.05 >= facts["p_ever"]  # type: ignore[operator]

    def test_no_difference_and_one_item_have_width(self) -> None:
        none = anytime_mean_difference([0.0] * 200).effect.interval
        assert none is not None
        assert 0.0 < none.high < 0.05
        assert none.low == pytest.approx(-none.high)
        one = anytime_mean_difference([1.0])
        assert one.p_value == 1.0
        assert dict(one.details)["first_n"] is None
        certain = anytime_mean_difference([1.0] * 100).effect.interval
        assert certain is not None
        assert certain.high == 1.0
        assert certain.low < 1.0

    def test_far_tails_keep_their_digits(self) -> None:
        outcome = anytime_mean_difference(np.ones(2000))
        assert outcome.p_value is not None
        assert dict(outcome.details)["log10_p"] < -300  # type: ignore[operator]
        assert math.isfinite(outcome.statistic or 0.0)

    @pytest.mark.parametrize(
        ("values", "options", "error", "words"),
        [
            ([0.2, 1.7], {}, EvidenceError, r"1.7 exceeds the bound 1\..*known before looking"),
            ([0.2], {"bound": 0.0}, UsageError, "bound is the largest difference possible"),
            ([0.2], {"bound": math.inf}, UsageError, "above 0"),
            ([0.2], {"null": 1.0}, UsageError, "strictly within"),
            ([], {}, EvidenceError, "at least 1"),
            ([math.nan], {}, EvidenceError, "missing or infinite"),
        ],
    )
    def test_errors(
        self, values: list[float], options: dict[str, float], error: type[Exception], words: str
    ) -> None:
        with pytest.raises(error, match=words):
            anytime_mean_difference(values, **options)  # type: ignore[arg-type]

    def test_reached_from_a_file(self, tmp_path: Path) -> None:
        from click.testing import CliRunner

        from assay.cli.main import cli

        path = tmp_path / "losses.csv"
        path.write_text("old,new\n" + "0.9,0.2\n" * 40)
        run = CliRunner().invoke(
            cli,
            [
                "test",
                "anytime_mean_difference",
                str(path),
                "--columns",
                "old,new",
                "--format",
                "json",
            ],
        )
        assert run.exit_code == 0, run.output
        found = assay.from_json(run.stdout)
        assert isinstance(found, assay.TestOutcome)
        assert found == anytime_mean_difference([0.9] * 40, [0.2] * 40)


def draw(kind: str, rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float64]:
    """Differences of mean zero: right and wrong, dense losses, and a rare large one."""
    if kind == "right-wrong":
        return rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.8, 0.1], size=size)
    if kind == "losses":
        return rng.uniform(0, 1, size) - rng.uniform(0, 1, size)
    return np.where(rng.random(size) < 0.05, 0.95, -0.05)


class TestContinuousMonitoring:
    """One looks after every item and stops at the first rejection."""

    REPLICATES, ITEMS = 1200, 1000

    @pytest.mark.parametrize("kind", ["right-wrong", "losses", "rare"])
    def test_level_is_kept(self, kind: str) -> None:
        differences = draw(kind, np.random.default_rng(7), (self.REPLICATES, self.ITEMS))
        ever = 0
        for row in differences:
            up = log_wealth_path((row + 1) / 2, 0.5).max()
            down = log_wealth_path((1 - row) / 2, 0.5).max()
            ever += max(up, down) >= math.log(2 / 0.05)
        # 1,200 trials at 5%: more than 85 false alarms have a probability below 0.1%
        assert ever <= 85

    def test_the_usual_test_does_not_keep_it(self) -> None:
        """The check can fail: z after every item from the twentieth on rejects far too often."""
        differences = draw("losses", np.random.default_rng(7), (400, self.ITEMS))
        n = np.arange(1, self.ITEMS + 1)
        mean = differences.cumsum(axis=1) / n
        spread = np.sqrt((differences**2).cumsum(axis=1) / n - mean**2)
        z = np.abs(mean / np.maximum(spread, 1e-9) * np.sqrt(n))[:, 19:]
        assert (z.max(axis=1) > 1.96).mean() > 0.3
        assert normal_p(1.96, "two-sided") == pytest.approx(0.05, abs=1e-4)

    def test_a_real_difference_is_found(self) -> None:
        rng = np.random.default_rng(3)
        found = 0
        for _ in range(50):
            row = rng.choice([-1.0, 0.0, 1.0], p=[0.05, 0.8, 0.15], size=1500)
            found += dict(anytime_mean_difference(row).details)["first_n"] is not None
        assert found >= 48


class TestArrivingBonferroni:
    def test_documented_example(self) -> None:
        assert arriving_bonferroni([0.004, 0.3, 0.001]) == pytest.approx(
            [0.00658, 1.0, 0.0148], abs=1e-4
        )

    def test_shares_add_up_to_one(self) -> None:
        p = np.full(2000, 1e-12)
        shares = p / np.array(arriving_bonferroni(p))
        assert 0.999 < shares.sum() < 1.0

    @given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=12))
    def test_a_later_model_changes_no_answer(self, p_values: list[float]) -> None:
        assert arriving_bonferroni(p_values)[:-1] == arriving_bonferroni(p_values[:-1])
        assert all(q >= p for p, q in zip(p_values, arriving_bonferroni(p_values), strict=True))

    def test_family_wise_error_however_many_come(self) -> None:
        found = assay.simulate("arriving_bonferroni", world="tests", n=40, replicates=2000, rng=1)
        assert found.cells[0].value is not None
        assert (
            found.cells[0].value <= 0.067
        )  # 2,000 trials at 5%: more has a probability below 0.1%

    def test_errors(self) -> None:
        with pytest.raises(EvidenceError, match="p-value"):
            arriving_bonferroni([0.2, 1.7])


class TestBetting:
    @given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20), st.floats(0.05, 0.95))
    def test_path_ends_at_the_wealth(self, values: list[float], mean: float) -> None:
        array = np.array(values)
        whole = log_wealth(array, np.ones(array.size), mean)
        assert log_wealth_path(array, mean)[-1] == pytest.approx(whole, abs=1e-9)

    @given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
    def test_wealth_falls_as_the_mean_rises(self, values: list[float]) -> None:
        array, counts = np.array(values), np.ones(len(values))
        wealth = [log_wealth(array, counts, mean) for mean in (0.1, 0.3, 0.5, 0.7, 0.9)]
        assert all(one >= other - 1e-12 for one, other in pairwise(wealth))

    def test_no_bet_gains_on_average(self) -> None:
        """Over all sequences of three fair coins the wealth is one on average."""
        coins = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T.astype(float)
        wealth = [math.exp(log_wealth(row, np.ones(3), 0.5)) for row in coins]
        assert np.mean(wealth) == pytest.approx(1.0)

    def test_a_mean_of_zero_is_ruled_out_by_any_value(self) -> None:
        assert log_wealth(np.array([0.0, 0.5]), np.ones(2), 0.0) == math.inf
        assert log_wealth(np.zeros(3), np.ones(3), 0.0) == 0.0
        assert lower_end(np.zeros(3), np.ones(3), 3.0) == 0.0


@pytest.mark.parametrize("bound", [1.0, 40.0])
def test_the_sequence_ends_in_the_interval(bound: float) -> None:
    differences = bound * np.random.default_rng(5).choice([-1.0, 0.0, 0.5, 1.0], 70)
    looks, low, high = confidence_sequence(differences, bound=bound, level=0.9)
    assert looks[-1] == 70
    for at in (0, len(looks) // 2, -1):
        seen = differences[: looks[at]]
        interval = anytime_mean_difference(seen, bound=bound, level=0.9).effect.interval
        assert interval is not None
        assert (low[at], high[at]) == pytest.approx((interval.low, interval.high), rel=1e-9)
