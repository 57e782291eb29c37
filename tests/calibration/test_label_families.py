"""The delta methods of label measures, many replicates at once."""

import math
import tomllib
from pathlib import Path

import numpy as np
import pytest

from assay.estimates.label_delta import slopes
from assay.hypotheses.independent_labels import independent_delta
from assay.hypotheses.simultaneous_labels import simultaneous_delta
from assay.simulate.worlds.labels import LabelMeasures
from calibration.designs import label_families
from calibration.designs.cells import Found
from calibration.designs.criteria import keeps
from calibration.designs.label_measures import BINARY, bound
from calibration.designs.means import Disagreement

GRID = Path(__file__).parents[2] / "calibration" / "grid.toml"
WORLD = LabelMeasures(prevalence=0.3, recall=0.7, precision=0.6)


def drawn(models: int, n: int = 60, size: int = 6, seed: int = 4) -> np.ndarray:
    return label_families._answers(WORLD, n, models, np.random.default_rng(seed), size)


class TestJobs:
    def test_two_jobs_per_cell_with_replicates_enough(self) -> None:
        grid = tomllib.loads(GRID.read_text())
        jobs = label_families.more_label_jobs(grid["worlds"])
        assert len(jobs) == 2 * 2 * 2 * 3
        assert len({job.name for job in jobs}) == len(jobs)
        assert min(job.goal for job in jobs) == grid["replicates"]


class TestAnswers:
    def test_shares_are_those_of_the_world(self) -> None:
        tables = drawn(3, n=200_000, size=1)[0] / 200_000
        expected = WORLD.shares[:, None] * WORLD.answers()
        for model in range(3):
            others = tuple(1 + one for one in range(3) if one != model)
            assert tables.sum(axis=others) == pytest.approx(expected, abs=0.006)

    def test_pairs_hang_together_as_two_models_do(self) -> None:
        tables = drawn(3, n=400_000, size=1)[0] / 400_000
        ours = WORLD.draw(1, 400_000, np.random.default_rng(2), takes="predictions")["count"][0]
        theirs = ours.reshape(2, 2, 2) / 400_000
        for other in (1, 2, 3):
            assert tables.sum(axis=other) == pytest.approx(theirs, abs=0.006)


class TestApart:
    @pytest.mark.parametrize("name", BINARY)
    def test_limits_are_those_of_the_method(self, name: str) -> None:
        tables = [drawn(1), drawn(1, n=80, seed=5)]
        low, high = label_families.apart_limits(bound(name, 2), tables)[0.01]
        truth, said = (place.ravel() for place in np.indices((2, 2)))
        for row in range(6):
            parts = [{"truth": truth, "a": said, "count": one[row].ravel()} for one in tables]
            found = independent_delta(*parts, measure=name, level=0.99).effect.interval
            assert found is not None
            # slopes are taken by steps of different sizes
            assert (low[row], high[row]) == pytest.approx((found.low, found.high), abs=1e-6)

    def test_equal_models_are_told_apart_as_often_as_stated(self) -> None:
        found = label_families.apart(WORLD, 300, np.random.default_rng(1), 4000)
        assert [one.table.measure for one in found] == list(BINARY)
        for one in found:
            assert one.replicates == 4000
            assert keeps(one.counts["level@0.05"], 4000, at_least=0.035, at_most=0.055)

    def test_another_answer_of_the_method_stops_the_run(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(label_families, "pseudo_table", lambda table: 3.0 * np.ones_like(table))
        with pytest.raises(Disagreement, match=r"independent_delta: .* there"):
            label_families.apart(WORLD, 60, np.random.default_rng(3), 20)


class TestAtOnce:
    @pytest.mark.parametrize("name", BINARY)
    def test_parts_are_those_of_the_method(self, name: str) -> None:
        tables = drawn(3)
        parts = label_families.joint_parts(bound(name, 2), tables)
        columns = dict(zip(("truth", "a", "b", "c"), np.indices(tables.shape[1:]), strict=True))
        for row in range(6):
            evidence = {key: place.ravel() for key, place in columns.items()}
            evidence["count"] = tables[row].ravel()
            family = simultaneous_delta(evidence, measure=name, n_resamples=99, level=0.9, rng=1)
            for pair, outcome in enumerate(family.outcomes):
                assert parts["value"][row, pair] == pytest.approx(outcome.effect.value)
                assert parts["error"][row, pair] == pytest.approx(
                    outcome.effect.standard_error, rel=1e-6
                )

    def test_multipliers_of_independent_models_are_tukeys(self) -> None:
        """Three equal variances: the studentised range of three means, over √2."""
        found = label_families.drawn_multipliers(
            np.repeat(np.eye(3)[None], 300, axis=0), np.random.default_rng(2)
        )
        for alpha, quantile in ((0.05, 3.3145), (0.01, 4.1203)):
            assert found[alpha].mean() == pytest.approx(quantile / math.sqrt(2), abs=0.03)

    def test_equal_models_keep_the_family_wise_error(self) -> None:
        found: list[Found] = label_families.at_once(WORLD, 300, np.random.default_rng(1), 1500)
        for one in found:
            assert keeps(one.counts["family_wise@0.05"], 1500, at_least=0.02, at_most=0.055)

    def test_another_answer_of_the_method_stops_the_run(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(label_families, "slopes", lambda *given: 2.0 * slopes(*given))
        with pytest.raises(Disagreement, match=r"(?s)simultaneous_delta: .* there"):
            label_families.at_once(WORLD, 60, np.random.default_rng(3), 20)
