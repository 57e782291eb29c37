"""Curves compared: bands, tests at every point, crossings, and whether more data help."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from assay.compare.learning_curves import compare_curves
from assay.compare.learning_plateau import levelled
from assay.core.errors import EvidenceError, UsageError
from assay.core.wire import from_json, to_json
from assay.estimates.folds import cautious_t_interval, corrected_t_interval
from assay.evidence.curve_scores import CurveScores
from assay.hypotheses.multiplicity import adjust
from assay.hypotheses.resampled_scores import corrected_resampled_t

SIZES = np.array([20.0, 40.0, 80.0, 160.0, 320.0])
SPLITS = 10


def scores(*means: Any, spread: float = 0.01, seed: int = 0, **facts: Any) -> CurveScores:
    """Curves with given means, a model each; what splits share moves all points alike."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(1, SPLITS, 1))
    table = np.stack([np.asarray(one, dtype=float) for one in means], axis=1)[:, None, :]
    noise = spread * (shared + rng.normal(size=(table.shape[0], SPLITS, len(means))))
    given: dict[str, Any] = {
        "kind": "learning",
        "dataset": "toy",
        "measure": "accuracy",
        "models": tuple("abc"[: len(means)]),
        "at": SIZES[: table.shape[0]],
        "values": table + noise,
        "n_train": np.full(SPLITS, 320.0),
        "n_test": np.full(SPLITS, 36.0),
        "direction": "higher",
        "low": 0.0,
        "high": 1.0,
    }
    return CurveScores(**{**given, **facts})


RISING = 0.9 - 0.9 * SIZES**-0.5
FLAT = np.full(5, 0.8)


class TestRepeatedFives:
    """Over repeats of five folds curves are answered as `compare` answers there: with the doubled correction."""

    GIVEN = scores(RISING, FLAT, folds=5, repeats=2)

    def test_bands(self) -> None:
        (curve, _) = compare_curves(self.GIVEN).curves
        due = cautious_t_interval(
            self.GIVEN.column("a")[2], level=1 - 0.05 / 5, n_test=36, n_train=320
        )
        assert due.interval is not None
        assert curve.column("low")[2] == due.interval.low

    def test_points(self) -> None:
        result = compare_curves(self.GIVEN)
        assert {one.outcome.method for one in result.tests} == {"cautious_resampled_t"}
        assert dict(result.curves[0].details)["interval"] == "cautious_t_interval"

    def test_levelling_and_forecast(self) -> None:
        held, once = (levelled(scores(RISING, folds=5, repeats=n), "a") for n in (2, 1))
        assert (held.gain.method, once.gain.method) == (
            "cautious_resampled_t",
            "corrected_resampled_t",
        )
        wide, narrow = held.next_doubling, once.next_doubling
        assert wide is not None
        assert narrow is not None
        assert (wide.standard_error or 0.0) > (narrow.standard_error or 0.0)


class TestHardlyLearning:
    """A point at which a learner may hardly beat the most frequent class is allowed for, as `compare` does."""

    GIVEN = scores(
        np.linspace(0.52, 0.9, 5), FLAT, folds=5, repeats=2, majority=("yes", 0.5), spread=0.01
    )

    def test_only_such_points_are_wider(self) -> None:
        plain = replace(self.GIVEN, majority=None)
        before, after = (compare_curves(one).curves[0] for one in (plain, self.GIVEN))
        row = self.GIVEN.column("a")[0]
        due = cautious_t_interval(row, level=1 - 0.05 / 5, n_test=36, n_train=320, training_sd=0.05)
        assert due.interval is not None
        assert after.column("low")[0] == due.interval.low < before.column("low")[0]
        assert after.column("low")[-1] == before.column("low")[-1]

    def test_tests_allow_for_it_and_it_is_said(self) -> None:
        found = compare_curves(self.GIVEN)
        spreads = [dict(one.outcome.details)["training_sd"] for one in found.tests]
        assert spreads[0] == pytest.approx(0.05)
        assert spreads[-1] == 0.0
        (warned,) = [one for one in found.notes if one.code == "near-majority"]
        assert warned.message.startswith("a is hardly, if at all, better than always answering yes")

    def test_other_folds_are_answered_as_before(self) -> None:
        once = replace(self.GIVEN, repeats=1)
        assert "near-majority" not in [one.code for one in compare_curves(once).notes]


class TestBands:
    def test_each_point_is_the_corrected_interval_at_its_share_of_the_level(self) -> None:
        given = scores(RISING, FLAT)
        (curve, _) = compare_curves(given, level=0.9).curves
        for place in range(5):
            alone = corrected_t_interval(
                given.column("a")[place], level=1 - 0.1 / 5, n_test=36, n_train=320
            )
            assert alone.interval is not None
            assert curve.column("mean")[place] == alone.value
            assert curve.column("low")[place] == alone.interval.low
            assert curve.column("high")[place] == alone.interval.high
        assert curve.column("size") == tuple(SIZES)
        assert curve.column("n") == (10.0,) * 5
        assert dict(curve.details)["level"] == 0.9
        assert dict(curve.details)["individual_level"] == pytest.approx(0.98)

    def test_against_the_formula(self) -> None:
        given = scores(RISING)
        (curve,) = compare_curves(given).curves
        values = given.column("a")[2]
        reach = stats.t.isf(0.025 / 5, 9) * values.std(ddof=1) * np.sqrt(1 / 10 + 36 / 320)
        assert curve.column("high")[2] == pytest.approx(values.mean() + reach, rel=1e-12)

    def test_the_share_tested_is_that_of_the_whole_split_at_every_point(self) -> None:
        (curve,) = compare_curves(scores(RISING)).curves
        assert dict(curve.details)["ratio"] == 36 / 320

    def test_bands_stay_in_the_range_and_say_so(self) -> None:
        (curve,) = compare_curves(scores(np.full(5, 0.995))).curves
        assert max(curve.column("high")) == 1.0
        assert "interval-cut" in [one.code for one in curve.notes]

    def test_no_spread_gives_the_whole_range_not_no_width(self) -> None:
        given = scores(FLAT, spread=0.0)
        (curve,) = compare_curves(given).curves
        assert curve.column("low") == (0.0,) * 5
        assert curve.column("high") == (1.0,) * 5
        assert {"whole-range", "zero-variance"} <= {one.code for one in curve.notes}

    def test_a_missing_split_takes_the_point_away(self) -> None:
        given = scores(RISING, FLAT)
        given.values[0, 3, 0] = np.nan
        result = compare_curves(given)
        assert result.curves[0].column("size") == tuple(SIZES[1:])
        assert result.curves[1].column("size") == tuple(SIZES)
        assert [one.at for one in result.tests] == SIZES[1:].tolist()
        (told,) = result.notes
        assert told.code == "missing-cells"

    def test_noise_has_its_effective_rate(self) -> None:
        levels = np.array([0.0, 0.1, 0.2, 0.3, 0.4])
        given = scores(
            FLAT, kind="noise", at=levels, effective=levels / 2, direction=None, measure="fit_cpu"
        )
        (curve,) = compare_curves(given).curves
        assert curve.column("level") == tuple(levels)
        assert curve.column("effective") == tuple(levels / 2)

    def test_curves_travel_as_json(self) -> None:
        result = compare_curves(scores(RISING, FLAT))
        for curve in (*result.curves, *result.differences):
            assert from_json(to_json(curve)) == curve


class TestTests:
    def test_corrected_t_with_holm_over_points_and_pairs(self) -> None:
        given = scores(RISING, FLAT, FLAT + 0.005)
        result = compare_curves(given)
        assert len(result.tests) == 15
        raw = [
            corrected_resampled_t(
                given.column(one.a)[SIZES.tolist().index(one.at)],
                given.column(one.b)[SIZES.tolist().index(one.at)],
                n_test=36,
                n_train=320,
            ).p_value
            for one in result.tests
        ]
        due = adjust([p for p in raw if p is not None], method="holm")
        assert [one.outcome.p_value for one in result.tests] == pytest.approx(due, rel=1e-12)

    def test_interval_and_adjusted_p_agree(self) -> None:
        for seed in range(5):
            for one in compare_curves(scores(RISING, FLAT, seed=seed)).tests:
                interval = one.outcome.effect.interval
                assert interval is not None
                assert one.outcome.rejects(0.05) == (not interval.contains(0.0))

    def test_difference_curves_are_a_minus_b(self) -> None:
        given = scores(RISING, FLAT)
        (curve,) = compare_curves(given).differences
        assert curve.model == "a − b"
        due = (given.column("a") - given.column("b")).mean(axis=1)
        assert curve.column("mean") == pytest.approx(due)
        assert set(dict(curve.columns)) == {"size", "mean", "low", "high", "p"}

    def test_equal_learners_have_no_p_value(self) -> None:
        given = scores(RISING, RISING)
        given.values[:, :, 1] = given.values[:, :, 0]
        result = compare_curves(given)
        assert all(one.outcome.p_value is None for one in result.tests)
        assert result.differences[0].column("size") == ()
        assert [one.code for one in result.differences[0].notes] == ["zero-variance"]


class TestCrossings:
    def test_a_sure_one(self) -> None:
        result = compare_curves(scores(np.linspace(0.6, 0.9, 5), np.full(5, 0.75)))
        (found,) = result.crossings
        assert (found.a, found.b, found.established) == ("b", "a", True)
        assert (found.low, found.high) == (40.0, 160.0)
        assert 40.0 < found.at < 160.0

    def test_the_place_is_where_the_lines_meet(self) -> None:
        given = scores([0.6, 0.8], [0.7, 0.7], spread=0.0, at=np.array([10.0, 20.0]))
        given.values[:, :, 0] += np.linspace(-0.01, 0.01, SPLITS)  # means stay
        (found,) = compare_curves(given).crossings
        assert found.at == pytest.approx(15.0)
        wide = replace(given, at=np.array([10.0, 1000.0]))  # such sizes stand on a logarithmic axis
        (found,) = compare_curves(wide).crossings
        assert found.at == pytest.approx(100.0)

    def test_where_figures_put_it(self) -> None:
        from assay.plots.learning import _crossings

        result = compare_curves(scores(RISING, FLAT + 0.02, np.linspace(0.75, 0.85, 5), seed=2))
        drawn = [at for at, _ in _crossings(result.curves, "size", logarithmic=False)]
        assert [one.at for one in result.crossings] == pytest.approx(drawn)

    def test_chance_is_not_called_established(self) -> None:
        result = compare_curves(scores(FLAT, FLAT, spread=0.02))
        assert result.crossings
        assert not any(one.established for one in result.crossings)

    def test_means_that_touch_and_part_do_not_cross(self) -> None:
        given = scores([0.7, 0.8, 0.7], [0.8, 0.8, 0.8], spread=0.0)
        given.values[:, :, 0] += np.array([-0.25, 0.25] * 5)[None, :] / 8
        assert compare_curves(given).crossings == ()


class TestLevelling:
    def test_still_rising(self) -> None:
        found = levelled(scores(RISING, spread=0.002), "a", margin=0.01)
        assert found.trend == "rising"
        assert (found.start, found.end) == (160.0, 320.0)
        given = scores(RISING, spread=0.002)
        due = corrected_resampled_t(
            given.column("a")[4], given.column("a")[3], n_test=36, n_train=320
        )
        assert found.gain.p_value == due.p_value
        assert found.gain.effect.interval == due.effect.interval
        assert "still improving" in found.sentence
        assert "would probably help" in found.sentence

    def test_levelled_off_needs_a_margin(self) -> None:
        given = scores(FLAT, spread=0.002)
        assert levelled(given, "a", margin=0.02).trend == "levelled"
        assert "levelled off within a margin of 0.02" in levelled(given, "a", margin=0.02).sentence
        found = levelled(given, "a")
        assert found.trend == "undecided"
        assert "No significant change; set margin=" in found.sentence

    def test_wide_intervals_are_undecided(self) -> None:
        found = levelled(scores(RISING, spread=0.2), "a", margin=0.01)
        assert found.trend == "undecided"
        assert "do not settle" in found.sentence

    def test_falling(self) -> None:
        assert levelled(scores(RISING[::-1], spread=0.002), "a").trend == "falling"

    def test_lower_is_better(self) -> None:
        given = scores(1 - RISING, spread=0.002, measure="log_loss", direction="lower")
        found = levelled(given, "a")
        assert found.trend == "rising"
        assert "lower is better" in found.sentence
        assert found.gain.effect.value is not None
        assert found.gain.effect.value < 0

    def test_the_last_step_where_no_point_is_at_half(self) -> None:
        given = scores(RISING, at=np.array([300.0, 305.0, 310.0, 315.0, 320.0]))
        assert levelled(given, "a").start == 315.0

    def test_the_forecast_of_an_exact_law(self) -> None:
        """Means of a power law, exactly: the next doubling and the end are known."""
        given = scores(RISING, spread=0.0)
        spread = np.random.default_rng(1).normal(size=(5, SPLITS, 1)) * 0.001
        given.values[:] += spread - spread.mean(axis=1, keepdims=True)
        found = levelled(given, "a")
        assert found.next_doubling is not None
        assert found.asymptote is not None
        due = 0.9 * (320**-0.5 - 640**-0.5)
        assert found.next_doubling.value == pytest.approx(due, rel=1e-4)
        assert found.asymptote.value == pytest.approx(0.9, rel=1e-4)
        interval = found.next_doubling.interval
        assert interval is not None
        assert interval.low < due < interval.high
        assert [one.code for one in found.notes] == ["extrapolated"]
        assert "If the power law" in found.sentence

    def test_no_law_no_forecast(self) -> None:
        found = levelled(scores(RISING[:3]), "a")
        assert found.next_doubling is None
        assert [one.code for one in found.notes] == ["no-power-law"]
        assert "no forecast" in found.sentence

    def test_an_end_beyond_the_range_is_undefined(self) -> None:
        steep = 1.1 - 1.2 * SIZES**-0.25
        given = scores(steep, spread=0.0)
        spread = np.random.default_rng(1).normal(size=(5, SPLITS, 1)) * 0.001
        given.values[:] += spread - spread.mean(axis=1, keepdims=True)
        found = levelled(given, "a")
        assert found.asymptote is None
        assert found.next_doubling is not None
        assert "undefined-value" in [one.code for one in found.notes]

    def test_no_spread(self) -> None:
        found = levelled(scores(FLAT, spread=0.0), "a", margin=0.1)
        assert found.trend == "undecided"
        assert "do not vary" in found.sentence

    def test_only_learning_curves_of_measures(self) -> None:
        with pytest.raises(UsageError, match="asked of learning curves"):
            levelled(scores(FLAT, direction=None), "a")
        assert compare_curves(scores(FLAT, direction=None)).levelling == ()
        assert len(compare_curves(scores(FLAT, RISING)).levelling) == 2

    def test_one_point_left(self) -> None:
        given = scores(FLAT)
        given.values[:4] = np.nan
        with pytest.raises(EvidenceError, match="fewer than two complete points"):
            levelled(given, "a")
        assert compare_curves(given).levelling == ()


class TestErrors:
    def test_arguments(self) -> None:
        with pytest.raises(UsageError, match="level is a confidence"):
            compare_curves(scores(FLAT), level=95)
        with pytest.raises(UsageError, match="margin"):
            compare_curves(scores(FLAT), margin=-1)

    def test_shapes(self) -> None:
        with pytest.raises(EvidenceError, match="points must ascend"):
            scores(FLAT, at=SIZES[::-1])
        with pytest.raises(EvidenceError, match="every split has its two sizes"):
            scores(FLAT, n_test=np.full(3, 36.0))
        with pytest.raises(EvidenceError, match="do not fit values of shape"):
            scores(FLAT, models=("a", "b"))
