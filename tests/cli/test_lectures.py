"""`assay lectures` in its three forms."""

import json
from typing import Any

from click.testing import CliRunner

from assay.cli.lectures import command
from assay.core.errors import UsageError


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(command, list(arguments))


def test_table() -> None:
    done = invoke("--topic", "folds")
    assert done.exit_code == 0
    assert "differs  11 folds, mean 0.1, s 0.01: 95% interval" in done.output
    assert "right    (0.09328, 0.10672)" in done.output
    assert "assay test mean_summary --mean 0.1 --sd 0.01 --n 11" in done.output


def test_json() -> None:
    rows = json.loads(invoke("--format", "json").output)
    assert len(rows) > 70
    assert {
        "lecture",
        "topic",
        "subject",
        "printed",
        "right",
        "agrees",
        "reason",
        "command",
    } == set(rows[0])


def test_markdown() -> None:
    assert invoke("--format", "markdown").output.startswith("# The lectures, checked\n")


def test_unknown_topic() -> None:
    assert isinstance(invoke("--topic", "nothing").exception, UsageError)
