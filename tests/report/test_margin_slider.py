"""The slider of the margin: one reading, an answer for every margin, and words where it cannot be."""

import re
import sys
from pathlib import Path

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


def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block of docs/displays.md that is no doctest, for it shows itself."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{k},{y},{y},{1 - y if k % 40 == 0 else y}" for k, y in enumerate(TRUTH)]
    Path("predictions.csv").write_text("\n".join(["id,y,a,b", *rows]) + "\n")
    page = (Path(__file__).parents[2] / "docs" / "displays.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n((?!>>>).*?)^```", page, re.MULTILINE | re.DOTALL)
    *before, last = block.splitlines()
    names: dict[str, object] = {}
    exec("\n".join([*before, f"shown = {last}"]), names)  # noqa: S102 (our own page)
    assert names["shown"].children[0].max == 0.05  # type: ignore[attr-defined]
