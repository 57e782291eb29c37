"""`assay look`: what a file is, what is open, and commands that work when pasted."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from assay.cli.main import cli
from tests.evidence.forms import write_csv

RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 2, 50)
TABLE: dict[str, Any] = {
    "patient": range(50),
    "age": RNG.integers(20, 90, 50),
    "y": TRUTH,
    "ai": np.where(RNG.random(50) < 0.9, TRUTH, 1 - TRUTH),
    "reader": np.where(RNG.random(50) < 0.8, TRUTH, 1 - TRUTH),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "reads.csv", TABLE)


def looked(*words: str) -> str:
    done = CliRunner().invoke(cli, ["look", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


class TestTable:
    def test_columns_with_role_and_reason(self, path: Path) -> None:
        lines = {line.split()[0]: line for line in looked(str(path)).splitlines() if line.strip()}
        assert " id " in lines["patient"]
        assert "description" in lines["age"]
        assert "truth" in lines["y"]
        assert "model" in lines["ai"]

    def test_its_commands_work_when_pasted(self, path: Path) -> None:
        commands = [line for line in looked(str(path)).splitlines() if "assay compare " in line]
        assert commands
        for line in commands:
            words = shlex.split(line[line.index("assay ") :])[1:]
            if "--output" not in words:
                done = CliRunner().invoke(cli, [*words, "--format", "json"])
                assert done.exit_code == 0, done.output

    def test_a_judge_beside_people_and_its_commands(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        people = [str(truth) if place < 20 else "" for place, truth in enumerate(TRUTH)]
        table = {"item": range(50), "human": people, "gpt": TABLE["ai"]}
        path = write_csv(tmp_path / "graded.csv", table)
        told = (str(path), "--truth", "human", "--judge", "gpt", "--correct")
        shown = looked(*told)
        assert "50 items graded by a judge (gpt), 20 of them by people (human)" in " ".join(
            shown.split()
        )
        commands = [line.split("assay ", 1)[1] for line in shown.splitlines() if "  assay " in line]
        assert [command.split()[0] for command in commands] == [
            "evaluate",
            "judge",
            "plan",
            "evaluate",
        ]
        monkeypatch.chdir(tmp_path)
        for command in commands:
            done = CliRunner().invoke(cli, shlex.split(command), catch_exceptions=False)
            assert done.exit_code == 0, done.output

    def test_a_margin_of_a_hundredth_and_chance_are_for_classes(self, tmp_path: Path) -> None:
        prices = RNG.normal(300, 50, 50)
        numbers: dict[str, Any] = {
            "price": prices,
            "ridge": prices + 20,
            "knn": prices - RNG.normal(0, 30, 50),
        }
        two = write_csv(tmp_path / "prices.csv", numbers)
        one = write_csv(tmp_path / "price.csv", {n: numbers[n] for n in ("price", "ridge")})
        for file in (two, one):
            said = CliRunner().invoke(cli, ["look", str(file), "--truth", "price"]).output
            assert "assay evaluate" in said
            assert "--margin" not in said
            assert "--against chance" not in said

    def test_several_columns_called_like_the_truth_are_named(self, tmp_path: Path) -> None:
        columns = {"id": range(4), "gold": "abab", "label": "aabb", "m1": "abab", "m2": "bbaa"}
        path = write_csv(tmp_path / "both.csv", {n: list(of) for n, of in columns.items()})
        said = CliRunner().invoke(cli, ["look", str(path)]).output
        assert "'gold', 'label' could be it" in " ".join(said.split())

    def test_what_is_open_with_the_option_to_add(self, tmp_path: Path) -> None:
        right = {"question_id": range(9), "opus": [1, 0, 1] * 3, "llama": [0, 0, 1] * 3}
        said = looked(str(write_csv(tmp_path / "right.csv", right)))
        assert "open questions; answer each with an option" in said
        assert "add --correct" in said

    def test_options_that_were_given_stay_in_the_commands(self, tmp_path: Path) -> None:
        right = {"question_id": range(9), "opus": [1, 0, 1] * 3, "llama": [0, 0, 1] * 3}
        said = looked(str(write_csv(tmp_path / "right.csv", right)), "--correct")
        assert "assay compare" in said
        assert "--correct" in said


class TestJson:
    def test_columns_and_questions(self, path: Path) -> None:
        found = json.loads(looked(str(path), "--format", "json"))
        assert found["models"] == ["ai", "reader"]
        by_name = {column["name"]: column for column in found["columns"]}
        assert by_name["age"]["role"] == "description"
        assert by_name["age"]["why"]
        assert found["questions"] == []
