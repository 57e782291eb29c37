"""A gate as people and pipelines read it, hostile names included."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from assay.compare.gate import gate
from assay.core.errors import EvidenceError
from assay.core.gate_results import Gate
from assay.report import FORMATS, as_html_fragment, render
from assay.report.gate_outputs import as_github_summary, as_junit
from tests.report.examples import HOSTILE


def example(worse: float, *, names: tuple[str, str] = ("old", "new"), **options: Any) -> Gate:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 400)
    old = np.where(rng.random(400) < 0.1, 1 - truth, truth)
    new = np.where((rng.random(400) < worse) & (old == truth), 1 - old, old)
    new[np.flatnonzero(old != truth)[:8]] = truth[np.flatnonzero(old != truth)[:8]]
    table = {"truth": truth, names[0]: old, names[1]: new}
    terms: dict[str, Any] = {"margin": 0.05, **options}
    return gate(
        table,
        truth="truth",
        models=list(names),
        baseline=names[0],
        candidate=names[1],
        rng=1,
        **terms,
    )


PASSED, FAILED = example(0.01), example(0.4)
UNDECIDED = example(0.02, margin={"accuracy": 0.01, "f1": 0.2})


class TestRender:
    @pytest.mark.parametrize("form", FORMATS)
    @pytest.mark.parametrize("found", [PASSED, FAILED, UNDECIDED], ids=lambda g: str(g.word))
    def test_every_format_has_the_word(self, found: Gate, form: str) -> None:
        assert found.word in render(found, form)

    def test_single_measure_in_facts_several_in_a_table(self) -> None:
        single, several = render(PASSED, details=True), render(UNDECIDED, details=True)
        assert "margin                 0.05" in single
        assert "exit code              0" in single
        assert "every measure must pass, one-sided at 95% each" in " ".join(several.split())
        assert "f1 ↑" in several
        assert "needed" in several

    def test_the_answer_is_drawn_below_its_headline(self) -> None:
        page = render(PASSED, "html")
        headline, card = page.partition("<h1>")[2].partition("</h1>")[::2]
        assert headline.startswith("Gate passed: ")
        assert "<svg" in card.partition("</section>")[0]

    def test_trials_stand_beside_what_is_due(self) -> None:
        text = render(example(0.01, aa=50), details=True)
        assert "fails equal models" in text
        assert "passes a candidate worse" in text
        assert "nominal" in text
        assert "out of reach" in render(example(0.01, aa=20, margin=0.99), details=True)

    def test_shown_in_notebooks_and_terminals(self) -> None:
        assert "Gate failed." in str(FAILED)
        assert "Gate failed." in as_html_fragment(FAILED)

    def test_the_word_has_a_sign_and_a_colour(self) -> None:
        page = render(FAILED, "html")
        assert '<section class="verdict worse"' in page
        assert "✗" in page
        assert "\x1b[1;31m" in render(FAILED, color=True)
        assert "\x1b[1;32m" in render(PASSED, color=True)

    def test_methods_paragraph_names_margin_and_rule(self) -> None:
        page = render(example(0.05, margin={"accuracy": 0.01, "f1": 0.2}, holm=True), "markdown")
        assert "tested for non-inferiority to old" in page
        assert "The margin for accuracy was 0.01" in page
        assert "Holm's step-down" in page


class TestJunit:
    @staticmethod
    def suite(found: Gate) -> ElementTree.Element:
        return ElementTree.fromstring(as_junit(found).encode())  # noqa: S314 (our own)

    def test_passed(self) -> None:
        suite = self.suite(PASSED)
        assert suite.attrib == {"tests": "1", "failures": "0", "errors": "0", "skipped": "0"}
        assert suite.find(".//failure") is None
        assert suite.find(".//testcase").attrib["name"] == "accuracy"  # type: ignore[union-attr]

    def test_failed(self) -> None:
        failure = self.suite(FAILED).find(".//failure")
        assert failure is not None
        assert failure.attrib["type"] == "failed"
        assert "new is worse than old" in failure.attrib["message"]

    def test_undecided_fails_or_is_skipped(self) -> None:
        suite = self.suite(UNDECIDED)
        assert (suite.attrib["tests"], suite.attrib["failures"]) == ("2", "1")
        assert suite.find(".//failure").attrib["type"] == "undecided"  # type: ignore[union-attr]
        lenient = self.suite(
            example(0.02, margin={"accuracy": 0.01, "f1": 0.2}, on_undecided="warn")
        )
        assert (lenient.attrib["failures"], lenient.attrib["skipped"]) == ("0", "1")
        assert lenient.find(".//skipped") is not None

    @pytest.mark.parametrize("name", [*filter(None, HOSTILE), "null\x00byte", "odd\ufffe\ud800end"])
    def test_hostile_names_stay_xml(self, name: str) -> None:
        if "\ud800" in name:
            with pytest.raises(EvidenceError, match="half a character"):
                example(0.01, names=("old", name))
            return
        found = example(0.01, names=("old", name))
        assert self.suite(found).find(".//testcase") is not None


class TestGithubSummary:
    def test_word_table_and_sentences(self) -> None:
        text = as_github_summary(UNDECIDED)
        assert text.startswith("### ⚠️ Gate undecided: new against old\n")
        assert text.count("| ⚠️ undecided |") == 1
        assert text.count("| ✅ passed |") == 1
        assert "❌" in as_github_summary(FAILED)

    @pytest.mark.parametrize("name", ["a|b", "@team", "<script>alert(1)</script>", "`x`", "*b*"])
    def test_names_are_no_markup(self, name: str) -> None:
        text = as_github_summary(example(0.01, names=("old", name)))
        heading = text.splitlines()[0]
        assert "<script>" not in text
        assert "@team" not in text
        assert all(line.count("|") - line.count("\\|") in (0, 5) for line in text.splitlines())
        assert heading.startswith("### ✅")


class TestBrief:
    def brief(self, found: Gate, width: int = 100) -> str:
        text = render(found, width=width)
        assert text is not None
        return text

    def test_the_line_drawn_is_what_decides(self) -> None:
        """|, not 0: a loss below the margin passes."""
        (row,) = [one for one in self.brief(PASSED).splitlines() if one.startswith("accuracy")]
        drawn = row.partition("passed")[2]
        assert drawn.index("|") < drawn.index("●")
        assert "0" not in drawn
        said = self.brief(PASSED)
        assert "each 90% CI (95% one-sided) must meet the requirement (|); exit code 0" in said

    @pytest.mark.parametrize("width", [80, 100])
    def test_the_rule_is_never_cut(self, width: int) -> None:
        """One demand has nothing to adjust for; several say that failures are Holm-adjusted."""
        answers = {"y": ["yes", "no"] * 100, "new": ["yes", "no"] * 100}
        one = self.brief(gate(answers, truth="y", at_least={"accuracy": 0.8}), width)
        assert "must meet the requirement (|); exit code 0" in " ".join(one.split())
        levels = {"sensitivity": 0.85, "specificity": 0.9}
        found = gate(answers, truth="y", positive="yes", at_least=levels)
        several = self.brief(found, width)
        assert "failures Holm-adjusted; exit code 0" in " ".join(several.split())
        assert max(map(len, several.splitlines())) <= width

    def test_equal_values_have_no_side(self) -> None:
        answers = {"y": ["yes", "no"] * 50, "old": ["yes"] * 100, "new": ["no"] * 100}
        found = gate(answers, truth="y", baseline="old", candidate="new", margin=0.05)
        assert "new and old have the same accuracy (90% CI [" in found.sentence

    def test_levels_that_differ_are_said(self) -> None:
        """The failures of a family are Holm-adjusted: one interval may be wider than the other."""
        truth = np.repeat(["yes", "no"], [213, 187])
        new = np.repeat(["yes", "no", "yes"], [195, 18 + 173, 14])
        found = gate(
            {"y": truth, "new": new},
            truth="y",
            positive="yes",
            at_least={"sensitivity": 0.85, "specificity": 0.9},
        )
        levels = {check.level for check in found.checks}
        assert levels == {0.95, 0.975}
        head, first, second = self.brief(found).partition("value")[2].splitlines()[:3]
        assert head.split()[:3] == ["CI", "level", "n"]
        assert ("90%" in first, "95%" in second) == (True, True)
        assert (" 213 " in first, " 187 " in second) == (True, True)

    @pytest.mark.parametrize(
        ("worse", "rate", "errors"), [(0.01, "higher", "lower"), (0.4, "lower", "higher")]
    )
    def test_the_sentence_says_the_measure_as_it_is(
        self, worse: float, rate: str, errors: str
    ) -> None:
        first = example(worse).sentence
        second = example(worse, measures="error_rate").sentence
        assert f"new has a {rate} accuracy than old, by 0." in first
        assert f"new has a {errors} error_rate than old, by 0." in second
        assert "positive is better" not in first + second
