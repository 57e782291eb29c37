"""The command line as a person types it: exit codes, streams and formats."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support import PATIENCE
from tests.typed import typed

ROWS = 120


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return typed(*arguments, cwd=cwd)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Predictions of two models in one file, and in one file each with shuffled rows."""
    place = tmp_path_factory.mktemp("predictions")
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, ROWS)
    models = {
        name: np.where(rng.random(ROWS) < error, 1 - truth, truth)
        for name, error in (("new", 0.05), ("old", 0.3))
    }
    _write(place / "both.csv", {"id": range(ROWS), "y": truth, **models})
    for name, column in models.items():
        order = rng.permutation(ROWS)
        _write(place / f"{name}.csv", {"id": order, "y": truth[order], "prediction": column[order]})
    _write(place / "three.csv", {"fold": range(5), **{m: rng.random(5) for m in "abc"}})
    return place


def _write(path: Path, columns: dict[str, object]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


class TestInterrupted:
    SCRIPT = """
import os, signal, sys, threading, time
from assay.cli.main import main

def counting():
    frame = sys._current_frames()[threading.main_thread().ident]
    while frame and not frame.f_code.co_filename.endswith("duckdb_errors.py"):
        frame = frame.f_back
    return frame

def press():
    while not all(counting() for _ in range(50) if not time.sleep(0.01)):
        pass  # not yet in the middle of a long query
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press, daemon=True).start()
main(["compare", "parts", "--truth", "y"])
"""

    def test_ctrl_c_has_an_exit_code_of_its_own(self, tmp_path: Path) -> None:
        """Not 1, which says that a gate failed, nor 70; here in the middle of counting a folder."""
        import duckdb

        part = tmp_path / "parts" / "0.parquet"
        part.parent.mkdir()
        rows = "select i % 2 as y, i % 3 = 0 as a, i % 5 = 0 as b from range(1000000) t(i)"
        duckdb.sql(f"copy ({rows}) to '{part}'")
        for number in range(1, 400):  # 400 million rows at no cost
            os.link(part, part.with_name(f"{number}.parquet"))
        done = subprocess.run(
            [sys.executable, "-c", self.SCRIPT],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 130, done.stderr
        assert done.stderr == "assay: stopped\n"
        assert done.stdout == ""


class TestCompare:
    def test_data_on_stdout_words_on_stderr(self, folder: Path) -> None:
        done = run(
            "compare", "both.csv", "--truth", "y", "--seed", "1", "--format", "json", cwd=folder
        )
        assert done.returncode == 0
        result = json.loads(done.stdout)
        assert result["schema"] == "assay/1"
        assert result["verdicts"][0]["word"] == "better"
        assert "both.csv" in done.stderr or "120" in done.stderr

    def test_two_files_are_joined_by_id_whatever_their_order(self, folder: Path) -> None:
        one = run(
            "compare", "both.csv", "--truth", "y", "--format", "json", "--seed", "1", cwd=folder
        )
        two = run(
            "compare",
            "new.csv",
            "old.csv",
            "--id",
            "id",
            "--truth",
            "y",
            "--format",
            "json",
            "--seed",
            "1",
            cwd=folder,
        )
        assert two.returncode == 0, two.stderr
        effects = [
            json.loads(done.stdout)["verdicts"][0]["outcome"]["effect"]["value"]
            for done in (one, two)
        ]
        assert effects[0] == effects[1]

    @pytest.mark.parametrize("form", ["table", "markdown", "latex", "csv", "html"])
    def test_every_format(self, folder: Path, form: str) -> None:
        done = run("compare", "both.csv", "--truth", "y", "--format", form, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert "new" in done.stdout
        assert "\x1b[" not in done.stdout  # no colour when piped

    def test_several_measures_are_decided_together(self, folder: Path) -> None:
        done = run(
            *("compare", "both.csv", "--truth", "y", "--measure", "accuracy", "--measure", "f1"),
            *("--margin", "f1=0.5", "--seed", "1", "--format", "json"),
            cwd=folder,
        )
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["kind"] == "comparisons"
        assert [part["measure"] for part in found["parts"]] == ["accuracy", "f1"]
        assert [part["margin"] for part in found["parts"]] == [None, 0.5]

    def test_slices_and_conditions(self, folder: Path, tmp_path: Path) -> None:
        rows = (folder / "both.csv").read_text().splitlines()
        sliced = [f"{row},{'part' if not i else 'xy'[i % 2]}" for i, row in enumerate(rows)]
        (tmp_path / "sliced.csv").write_text("\n".join(sliced) + "\n")
        options = ("sliced.csv", "--truth", "y", "--format", "json", "--seed", "1")
        by_slice = run("compare", *options, "--slice", "part", cwd=tmp_path)
        assert by_slice.returncode == 0, by_slice.stderr
        parts = {part["slice"]: part for part in json.loads(by_slice.stdout)["parts"]}
        assert set(parts) == {None, "x", "y"}
        one = run("compare", *options, "--where", "part=x", cwd=tmp_path)
        assert one.returncode == 0, one.stderr
        effects = [
            found["verdicts"][0]["outcome"]["effect"]["value"]
            for found in (parts["x"], json.loads(one.stdout))
        ]
        assert effects[0] == effects[1]
        wrong = run("compare", *options, "--where", "part=z", cwd=tmp_path)
        assert wrong.returncode == 4
        assert "it holds 'x', 'y'" in wrong.stderr or "it holds 'y', 'x'" in wrong.stderr

    def test_two_plain_margins_are_refused(self, folder: Path) -> None:
        done = run("compare", "both.csv", "--margin", "0.1", "--margin", "f1=0.2", cwd=folder)
        assert done.returncode == 2
        assert "one for each measure" in done.stderr

    def test_output_file_by_its_suffix(self, folder: Path, tmp_path: Path) -> None:
        report = tmp_path / "report.html"
        done = run("compare", "both.csv", "--truth", "y", "--output", str(report), cwd=folder)
        assert done.returncode == 0, done.stderr
        assert done.stdout == ""
        assert report.read_text().lstrip().lower().startswith("<!doctype html>")

    def test_against_chance(self, folder: Path) -> None:
        done = run(
            "compare",
            "new.csv",
            "--truth",
            "y",
            "--against",
            "chance",
            "--format",
            "json",
            cwd=folder,
        )
        assert json.loads(done.stdout)["choice"]["method"] == "binomial"

    def test_unpaired(self, folder: Path) -> None:
        done = run(
            "compare",
            "new.csv",
            "old.csv",
            "--truth",
            "y",
            "--unpaired",
            "--format",
            "json",
            cwd=folder,
        )
        assert json.loads(done.stdout)["choice"]["method"] == "two_proportions_z"


class TestEvaluate:
    def test_several_measures(self, folder: Path) -> None:
        done = run(
            "evaluate",
            "both.csv",
            "--truth",
            "y",
            "--measure",
            "f1",
            "--measure",
            "mcc",
            "--format",
            "json",
            cwd=folder,
        )
        found = json.loads(done.stdout)["estimates"]
        assert {(one["measure"], one["model"]) for one in found} == {
            (measure, model) for measure in ("f1", "mcc") for model in ("new", "old")
        }
        assert all(one["interval"]["low"] < one["value"] < one["interval"]["high"] for one in found)


class TestOneMethod:
    def test_columns_that_place_rows_are_no_models(self, folder: Path) -> None:
        done = run("test", "friedman", "three.csv", "--format", "json", cwd=folder)
        details = dict(json.loads(done.stdout)["details"])
        assert "mean rank: fold" not in details

    def test_who_is_a_and_who_is_b(self, folder: Path) -> None:
        done = run("test", "mcnemar", "both.csv", "--truth", "y", cwd=folder)
        assert "A is new, B is old." in done.stderr
        assert "(A − B)" in done.stdout

    def test_the_null_and_its_older_name(self) -> None:
        typed = ("test", "binomial", "--errors", "20", "--n", "100", "--format", "json")
        first, second = run(*typed, "--null", "0.25"), run(*typed, "--level", "0.25")
        assert json.loads(first.stdout)["null"] == json.loads(second.stdout)["null"] == 0.25

    def test_reproduction_names_the_seed(self, folder: Path) -> None:
        done = run(
            "compare", "both.csv", "--truth", "y", "--measure", "f1", "--format", "html", cwd=folder
        )
        assert "--seed" in done.stdout


class TestMethods:
    def test_list_and_one(self) -> None:
        assert "mcnemar" in run("methods").stdout
        page = run("methods", "mcnemar").stdout
        assert "Do two models differ in accuracy on the same items?" in page
        assert "mcnemar.test" in page

    def test_near_miss(self) -> None:
        done = run("methods", "mcnemer")
        assert done.returncode == 2
        assert "did you mean mcnemar" in done.stderr


class TestDemo:
    def test_from_predictions_to_report(self, tmp_path: Path) -> None:
        done = run("demo", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "No clear difference" in done.stdout or "is better than" in done.stdout
        made = {path.name for path in (tmp_path / "assay-demo").iterdir()}
        assert made >= {
            "report.html", "study.toml", "study.db", "study.html", "critical-difference.png",
            "learning-curve.png", "noise-curve.png",
        }  # fmt: skip
        for line in done.stderr.splitlines():
            if line.startswith("  assay "):  # the commands to type next
                assert run(*line.split()[1:], cwd=tmp_path).returncode == 0, line


class TestExitCodes:
    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["compare", "none.csv"], 4, "none.csv"),
            (["compare", "both.csv", "--truth", "nothing"], 4, "no column 'nothing'"),
            (
                ["compare", "both.csv", "--truth", "y", "--measure", "accurcy"],
                2,
                "did you mean accuracy",
            ),
            (["compare", "both.csv", "--truth", "y", "--level", "95"], 2, "did you mean 0.95"),
            (["compare", "both.csv", "--truth", "y", "--margin", "-1"], 2, "margin"),
            (["comparr"], 2, "did you mean compare"),
            (["compare"], 2, "FILES"),
            (["compare", "both.csv", "--truth", "y", "--margin", "5"], 2, "did you mean 0.05"),
            (
                ["compare", "both.csv", "--truth", "y", "--output", "both.csv"],
                2,
                "write the result elsewhere",
            ),
            (["test", "paired_t", "three.csv"], 4, "choose with --columns"),
            (
                ["test", "mcnemar", "50", "10", "4", "36"],
                2,
                "write `assay test mcnemar --table 50 10 4 36`",
            ),
            (["test", "binomial", "20", "100"], 2, "`assay test binomial --errors 20 --n 100`"),
            (["test", "t_test"], 2, "did you mean paired_t or one_sample_t or two_sample_t?"),
            (
                ["compare", "both.csv", "--truth", "y", "--output", "x.doc"],
                2,
                "x.doc has no known suffix",
            ),
        ],
    )
    def test_codes_and_sentences(
        self, folder: Path, arguments: list[str], code: int, message: str
    ) -> None:
        done = run(*arguments, cwd=folder)
        assert done.returncode == code, done.stderr
        assert message in done.stderr
        assert "Traceback" not in done.stderr
        assert done.stdout == ""


def test_a_truth_column_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("dataset,a,b\nx,.9,.8\ny,.8,.7\nz,.7,.7\n")
    words = ["test", "bootstrap_632_plus", "s.csv", "--truth-column", "1,2"]
    refused = run(*words, cwd=tmp_path)
    assert refused.returncode == 4
    assert "has no column '1,2'" in refused.stderr


def test_a_method_shows_a_command_that_works() -> None:
    example = "assay test mcnemar --table 50 10 4 36"
    for shown in (("methods", "mcnemar"), ("test", "mcnemar", "--help")):
        assert example in run(*shown).stdout
    assert run(*example.split()[1:]).returncode == 0


def test_a_question_of_the_guide_without_options_names_a_value() -> None:
    found = run("methods", "--choose", "--have", "predictions", "--models", "2")
    assert found.returncode == 2
    assert "Say --same-items yes | no" in found.stderr
