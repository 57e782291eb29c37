"""The slider of the margin: one reading, an answer for every margin, and words where it cannot be."""

import sys

import pytest

from assay.core.errors import MissingDependency
from assay.report.margin_slider import answers, margin_slider

TRUTH = [0, 1] * 200
MODELS = {"truth": TRUTH, "a": TRUTH, "b": TRUTH[:390] + [1 - y for y in TRUTH[390:]]}


def test_wider_margins_make_models_equivalent() -> None:
    at = answers(MODELS)
    assert [at(margin).verdict.word for margin in (0.01, 0.2)] == ["better", "equivalent"]


def test_without_ipywidgets_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(MissingDependency, match="pip install ipywidgets"):
        margin_slider(MODELS, largest=0.1)


def test_the_widget_shows_the_verdict_of_its_margin() -> None:
    found = margin_slider(MODELS, largest=0.2)
    assert found.auto_display, "what the function gives is shown"
    words = []
    for margin in (0.01, 0.2):
        found.children[0].value = margin
        found.update()
        words.append(found.result.verdict.word)
    assert words == ["better", "equivalent"]
