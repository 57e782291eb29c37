"""The measured level: the nearest cell, the range over what is not told, and nothing made up."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.compare import measured_levels
from assay.compare.measured_levels import NOTHING, CalibratedPlace, measured_level


def cell(at: list[Any], level: float, replicates: int | str = "exact") -> dict[str, Any]:
    measured = {"level@0.05": [level, level, level], "level@0.01": [level / 5] * 3}
    return {"at": at, "replicates": replicates, "measured": measured, "short": []}


def table(procedure: str, unit: str, parameters: list[str], cells: list[Any]) -> dict[str, Any]:
    return {
        "procedure": procedure,
        "answers": "compare",
        "world": f"world of {procedure}",
        "measure": None,
        "unit": unit,
        "parameters": parameters,
        "cells": cells,
    }


TABLES = (
    table(
        "mcnemar",
        "item",
        ["discordant", "n"],
        [cell([0.05, 100], 0.041), cell([0.2, 100], 0.049), cell([0.2, 500], 0.051)],
    ),
    table(
        "paired_t",
        "item",
        ["shape", "n"],
        [cell(["normal", 100], 0.05, 100_000), cell(["lognormal", 100], 0.062, 50_000)],
    ),
    table(
        "corrected_resampled_t",
        "fold",
        ["learner", "design"],
        [cell(["tree", "10-fold"], 0.03), cell(["nn", "10-fold"], 0.08), cell(["nn", "5x2"], 0.2)],
    ),
)


@pytest.fixture(autouse=True)
def _figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small calibration of our own, so that the packaged one may change."""
    monkeypatch.setattr(measured_levels, "_tables", lambda: TABLES)


class TestMeasuredLevel:
    @pytest.mark.parametrize(
        ("discordant", "n", "expected"),
        [(0.2, 100, 0.049), (0.18, 120, 0.049), (0.06, 90, 0.041), (0.25, 900, 0.051)],
    )
    def test_the_nearest_cell(self, discordant: float, n: int, expected: float) -> None:
        place = CalibratedPlace(method="mcnemar", known={"discordant": discordant, "n": n})
        found = measured_level(place, level=0.95)
        assert found is not None
        assert (found.low, found.high) == (expected, expected)
        assert found.replicates is None
        assert f"{100 * expected:.1f}%" in found.sentence

    def test_another_level(self) -> None:
        place = CalibratedPlace(method="mcnemar", known={"discordant": 0.2, "n": 100})
        found = measured_level(place, level=0.99)
        assert found is not None
        assert found.low == pytest.approx(0.0098)
        assert measured_level(place, level=0.9).sentence == NOTHING  # type: ignore[union-attr]

    def test_what_is_not_told_gives_a_range(self) -> None:
        found = measured_level(CalibratedPlace(method="paired_t", known={"n": 80}), level=0.95)
        assert found is not None
        assert (found.low, found.high) == (0.05, 0.062)
        assert found.replicates == 50_000
        assert "range over shape) was 5.0–6.2%, nominal 5%" in found.sentence

    def test_folds_give_the_range_of_their_design_or_of_all(self) -> None:
        told = CalibratedPlace(method="corrected_resampled_t", known={"design": "10-fold"})
        found = measured_level(told, level=0.95)
        assert found is not None
        assert (found.low, found.high) == (0.03, 0.08)
        untold = CalibratedPlace(method="corrected_resampled_t", known={"design": None})
        everything = measured_level(untold, level=0.95)
        assert everything is not None
        assert (everything.low, everything.high) == (0.03, 0.2)

    def test_far_from_every_cell_nothing_is_said_to_be_known(self) -> None:
        far = measured_level(
            CalibratedPlace(method="mcnemar", known={"discordant": 0.2, "n": 100_000}), level=0.95
        )
        assert far is not None
        assert (far.low, far.sentence) == (None, NOTHING)

    def test_a_method_that_was_never_tried(self) -> None:
        assert (
            measured_level(CalibratedPlace(method="fisher_exact", known={"n": 10}), level=0.95)
            is None
        )


class TestCompare:
    def test_the_verdict_comes_with_it_in_every_format(self) -> None:
        rng = np.random.default_rng(1)
        truth = rng.integers(0, 2, 120)
        data = {"y": truth} | {m: np.where(rng.random(120) < 0.1, 1 - truth, truth) for m in "ab"}
        found = assay.compare(data, truth="y")
        assert found.measured is not None
        assert found.measured.at == (("discordant", 0.2), ("n", 100))
        for form in ("table", "markdown", "html"):
            assert "4.9%" in assay.render(found, form, details=True), form
        assert assay.from_json(assay.to_json(found)) == found

    def test_measures_that_are_functions_of_one_another_share_figures(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        of_errors = tuple({**one, "measure": "error_rate"} for one in TABLES)
        monkeypatch.setattr(measured_levels, "_tables", lambda: of_errors)
        truth = np.arange(120) % 2
        data = {"y": truth, "a": truth, "b": np.where(np.arange(120) < 24, 1 - truth, truth)}
        assert assay.compare(data, truth="y", measure="accuracy").measured is not None
        assert assay.compare(data, truth="y", measure="f1", rng=1).measured is None

    def test_folds_print_their_range(self) -> None:
        rng = np.random.default_rng(1)
        data = {"fold": list(range(10)), "a": rng.random(10), "b": rng.random(10)}
        assert "3.0% to 8.0%" in assay.render(assay.compare(data), details=True)

    @pytest.mark.parametrize(
        ("procedure", "models", "n"),
        [
            ("independent_delta", 1, 100),
            ("simultaneous_delta", 3, 100),
            ("simultaneous_delta", 4, None),
        ],
    )
    def test_label_measures_are_found_by_their_rates(
        self, monkeypatch: pytest.MonkeyPatch, procedure: str, models: int, n: int | None
    ) -> None:
        """Different items count n for each model; more models than were measured find nothing."""
        names = ["prevalence", "recall", "precision", "n"]
        cells = [cell([0.5, 0.8, 0.8, size], 0.03 + size / 1e5) for size in (20, 100, 500)]
        monkeypatch.setattr(
            measured_levels, "_tables", lambda: (table(procedure, "item", names, cells),)
        )
        rng, truth = np.random.default_rng(1), np.arange(100) % 2

        def answers(count: int) -> dict[str, Any]:
            wrong = rng.random((count, 100)) < 0.2
            found = {f"m{one}": np.where(row, 1 - truth, truth) for one, row in enumerate(wrong)}
            return {"y": truth, **found}

        if models == 1:
            first, second = answers(1), answers(1)
            second["other"] = second.pop("m0")
            evidence = assay.read(first, second, truth="y", paired=False)
            found = assay.compare(evidence, measure="f1")
        else:
            found = assay.compare(answers(models), truth="y", measure="f1")
        assert found.choice.method == procedure
        assert found.measured is not None
        assert dict(found.measured.at).get("n") == n
        assert (found.measured.sentence == NOTHING) == (n is None)


class TestAnotherDesign:
    def test_cells_that_cannot_reject_are_not_told_of_designs_that_can(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cells = [cell(["full", "normal", 5, 8], 0.0), cell(["full", "normal", 5, 13], 0.03)]
        ours = table("wilcoxon_pairs", "dataset", ["null", "noise", "k", "n"], cells)
        monkeypatch.setattr(measured_levels, "_tables", lambda: (ours,))
        place = CalibratedPlace(method="wilcoxon_pairs", known={"k": 4, "n": 10})
        found = measured_level(place, level=0.95)
        assert found is not None
        assert (found.low, dict(found.at)["n"]) == (0.03, 13)

    def test_a_family_of_another_size_is_another_design(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cells = [cell(["full", "normal", 3, 20], 0.03)]
        ours = table("wilcoxon_pairs", "dataset", ["null", "noise", "k", "n"], cells)
        monkeypatch.setattr(measured_levels, "_tables", lambda: (ours,))
        far = measured_level(
            CalibratedPlace(method="wilcoxon_pairs", known={"k": 7, "n": 20}), level=0.95
        )
        assert far is not None
        assert far.sentence == NOTHING

    def test_folds_made_otherwise_are_another_design(self) -> None:
        rng = np.random.default_rng(1)
        data = {"fold": list(range(7)), "a": rng.random(7), "b": rng.random(7)}
        found = assay.compare(data, measure="accuracy").measured
        assert found is not None
        assert found.sentence == NOTHING

    def test_clusters_are_no_independent_items(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ours = table("paired_bootstrap", "item", ["prevalence", "n"], [cell([0.5, 100], 0.05)])
        monkeypatch.setattr(measured_levels, "_tables", lambda: (ours,))
        rng = np.random.default_rng(1)
        truth = np.arange(100) % 2
        data = {"y": truth, "g": np.arange(100) // 4}
        data |= {m: np.where(rng.random(100) < 0.2, 1 - truth, truth) for m in "ab"}
        options: dict[str, Any] = {"truth": "y", "measure": "f1", "rng": 1, "n_resamples": 199}
        found = assay.compare(data, cluster="g", **options).measured
        assert found is None or found.low is None

    def test_squares_of_which_a_lead_may_be_withheld_are_no_losses(self) -> None:
        truth, error = np.linspace(0.0, 1.0, 100), np.random.default_rng(1).normal(size=(2, 100))
        table = {"truth": truth, "a:value": truth + error[0], "b:value": truth + error[1]}
        told = {
            measure: assay.compare(table, measure=measure).measured for measure in ("mae", "mse")
        }
        assert told["mae"] is not None
        assert told["mae"].sentence != NOTHING
        assert told["mse"] is not None
        assert told["mse"].sentence == NOTHING
