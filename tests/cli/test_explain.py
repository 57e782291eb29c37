"""`--explain`: beside a table on stdout, beside data on stderr."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assay.cli.compare import command as compare_command
from assay.cli.evaluate import command as evaluate_command
from assay.cli.methods import command as methods_command
from assay.cli.test import command as one_method


def invoke(command: Any, *arguments: str) -> Any:
    return CliRunner().invoke(command, list(arguments))


@pytest.fixture
def predictions(tmp_path: Path) -> str:
    rows = [
        "y,a,b",
        *(f"{i % 2},{i % 2 if i < 54 else 1},{i % 2 if i < 40 else 1}" for i in range(60)),
    ]
    path = tmp_path / "predictions.csv"
    path.write_text("\n".join(rows) + "\n")
    return str(path)


class TestTestVerb:
    def test_above_the_table(self) -> None:
        done = invoke(
            one_method, "mcnemar", "--table", "50", "10", "4", "36", "--explain", "--details"
        )
        assert done.exit_code == 0
        assert done.stdout.startswith("Method      mcnemar: ")
        assert "mcnemar.test(matrix(c(50, 4, 10, 36), 2), correct = FALSE)" in done.stdout
        assert "The numbers behind it." in done.stdout

    def test_beside_data(self) -> None:
        done = invoke(
            one_method,
            *("binomial", "--errors", "20", "--n", "100", "--level", "0.25"),
            *("--explain", "--format", "json"),
        )
        assert json.loads(done.stdout)["kind"] == "test"
        assert "binom.test(20, 100, p = 0.25)" in done.stderr

    def test_adjusted_p_values(self) -> None:
        plain = invoke(one_method, "holm", "--p", "0.01,0.04,0.03", "--explain")
        assert plain.exit_code == 0
        assert 'p.adjust(c(0.01, 0.04, 0.03), "holm")' in plain.stdout
        assert plain.stdout.split()[-6:] == ["0.01", "0.03", "0.04", "0.06", "0.03", "0.06"]
        data = invoke(one_method, "holm", "--p", "0.01,0.04", "--format", "json")
        assert json.loads(data.stdout) == [
            {"p": 0.01, "adjusted": 0.02},
            {"p": 0.04, "adjusted": 0.04},
        ]


class TestVerbs:
    def test_compare(self, predictions: str) -> None:
        done = invoke(compare_command, predictions, "--truth", "y", "--explain", "--seed", "1")
        assert done.exit_code == 0
        assert "About       a and b" in done.stdout
        assert "R: mcnemar.test(matrix(c(50, 0, 7, 3), 2), correct = FALSE)" in done.stdout

    def test_evaluate_beside_data(self, predictions: str) -> None:
        done = invoke(
            evaluate_command, predictions, "--truth", "y", "--explain", "--format", "json"
        )
        assert json.loads(done.stdout)["kind"] == "evaluation"
        assert "About       accuracy of a" in done.stderr


def test_methods_show_the_line_without_braces() -> None:
    done = invoke(methods_command, "binomial")
    assert "R: binom.test(errors, n, p = null)" in done.stdout
    assert "{" not in done.stdout.split("Python")[0]
