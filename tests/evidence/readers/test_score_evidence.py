from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import EvidenceError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.reading import read
from assay.evidence.rows_sql import SqlRows
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
    def test_whole_numbers_beyond_floats_are_refused(self) -> None:
        scores = {"dataset": list("abcd"), "one": [0.1, 0.2, 0.3, 10**400], "two": [0.2] * 4}
        with pytest.raises(
            EvidenceError, match=r"must hold numbers, .* at position 3 is not a finite number"
        ):
            read(scores, measure="accuracy", unit="dataset")

    @pytest.mark.parametrize("unit", ["fold", "seed", "dataset"])
    def test_rows_without_a_place_are_the_unit_asked_for(self, tmp_path: Path, unit: str) -> None:
        found = scores(written(tmp_path / "s.csv", WIDE), unit=unit)
        assert (found.unit, found.models) == (unit, ("tree", "bayes"))
        words = {"fold": "folds", "seed": "seeds", "dataset": "data sets"}
        assert found.summary().description.startswith(f"4 {words[unit]} × 2 models (tree, bayes)")

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


class TestOpen:
    """Numbers without a truth and without a place could be anything: what they are is asked."""

    def test_what_a_row_is(self, tmp_path: Path) -> None:
        path = written(tmp_path / "s.csv", WIDE)
        with pytest.raises(AmbiguousEvidence, match="What is a row of") as asked:
            read(path)
        question = asked.value.questions[0]
        assert question.code == "unit"
        units = [a.arguments["unit"] for a in question.answers if "unit" in a.arguments]
        assert units[:3] == ["dataset", "fold", "seed"]
        for unit in units[:3]:
            assert scores(path, unit=unit).unit == unit

    def test_which_way_is_better(self, tmp_path: Path) -> None:
        path = written(tmp_path / "s.csv", WIDE)
        result = assay.compare(path, unit="fold")
        assert result.direction == "unknown"
        assert result.verdict.word in ("higher", "lower", "undecided")
        assert "direction-unknown" in [note.code for note in result.notes]
        told = assay.compare(path, unit="fold", lower_is_better=True)
        assert told.direction == "lower"
        assert told.verdict.word in ("worse", "undecided")

    def test_losses_of_items_are_told(self, tmp_path: Path) -> None:
        path = written(tmp_path / "s.csv", WIDE)
        assert predictions(path, losses=True).offers["tree"] == {"losses"}

    def test_named_losses_say_which_way_is_better(self, tmp_path: Path) -> None:
        text = WIDE.replace("tree,bayes", "tree_loss,bayes_loss")
        path = written(tmp_path / "s.csv", text)
        found = predictions(path, unit="item")
        assert found.models == ("tree", "bayes")
        assert found.offers["tree"] == {"losses"}


def test_files_that_name_their_models_in_a_column_are_one_table(tmp_path: Path) -> None:
    """As leaderboards of forecasts leave them: a file for each model, with several measures."""
    files = []
    for model, mase in (("chronos", 0.8), ("naive", 1.1)):
        rows = [f"set{place},{model},{mase + place / 100:.2f},{mase / 10}" for place in range(8)]
        text = "\n".join(["dataset,model,MASE,WQL", *rows]) + "\n"
        files.append(written(tmp_path / f"{model}.csv", text))
    found = assay.compare(*files, measure="MASE")
    assert found.sentence.startswith("chronos is better than naive")
    assert {one.measure for one in assay.evaluate(*files).estimates} == {"MASE", "WQL"}


def test_many_columns_are_one_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query for each of 1,556 columns, each parsing all of them, took minutes."""
    asked = []
    fetch = SqlRows._fetch

    def counted(rows: SqlRows, *rest: Any) -> Any:
        asked.append(1)
        return fetch(rows, *rest)

    monkeypatch.setattr(SqlRows, "_fetch", counted)
    names = [f"m{place}" for place in range(300)]
    lines = [",".join(["dataset", *names])]
    lines += [",".join([f"s{row}", *(f"{row / 10:.1f}" for _ in names)]) for row in range(6)]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(lines) + "\n")
    found = assay.read(path, unit="dataset", measure="accuracy")
    assert len(found.models) == 300
    assert len(asked) < 5


def test_a_column_of_words_that_may_name_the_models_is_asked_about() -> None:
    rows = [
        {"task": f"t{task}", "seed": seed, "optimizer": name, "regret": regret + 0.01 * task * seed}
        for task in range(8)
        for seed in range(3)
        for name, regret in (("worse", 0.3), ("better", 0.1))
    ]
    with pytest.raises(assay.AmbiguousEvidence, match="What tells the rows") as asked:
        assay.compare(rows)
    (question,) = asked.value.questions
    (answer,) = question.answers
    assert dict(answer.arguments) == {"models": ["optimizer"]}
    found = assay.compare(rows, **dict(answer.arguments))
    assert found.verdict.sentence.startswith("better is better than worse")
