"""The lectures: what is right comes from assay, and what is said to agree does."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assay.cli.methods import command as methods_command
from assay.cli.test import command as one_method
from assay.core.errors import UsageError
from assay.core.formatting import write_rounded
from assay.reference import cases
from assay.report.lectures import (
    LECTURES,
    TOPICS,
    AnsweredEntry,
    LectureEntry,
    as_data,
    as_markdown,
    as_text,
    entries,
    lecture_rows,
)

ROOT = Path(__file__).parents[2]
TEXTBOOK = {case.id: case.expected for case in cases("textbook")}
COMMANDS: dict[str, Any] = {"test": one_method, "methods": methods_command}


@pytest.fixture(autouse=True)
def _catalogue() -> None:
    """The whole catalogue, not the small one of the other tests of reports."""


def row(subject: str, lecture: str) -> AnsweredEntry:
    (found,) = (r for r in lecture_rows() if r.subject == subject and r.lecture == lecture)
    return found


def right(subject: str, lecture: str) -> Any:
    (found,) = (e for e in entries() if e.subject == subject and e.lecture == lecture)
    return found.right()


class TestNumbers:
    """Against the recomputation with 40 digits that travels with the reference cases."""

    @pytest.mark.parametrize(
        ("case", "name", "lecture", "subject"),
        [
            ("a1", "ci", "Ray", "20 errors of 100: 95% interval"),
            ("a2", "ci", "Ray", "2000 errors of 10000: 95% interval"),
            ("b", "ci", "Ray", "25 and 20 errors of 100: 95% interval of the difference"),
            ("c", "ci", "Ray", "250 and 200 errors of 1000: 95% interval of the difference"),
            ("d", "ci", "Ray", "five folds: 95% interval of the difference"),
            ("g", "ci", "Boström", "mean 25, sd 9, n 81: 95% interval"),
            ("h", "ci", "Notes", "11 folds, mean 0.1, s 0.01: 95% interval"),
        ],
    )
    def test_intervals(self, case: str, name: str, lecture: str, subject: str) -> None:
        assert right(subject, lecture) == pytest.approx(TEXTBOOK[case][name], rel=1e-9)

    @pytest.mark.parametrize(
        ("lecture", "subject", "shown"),
        [
            (
                "Ray",
                "25 and 20 errors of 100: 95% interval of the difference",
                "(-0.06554, 0.16554)",
            ),
            (
                "Ray",
                "250 and 200 errors of 1000: 95% interval of the difference",
                "(0.0135, 0.0865)",
            ),
            ("Ray", "five folds: standard deviation s of the differences", "0.0332"),
            ("Notes", "11 folds, mean 0.1, s 0.01: 95% interval", "(0.09328, 0.10672)"),
            (
                "Mooney",
                "20 and 25 errors of 100 each: confidence, two-tailed and one-tailed",
                "(60.4%, 80.2%)",
            ),
            ("Boström", "mean ranks 1.7, 3.2, 2.5, 3.4 of four algorithms: their sum", "10"),
        ],
    )
    def test_known_mistakes(self, lecture: str, subject: str, shown: str) -> None:
        found = row(subject, lecture)
        assert found.agrees is False
        assert found.right == shown
        assert found.reason

    @pytest.mark.parametrize(
        ("lecture", "subject"),
        [
            ("Ray", "20 errors of 100: variance of the error rate"),
            ("Ray", "five folds: 95% interval of the difference"),
            ("Boström", "mean 25, sd 9, n 81: 95% interval"),
            ("Notes", "50 errors of 100: half-width of the 95% interval"),
            ("Notes", "model M1: cost and accuracy"),
            ("Notes", "model M2: cost and accuracy"),
            ("Mooney", "20 and 30 errors of 100 each: standard deviation and z"),
            ("Samatova", "chi-square(0.05, 1), the critical value of McNemar's test"),
        ],
    )
    def test_what_is_right(self, lecture: str, subject: str) -> None:
        assert row(subject, lecture).agrees is True

    def test_one_entry_of_the_t_table_is_cut(self) -> None:
        wrong = [r for r in lecture_rows("tables") if r.agrees is False and "degrees" in r.subject]
        assert [r.subject.split(", ")[-1] for r in wrong] == ["20 degrees of freedom"]

    def test_a_number_agrees_if_it_rounds_to_what_is_printed(self) -> None:
        def checked(printed: str, value: float) -> bool | None:
            from assay.report.lectures import _row

            entry = LectureEntry(
                lecture="Ray",
                topic="tables",
                subject="",
                printed=(printed,),
                right=lambda: [value],
                command="",
            )
            return _row(entry).agrees

        assert checked("1.64", 1.6449)
        assert not checked("1.644", 1.6449)
        assert checked("95%", 0.9499)
        assert not checked("95%", 0.9449)
        assert checked("0.16e-4", 1.6e-5)
        assert not checked("0.16e-4", 1.66e-5)
        assert checked("+5%", 0.05)


class TestWords:
    def test_five_by_two(self) -> None:
        found = row("the 5x2 statistic", "Samatova")
        assert found.agrees is False
        case = next(iter(cases("ttest__dietterich_5x2cv_t")))
        assert f"on our example {write_rounded(case.expected['t'], 4)}" in found.right

    def test_pairing(self) -> None:
        found = row("a tree and a network on the same test set", "Ray")
        assert "from 0.025 to 0.46" in found.right

    def test_what_cannot_be_checked_is_open(self) -> None:
        assert [r.subject for r in lecture_rows() if r.agrees is None] == [
            "the figure of a binomial: 85% CI"
        ]


class TestEveryEntry:
    def test_lectures_and_topics_are_known(self) -> None:
        assert {entry.lecture for entry in entries()} == set(LECTURES)
        assert {entry.topic for entry in entries()} == set(TOPICS)

    def test_subjects_tell_entries_apart(self) -> None:
        named = [(entry.lecture, entry.subject, entry.printed) for entry in entries()]
        assert len(named) == len(set(named))

    def test_a_number_that_differs_says_why(self) -> None:
        for entry, found in zip(entries(), lecture_rows(), strict=True):
            if found.agrees is False and not isinstance(entry.right(), str):
                assert found.reason, found.subject

    @pytest.mark.parametrize("command", sorted({entry.command for entry in entries()}))
    def test_the_command_works(self, command: str) -> None:
        program, verb, *arguments = shlex.split(command)
        assert program == "assay"
        done = CliRunner().invoke(COMMANDS[verb], arguments)
        assert done.exit_code == 0, done.output


class TestForms:
    def test_the_page_is_up_to_date(self) -> None:
        """`assay lectures --format markdown > docs/lectures.md` makes it."""
        assert (ROOT / "docs" / "lectures.md").read_text() == as_markdown(lecture_rows())

    def test_every_line_of_a_table_has_five_cells(self) -> None:
        lines = [line for line in as_markdown(lecture_rows()).splitlines() if line.startswith("|")]
        assert len(lines) == len(entries()) + 2 * len(LECTURES)
        for line in lines:
            assert len(re.findall(r"(?<!\\)\|", line)) == 6, line

    def test_text(self) -> None:
        text = as_text(lecture_rows("5x2"))
        assert text.startswith(
            "0 of 2 entries agree with assay, 2 differ.\n\nSamatova: N. F. Samatova"
        )
        assert "\n  differs  the 5x2 statistic\n" in text

    @pytest.mark.parametrize("width", [80, 100, 140])
    def test_the_text_fits_but_for_its_commands(self, width: int) -> None:
        """A command stays on one line, to be pasted."""
        lines = as_text(lecture_rows(), width=width).splitlines()
        said = [line for line in lines if not line.strip().startswith("assay ")]
        assert max(map(len, said)) <= min(width, 100)

    def test_data(self) -> None:
        data = as_data(lecture_rows("costs"))
        assert data[0]["lecture"] == "Notes"
        assert {entry["agrees"] for entry in data} == {True, False}

    def test_unknown_topic(self) -> None:
        with pytest.raises(UsageError, match="no topic 'rocs'; there are error rate"):
            lecture_rows("rocs")
