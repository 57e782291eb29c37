"""`assay run`: data on stdout, words on stderr, and the options do what they say."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.main import cli
from assay.core.errors import UsageError

STUDY = """
datasets = ["iris"]
measures = ["accuracy"]
[resampling]
scheme = "cv"
folds = 2
[learners.nb]
estimator = "sklearn.naive_bayes.GaussianNB"
[learners.bad]
estimator = "sklearn.tree.DecisionTreeClassifier"
params = { max_depth = -3 }
"""


def assay_run(folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "assay", "run", "study.toml", *options],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


class TestRun:
    def test_scores_on_stdout_failures_on_stderr(self, tmp_path: Path) -> None:
        (tmp_path / "study.toml").write_text(STUDY)
        part = assay_run(tmp_path, "--workers", "1", "--only", "nb", "--store", "x.db")
        assert part.returncode == 0, part.stderr
        assert "2 tasks of the study have not run yet" in part.stderr
        run = assay_run(tmp_path, "--workers", "1", "--store", "x.db")
        assert run.returncode == 0, run.stderr
        lines = run.stdout.splitlines()
        assert lines[0].split() == ["mean", "accuracy", "nb", "bad"]
        name, good, bad = lines[1].split()
        assert (name, bad) == ("iris", "undefined") or float(good) > 0.8
        assert "failed: bad on iris, repeat 1 fold 1: " in run.stderr
        assert "max_depth" in run.stderr
        assert "4/4 tasks, 2 failed" in run.stderr

    def test_mistakes_in_the_file_are_usage_errors(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(STUDY.replace("folds", "fold"))
        with pytest.raises(UsageError, match=r"line 6: resampling\.fold: unknown key"):
            CliRunner().invoke(cli, ["run", str(path)], catch_exceptions=False)
