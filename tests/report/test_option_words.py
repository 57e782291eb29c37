"""Results name options as their reader writes them: arguments in Python, options at the terminal."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.notes import MESSAGES
from assay.report.option_names import with_options

ARGUMENT = re.compile(r"\b[a-z_]+=(?!=)")
CALL = re.compile(r"RepeatedKFold\([^)]*\)")
"""Of scikit-learn, and only there."""
OPTION = re.compile(r"(?<![\w-])--[a-z]")


@pytest.fixture
def folds() -> dict[str, Any]:
    """Scores whose better side nobody knows, so that a warning and the verdict name options."""
    rng = np.random.default_rng(3)
    return {
        "fold": list(range(10)),
        "svm": rng.normal(0.85, 0.02, 10),
        "rf": rng.normal(0.84, 0.02, 10),
    }


@pytest.fixture
def outcome() -> Any:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 80)
    return assay.compare(
        truth,
        {"cost=10": truth ^ (rng.random(80) < 0.1), "cost=1": truth ^ (rng.random(80) < 0.12)},
    )


@pytest.mark.parametrize("code", MESSAGES)
def test_notes_speak_python(code: str) -> None:
    assert not OPTION.search(MESSAGES[code])


@pytest.mark.parametrize("code", [code for code, text in MESSAGES.items() if ARGUMENT.search(text)])
def test_every_argument_in_a_note_has_its_option(code: str) -> None:
    typed = with_options(re.sub(r"\{(\w+)[^{}]*\}", r"\1", MESSAGES[code]))
    assert OPTION.search(typed) or CALL.search(typed)
    assert not ARGUMENT.search(CALL.sub("", typed)), typed


@pytest.mark.parametrize("details", [False, True])
def test_each_reader_has_one_vocabulary(folds: dict[str, Any], *, details: bool) -> None:
    found = assay.compare(folds)
    python = assay.render(found, details=details)
    typed = assay.render(found, details=details, typed="cli")
    assert "lower_is_better=False" in python
    assert not OPTION.search(python)
    assert "--higher-is-better" in typed
    assert not ARGUMENT.search(CALL.sub("", typed))


def test_a_verdict_names_the_margin(outcome: Any) -> None:
    assert "Set margin= to see" in outcome.verdict.sentence
    assert "Set margin= to see" in str(outcome)
    assert "Set --margin to see" in assay.render(outcome, typed="cli")
    assert "--margin" not in outcome._repr_html_()
    assert "set margin=)" in outcome.to_markdown()
    assert "set --margin)" in assay.render(outcome, "markdown", typed="cli")


@pytest.mark.parametrize("form", ["table", "markdown", "html"])
def test_names_that_look_like_arguments_stay(outcome: Any, form: str) -> None:
    typed = assay.render(outcome, form, typed="cli")
    assert "cost=10" in typed
    assert "--cost" not in typed


def test_json_and_csv_are_the_same_for_both(outcome: Any) -> None:
    for form in ("json", "csv"):
        assert assay.render(outcome, form) == assay.render(outcome, form, typed="cli")


def test_quiet_says_what_to_type(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from assay.cli.main import cli

    path = tmp_path / "p.csv"
    path.write_text(
        "id,truth,a,b\n"
        + "".join(f"{i},{i % 2},{i % 2},{(i % 7 == 0) ^ i % 2}\n" for i in range(12))
    )
    said = CliRunner().invoke(cli, ["compare", str(path), "--quiet"]).output
    assert "Set --margin to see" in said
