"""A judge at a glance: at most twelve words, and its difference from people drawn below them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text

import assay
from assay.core.judge_results import JudgeReport
from assay.plots import forest
from assay.report import render
from assay.report.views import view


def graded(shift: float, n: int = 400, words: bool = False) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    people = rng.integers(1, 6, n)
    judge = np.clip(people + rng.normal(shift, 0.4, n).round(), 1, 5).astype(int)
    shown = rng.random(n) < 0.5
    kinds = np.array(["", "poor", "weak", "fair", "good", "best"])
    named = (kinds[people], kinds[judge]) if words else (people, judge)
    return {
        "human": [str(one) if seen else "" for one, seen in zip(named[0], shown, strict=True)],
        "gpt": [str(one) for one in named[1]],
    }


def report(shift: float, **options: Any) -> JudgeReport:
    found = assay.judge(graded(shift), truth="human", judge="gpt", higher_is_better=True, **options)
    assert isinstance(found, JudgeReport)
    return found


@pytest.mark.parametrize(
    ("shift", "margin", "glance"),
    [
        (0.8, None, "gpt grades higher than people"),
        (-0.8, None, "gpt grades lower than people"),
        (0.0, None, "No clear difference between gpt and people"),
        (0.0, 0.2, "gpt grades like people, within ±0.2"),
    ],
)
def test_one_judge(shift: float, margin: float | None, glance: str) -> None:
    found = report(shift) if margin is None else report(shift, margin=margin)
    assert view(found).glance == glance
    page = render(found, "html")
    assert f"<h1>{glance}</h1>" in page
    head = page.partition("</header>")[0]
    assert head.index("<h1>") < head.index("<svg") < head.index('class="headline"')


def test_the_difference_is_drawn_against_zero_and_the_margin() -> None:
    axes = forest(report(0.8, margin=0.2))
    texts = [one.get_text() for one in axes.figure.findobj(Text) if isinstance(one, Text)]
    assert "← judge lower" in texts
    assert "judge higher →" in texts
    assert any(text.startswith("margin ±0.2") for text in texts)


def test_several_judges() -> None:
    found = report(0.8)
    gap = found.estimates[-1]
    pair = replace(found, judges=("gpt", "claude"), estimates=(gap, replace(gap, model="claude")))
    assert view(pair).glance == "2 of 2 judges grade differently from people"


def test_grades_that_are_no_numbers() -> None:
    found = report(0.8)
    rest = tuple(one for one in found.estimates if one.measure != "judge minus people")
    seen = view(replace(found, estimates=rest))
    assert seen.glance.startswith(f"gpt: {rest[0].measure} with people ")
    assert len(seen.figures) == 1
