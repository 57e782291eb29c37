"""`assay gate` as a pipeline calls it: exit codes, files, and nothing else on stdout."""

import csv
import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.typed import typed

ROWS = 600
FILES = ["--id", "item", "--truth", "y", "--seed", "1"]


def run(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return typed("gate", *arguments, cwd=cwd, environment=environment)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An old model, one as good, one slightly and one much worse; and the first two in one file."""
    place = tmp_path_factory.mktemp("gate")
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, ROWS)
    hard = rng.random(ROWS) < 0.1
    errors = {"old": 0.02, "good": 0.02, "bad": 0.2}
    models = {
        name: np.where(hard | (rng.random(ROWS) < error), 1 - truth, truth)
        for name, error in errors.items()
    }
    right = np.flatnonzero(models["old"] == truth)
    wrong = np.flatnonzero(models["old"] != truth)
    models["doubtful"] = models["old"].copy()  # ten answers lost and eight won
    for items in (right[:10], wrong[:8]):
        models["doubtful"][items] = 1 - models["doubtful"][items]
    for name, column in models.items():
        order = rng.permutation(ROWS)
        _write(
            place / f"{name}.csv", {"item": order, "y": truth[order], "prediction": column[order]}
        )
    _write(place / "both.csv", {"item": range(ROWS), "y": truth, **models})
    return place


def _write(path: Path, columns: dict[str, object]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


class TestExitCodes:
    @pytest.mark.parametrize(
        ("candidate", "margin", "code", "word"),
        [
            ("good", "0.03", 0, "passed"),
            ("bad", "0.03", 1, "failed"),
            ("doubtful", "0.005", 3, "undecided"),
        ],
    )
    def test_the_word_is_the_code(
        self, folder: Path, candidate: str, margin: str, code: int, word: str
    ) -> None:
        done = run("old.csv", f"{candidate}.csv", *FILES, "--margin", margin, cwd=folder)
        assert done.returncode == code, done.stderr
        read, answer = done.stdout.split("\n\n")[:2]
        assert read.startswith("600 items × 2 models")
        assert answer.startswith(f"Gate {word}.")

    @pytest.mark.parametrize(("policy", "code"), [("fail", 3), ("warn", 0), ("pass", 0)])
    def test_undecided(self, folder: Path, policy: str, code: int) -> None:
        done = run(
            *("old.csv", "doubtful.csv", *FILES, "--margin", "0.005"),
            *("--on-undecided", policy),
            cwd=folder,
        )
        assert done.returncode == code
        assert ("warning" in done.stderr) == (policy == "warn")

    def test_one_file_with_both(self, folder: Path) -> None:
        done = run(
            *("both.csv", "--truth", "y", "--baseline", "old", "--candidate", "bad"),
            *(
                "--margin",
                "accuracy=0.01",
                "--margin",
                "f1=0.02",
                "--format",
                "json",
                "--seed",
                "1",
            ),
            cwd=folder,
        )
        assert done.returncode == 1
        found = json.loads(done.stdout)
        assert (found["schema"], found["kind"], found["word"]) == ("assay/1", "gate", "failed")
        assert [(c["measure"], c["margin"]) for c in found["checks"]] == [
            ("accuracy", 0.01),
            ("f1", 0.02),
        ]
        assert len(found["comparisons"]) == 2

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["old.csv", "good.csv"], 2, "needs a margin"),
            (["old.csv", "good.csv", "--margin", "small"], 2, "neither a number nor"),
            (["old.csv", "good.csv", "--margin", "0"], 2, "above 0"),
            (["old.csv", "good.csv", "--margin", "0.5", "--level", "95"], 2, "did you mean 0.95"),
            (
                ["both.csv", "--truth", "y", "--models", "old,good", "--margin", "0.5"],
                2,
                "which model is the baseline",
            ),
            (["old.csv", "none.csv", "--margin", "0.5"], 4, "none.csv"),
            (["old.csv", "good.csv", "--config", "none.toml"], 2, "there is no file none.toml"),
            (
                ["old.csv", "good.csv", "--margin", "0.5", "--github-summary"],
                2,
                "GITHUB_STEP_SUMMARY",
            ),
            (
                ["old.csv", "good.csv", "--margin", "0.5", "--junit", "no/such/place.xml"],
                2,
                "cannot write",
            ),
        ],
    )
    def test_codes_and_sentences(
        self, folder: Path, arguments: list[str], code: int, message: str
    ) -> None:
        done = run(*arguments, cwd=folder, GITHUB_STEP_SUMMARY="")
        assert done.returncode == code, done.stderr
        assert message in done.stderr
        assert "Traceback" not in done.stderr


class TestConfig:
    def test_committed_terms(self, folder: Path, tmp_path: Path) -> None:
        config = tmp_path / "gate.toml"
        config.write_text(
            'level = 0.9\nholm = true\nmeasures = ["accuracy", "f1"]\nmargin = 0.03\n'
        )
        common = ("old.csv", "good.csv", *FILES, "--config", str(config))
        done = run(*common, "--format", "json", cwd=folder)
        found = json.loads(done.stdout)
        assert (found["level"], found["rule"], len(found["checks"])) == (0.9, "holm", 2)
        again = run(*common, "--margin", "0.5", cwd=folder)
        assert again.returncode == 2
        assert "margin is fixed in" in again.stderr
        assert run(*common, "--level", "0.95", cwd=folder).returncode == 2

    def test_a_misspelt_key_is_no_silent_default(self, folder: Path, tmp_path: Path) -> None:
        config = tmp_path / "gate.toml"
        config.write_text("margin = 0.01\nmargn = 0.001\n")
        done = run("old.csv", "good.csv", "--config", str(config), cwd=folder)
        assert done.returncode == 2
        assert "margn" in done.stderr


class TestOutputs:
    def test_files_for_pipelines(self, folder: Path, tmp_path: Path) -> None:
        junit, summary = tmp_path / "gate.xml", tmp_path / "summary.md"
        summary.write_text("before\n")
        done = run(
            *("old.csv", "bad.csv", *FILES, "--margin", "0.01", "--junit", str(junit)),
            *("--github-summary", "--output", str(tmp_path / "gate.md")),
            cwd=folder,
            GITHUB_STEP_SUMMARY=str(summary),
        )
        assert done.returncode == 1, done.stderr
        assert done.stdout == ""
        tree = ElementTree.parse(junit)  # noqa: S314 (our own)
        assert tree.getroot().attrib["failures"] == "1"
        assert summary.read_text().startswith("before\n### ❌ Gate failed")
        assert (tmp_path / "gate.md").read_text().startswith("# Gate: bad against old")

    def test_errors_are_counted(self, folder: Path) -> None:
        done = run(
            *("old.csv", "good.csv", *FILES, "--margin", "0.03", "--aa", "--trials", "200"),
            *("--format", "json"),
            cwd=folder,
        )
        trials = json.loads(done.stdout)["trials"]
        assert [trial["error"] for trial in trials] == ["false-fail", "false-pass"]
        assert all(trial["replicates"] == 200 for trial in trials)

    def test_the_errors_are_in_the_brief_answer(self, folder: Path) -> None:
        asked = ("old.csv", "good.csv", *FILES, "--margin", "0.03", "--aa", "--trials", "50")
        lines = run(*asked, cwd=folder).stdout.splitlines()
        said = [line.split()[1:3] for line in lines if "of 50 trials (nominal ≤ " in line]
        assert said == [["false", "fails:"], ["false", "passes:"]]

    def test_explained(self, folder: Path) -> None:
        done = run("old.csv", "good.csv", *FILES, "--margin", "0.03", "--explain", cwd=folder)
        assert "Formula" in done.stdout


class TestDemands:
    """Levels, gains, slices and repeats, and the file that holds them."""

    @pytest.mark.parametrize(
        ("words", "code"),
        [
            (["good.csv", "--at-least", "accuracy=0.8"], 0),
            (["good.csv", "--at-least", "accuracy=0.99"], 1),
            (["good.csv", "--at-least", "accuracy=0.86"], 3),
            (["good.csv", "--at-most", "error_rate=0.2"], 0),
            (["old.csv", "good.csv", "--margin", "0.05", "--at-least", "accuracy=0.99"], 1),
            (["old.csv", "bad.csv", "--better-by", "0"], 1),
        ],
    )
    def test_the_word_is_the_code(self, folder: Path, words: list[str], code: int) -> None:
        done = run(*words, *FILES, cwd=folder)
        assert done.returncode == code, done.stdout + done.stderr

    def test_a_shared_column_is_no_hindrance_and_its_values_are_slices(
        self, folder: Path, tmp_path: Path
    ) -> None:
        for name in ("old", "bad"):
            lines = (folder / f"{name}.csv").read_text().splitlines()
            rows = [
                f"{line},{'even' if int(line.split(',')[0]) % 2 == 0 else 'odd'}"
                for line in lines[1:]
            ]
            (tmp_path / f"{name}.csv").write_text("\n".join([lines[0] + ",region", *rows]) + "\n")
        done = run("old.csv", "bad.csv", "--margin", "0.05", *FILES, cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        done = run("old.csv", "bad.csv", "--margin", "0.05", "--by", "region", *FILES, cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        assert "0 of 2 slices passed; worst slice" in " ".join(done.stdout.split())

    def test_the_file_of_the_folder_is_found_and_said(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "assay.toml").write_text(
            f'files = ["{folder}/old.csv", "{folder}/good.csv"]\n[reading]\nid = "item"\ntruth = "y"\n'
            "[gate]\nmargin = 0.05\n"
        )
        done = run("--summary", "said.md", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "terms from assay.toml" in done.stderr
        assert "Gate passed" in (tmp_path / "said.md").read_text()
        other = run(str(folder / "good.csv"), "--at-least", "accuracy=0.99", *FILES, cwd=tmp_path)
        assert other.returncode == 1, "terms that are typed do not come from a file"
        assert "assay.toml" not in other.stderr

    def test_repeats_of_each_test(self, tmp_path: Path) -> None:
        rows = [
            f"t{test},{k},{int(k < good)}" for test, good in enumerate((5, 4)) for k in range(5)
        ]
        (tmp_path / "runs.csv").write_text("\n".join(["test,run,passed", *rows]) + "\n")
        words = ["runs.csv", "--correct", "--id", "test", "--repeat", "run", "--each", "0.8"]
        assert run(*words, cwd=tmp_path).returncode == 3
        assert run(*words, "--observed", cwd=tmp_path).returncode == 0
