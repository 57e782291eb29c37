"""Columns that describe rows are not taken as models; the refusal says what to type."""

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError
from assay.evidence.readers.factors import refuse_factors
from assay.evidence.scores import Scores

RNG = np.random.default_rng(2)
COUNTS = {name: RNG.integers(200, 250, 60).astype(float) for name in ("frog", "fly", "rand, 2")}
GRAPHS: dict[str, Any] = {"Size": np.repeat([100.0, 500.0, 1000.0], 20), **COUNTS}


def saved(folder: Path, columns: dict[str, Any]) -> str:
    rows = zip(*columns.values(), strict=True)
    names = [f'"{name}"' for name in columns]
    path = folder / "graphs.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in (names, *rows)))
    return str(path)


class TestRefuseFactors:
    def test_a_setting_of_the_rows_is_no_model(self, tmp_path: Path) -> None:
        with pytest.raises(EvidenceError, match=r"'Size' of .* repeat in long runs") as refusal:
            assay.read(saved(tmp_path, GRAPHS))
        assert "--models 'frog,fly,rand, 2' --unit dataset" in str(refusal.value)

    def test_in_a_table_of_scores_it_is_left_out_with_a_note(self, tmp_path: Path) -> None:
        found = assay.read(saved(tmp_path, GRAPHS), unit="dataset")
        assert isinstance(found, Scores)
        assert found.models == tuple(COUNTS)
        assert [one.code for one in found.notes] == ["settings-left-out"]
        assert "settings-left-out" in {one.code for one in assay.compare(found, rng=1).notes}

    def test_what_it_says_to_type_works(self, tmp_path: Path) -> None:
        path = saved(tmp_path, {name.replace(", ", "_"): own for name, own in GRAPHS.items()})
        with pytest.raises(EvidenceError) as refusal:
            assay.read(path)
        for typed, unit in re.findall(r"`--models (\S+)(?: --unit (\w+))?`", str(refusal.value)):
            (models,) = shlex.split(typed)
            found = assay.read(path, models=models.split(","), unit=unit or None)
            assert len(found.models) in (3, 4)

    def test_named_models_are_taken_as_they_are(self) -> None:
        assert assay.read(GRAPHS, models=list(GRAPHS)).models == tuple(GRAPHS)

    @pytest.mark.parametrize(
        "column",
        [
            np.repeat([0.0, 1.0], 30),  # right and wrong, sorted
            RNG.integers(1, 6, 60).astype(float),  # grades, which change from row to row
            RNG.random(60),
        ],
    )
    def test_losses_are_left_alone(self, column: Any) -> None:
        assert assay.read({"odd": column, **COUNTS}).models[0] == "odd"

    def test_few_rows_tell_nothing(self) -> None:
        refuse_factors({name: own[:15] for name, own in GRAPHS.items()}, ["a table"])

    def test_all_alike_are_models(self) -> None:
        refuse_factors({"a": GRAPHS["Size"], "b": GRAPHS["Size"] * 2.0, "c": GRAPHS["fly"]}, ["x"])


def test_repeated_scores_name_the_filter_to_type() -> None:
    rows: dict[str, Any] = {"part": ["x"] * 4 + ["y"] * 4, "dataset": ["d1", "d2"] * 4}
    rows |= {"model": ["a", "a", "b", "b"] * 2, "score": [0.1, 0.2, 0.3, 0.4] * 2}
    with pytest.raises(EvidenceError, match="type `--where part=x`"):
        assay.read(rows)
    assert assay.read(rows, where="part=x").n == 2
