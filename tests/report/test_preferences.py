"""How a family with strengths is reported: chances beside differences, a forest of strengths, notes."""

from dataclasses import replace

from assay.core.results import FamilyOutcome
from assay.hypotheses.preferences import bradley_terry
from assay.report import render
from assay.report.views import view

WINS = [[0, 30, 28], [12, 0, 17], [9, 15, 0]]


def family(**options: object) -> FamilyOutcome:
    return bradley_terry(WINS, models=["red", "green", "blue"], **options)  # type: ignore[arg-type]


class TestView:
    def test_headline(self) -> None:
        assert view(family()).headline == (
            "red has the highest log strength. 2 of 3 pairs differ significantly (α = .05, Holm "
            "adjustment)."
        )

    def test_nobody_is_ahead_of_an_equal(self) -> None:
        drawn = view(bradley_terry([[0, 4], [4, 0]]))
        assert drawn.headline == ("0 of 1 pairs differ significantly (α = .05, Holm adjustment).")

    def test_strengths_come_first(self) -> None:
        drawn = view(family())
        assert [table.name for table in drawn.tables] == ["estimates", "differences", "details"]
        assert [figure.name for figure in drawn.figures] == [
            "estimates:log_strength",
            "differences",
        ]
        assert [row[0].text for row in drawn.tables[0].rows] == ["red", "green", "blue"]

    def test_chances_beside_differences(self) -> None:
        table = view(family()).tables[1]
        names = [column.name for column in table.columns]
        assert names[4:] == ["P(first)", "interval of P", "won-tied-lost", "p"]
        outcome = family().outcomes[0]
        chance = dict(outcome.details)["probability"]
        assert table.rows[0][4].numbers == (chance,)
        assert table.rows[0][6].text == "30-0-12"

    def test_a_position_has_no_forest_of_its_own(self) -> None:
        rows = [["x", "x", "y", "y"], ["y", "y", "x", "x"], ["x", "y", "y", "x"]]
        found = bradley_terry(*rows, position=True)
        assert [one.measure for one in found.estimates][-1] == "position_effect"
        assert [figure.name for figure in view(found).figures] == [
            "estimates:log_strength",
            "differences",
        ]

    def test_undefined_pairs_say_so(self) -> None:
        found = bradley_terry([[0, 3], [0, 0]])
        drawn = view(found)
        assert drawn.headline == "No pair could be tested: see the notes."
        cells = [cell.text for cell in drawn.tables[1].rows[0]]
        assert cells[2:] == ["undefined", "none", "3-0-0", "undefined"]
        partly = view(bradley_terry([[0, 3, 2], [2, 0, 1], [0, 0, 0]])).tables[1]
        assert [cell.text for cell in partly.rows[1]][4:] == [
            "undefined", "none", "2-0-0", "undefined",
        ]  # fmt: skip
        assert [note.code for note in drawn.notes] == ["not-connected"]
        assert drawn.figures == ()

    def test_without_strengths_nothing_is_added(self) -> None:
        assert view(replace(family(), estimates=())).headline.startswith("2 of 3")


class TestRendered:
    def test_every_format(self) -> None:
        for form in ("table", "markdown", "latex", "csv", "html", "json"):
            assert "green" in render(family(), form)

    def test_figures_are_drawn(self) -> None:
        assert render(family(), "html").count("<figure") == 2
