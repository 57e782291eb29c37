"""The calibration of labels and scores: batches against the public methods."""

from typing import Any

import numpy as np
import pytest

from assay.estimates.default_intervals import estimate
from assay.estimates.label_delta import delta_limits
from assay.estimates.smoothed_intervals import smoothed_interval
from assay.evidence.argument_checks import as_predictions
from assay.evidence.reading import read
from assay.hypotheses.paired_labels import paired_delta
from assay.simulate.worlds.labels import LabelMeasures
from assay.simulate.worlds.scores import cuts, distance
from calibration.designs import (
    auc,
    average_precision,
    drawn_rankings,
    label_measures,
    means,
    ranking_measures,
    smoothed_cells,
)
from calibration.designs.criteria import keeps

LEVEL = 0.055
CORRELATIONS = (0.0, 0.5, 0.95)


class TestScores:
    """Each batch compares some replicates with the public methods and raises where they differ."""

    @pytest.mark.parametrize("ties", ["binormal", "5-level"])
    def test_levels_and_coverage(self, ties: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ranking_measures, "SHOWN", {30: 10})
        rng = np.random.default_rng(7)
        found = ranking_measures.scores(ties, 0.9, 0.5, 30, CORRELATIONS, rng, 3000)
        assert len(found) == 8
        for one in found:
            size = one.replicates or 0
            assert size == 3000
            if one.table.answers == "evaluate":
                assert keeps(one.counts["coverage@0.05"], size, at_least=0.935)
                misses = [one.counts[f"missed_{side}@0.05"] for side in ("low", "high")]
                assert one.counts["coverage@0.05"] + sum(misses) == size
            else:
                assert keeps(one.counts["level@0.05"], size, at_most=LEVEL)
        assert [one.at[-1] for one in found if one.table.answers == "compare"] == 2 * [
            *CORRELATIONS
        ]

    def test_samples_of_one_class_are_not_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ranking_measures, "SHOWN", {30: 3})
        found = ranking_measures.scores(
            "binormal", 0.7, 0.05, 30, (0.0,), np.random.default_rng(8), 500
        )
        chance = 1.0 - 0.95**30
        assert keeps(found[0].replicates or 0, 500, at_least=chance, at_most=chance)
        assert found[0].counts["noted"] == found[0].replicates

    @pytest.mark.parametrize("rho", [0.0, 0.5, 0.95])
    def test_tables_of_levels_are_cut_scores(self, rho: float) -> None:
        """Joint chances of the levels against half a million pairs of scores."""
        rng = np.random.default_rng(9)
        apart, edges = distance(0.9, 5), cuts(distance(0.9, 5), 5)
        first, second = rng.standard_normal((2, 500_000))
        pair = apart + np.stack([first, rho * first + np.sqrt(1 - rho**2) * second])
        a, b = 4 - np.searchsorted(edges, pair)
        seen = np.bincount(5 * a + b, minlength=25) / a.size
        chance = drawn_rankings.level_chances(0.9, 5, rho)[0].ravel()
        assert chance.sum() == pytest.approx(1.0)
        assert seen == pytest.approx(chance, abs=5 * np.sqrt(0.25 / a.size))

    @pytest.mark.parametrize(
        ("module", "name"),
        [(auc, "stdtr"), (average_precision, "stdtr"), (average_precision, "wilson_limits")],
    )
    def test_a_difference_stops_the_run(
        self, module: Any, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(ranking_measures, "SHOWN", {30: 1})
        wrong = getattr(module, name)
        bent = (lambda *given: wrong(*given) * 0.9) if name == "stdtr" else _bent(wrong)
        monkeypatch.setattr(module, name, bent)
        with pytest.raises(means.Disagreement, match="in calibration"):
            ranking_measures.scores("binormal", 0.7, 0.5, 30, (0.5,), np.random.default_rng(4), 20)

    def test_an_area_counted_otherwise_stops_the_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ranking_measures, "SHOWN", {30: 5})
        monkeypatch.setattr(auc, "PRIOR_ITEMS", -14.9)
        with pytest.raises(means.Disagreement, match="auc_score covers otherwise"):
            ranking_measures.scores("binormal", 0.7, 0.5, 30, (0.5,), np.random.default_rng(4), 200)


def _bent(limits: Any) -> Any:
    def wider(*given: Any) -> Any:
        low, high = limits(*given)
        return low - 0.01, high

    return wider


class TestLabels:
    """The batched intervals are those of the public functions, up to random numbers."""

    world = LabelMeasures(prevalence=0.5, recall=0.6, precision=0.6)
    sampled = ("mcc", "balanced_accuracy")

    def drawn(self, n: int, size: int) -> np.ndarray:
        found = self.world.draw(size, n, np.random.default_rng(10), takes="predictions")["count"]
        return found.reshape(size, 2, 2, 2)

    @pytest.mark.parametrize("n", [20, 300])
    def test_limits_of_f1(self, n: int) -> None:
        tables = self.drawn(n, 6).sum(axis=3)
        ours = label_measures.by_proportion(label_measures.bound("f1", 2), tables, 0.05)
        truth, said = (place.ravel() for place in np.indices((2, 2)))
        for row, table in enumerate(tables):
            evidence = as_predictions(read({"truth": truth, "a": said, "count": table.ravel()}))
            found = estimate(evidence, "f1").interval
            assert found is not None
            assert (ours[0][row], ours[1][row]) == pytest.approx((found.low, found.high))

    def test_stopping_early_changes_no_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Truths at all distances: those drawn to the end are inside as often as the others."""
        measures = {name: label_measures.bound(name, 2) for name in self.sampled}
        tables = np.repeat(self.drawn(40, 8).sum(axis=3), 25, axis=0)
        missed = []
        for stages in (
            smoothed_cells.STAGES,
            ((smoothed_cells.RESAMPLES, smoothed_cells.RESAMPLES),),
        ):
            monkeypatch.setattr(smoothed_cells, "STAGES", stages)
            truths = {"mcc": 0.1, "balanced_accuracy": 0.55}
            found = smoothed_cells.missed_by_draws(
                measures, tables, truths, np.random.default_rng(1)
            )
            missed.append([np.stack(one).sum(axis=1) for one in found.values()])
        for one, other in zip(*missed, strict=True):
            assert one == pytest.approx(other, abs=5 * np.sqrt(len(tables) / 2))

    def test_missed_is_what_the_drawn_limits_miss(self) -> None:
        measure = label_measures.bound("mcc", 2)
        tables = self.drawn(60, 5).sum(axis=3)
        for row, table in enumerate(tables):
            limits = smoothed_interval(table, measure, n_resamples=9999, seed=1)
            for truth in (limits[0] - 0.1, np.mean(limits), limits[1] + 0.1):
                (below, above) = smoothed_cells.missed_by_draws(
                    {"mcc": measure}, tables[row : row + 1], {"mcc": float(truth)},
                    np.random.default_rng(2),
                )["mcc", 0.05]  # fmt: skip
                assert bool(below[0]) == (limits[0] > truth)
                assert bool(above[0]) == (limits[1] < truth)

    def test_draws_of_another_method_stop_the_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(smoothed_cells, "pseudo_counts", lambda size: 30.0 * np.eye(size))
        with pytest.raises(means.Disagreement, match=r"smoothed cells: .* from the method"):
            label_measures.labels(self.sampled, self.world, 50, np.random.default_rng(3), 20)

    @pytest.mark.parametrize("name", label_measures.BINARY)
    def test_limits_of_a_pair(self, name: str) -> None:
        tables = self.drawn(200, 4)
        ours = label_measures.pair_limits(label_measures.bound(name, 2), tables)[0.01]
        truth, a, b = (place.ravel() for place in np.indices((2, 2, 2)))
        for row, table in enumerate(tables):
            evidence = {"truth": truth, "a": a, "b": b, "count": table.ravel()}
            found = paired_delta(evidence, measure=name, level=0.99).effect.interval
            assert found is not None
            assert (ours[0][row], ours[1][row]) == pytest.approx((found.low, found.high), rel=1e-6)

    def test_models_that_never_disagree(self) -> None:
        tables = np.zeros((1, 2, 2, 2), int)
        tables[0, 0, 0, 0] = tables[0, 1, 1, 1] = 25
        (low,), (high,) = label_measures.pair_limits(label_measures.bound("f1", 2), tables)[0.05]
        evidence = {"truth": [0, 1], "a": [0, 1], "b": [0, 1], "count": [25, 25]}
        found = paired_delta(evidence, measure="f1").effect.interval
        assert found is not None
        assert (low, high) == pytest.approx((found.low, found.high))

    @pytest.mark.parametrize("name", ["f1", "mcc"])
    def test_share_of_samples_that_count(self, name: str) -> None:
        world = LabelMeasures(prevalence=0.02, recall=0.6, precision=0.6)
        counts = world.draw(4000, 50, np.random.default_rng(15), takes="predictions")["count"]
        tables = counts.reshape(-1, 2, 2, 2)
        function = label_measures.bound(name, 2).function
        known = ~np.isnan(function(tables.sum(axis=3))) & ~np.isnan(function(tables.sum(axis=2)))
        share = label_measures.defined_share(name, world, 50)
        assert keeps(known.sum(), 4000, at_least=share, at_most=share)

    def test_five_classes(self) -> None:
        world = LabelMeasures(classes=5, prevalence=0.1, recall=0.6, precision=0.96)
        one, pair = label_measures.labels(("f1_macro",), world, 50, np.random.default_rng(13), 400)
        assert one.table.measure == pair.table.measure == "f1_macro"
        assert one.replicates == 400
        assert keeps(one.counts["coverage@0.05"], 400, at_least=0.935)

    def test_samples_that_lack_the_rarest_class_are_covered(self) -> None:
        """Two of three test sets have no item of it, and some name it all the same."""
        world = LabelMeasures(classes=5, prevalence=0.01, recall=0.96, precision=0.6)
        one, _ = label_measures.labels(("f1_macro",), world, 50, np.random.default_rng(14), 500)
        assert keeps(one.counts["coverage@0.05"], 500, at_least=0.935)
        assert one.counts["noted"] > 450

    def test_limits_of_another_method_stop_the_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(label_measures, "delta_limits", _bent(delta_limits))
        world = LabelMeasures(classes=5)
        with pytest.raises(means.Disagreement, match=r"f1_macro: .* in calibration"):
            label_measures.labels(("f1_macro",), world, 200, np.random.default_rng(3), 5)
