"""Which figures a result gets, and that what they draw stands beside them as a table."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.results import Curve
from assay.estimates.calibration_curve import reliability
from assay.estimates.runs import performance_profile
from assay.hypotheses.assumptions import qq_points
from assay.hypotheses.friedman_posthoc import bonferroni_dunn, nemenyi, wilcoxon_pairs
from assay.measures.curves import precision_recall_curve
from assay.plots import pairwise_matrix
from assay.report import render
from assay.report.figures import as_element, draw
from assay.report.note_lists import notes_of
from assay.report.tables import ReportTable
from assay.report.views import view
from tests.plots.figures import decided, spaced, with_ranks
from tests.report import examples

TRUTH, SCORES = [1, 0, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.3, 0.2, 0.6]


def names(result: Any) -> list[str]:
    return [figure.name for figure in view(result).figures]


def table_of(result: Any, name: str) -> ReportTable:
    return next(figure.table for figure in view(result).figures if figure.name == name)


def column(table: ReportTable, name: str) -> list[str]:
    place = [column.name for column in table.columns].index(name)
    return [row[place].text for row in table.rows]


class TestManyModels:
    """Of 45 pairs nobody reads a forest plot first: found with 40 models, whose report was 15,000 pixels long."""

    def test_pairs_are_folded_and_words_come_before_a_tall_figure(self) -> None:
        rng = np.random.default_rng(3)
        truth = rng.integers(0, 2, 300)
        rows = {
            f"model {place:02}": truth ^ (rng.random(300) < 0.02 * place) for place in range(14)
        }
        result = assay.compare({"truth": truth, **rows}, rng=1)
        seen = view(result)
        assert [(one.name, one.folded) for one in seen.figures] == [
            ("matrix", False), ("differences", True), ("estimates:accuracy", False),
        ]  # fmt: skip
        assert next(one.name for one in seen.tables if not one.folded) == "estimates"
        page = render(result, "html")
        card, rest = page.split('<section id="evidence">')
        assert card.index('class="headline"') < card.index('class="downloads"') < card.index("<svg")
        assert "<b>Figure</b> Differences" in rest
        assert "<b>Table</b> Differences" in rest

    def test_notes_name_as_many_pairs_as_two_lines_hold(self) -> None:
        long = [f"a-model-with-a-very-long-name-of-{place}" for place in range(9)]
        table = {name: [0.5 + 0.01 * (row % 3) for row in range(9)] for name in long}
        found = [
            note.about for note in notes_of(assay.compare(table, unit="dataset", measure="f1"))
        ]
        assert max(map(len, found)) <= 160
        assert any(" more" in one for one in found)


class TestComparison:
    def test_ranks_first_and_what_is_shown_beside_last(self) -> None:
        assert names(with_ranks(4)) == [
            "ranks", "differences", "matrix", "estimates:accuracy", "ranks:Nemenyi",
        ]  # fmt: skip

    def test_two_models_have_neither_ranks_nor_matrix(self) -> None:
        assert names(examples.two_models()) == ["differences", "estimates:accuracy"]

    def test_against_a_baseline_there_is_no_matrix(self) -> None:
        assert "matrix" not in names(examples.many_models(4, baseline=True))

    def test_posteriors(self) -> None:
        assert names(examples.lower_is_better())[-1] == "posterior"
        assert names(examples.lower_is_better().posteriors[0]) == ["posterior"]

    def test_the_table_of_ranks_says_who_is_alike(self) -> None:
        table = table_of(with_ranks(4), "ranks")
        assert column(table, "model") == [f"model-0{place}" for place in (1, 2, 3, 4)]
        assert column(table, "mean rank") == ["1.00", "2.00", "3.00", "4.00"]
        assert column(table, "group") == ["a", "ab", "bc", "c"]
        assert column(table, "no significant difference from") == [
            "model-02", "model-01 and model-03", "model-02 and model-04", "model-03",
        ]  # fmt: skip

    def test_everything_is_drawn(self) -> None:
        result = with_ranks(5)
        figures = view(result).figures
        drawings = draw(figures, result)
        assert list(drawings) == [figure.name for figure in figures]
        assert all(element.startswith("<svg") for element in drawings.values())

    def test_a_page_of_forty_models_stays_small(self) -> None:
        assert len(render(with_ranks(40), "html").encode()) < 1_000_000


class TestFamily:
    def test_with_and_without_ranks(self) -> None:
        assert names(nemenyi(spaced(4))) == ["ranks", "differences"]
        assert names(wilcoxon_pairs(spaced(4))) == ["differences"]

    def test_against_a_control(self) -> None:
        table = table_of(bonferroni_dunn(spaced(4), control="model-00"), "ranks")
        assert [column.name for column in table.columns] == [
            "model", "mean rank", "no significant difference from",
        ]  # fmt: skip

    def test_an_undefined_p_value_has_no_diagram(self) -> None:
        assert names(decided([None, True, True], [1.0, 2.0, 3.0])) == ["differences"]

    def test_too_many_groups_for_letters(self) -> None:
        family = decided([True] * (30 * 29 // 2), [float(rank) for rank in range(1, 31)])
        table = table_of(family, "ranks")
        assert "group" not in [column.name for column in table.columns]
        assert set(column(table, "no significant difference from")) == {"nobody"}


class TestCurves:
    @pytest.mark.parametrize(
        ("name", "curve"),
        [
            ("precision_recall", precision_recall_curve(TRUTH, SCORES, model="m")),
            ("calibration", reliability(TRUTH, SCORES, model="m")),
            ("profiles", performance_profile(SCORES, model="m", rng=1)),
            ("qq", qq_points(SCORES)),
        ],
    )
    def test_each_kind_has_its_figure_and_its_points(self, name: str, curve: Curve) -> None:
        (figure,) = view(curve).figures
        assert figure.name == name
        assert len(figure.table.rows) == min(len(curve.columns[0][1]), 21)
        assert [column.name for column in figure.table.columns[1:]] == [
            column for column, _ in curve.columns
        ]
        assert "<svg" in render(curve, "html")

    def test_two_kinds_in_one_result(self) -> None:
        result = examples.evaluation("m")
        curves = (*result.curves, precision_recall_curve(TRUTH, SCORES, model="m"))
        assert names(replace(result, curves=curves))[-2:] == ["roc", "precision_recall"]


class TestElement:
    def test_coordinates_are_no_longer_than_needed(self) -> None:
        element = as_element(pairwise_matrix(examples.many_models(4)), name="f", words="w")
        paths = re.findall(r' d="([^"]*)"', element)
        assert paths
        assert not any(re.search(r"\.\d{3}", path) for path in paths)
