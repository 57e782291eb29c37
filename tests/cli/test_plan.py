"""`assay plan` as a person types it."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import assay
from assay.cli.main import cli
from assay.core.errors import AssayError


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["plan", *arguments])


def answer(*arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    models = [np.where(rng.random(300) < error, 1 - truth, truth) for error in (0.1, 0.2)]
    path = tmp_path / "predictions.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["y", "new", "old"])
        writer.writerows(zip(truth, *models, strict=True))
    return path


class TestNumbers:
    def test_the_example_of_the_help(self) -> None:
        found = answer("--measure", "accuracy", "--baseline", "0.80", "--difference", "0.02",
                       "--power", "0.8")  # fmt: skip
        assert found["kind"] == "plan"
        assert found["n"] is None
        assert [case["n"] for case in found["cases"]] == [275, 6039]
        assert found["notes"][0]["code"] == "unknown-fact"

    @pytest.mark.parametrize(
        ("given", "sought", "value"),
        [
            ("--discordant 0.1 --difference 0.02 --power 0.8", "n", 1945),
            ("--discordant 0.1 --difference 0.02 --n 1945", "power", 0.8001),
            ("--discordant 0.1 --power 0.8 --n 1945", "difference", 0.02),
            ("--sd 0.3333333333333333 --sd-within 0 --difference 0.03 --power 0.8", "n", 969),
            ("--unit seed --sd 0.01 --difference 0.01 --power 0.8", "n", 17),
            ("--unit seed --sd 0.01,0.02 --difference 0.01 --power 0.8", "n", 41),
            ("--unit seed --paired --sd 0.01 --difference 0.01 --power 0.8", "n", 10),
            ("--unit fold --folds 10 --sd 0.02 --difference 0.02 --power 0.8", "n", 80),
            ("--baseline 0.8 --half-width 0.02", "n", 1537),
            ("--baseline 0.8 --n 1537", "half_width", 0.02),
            ("--unit dataset --sd 3 --difference 2 --power 0.8 --variant closed", "n", 22),
        ],
    )
    def test_questions(self, given: str, sought: str, value: float) -> None:
        found = answer(*given.split())
        assert found["solved_for"] == sought
        assert found[sought] == pytest.approx(value, rel=1e-3)

    @pytest.mark.parametrize("form", ["table", "markdown", "latex", "csv", "html"])
    def test_every_format(self, form: str) -> None:
        done = run("--discordant", "0.1", "--difference", "0.02", "--n", "500", "--format", form)
        assert done.exit_code == 0, done.output
        assert "0.291" in done.stdout or "29.1%" in done.stdout

    def test_explained(self) -> None:
        done = run("--discordant", "0.1", "--difference", "0.02", "--n", "500", "--explain")
        assert "share = (0.1 + 0.02)/(2 · 0.1)" in " ".join(done.stdout.split())
        assert "Connor (1987)" in done.stdout


class TestPilot:
    def test_what_a_finished_study_could_have_found(self, predictions: Path) -> None:
        options = ("--truth", "y", "--measure", "f1", "--power", "0.8", "--seed", "1")
        found = answer(str(predictions), *options)
        assert found["solved_for"] == "difference"
        assert (found["n"], found["seed"]) == (300, None)  # nothing is drawn
        named = answer("--pilot", str(predictions), *options)
        assert named == found

    def test_items_needed(self, predictions: Path) -> None:
        found = answer(str(predictions), "--truth", "y", "--power", "0.8", "--difference", "0.02")
        assert found["solved_for"] == "n"
        assert found["n"] > 300

    def test_words_go_to_stderr(self, predictions: Path) -> None:
        done = run(str(predictions), "--truth", "y", "--power", "0.8", "--format", "json")
        assert "300 items" in done.stderr
        assert json.loads(done.stdout)["n"] == 300


class TestErrors:
    def test_two_of_three(self) -> None:
        done = run("--baseline", "0.8", "--power", "0.8")
        assert isinstance(done.exception, AssayError)
        assert "give two of n=, power= and difference=" in str(done.exception)

    def test_numbers(self) -> None:
        done = run("--sd", "wide", "--n", "9", "--power", "0.8")
        assert done.exit_code == 2
        assert "neither a number nor two with a comma" in done.stderr
        assert "one or two are needed" in run("--sd", "1,2,3").stderr

    def test_a_file_that_is_not_there(self) -> None:
        done = run("none.csv", "--power", "0.8")
        assert isinstance(done.exception, AssayError)
        assert "none.csv" in str(done.exception)


class TestStores:
    def test_a_finished_study_is_a_pilot_and_goes_by_any_name_of_its_measures(
        self, tmp_path: Path
    ) -> None:
        rng = np.random.default_rng(4)
        y = np.arange(60) % 2
        X = y[:, None] + rng.standard_normal((60, 2))
        store = tmp_path / "study.db"
        assay.Study(
            name="two",
            learners={"bayes": GaussianNB(), "line": LogisticRegression()},
            datasets={"data": (X, y)},
            resampling={"scheme": "valid", "fits": 10},
            measures=["auc"],
        ).run(store, engine="inline", progress=False)
        found = answer(str(store), "--algorithms", "--difference", "0.02")
        assert found["curve"]["columns"][0] == ["n", [10, 25, 50, 100, 500]]
        assert found == answer(str(store), "--algorithms", "--difference", "0.02", "--task", "data")
        done = CliRunner().invoke(cli, ["compare", str(store), "--measure", "auc"])
        assert done.exit_code == 0, done.output
        assert "roc_auc" in done.output
