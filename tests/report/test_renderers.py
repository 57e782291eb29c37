"""Every format says the same; no name breaks out of any of them."""

import csv
import io
import json
import re
import unicodedata
from dataclasses import replace

import pytest

from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.results import Result
from assay.core.wire import from_json
from assay.report import FORMATS, as_html_fragment, as_text, render
from tests.report import examples
from tests.report.examples import HOSTILE, hostile

RESULTS: dict[str, Result] = {
    "two": examples.two_models(),
    "lower": examples.lower_is_better(),
    "level": examples.against_level(),
    "many": examples.many_models(5),
    "evaluation": examples.evaluation(),
    "undefined": examples.undefined(),
    "family": examples.family(),
    "test": examples.outcome(0.025, 0.0034, 0.0467, 0.0238),
    "estimate": examples.estimate("a", 0.5, 0.4, 0.6),
    "posterior": examples.lower_is_better().posteriors[0],
    "curve": examples.roc_curve("a", 0.2),
}


class TestRender:
    @pytest.mark.parametrize("form", FORMATS)
    @pytest.mark.parametrize("name", RESULTS)
    def test_every_result_in_every_format_twice_the_same(self, name: str, form: str) -> None:
        text = render(RESULTS[name], form)
        assert text.endswith("\n")
        assert text == render(RESULTS[name], form)
        text.encode()

    @pytest.mark.parametrize("form", ["table", "markdown", "html"])
    def test_the_same_numbers_everywhere(self, form: str) -> None:
        text = render(examples.two_models(), form, details=True)
        for number in ("+0.025 [+0.003, +0.047]", ".024", "0.846", "[0.822, 0.867]"):
            assert number in text

    @pytest.mark.parametrize("form", ["table", "markdown", "html"])
    def test_caveats_and_limits_everywhere(self, form: str) -> None:
        text = " ".join(render(examples.two_models(), form, details=True).split())
        for words in ("tested-once", "Training was not repeated", "ignores the pairing", "alone"):
            assert words in text

    def test_notes_are_sorted_by_level_in_every_format(self) -> None:
        result = replace(
            examples.two_models(),
            notes=tuple(
                Note(code=code, message="so it is") for code in ("sampled", "few-items", "naive-t")
            ),
        )
        for form in ("table", "markdown", "latex", "csv", "html"):
            text = render(result, form, details=True)
            places = [text.index(code) for code in ("naive-t", "few-items", "sampled")]
            assert places == sorted(places), form
            for level in ("warning", "caution", "remark"):
                assert level in text, form

    def test_json_is_the_result(self) -> None:
        assert from_json(render(examples.two_models(), "json")) == examples.two_models()

    def test_unknown_format(self) -> None:
        with pytest.raises(UsageError, match="format is one of table, json"):
            render(examples.two_models(), "pdf")


class TestText:
    def test_verdict_first_then_the_effect_then_p(self) -> None:
        text = render(examples.two_models(), details=True)
        assert text.splitlines()[2].startswith("forest is better than logistic")
        assert text.index("+0.025") < text.index("p-value") < text.index("Seed: 7")

    @pytest.mark.parametrize("width", [60, 80, 120])
    def test_keeps_to_its_width(self, width: int) -> None:
        for result in RESULTS.values():
            for details in (False, True):
                lines = render(result, width=width, details=details).splitlines()
                assert max(map(len, lines)) <= width

    def test_hundred_models_are_readable(self) -> None:
        text = render(examples.many_models(100), details=True)
        assert "… 4,930 more in the JSON" in text
        assert "… 60 more in the JSON" in text
        assert len(text.splitlines()) < 100

    def test_no_colour_unless_asked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")
        assert "\x1b" not in render(examples.two_models())
        colored = render(examples.two_models(), color=True)
        assert set(re.findall(r"\x1b\[[\d;]*(.)", colored)) == {"m"}

    @pytest.mark.parametrize("details", [False, True])
    @pytest.mark.parametrize("color", [False, True])
    def test_hostile_names_stay_text(self, color: bool, details: bool) -> None:
        text = render(hostile(), width=120, color=color, details=details)
        text = re.sub(r"\x1b\[[\d;]*m", "", text) if color else text
        assert {letter for letter in text if unicodedata.category(letter) == "Cc"} == {"\n"}
        assert "\u202e" not in text
        assert "[bold red]markup[/]" in text
        assert "⟨U+202E⟩gpj.exe" in text

    def test_for_print(self) -> None:
        assert as_text(examples.two_models()) == render(examples.two_models()).rstrip("\n")


class TestMarkdown:
    def test_rows_keep_their_columns(self) -> None:
        lines = [line for line in render(hostile(), "markdown").splitlines() if line[:1] == "|"]
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
        assert counts == {8, 10}  # seven columns of differences, nine of estimates

    def test_nothing_becomes_markup(self) -> None:
        text = render(hostile(), "markdown")
        assert "<script" not in text.replace("\\<script", "")
        assert "@team" not in text
        assert "](" not in text.replace("\\](", "")
        assert not re.search(r"(?<!\\)`code", text)

    def test_a_command_with_backticks_stays_in_its_block(self) -> None:
        text = render(examples.two_models(), "markdown", command="assay compare '```'")
        assert "````\nassay compare '```'\n````" in text

    def test_many_rows_are_counted(self) -> None:
        assert "… 4,900 more in the JSON" in render(examples.many_models(100), "markdown")


class TestLatex:
    def test_caption_says_what_the_interval_is(self) -> None:
        text = render(examples.two_models(), "latex")
        assert "with 95\\% intervals (Wilson), best first." in text
        assert "\\toprule" in text
        assert "\\textbf{forest} & logistic & $+0.025$ & $[+0.003,\\ +0.047]$ & $.024$" in text

    def test_no_name_is_a_command(self) -> None:
        text = render(hostile(), "latex")
        assert "\\input" not in text
        assert "\\textbackslash{}input\\{x\\}" in text
        assert "\\frac" not in text
        for line in text.splitlines():
            bare = re.sub(r"\\[{}]", "", line)
            assert bare.count("{") == bare.count("}"), line

    def test_rows_keep_their_columns(self) -> None:
        rows = [line for line in render(hostile(), "latex").splitlines() if line.endswith("\\\\")]
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {6, 8}

    def test_no_row_starts_with_what_a_line_end_would_swallow(self) -> None:
        for line in render(hostile(), "latex").splitlines():
            assert not re.match(r"\s*(\*|\[)", line)

    def test_many_rows_are_counted(self) -> None:
        assert "4,900 more rows are left out" in render(examples.many_models(100), "latex")


class TestCsv:
    def rows(self, result: Result) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(render(result, "csv"))))

    def test_unrounded_numbers_in_one_rectangle(self) -> None:
        rows = self.rows(examples.two_models())
        assert [row["table"] for row in rows] == [
            "differences", "estimates", "estimates", "also", "also", "notes",
        ]  # fmt: skip
        assert (rows[0]["effect"], rows[0]["low"], rows[0]["p"]) == ("0.025", "0.0034", "0.0238")
        assert rows[1]["model"] == "forest"

    def test_no_cell_is_a_formula(self) -> None:
        for row in self.rows(hostile()):
            for value in row.values():
                if value[:1] in set("=+-@\t\r"):
                    float(value)  # a number may be negative, nothing else may start like this

    def test_every_row_is_there(self) -> None:
        assert len(self.rows(examples.many_models(40))) == 40 * 39 // 2 + 40

    def test_undefined_is_empty(self) -> None:
        row, *notes = self.rows(examples.undefined())
        assert {one["table"] for one in notes} == {"notes"}
        assert (row["estimate"], row["low"]) == ("", "")

    def test_text_among_details_is_guarded(self) -> None:
        rows = self.rows(examples.outcome(0.1, 0.0, 0.2, 0.04))
        assert [row["value"] for row in rows[1:]] == ["62", "37", "score"]


class TestJson:
    def test_names_come_back_unchanged(self) -> None:
        document = json.loads(render(hostile(), "json"))
        assert document["evidence"]["models"] == list(HOSTILE)


class TestFragment:
    def test_escaped_and_without_network(self) -> None:
        text = as_html_fragment(hostile())
        assert "<script>" not in text
        assert "&lt;script&gt;" in text
        assert not re.search(r"(src|href)=", text)

    def test_has_the_verdict_and_the_numbers(self) -> None:
        text = as_html_fragment(examples.two_models())
        assert "forest is better than logistic" in text
        assert "+0.025 [+0.003, +0.047]" in text
