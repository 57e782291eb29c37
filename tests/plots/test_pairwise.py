"""Every cell of the matrix says what was decided about its pair."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch

import assay
from assay.core.errors import UsageError
from assay.core.results import Comparison
from assay.hypotheses.friedman_posthoc import bonferroni_dunn, friedman_posthoc, wilcoxon_pairs
from assay.plots import pairwise_matrix, paper
from assay.plots.pairwise import MOST_MODELS
from assay.plots.style import as_bytes
from tests.plots.figures import decided, draw, figure_of, outside, overlapping, spaced, texts
from tests.report.examples import HOSTILE, against_level, many_models

Cells = set[tuple[int, int]]


def marked(axes: Axes, word: str) -> Cells:
    """The cells (row, column) with the mark of that word, found by where it is drawn."""
    left, top, cell, high = grid(axes)
    found: Cells = set()
    for patch in axes.patches:
        if patch.get_label() == f"_{word}" and isinstance(patch, PathPatch):
            for x, y in np.asarray(patch.get_path().vertices):
                found.add((int((y - top) // high), int((x - left) // cell)))
    return found


def grid(axes: Axes) -> tuple[float, float, float, float]:
    """Where the matrix starts, and the width and height of its cells: from the diagonal."""
    (diagonal,) = [p for p in axes.patches if isinstance(p, PathPatch) and _is_diagonal(p)]
    first = np.asarray(diagonal.get_path().vertices)[:4]
    low, sides = first.min(axis=0), np.ptp(first, axis=0)
    return float(low[0]), float(low[1]), float(sides[0]), float(sides[1])


def _is_diagonal(patch: PathPatch) -> bool:
    return bool(np.allclose(patch.get_facecolor()[:3], (213 / 255, 218 / 255, 224 / 255)))


def rows(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts if text.get_horizontalalignment() == "right"]


def expected(result: Comparison, word: str) -> Cells:
    """The cells whose row model has that verdict; best first, as the examples come."""
    place = {model: index for index, model in enumerate(result.evidence.models)}
    turned = {"better": "worse", "worse": "better"}
    cells = {(place[v.a], place[v.b]) for v in result.verdicts if v.word == word}
    other = turned.get(word, word)
    return cells | {(place[v.b], place[v.a]) for v in result.verdicts if v.word == other}


class TestPairwiseMatrix:
    @pytest.mark.parametrize("k", [3, 6, 20, 40])
    def test_marks_are_the_verdicts(self, k: int) -> None:
        result = many_models(k)
        axes = pairwise_matrix(result)
        for word in ("better", "worse", "equivalent"):
            assert marked(axes, word) == expected(result, word)
        assert not marked(axes, "undecided")

    def test_equivalent_has_its_mark(self) -> None:
        result = many_models(4)
        close = replace(result.verdicts[0], word="equivalent")
        axes = pairwise_matrix(replace(result, verdicts=(close, *result.verdicts[1:])))
        assert marked(axes, "equivalent") == {(0, 1), (1, 0)}
        assert "= equivalent within the margin" in " ".join(texts(axes)[0].split())

    def test_best_first_whatever_the_direction(self) -> None:
        result = many_models(4)
        assert rows(pairwise_matrix(result))[:4] == [f"model-0{i}" for i in (1, 2, 3, 4)]
        lower = replace(result, direction="lower")
        assert rows(pairwise_matrix(lower))[:4] == [f"model-0{i}" for i in (4, 3, 2, 1)]

    def test_differences_are_written_in_small_matrices(self) -> None:
        shown = texts(pairwise_matrix(many_models(3)))
        assert "+0.012" in shown
        assert "−0.012" in shown
        assert not any(text.startswith("+0.0") for text in texts(pairwise_matrix(many_models(13))))

    def test_verdicts_are_counted(self) -> None:
        result = many_models(6)
        axes = pairwise_matrix(result)
        left, _, cell, _ = grid(axes)
        counts = [
            int(text.get_text())
            for text in axes.texts
            if text.get_position()[0] > left + 6 * cell and text.get_text().isdigit()
        ]
        assert len(counts) == 4 * 6
        assert sum(counts) == 2 * len(result.verdicts)

    def test_mean_ranks_are_better_when_lower(self) -> None:
        axes = pairwise_matrix(friedman_posthoc(spaced(6)))
        cells = marked(axes, "better")
        assert cells
        assert all(row < column for row, column in cells)
        assert "mean rank ↓" in texts(axes)[0]

    def test_a_family_without_a_better_side_says_higher(self) -> None:
        axes = pairwise_matrix(wilcoxon_pairs(spaced(5)))
        assert marked(axes, "higher")
        caption = " ".join(texts(axes)[0].split())
        assert "▲ row higher" in caption
        assert "better" not in caption

    def test_no_answer_is_marked(self) -> None:
        axes = pairwise_matrix(decided([None, True, False], [1.0, 2.0, 3.0]))
        assert marked(axes, "undefined") == {(0, 1), (1, 0)}
        assert "■ no answer" in texts(axes)[0]

    def test_colour_grows_with_the_difference(self) -> None:
        axes = pairwise_matrix(many_models(6))
        strengths = {float(patch.get_alpha() or 1.0) for patch in axes.patches} - {1.0}
        assert len(strengths) == 5
        assert max(strengths) < 0.65  # text on the darkest stays readable

    def test_equal_models(self) -> None:
        table = {name: [0.5, 0.6, 0.7] for name in "abc"}
        assert not marked(pairwise_matrix(friedman_posthoc(table)), "better")

    @pytest.mark.parametrize("k", [3, 10, 12, 13, 40])
    def test_nothing_overlaps_and_nothing_is_cut(self, k: int) -> None:
        axes = pairwise_matrix(many_models(k))
        assert overlapping(axes) == []
        assert outside(axes) == []

    def test_numbers_across_the_diagonal_have_opposite_signs(self) -> None:
        """Also where the comparison has the weaker model first, and its difference is negative."""
        rng = np.random.default_rng(2)
        base = rng.uniform(0.6, 0.8, 12)
        leads = {"low": 0.0, "high": 0.1, "middle": 0.05}
        scores = {name: base + lead + rng.normal(0, 0.01, 12) for name, lead in leads.items()}
        names = {"dataset": [f"d{k}" for k in range(12)]}
        found = assay.compare(names | scores, unit="dataset", measure="accuracy")
        assert any((one.outcome.effect.value or 0.0) < 0.0 for one in found.verdicts)
        axes = pairwise_matrix(found)
        left, top, cell, _ = grid(axes)
        numbers = {}
        for text in axes.texts:
            said = text.get_text()
            if said[:2] in ("+0", "\u22120"):
                x, y = text.get_position()
                numbers[int((y - top) // cell), int((x - left) // cell)] = said[0]
        assert len(numbers) == 6
        assert all(
            numbers[place] == ("+" if place[0] < place[1] else "\u2212") for place in numbers
        )

    def test_too_many_models_are_counted(self) -> None:
        axes = pairwise_matrix(many_models(70))
        assert len(rows(axes)) == MOST_MODELS
        assert "10 more models are not drawn" in texts(axes)[0]

    def test_forty_models_are_a_small_file(self) -> None:
        assert len(as_bytes(pairwise_matrix(many_models(40)), "svg")) < 300_000

    def test_hostile_names_are_plain_text(self) -> None:
        axes = pairwise_matrix(many_models(names=HOSTILE))
        draw(axes)
        assert any("$\\frac{" in text for text in texts(axes))

    def test_draws_into_axes_of_the_user(self) -> None:
        axes = Figure().add_subplot()
        assert pairwise_matrix(many_models(6), ax=axes) is axes
        assert all(float(text.get_fontsize()) < 9 for text in axes.texts)


class TestErrors:
    def test_against_a_control(self) -> None:
        with pytest.raises(UsageError, match="every pair, and here all were compared with one"):
            pairwise_matrix(bonferroni_dunn(spaced(4)))

    def test_against_a_level(self) -> None:
        with pytest.raises(UsageError, match="one model against a level use forest"):
            pairwise_matrix(against_level())

    @pytest.mark.parametrize("wrong", [None, [1, 2]])
    def test_not_a_result(self, wrong: Any) -> None:
        with pytest.raises(UsageError, match="a matrix of pairs draws"):
            pairwise_matrix(wrong)


def test_wide_paper_leaves_no_hole_below_few_models() -> None:
    """Found at 170 mm: three models on a sheet as high as it would be for five."""
    pairs = {("a", "b"): (0.1, 0.0, 0.2), ("a", "c"): (0.2, 0.1, 0.3), ("b", "c"): (0.1, 0.0, 0.2)}
    heights = [figure_of(pairwise_matrix(pairs)).get_size_inches()[1]]
    with paper(170):
        heights.append(figure_of(pairwise_matrix(pairs)).get_size_inches()[1])
    assert heights[1] <= heights[0]


@pytest.mark.parametrize("width", [85, 170])
def test_forty_models_can_be_read_on_paper(width: int) -> None:
    """Found at 85 mm: names of 2.5 points. Cells become narrow, rows keep their names."""
    family = wilcoxon_pairs(spaced(40, 60))
    with paper(width):
        axes = pairwise_matrix(family)
    draw(axes)
    assert min(float(text.get_fontsize()) for text in axes.texts) >= 5.4
    assert not overlapping(axes)
    assert not outside(axes)
    there = {
        word: {patch.get_label() for patch in axes.patches if patch.get_label() == f"_{word}"}
        for word in ("higher", "lower")
    }
    assert all(there.values())
    on_screen = pairwise_matrix(family)
    assert marked(axes, "higher") == marked(on_screen, "higher")
    assert marked(axes, "lower") == marked(on_screen, "lower")
    assert {"1", "5", "40"} <= set(texts(axes))
