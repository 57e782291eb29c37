"""`assay publish`: files for the Hub and for Every Eval Ever."""

import json
from pathlib import Path

from click.testing import CliRunner

from assay.cli.main import cli
from assay.core.errors import UsageError

ROWS = "id,y,org/a\n" + "".join(f"{k},{k % 2},{(k + (k % 9 == 0)) % 2}\n" for k in range(90))


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["publish", *words])
    return done.exit_code, done.output


def test_both_forms(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(ROWS)
    told: tuple[str, ...] = (
        str(path),
        "--truth",
        "y",
        "--measure",
        "accuracy",
        "--benchmark",
        "o/b",
        "--folder",
        str(tmp_path),
    )
    code, said = run(*told, "--for", "hub", "--task-id", "t", "--date", "2026-11-01")
    assert (code, said.startswith("wrote ")) == (0, True)
    text = (tmp_path / "org_a" / ".eval_results" / "t.yaml").read_text()
    assert "  value: 0.8888888888888888" in text
    told = (*told, "--organisation", "Lab", "--relationship", "other", "--setup", "no tools")
    assert run(*told, "--for", "every-eval-ever")[0] == 0
    (file,) = (tmp_path / "data").rglob("*.json")
    assert json.loads(file.read_text())["model_info"]["developer"] == "org"


def test_what_nobody_else_can_know_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(ROWS)
    code, said = run(str(path), "--for", "hub")
    assert (code, "Missing option '--benchmark'" in said) == (2, True)


def test_answers_too(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(ROWS.replace("id,y", "question,y"))
    told = (
        "--truth",
        "y",
        "--benchmark",
        "o/b",
        "--folder",
        str(tmp_path),
        "--question",
        "question",
    )
    code, said = run(
        str(path),
        *told,
        "--for",
        "every-eval-ever",
        "--organisation",
        "Lab",
        "--relationship",
        "other",
    )
    assert (code, said.count("wrote ")) == (0, 2)
    (file,) = (tmp_path / "data").rglob("*_samples.jsonl")
    assert json.loads(file.read_text().splitlines()[0])["input"] == {"raw": "0", "reference": ["0"]}


def test_scores_of_folds_are_no_answers(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    rows = (f"{fold},{model},0.{70 + fold},x" for fold in range(10) for model in "ab")
    path.write_text("fold,model,accuracy,where\n" + "\n".join(rows))
    told = [str(path), "--for", "every-eval-ever", "--benchmark", "o/b", "--question", "where"]
    done = CliRunner().invoke(cli, ["publish", *told])
    assert isinstance(done.exception, UsageError)
    assert "--question needs answers" in str(done.exception)
