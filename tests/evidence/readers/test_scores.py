from pathlib import Path
from typing import Any

import pytest

import assay
from assay.evidence.reading import read
from assay.evidence.scores import Scores
from tests.evidence.forms import predictions

WIDE = "tree,bayes\n0.9,0.8\n0.85,0.8\n0.95,0.83\n0.91,0.82\n"


def scores(path: Path, **options: Any) -> Scores:
    found = read(path, **options)
    assert isinstance(found, Scores)
    return found


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


class TestWide:
    @pytest.mark.parametrize("unit", ["fold", "seed", "dataset"])
    def test_rows_without_a_place_are_the_unit_asked_for(self, tmp_path: Path, unit: str) -> None:
        found = scores(written(tmp_path / "s.csv", WIDE), unit=unit)
        assert (found.unit, found.models) == (unit, ("tree", "bayes"))
        assert len(found.summary().description.split("on 4 ")) == 2

    @pytest.mark.parametrize("unit", ["fold", "seed", "dataset"])
    def test_the_index_that_pandas_writes_is_no_model(self, tmp_path: Path, unit: str) -> None:
        lines = WIDE.splitlines()
        text = "\n".join([f",{lines[0]}", *(f"{n},{line}" for n, line in enumerate(lines[1:]))])
        plain = scores(written(tmp_path / "s.csv", WIDE), unit=unit)
        found = scores(written(tmp_path / "i.csv", text), unit=unit)
        assert found.models == plain.models
        assert (
            assay.compare(found).verdict.outcome.effect.value
            == assay.compare(plain).verdict.outcome.effect.value
        )


class TestLong:
    def test_the_index_that_pandas_writes_is_no_measure(self, tmp_path: Path) -> None:
        rows = [f"{n},d{n // 2},{'ab'[n % 2]},{0.5 + n / 20}" for n in range(8)]
        path = written(tmp_path / "l.csv", "\n".join([",dataset,model,accuracy", *rows]))
        assert scores(path).measures == ("accuracy",)


class TestAssumed:
    """Numbers without a truth and without a place could be anything: what was assumed is said."""

    def test_losses(self, tmp_path: Path) -> None:
        result = assay.compare(read(written(tmp_path / "s.csv", WIDE)))
        assert "losses-assumed" in [note.code for note in result.notes]

    def test_named_losses_need_no_assumption(self, tmp_path: Path) -> None:
        text = WIDE.replace("tree,bayes", "tree_loss,bayes_loss")
        assert predictions(written(tmp_path / "s.csv", text)).notes == ()
