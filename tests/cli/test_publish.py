"""`assay publish`: files for the Hub and for Every Eval Ever."""

import json
from pathlib import Path

from click.testing import CliRunner

from assay.cli.main import cli

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
