"""Worlds of preferences and ratings: what they draw, what is true in them, and what methods make of it."""

from typing import Any

import numpy as np
import pytest

from assay.core.errors import UsageError
from assay.estimates.agreement import METRICS, Metric, krippendorff_alpha
from assay.hypotheses.preferences import bradley_terry
from assay.simulate.simulate import simulate
from assay.simulate.worlds import evidence, make_world

BIASES: dict[str, dict[str, Any]] = {
    "fair": {},
    "length": {"length_bias": 0.1},
    "drift": {"drift": -0.1},
}


class TestDuels:
    def test_shares(self) -> None:
        world = make_world("preferences", k=3, ties=0.2, effect=1.0, position=0.5)
        counts = world.draw(1, 200_000, np.random.default_rng(1))["counts"][0]
        assert counts.sum() == 200_000
        assert counts[2].sum() / 200_000 == pytest.approx(0.2, abs=0.005)
        assert np.diagonal(counts, axis1=1, axis2=2).sum() == 0
        decided = counts[0, 0, 1] / (counts[0, 0, 1] + counts[1, 0, 1])
        assert decided == pytest.approx(1 / (1 + np.exp(-1.5)), abs=0.01)

    def test_what_is_drawn_is_found_again(self) -> None:
        world = make_world("preferences", k=3, effect=0.8, position=0.4)
        arrays = world.draw(1, 100_000, np.random.default_rng(2))
        found = bradley_terry(*evidence("preferences", arrays, 0), position=True)
        values = {one.model: one.value or 0.0 for one in found.estimates}
        assert values["m1"] - values["m2"] == pytest.approx(0.8, abs=0.05)
        assert values["m2"] - values["m3"] == pytest.approx(0.0, abs=0.05)
        assert values[None] == pytest.approx(0.4, abs=0.03)

    def test_truth(self) -> None:
        assert make_world("preferences").truth("log_strength") == 0.0
        assert make_world("preferences", k=2, effect=0.5).truth("log_strength") == pytest.approx(
            0.5
        )
        assert make_world("preferences", k=3, effect=0.5).truth("log_strength") is None
        assert make_world("preferences").truth("accuracy") is None
        tied = make_world("preferences", k=2, effect=0.5, ties=0.4)
        arrays = tied.draw(1, 400_000, np.random.default_rng(3))
        (outcome,) = bradley_terry(*evidence("preferences", arrays, 0)).outcomes
        assert outcome.effect.value == pytest.approx(tied.truth("log_strength"), abs=0.02)

    def test_the_sandwich_keeps_its_promise_where_ties_are_many(self) -> None:
        given = {"n": 60, "k": 2, "ties": 0.4, "replicates": 400, "rng": 5, "question": "coverage"}
        careful = simulate("bradley_terry", **given)  # type: ignore[arg-type]
        exact = simulate("bradley_terry", options={"variant": "sandwich"}, **given)  # type: ignore[arg-type]
        assert (careful.cells[0].value or 0.0) > 0.97
        assert 0.92 < (exact.cells[0].value or 0.0) < 0.975

    @pytest.mark.parametrize(
        ("parameters", "words"),
        [({"k": 1}, "k is a whole number"), ({"ties": 1.5}, "ties is a share")],
    )
    def test_refused(self, parameters: dict[str, float], words: str) -> None:
        with pytest.raises(UsageError, match=words):
            make_world("preferences", **parameters)


class TestRaters:
    @pytest.mark.parametrize("metric", METRICS)
    def test_alpha_is_the_agreement_by_every_metric(self, metric: Metric) -> None:
        world = make_world("ratings", agreement=0.5, effect=0.1, categories=4, missing=0.2)
        (rows,) = evidence("ratings", world.draw(1, 40_000, np.random.default_rng(1)), 0)
        assert np.isnan(rows).mean() == pytest.approx(0.2, abs=0.01)
        assert (rows == 1).sum() / (~np.isnan(rows)).sum() == pytest.approx(0.5, abs=0.01)
        found = krippendorff_alpha(rows, metric=metric)
        assert world.truth("alpha") == pytest.approx(0.6)
        assert found.value == pytest.approx(0.6, abs=0.02)

    def test_no_other_truths(self) -> None:
        assert make_world("ratings").truth("accuracy") is None

    @pytest.mark.parametrize(
        ("parameters", "words"),
        [
            ({"agreement": 0.9, "effect": 0.2}, "agreement, the effect included, is a share"),
            ({"raters": 1}, "raters is a whole number of at least 2"),
            ({"commonest": 1.0}, "commonest is a share strictly between"),
            ({"missing": 1.0}, "somebody has to rate"),
        ],
    )
    def test_refused(self, parameters: dict[str, float], words: str) -> None:
        with pytest.raises(UsageError, match=words):
            make_world("ratings", **parameters)


class TestJudged:
    def test_a_bias_by_length_is_corrected_and_drift_is_not(self) -> None:
        """People's labels show what the judge does to long answers, and not what it does after them."""
        covered = {
            name: simulate("judged_proportion", n=500, replicates=2_000, rng=1, **change)
            .cells[0]
            .value
            for name, change in BIASES.items()
        }
        assert (covered["fair"] or 0.0) > 0.935
        assert (covered["length"] or 0.0) > 0.935
        assert (covered["drift"] or 1.0) < 0.8

    def test_what_is_drawn(self) -> None:
        world = make_world("judged", rate=0.5, labelled=0.5, length_bias=0.05, drift=0.05)
        drawn = world.draw(1, 400_000, np.random.default_rng(1))
        people, judge = drawn["people"][0], drawn["judge"][0]
        seen = ~np.isnan(people)
        assert judge[seen][people[seen] == 1.0].mean() == pytest.approx(0.9, abs=0.005)
        assert judge[~seen].mean() - judge[seen].mean() == pytest.approx(0.05, abs=0.006)
        with pytest.raises(UsageError, match="drift"):
            make_world("judged", drift=1.5)
