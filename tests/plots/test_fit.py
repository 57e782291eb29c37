"""What people have does not fit by itself: long names, many models, tiny and huge values; nothing is cut."""

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.axis import Axis
from matplotlib.text import Text

import assay
from assay import plots
from assay.hypotheses.friedman_posthoc import nemenyi
from tests.plots.figures import draw, figure_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONG = (
    "meta-llama/Llama-3.1-70B-Instruct (5-shot, temperature 0)",
    "mistralai/Mixtral-8x22B-v0.1",
    "RandomForestClassifier(n_estimators=500, max_depth=12)",
    "gpt",
    "Qwen/Qwen2.5-Coder-32B-Instruct-GPTQ-Int4",
)
ALIKE = (
    "Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4-with-a-long-suffix",
    "Qwen/Qwen2.5-72B-Instruct-GPTQ-Int8-with-a-long-suffix",
    "Ελληνικό μοντέλο",
)
"""Names that differ in the middle."""
TWELVE = tuple(f"model-{place}" for place in range(12))


def table(names: tuple[str, ...], scale: float = 1.0) -> dict[str, list[float]]:
    rng = np.random.default_rng(0)
    values = 0.85 - np.linspace(0, 0.05, len(names)) + rng.normal(0, 0.02, (20, len(names)))
    return {name: (scale * values[:, place]).tolist() for place, name in enumerate(names)}


def compared(names: tuple[str, ...], scale: float = 1.0, **options: Any) -> assay.Comparison:
    told = {"measure": "accuracy"} if scale == 1.0 else {"measure": "cost", "lower_is_better": True}
    found: assay.Comparison = assay.compare(
        table(names, scale), unit="dataset", rng=1, **told, **options
    )
    return found


def scored(figure: Callable[..., "Axes"], names: tuple[str, ...]) -> "Axes":
    rng = np.random.default_rng(5)
    truth = (rng.random(200) < 0.35).astype(int)
    strengths = np.linspace(1.0, 0.2, len(names))
    scores = {
        name: 1 / (1 + np.exp(-strength * (2 * truth - 1) - rng.normal(0, 1, 200)))
        for name, strength in zip(names, strengths, strict=True)
    }
    return figure(truth, scores)


def boarded() -> "Axes":
    rng = np.random.default_rng(6)
    right = {name: (rng.random(200) < 0.6 + 0.05 * i).astype(int) for i, name in enumerate(LONG)}
    return plots.rank_ladder(assay.board(right, correct=True))


CASES: dict[str, Callable[[], "Axes"]] = {
    "forest of long names": lambda: plots.forest(compared(LONG, margin=0.01)),
    "forest of huge values": lambda: plots.forest(compared(("a", "b", "c"), 1e7, margin=1e5)),
    "forest of tiny values": lambda: plots.forest(compared(("a", "b", "c"), 1e-6)),
    "forest of values apart": lambda: plots.forest(
        {"good": (1.84, 1.31, 2.65), "mid": (910.0, 660.0, 1310.0), "wild": (8.8e7, 6.2e7, 1.3e8)},
        measure="mse",
    ),
    "matrix of long names": lambda: plots.pairwise_matrix(compared(LONG)),
    "matrix of tiny values": lambda: plots.pairwise_matrix(compared(TWELVE[:5], 1e-6)),
    "ranks of long names": lambda: plots.critical_difference(nemenyi(table(LONG))),
    "roc of long names": lambda: scored(plots.roc, LONG),
    "roc of twelve": lambda: scored(plots.roc, TWELVE),
    "precision of long names": lambda: scored(plots.precision_recall, LONG),
    "calibration of long names": lambda: scored(plots.calibration, LONG),
    "calibration of twelve": lambda: scored(plots.calibration, TWELVE),
    "distribution of huge values": lambda: plots.distribution(table(LONG, 1e9), measure="cost"),
    "scatter of huge values": lambda: plots.scatter(table(("a", "b"), 1e7), measure="cost"),
    "board of long names": boarded,
    "forest of names alike": lambda: plots.forest(compared(ALIKE, margin=0.01)),
    "posterior of names alike": lambda: plots.posterior(compared(ALIKE[:2], margin=0.01)),
    "ranks of names alike": lambda: plots.critical_difference(compared(ALIKE)),
    "ladder of names alike": lambda: plots.rank_ladder(
        {name: (place + 1, 1, 3) for place, name in enumerate(ALIKE)}
    ),
    "differences of names alike": lambda: plots.differences(table(ALIKE), baseline=ALIKE[2]),
    "roc of names alike": lambda: scored(plots.roc, ALIKE),
    "calibration of names alike": lambda: scored(plots.calibration, ALIKE),
    "learning of names alike": lambda: plots.learning({n: ([9, 99], [0.1, 0.2]) for n in ALIKE}),
}


def shown(axes: "Axes") -> list[tuple[str, Any]]:
    """Every text that is seen, with its place in pixels."""
    draw(axes)
    figure = figure_of(axes)
    beyond = {
        label
        for axis in figure.findobj(Axis)
        if isinstance(axis, Axis)
        for tick in axis.get_major_ticks()
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
        for label in (tick.label1, tick.label2)
    }
    return [
        (text.get_text(), text.get_window_extent())
        for text in figure.findobj(Text)
        if isinstance(text, Text) and text not in beyond
        if text.get_visible() and text.get_text().strip()
    ]


@pytest.mark.parametrize("width", [85, 170])
@pytest.mark.parametrize("case", CASES)
def test_nothing_is_cut(case: str, width: int) -> None:
    with plots.paper(width):
        axes = CASES[case]()
    found = shown(axes)
    edge = figure_of(axes).bbox
    outside = [
        text
        for text, box in found
        if box.x0 < -2 or box.y0 < -2 or box.x1 > edge.x1 + 2 or box.y1 > edge.y1 + 2
    ]
    assert outside == []


@pytest.mark.parametrize(
    "case", ["calibration of long names", "matrix of tiny values", "forest of tiny values"]
)
def test_nothing_is_overprinted(case: str) -> None:
    found = [(text, box) for text, box in shown(CASES[case]()) if box.width > 0]
    over = [
        (one, other)
        for (one, first), (other, second) in combinations(found, 2)
        if min(first.x1, second.x1) - max(first.x0, second.x0) > 2
        and min(first.y1, second.y1) - max(first.y0, second.y0) > 2
    ]
    assert over == []


@pytest.mark.parametrize("width", [85, 170])
@pytest.mark.parametrize("case", [case for case in CASES if case.endswith("alike")])
def test_names_that_differ_in_the_middle_stay_different(case: str, width: int) -> None:
    with plots.paper(width):
        found = [text for text, _ in shown(CASES[case]())]
    assert any("Int4" in text for text in found)
    assert any("Int8" in text for text in found)


def test_an_arrow_to_infinity_reaches_no_name() -> None:
    few = {name: scores[:4] for name, scores in table(("first", "second")).items()}
    axes = plots.forest(assay.compare(few, unit="dataset", measure="accuracy"))
    draw(axes)
    (name,) = axes.get_yticklabels()
    arrows = [line for line in axes.lines if line.get_marker() in (4, 5)]
    assert len(arrows) == 2
    assert min(line.get_window_extent().x0 for line in arrows) > name.get_window_extent().x1


def test_powers_of_ten_are_set_as_in_print() -> None:
    tiny = {name: [1e-8 * one for one in range(20)] for name in "ab"}
    tiny |= {"c": [1e-8 * one + 3e-8 for one in range(20)]}
    axes = plots.pairwise_matrix(assay.compare(tiny, unit="dataset", measure="accuracy"))
    many = plots.power_curve({"test": ([1e5, 1e6, 2e7], [0.1, 0.4, 0.9])})
    found = [text for figure in (axes, many) for text, _ in shown(figure)]
    assert not [text for text in found if "e-0" in text or "e+0" in text]
    assert any("10⁻⁸" in text for text in found)


TICKS: dict[str, Callable[[], "Axes"]] = {
    "shares": lambda: plots.distribution(table(LONG[3:4]), measure="accuracy"),
    "five digits": lambda: plots.forest(
        {
            "b − c": (25600, 3800, 56200),
            "a − c": (25100, 8200, 59000),
            "a − b": (3000, -4300, 10500),
        },
        null=0.0,
    ),
    "power": lambda: plots.power_curve({"test": (np.arange(500, 4001, 500), np.linspace(0, 1, 8))}),
    "decades": lambda: plots.power_curve({"test": ([8, 100, 2000], [0.1, 0.5, 0.9])}),
}


@pytest.mark.parametrize("case", TICKS)
def test_numbers_along_an_axis_stand_apart_in_a_column(case: str) -> None:
    with plots.paper(85):
        axes = TICKS[case]()
    draw(axes)
    low, high = axes.get_xlim()
    ticks = [tick for tick in axes.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
    boxes = [tick.label1.get_window_extent() for tick in ticks if tick.label1.get_text()]
    assert len(boxes) >= 2
    letter = boxes[0].height / 2
    assert all(after.x0 - before.x1 > letter for before, after in pairwise(boxes))
