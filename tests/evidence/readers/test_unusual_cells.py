"""Cells that are not written as numbers: ticks and blanks, nan as text, thousands of Switzerland and France."""

from pathlib import Path

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError
from assay.core.questions import AmbiguousEvidence

RNG = np.random.default_rng(8)


def _file(folder: Path, header: str, rows: list[str]) -> Path:
    path = folder / "table.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


class TestTicks:
    def test_a_blank_is_not_ticked(self, tmp_path: Path) -> None:
        ticked = [
            ("x" if RNG.random() < 0.9 else "", "x" if RNG.random() < 0.5 else "")
            for _ in range(90)
        ]
        path = _file(
            tmp_path, "Aufgabe;GPT;Llama", [f"T{i};{a};{b}" for i, (a, b) in enumerate(ticked)]
        )
        with pytest.raises(AmbiguousEvidence, match="0 and 1"):  # an x may mark what was wrong
            assay.compare(path)
        found = assay.compare(path, correct=True)
        assert found.verdict.sentence.startswith("GPT is better")
        assert found.evidence.n == 90

    def test_one_column_of_marks_is_no_sheet_of_ticks(self, tmp_path: Path) -> None:
        rows = [f"T{i};{'x' if i % 3 else ''};0.{i % 9}1;0.{i % 7}3" for i in range(60)]
        found = assay.look(_file(tmp_path, "id;mark;a_loss;b_loss", rows))
        assert tuple(found.evidence().models) == ("a", "b")


def test_nan_as_text_is_a_blank(tmp_path: Path) -> None:
    rows = [f"{i},{i % 2}.0,{'nan' if i % 9 == 0 else f'{i % 2}.0'},1.0" for i in range(90)]
    path = _file(tmp_path, "id,truth,a,b", rows)
    with pytest.raises(AmbiguousEvidence, match="blank"):
        assay.compare(path)
    assert assay.compare(path, missing="wrong").verdict.sentence.startswith("a is better")


@pytest.mark.parametrize("mark", ["'", "’", " ", "\u00a0", "\u202f", "."])
def test_thousands_are_set_apart_in_many_ways(tmp_path: Path, mark: str) -> None:
    def written(number: float) -> str:
        whole, part = f"{number:,.2f}".replace(",", mark).rsplit(".", 1)
        return f"{whole}.{part}" if mark in "'’" else f"{whole},{part}"

    truth = RNG.uniform(1000.0, 9000.0, 60)
    near, far = truth + RNG.normal(0.0, 50.0, 60), truth + RNG.normal(0.0, 400.0, 60)
    rows = [
        ";".join([f"o{i}", *map(written, of)])
        for i, of in enumerate(zip(truth, near, far, strict=True))
    ]
    found = assay.compare(_file(tmp_path, "Objekt;y;Modell1;Modell2", rows))
    assert found.verdict.sentence.startswith("Modell1 is better than Modell2: mse")


@pytest.mark.parametrize("name", ["{}_pred", "{}_predicted", "{}_label", "pred_{}", "{}"])
def test_a_suffix_says_nothing_about_the_kind(tmp_path: Path, name: str) -> None:
    rows = [f"{i},{i / 7:.2f},{i / 7 + 0.1:.2f},{i / 7 - 2 * (i % 2):.2f}" for i in range(60)]
    header = f"id,y,{name.format('lgb')},{name.format('lin')}"
    assert "mse" in assay.compare(_file(tmp_path, header, rows)).verdict.sentence
    labels = [f"{i},c{i % 3},c{i % 3},c{i % 2}" for i in range(60)]
    assert "accuracy" in assay.compare(_file(tmp_path, header, labels)).verdict.sentence


def test_a_judge_of_one_answer_for_each_item_is_told_what_to_type(tmp_path: Path) -> None:
    rows = [f"{i},m{i % 2},{i % 3 % 2 if i < 60 else ''},{i % 2}" for i in range(120)]
    path = _file(tmp_path, "item,model,human,judge", rows)
    with pytest.raises(EvidenceError, match="one model only"):
        assay.judge(path, truth="human", judge="judge")
    assert assay.judge(path, truth="human", judge="judge", ignore="model")
    assert assay.judge(path, truth="human", judge="judge", where="model=m1")
