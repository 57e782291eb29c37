"""What tests of figures share: results with chosen decisions, and what a figure shows."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from assay.core.results import Comparison, FamilyOutcome
from assay.hypotheses.friedman_posthoc import nemenyi_from_ranks
from tests.report.examples import many_models


def decided(different: Iterable[bool | None], ranks: Sequence[float]) -> FamilyOutcome:
    """Nemenyi's family with other p-values: told apart, not told apart, or (None) undefined."""
    names = {f"m{place}": rank for place, rank in enumerate(ranks)}
    family = nemenyi_from_ranks(names, 20)
    p_values = [{True: 0.001, False: 0.5, None: None}[one] for one in different]
    outcomes = [
        replace(outcome, p_value=p) for outcome, p in zip(family.outcomes, p_values, strict=True)
    ]
    return replace(family, outcomes=tuple(outcomes))


def spaced(k: int, n: int = 30, *, seed: int = 0) -> dict[str, list[float]]:
    """k models on n data sets, each a little worse than the one before it."""
    rng = np.random.default_rng(seed)
    values = 0.9 - 0.05 * np.linspace(0, 1, k) + rng.normal(0, 0.02, (n, k))
    return {f"model-{place:02d}": values[:, place].tolist() for place in range(k)}


def with_ranks(k: int) -> Comparison:
    """A comparison of k models that carries mean ranks beside its verdicts."""
    result = many_models(k)
    names = result.evidence.models
    family = nemenyi_from_ranks(dict(zip(names, range(1, k + 1), strict=True)), 30)
    return replace(result, families=(("Nemenyi", family),))


def figure_of(axes: Axes) -> Figure:
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    return figure


def draw(axes: Axes) -> None:
    FigureCanvasAgg(figure_of(axes)).draw()  # type: ignore[no-untyped-call]


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def legend(axes: Axes) -> list[str]:
    found = axes.get_legend()
    assert found is not None
    return [text.get_text() for text in found.get_texts()]


def legend_title(axes: Axes) -> str:
    found = axes.get_legend()
    assert found is not None
    return " ".join(found.get_title().get_text().split())  # long ones are wrapped


def overlapping(axes: Axes) -> list[tuple[str, str]]:
    """Texts of which a part lies over another's."""
    draw(axes)
    shown: list[Text] = [text for text in axes.texts if text.get_text()]
    boxes = [(text.get_text(), text.get_window_extent().shrunk(0.96, 0.9)) for text in shown]
    return [(one, other) for (one, a), (other, b) in combinations(boxes, 2) if a.overlaps(b)]


def words_of(axes: Axes) -> list[Text]:
    """Everything written in and around the axes of a figure, its numbers at ticks apart."""
    found: list[Text] = []
    for one in figure_of(axes).findobj(Axes):
        assert isinstance(one, Axes)
        found += [*one.texts, one.xaxis.label, one.yaxis.label, one.title]
        shown = one.get_legend()
        if shown is not None:
            found += [*shown.get_texts(), shown.get_title()]
    return found


def outside(axes: Axes) -> list[str]:
    """Texts that leave the figure."""
    draw(axes)
    page = figure_of(axes).bbox
    return [
        text.get_text()
        for text in words_of(axes)
        for box in [text.get_window_extent()]
        if text.get_text()
        and not (
            page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
        )
    ]
