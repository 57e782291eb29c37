"""Rendered results compared byte for byte; ``ASSAY_GOLDEN=write`` writes them anew, to be read in the diff."""

import os
import re
from pathlib import Path

import pytest

from assay._version import __version__
from assay.core.results import Result
from assay.report import FORMATS, render
from tests.report import examples

GOLDEN = Path(__file__).parent.parent / "golden"
FORMS = (*FORMATS, "details")
SUFFIXES = dict(zip(FORMS, ("txt", "json", "md", "tex", "csv", "html", "details.txt"), strict=True))
RESULTS: dict[str, Result] = {
    "two_models": examples.two_models(),
    "lower_is_better": examples.lower_is_better(),
    "against_level": examples.against_level(),
    "many_models": examples.many_models(6),
    "several": examples.several(),
    "evaluation": examples.evaluation(),
    "undefined": examples.undefined(),
    "family": examples.family(),
    "hostile": examples.many_models(names=examples.HOSTILE, baseline=True),
}
COMMAND = "assay compare predictions.csv --truth y --margin 0.01 --seed 7"


def written(result: Result, form: str) -> str:
    """The rendering without our version, the drawings of matplotlib's, and the files it carries.

    Those files are the renderings as CSV and JSON, which are compared by themselves.
    """
    details = form == "details"
    text = render(result, "table" if details else form, details=details, command=COMMAND)
    text = text.replace(f"assay {__version__}", "assay VERSION")
    text = re.sub(r";base64,[\w+/=]+", ";base64,", text)
    return re.sub(r"<svg .*?</svg>", "<svg></svg>", text, flags=re.DOTALL)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", RESULTS)
def test_rendering_has_not_changed(name: str, form: str) -> None:
    path = GOLDEN / f"{name}.{SUFFIXES[form]}"
    text = written(RESULTS[name], form)
    if os.environ.get("ASSAY_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.exists(), f"no golden file {path.name}: run once with ASSAY_GOLDEN=write"
    assert text == path.read_bytes().decode(), (
        f"{path.name} has changed; if it should, run with ASSAY_GOLDEN=write and read the diff"
    )


def test_no_golden_file_is_left_behind() -> None:
    expected = {f"{name}.{suffix}" for name in RESULTS for suffix in SUFFIXES.values()}
    assert {path.name for path in GOLDEN.iterdir() if path.name != "README.md"} == expected
