"""Tables of scores: columns that describe rows are not taken as models; what is open is asked."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import assay
from assay.core.errors import EvidenceError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.scores import Scores

RNG = np.random.default_rng(2)
COUNTS = {name: RNG.integers(200, 250, 60).astype(float) for name in ("frog", "fly", "rand, 2")}
GRAPHS: dict[str, Any] = {"Nodes": np.repeat([100.0, 500.0, 1000.0], 20), **COUNTS}


def saved(folder: Path, columns: dict[str, Any]) -> str:
    rows = zip(*columns.values(), strict=True)
    names = [f'"{name}"' for name in columns]
    path = folder / "graphs.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in (names, *rows)))
    return str(path)


class TestSettings:
    def test_what_a_row_is_must_be_told(self, tmp_path: Path) -> None:
        with pytest.raises(AmbiguousEvidence, match="What is a row of") as asked:
            assay.read(saved(tmp_path, GRAPHS))
        question = asked.value.questions[0]
        assert question.code == "unit"
        assert "--unit dataset" in [answer.option for answer in question.answers]

    def test_a_setting_of_the_rows_is_no_model(self, tmp_path: Path) -> None:
        found = assay.read(saved(tmp_path, GRAPHS), unit="dataset")
        assert isinstance(found, Scores)
        assert found.models == tuple(COUNTS)
        (note,) = found.notes
        assert note.code == "columns-left-out"
        assert "'Nodes'" in note.message

    def test_named_models_are_taken_as_they_are(self) -> None:
        found = assay.read(GRAPHS, models=list(GRAPHS), unit="dataset")
        assert found.models == tuple(GRAPHS)

    @pytest.mark.parametrize(
        "column",
        [
            np.repeat([0.0, 1.0], 30),  # right and wrong, sorted
            RNG.integers(1, 6, 60).astype(float),  # grades, which change from row to row
            RNG.random(60),
        ],
    )
    def test_scores_are_left_alone(self, column: Any) -> None:
        reading = assay.look({"odd": column, **COUNTS}, unit="dataset", percent=())
        assert reading.models[0] == "odd"

    def test_few_rows_tell_nothing(self) -> None:
        few = {name: own[:15] for name, own in GRAPHS.items()}
        assert assay.look(few, unit="dataset").models == tuple(GRAPHS)

    def test_all_alike_are_models(self) -> None:
        alike = {"a": GRAPHS["Nodes"], "b": GRAPHS["Nodes"] * 2.0, "c": GRAPHS["fly"]}
        assert assay.look(alike, unit="dataset").models == ("a", "b", "c")


class TestScale:
    TABLE = {"dataset": ["d1", "d2", "d3"], "a": [0.81, 0.7, 0.9], "b": [80.0, 72.0, 91.0]}  # noqa: RUF012

    def test_fractions_beside_per_cent_are_asked_about(self) -> None:
        with pytest.raises(AmbiguousEvidence, match="Is 'b' in per cent") as asked:
            assay.read(self.TABLE)
        divided, ignored = asked.value.questions[0].answers
        found = assay.read(self.TABLE, **divided.arguments)
        assert isinstance(found, Scores)
        assert found.blocks("score").values.tolist() == [[0.81, 0.8], [0.7, 0.72], [0.9, 0.91]]
        assert assay.read(self.TABLE, **ignored.arguments).models == ("a",)


class TestSummaryRows:
    def test_are_left_out_and_named(self) -> None:
        table = {"dataset": ["d1", "d2", "Average"], "a": [0.8, 0.6, 0.7], "b": [0.7, 0.5, 0.6]}
        found = assay.read(table)
        assert isinstance(found, Scores)
        assert (found.n, found.datasets) == (2, ("d1", "d2"))
        (note,) = found.notes
        assert note.code == "summary-left-out"
        assert "'Average'" in note.message


class TestNames:
    def test_run_counts_repeats_beside_folds(self) -> None:
        """As in the tables of ten times ten folds that the Bayesian tests were published with."""
        table = {"run": [1, 1, 2, 2], "fold": [1, 2, 1, 2], "tree": [0.7, 0.8, 0.75, 0.8]}
        found = assay.read({**table, "net": [0.8, 0.9, 0.85, 0.8]})
        assert isinstance(found, Scores)
        assert (found.unit, found.models) == ("fold", ("tree", "net"))
        assert (found.folds, found.repeats) == (2, 2)

    def test_a_model_may_be_called_is_something(self) -> None:
        """IS-CHC is an instance-selection method; is_urban says yes or no of a row."""
        table = {"dataset": ["a", "b", "c"], "tree": [0.7, 0.8, 0.75], "is_urban": [0, 1, 1]}
        assert assay.read({**table, "IS_CHC": [0.8, 0.9, 0.85]}).models == ("tree", "IS_CHC")


class TestTraining:
    def test_epochs_are_no_sample(self) -> None:
        table = {"epoch": list(range(9)), "a": RNG.random(9), "b": RNG.random(9)}
        with pytest.raises(EvidenceError, match="one training run"):
            assay.read(table)


def test_repeated_scores_name_the_filter_to_type() -> None:
    rows: dict[str, Any] = {"part": ["x"] * 4 + ["y"] * 4, "dataset": ["d1", "d2"] * 4}
    rows |= {"model": ["a", "a", "b", "b"] * 2, "score": [0.1, 0.2, 0.3, 0.4] * 2}
    with pytest.raises(EvidenceError, match="add where='part=x'"):
        assay.read(rows)
    assert assay.read(rows, where="part=x").n == 2


def test_a_table_as_wide_as_long_is_laid_out_at_once() -> None:
    """Found by `make fuzz`: every column was tried against the differences of all pairs of others."""
    rng = np.random.default_rng(1)
    columns = {f"row {place}": rng.random(5) for place in range(200)}
    begun = time.process_time()
    assay.look(pd.DataFrame({"dataset": list("abcde"), **columns}), measure="accuracy")
    assert time.process_time() - begun < 5.0


def test_a_difference_of_two_columns_is_no_model() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.random(12), rng.random(12)
    table = {"dataset": [f"s{n}" for n in range(12)], "tree": first, "forest": second}
    for name, derived in (
        ("gap", first - second),
        ("change", np.abs(second - first)),
        ("top", np.maximum(first, second)),
    ):
        found = assay.look(pd.DataFrame({**table, name: derived}), measure="accuracy")
        assert "tree" in found.models
        assert name not in found.models


class TestWhatOneRuleAloneDecides:
    """Tables that no other test would miss, found by switching rules off."""

    def test_a_column_of_measures_beside_two_of_numbers(self) -> None:
        cells = [(m, d, k, 0.6, 7.0) for m in "ab" for d in "uvwxyz" for k in ("acc", "f1")]
        names = ("model", "dataset", "metric", "value", "other")
        table = dict(zip(names, map(list, zip(*cells, strict=True)), strict=True))
        assert assay.read(table, measure="acc").models == ("a", "b")

    def test_data_sets_called_as_what_sums_up_others(self) -> None:
        table = {"model": ["a", "b", "c"], "mean": [0.1, 0.2, 0.3], "median": [0.2, 0.3, 0.1]}
        assert assay.read(table, models_in_rows=True).n == 2

    def test_files_that_share_a_description_beside_the_class(self, tmp_path: Path) -> None:
        truth = ["cat", "dog", "owl"] * 8
        said = {"solution": truth, "rf": [*truth[:20], *truth[19:23]], "lr": truth[::-1]}
        for name, classes in said.items():
            rows = [f"{n},{one},{30 + n % 7}" for n, one in enumerate(classes)]
            (tmp_path / f"{name}.csv").write_text("\n".join(["id,species,Age", *rows]))
        assert assay.read(*(tmp_path / f"{name}.csv" for name in said)).models == ("rf", "lr")
