"""A view holds what the result says, in the order it is read."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

import assay
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.results import Needed
from assay.report.tables import ReportTable
from assay.report.views import view
from tests.report import examples


def texts(table: ReportTable, name: str) -> list[str]:
    place = [column.name for column in table.columns].index(name)
    return [row[place].text for row in table.rows]


def table_of(result: Any, name: str) -> ReportTable:
    return next(table for table in view(result).tables if table.name == name)


class TestComparison:
    def test_effect_with_its_interval_comes_before_p(self) -> None:
        facts = view(examples.two_models()).facts
        assert facts[0].label == "accuracy ↑, forest − logistic"
        assert facts[0].text == "+0.025 [+0.003, +0.047]"
        assert facts[0].detail == "95% Tango interval; higher is better"
        assert (facts[1].label, facts[1].text) == ("p-value", ".024")

    def test_lower_is_better_is_said_in_words(self) -> None:
        found = view(examples.lower_is_better())
        assert found.facts[0].label == "log_loss ↓, gbm − net"
        assert "lower is better" in found.facts[0].detail
        assert (
            "log_loss ↓, first − second; lower is better"
            in table_of(examples.lower_is_better(), "differences").caption
        )

    def test_undecided_says_what_is_needed(self) -> None:
        needed = view(examples.lower_is_better()).facts[-1]
        assert needed.text == "about 14,200 items"
        assert needed.detail == "1,000 here; 80% power at a difference of 0.01"

    def test_every_undecided_pair_says_what_it_needs(self) -> None:
        result = examples.many_models(3)
        assert "needed" not in [one.name for one in table_of(result, "differences").columns]
        need = Needed(units=6_011, unit="item", have=300, power=0.8, margin=0.02)
        verdicts = [
            replace(one, word="undecided", needed=need) if place == 1 else one
            for place, one in enumerate(result.verdicts)
        ]
        table = table_of(replace(result, verdicts=tuple(verdicts)), "differences")
        words, needed = texts(table, "verdict"), texts(table, "needed")
        assert [n for n in needed if n] == ["6,011"]
        assert words[needed.index("6,011")] == "undecided"
        assert "Needed: items for 80% power at the margin" in table.caption
        for form in ("markdown", "html"):
            assert "6,011" in assay.render(replace(result, verdicts=tuple(verdicts)), format=form)

    def test_one_undecided_pair_in_a_file(self) -> None:
        heads, first = assay.render(examples.lower_is_better(), format="csv").splitlines()[:2]
        assert dict(zip(heads.split(","), first.split(","), strict=True))["needed"] == "14200"

    def test_against_a_level(self) -> None:
        found = view(examples.against_level())
        assert found.title == "Comparison of forest with level 0.7 by accuracy"
        assert found.facts[0].text == "0.846 [0.822, 0.868]"
        assert found.facts[1].text == "0.7"

    def test_with_a_baseline(self) -> None:
        truth = np.tile([0, 1], 50)
        models = {"old": truth.copy(), "new": truth.copy(), "poor": truth.copy()}
        models["new"][:4] = 1 - truth[:4]
        models["poor"][:30] = 1 - truth[:30]
        found = view(assay.compare(truth, models, baseline="old"))
        assert found.title == "Comparison of new and poor with old by accuracy"
        assert found.facts[0].detail == "1 differs significantly, 1 inconclusive"

    def test_estimates_best_first(self) -> None:
        lower = examples.lower_is_better()
        turned = replace(lower, estimates=lower.estimates[::-1])
        assert texts(table_of(turned, "estimates"), "model") == ["gbm", "net"]

    def test_pairs_told_apart_come_first(self) -> None:
        words = texts(table_of(examples.many_models(6), "differences"), "verdict")
        assert words == ["better"] * 10 + ["undecided"] * 5

    def test_each_model_counts_its_verdicts(self) -> None:
        table = table_of(examples.many_models(6), "estimates")
        assert texts(table, "better")[0] == "4"
        assert texts(table, "worse")[-1] == "4"
        assert [row[0].strong for row in table.rows] == [True, True, False, False, False, False]

    def test_names_that_look_alike_are_counted_apart(self) -> None:
        table = table_of(
            examples.many_models(names=("a", "\x00a", "b", "c", "d", "e")), "estimates"
        )
        assert texts(table, "model")[:2] == ["a", "a"]
        assert texts(table, "worse")[:2] == ["0", "0"]
        assert texts(table, "better")[:2] == ["4", "3"]

    def test_other_methods_may_differ_and_say_so(self) -> None:
        table = table_of(examples.two_models(), "also")
        assert "The verdict comes from one test alone: McNemar's test." in table.caption
        assert texts(table, "same conclusion") == ["yes", "no"]

    def test_other_methods_look_from_the_same_side_as_the_verdict(self) -> None:
        """Where the second model is ahead, all differences on the page are second − first."""
        truth = [0, 1] * 100
        worse = [1 - one if place % 5 == 0 else one for place, one in enumerate(truth)]
        better = [1 - one if place % 20 == 1 else one for place, one in enumerate(truth)]
        told = [
            assay.compare(truth, {"old": worse, "new": better}),
            assay.compare(truth, {"new": better, "old": worse}),
        ]
        shown = [texts(table_of(one, "also"), "effect") for one in told]
        assert shown[0] == shown[1]
        assert {text[0] for text in shown[0]} == {"+"}

    def test_without_other_methods_no_table(self) -> None:
        names = [table.name for table in view(examples.against_level()).tables]
        assert names == ["differences", "estimates"]

    def test_equivalent_and_yet_different(self) -> None:
        result = examples.two_models()
        found = examples.outcome(0.004, 0.001, 0.007, 0.01)
        verdict = replace(
            examples.verdict("forest", "logistic", found, "equivalent", margin=0.01), different=True
        )
        table = table_of(replace(result, verdicts=(verdict,)), "differences")
        assert texts(table, "verdict") == ["equivalent, not zero"]

    def test_hundred_models(self) -> None:
        found = view(examples.many_models(100))
        assert found.facts[0].text == "4,950 compared"
        assert found.title == "Comparison of 100 models by accuracy"


class TestOtherResults:
    def test_the_numbers_of_a_lone_model_are_facts(self) -> None:
        facts = view(examples.evaluation("forest")).facts
        assert [fact.label for fact in facts] == ["accuracy ↑", "roc_auc ↑", "log_loss ↓"]
        assert facts[0].text == "0.846 [0.822, 0.867]"

    def test_undefined_is_said(self) -> None:
        table = table_of(examples.undefined(), "estimates")
        assert texts(table, "estimate") == ["undefined"]
        assert texts(table, "interval") == ["none"]
        assert view(examples.undefined()).figures == ()

    def test_family(self) -> None:
        table = table_of(examples.family(), "differences")
        assert texts(table, "p") == ["< .001", "< .001", ".0504"]

    def test_test_and_its_details(self) -> None:
        found = view(examples.outcome(0.025, 0.0034, 0.0467, 0.0238))
        assert found.title == "McNemar"
        assert texts(found.tables[1], "value") == ["62", "37", "score"]

    def test_posterior(self) -> None:
        found = view(examples.lower_is_better().posteriors[0])
        assert "0.566" in found.headline
        assert texts(found.tables[0], "P(within)") == ["0.381"]

    def test_curve(self) -> None:
        found = view(examples.roc_curve("a", 0.2))
        assert [figure.name for figure in found.figures] == ["roc"]
        assert len(found.tables[0].rows) == 60
        assert len(found.figures[0].table.rows) == 21

    def test_a_short_curve_gives_each_point_once(self) -> None:
        found = view(examples.roc_curve("a", 0.2, points=3))
        assert len(found.figures[0].table.rows) == 3

    def test_not_a_result(self) -> None:
        with pytest.raises(UsageError, match="made from a result of assay; got int"):
            view(3)  # type: ignore[arg-type]


class TestNotes:
    def test_each_once_with_whom_it_is_about(self) -> None:
        notes = view(examples.evaluation()).notes
        assert [(note.code, note.about) for note in notes] == [
            ("imbalance", ""), ("small-counts", "forest"),
        ]  # fmt: skip

    def test_a_note_about_the_whole_names_nobody(self) -> None:
        few = examples.evaluation().estimates[2].notes[0]
        both = replace(examples.evaluation(), notes=(few,))
        assert [(note.code, note.about) for note in view(both).notes] == [("small-counts", "")]

    def test_of_pairs_and_other_methods(self) -> None:
        result = examples.two_models()
        noted = replace(
            result,
            notes=(),
            verdicts=(
                replace(
                    result.verdict,
                    outcome=replace(result.verdict.outcome, notes=(Note(code="a", message="m"),)),
                ),
            ),
            also=(
                (
                    result.also[0][0],
                    replace(result.also[0][1], notes=(Note(code="b", message="m"),)),
                ),
            ),
        )
        assert [(note.code, note.about) for note in view(noted).notes] == [
            ("a", "forest − logistic"), ("b", "McNemar, exact"),
        ]  # fmt: skip


class TestGiven:
    def test_title_and_command(self) -> None:
        found = view(examples.two_models(), title="My\nmodels", command="assay compare \x1b[0mx")
        assert (found.title, found.command) == ("My models", "assay compare x")


class TestWhatWasTried:
    ROWS: ClassVar = {
        "id": [1, 1, 2, 2, 3, 3, 4, 4],
        "epoch": [1, 2] * 4,
        "site": ["a", "a", "a", "a", "b", "b", "c", "c"],
        "y": [1] * 8,
        "m": [0, 1, 1, 1, 1, 1, 0, 1],
    }

    def headline(self, **options: Any) -> str:
        return view(assay.evaluate(self.ROWS, truth="y", models=["m"], **options)).headline

    def test_items_tried_several_times(self) -> None:
        assert " on 8 answers to 4 items, " in self.headline(repeat="epoch", id="id")

    def test_clusters(self) -> None:
        assert " on 8 items in 3 clusters, " in self.headline(cluster="site", id=False)

    def test_clusters_of_items_tried_several_times(self) -> None:
        said = self.headline(cluster="site", repeat="epoch", id="id")
        assert " on 8 items in 3 clusters, " in said

    def test_nothing_is_said_twice(self) -> None:
        result = assay.evaluate(self.ROWS, truth="y", models=["m"], cluster="site", id=False)
        labels = [fact.label for fact in view(result).evidence]
        assert len(set(labels)) == len(labels)
        assert not [label for label in labels if label.startswith("offers:")]


def test_estimates_of_slices_keep_their_columns_whatever_they_measure() -> None:
    """A result that somebody changed: the estimates of one part are of two measures."""
    truth = [0, 1, 1, 0] * 10
    items = {"truth": truth, "a": truth, "b": [1, *truth[1:]], "site": ["n", "s"] * 20}
    found = assay.compare(items, truth="truth", models=["a", "b"], slice="site", rng=1)
    part = found.parts[0]
    changed = replace(
        part, estimates=(replace(part.estimates[0], measure="f1"), *part.estimates[1:])
    )
    table = next(
        one
        for one in view(replace(found, parts=(changed, *found.parts[1:]))).tables
        if one.name == "estimates"
    )
    for row in table.rows:
        for cell, column in zip(row, table.columns, strict=True):
            assert len(cell.numbers) == len(column.parts), (column.name, cell)
