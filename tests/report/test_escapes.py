"""Nothing a model is called leaves the place it was put in."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.formatting import clean
from assay.report.escapes import (
    for_csv,
    for_latex,
    for_markdown,
    number_for_latex,
    paragraph_for_markdown,
)

GREEK = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon "
    "varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
COMMANDS = {
    "textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater", "textbar",
    "textasciigrave", "symbol", "pm", "uparrow", "downarrow", "infty", "langle", "rangle", "times",
    "le", "ge", "ldots", "ne", "approx", "rightarrow", "surd", "cdot", *GREEK.split(),
}  # fmt: skip


class TestForMarkdown:
    @pytest.mark.parametrize(
        ("text", "escaped"),
        [
            ("a|b", "a\\|b"),
            ("<b>", "\\<b\\>"),
            ("`x` *y* _z_ ~~w~~ $m$", "\\`x\\` \\*y\\* \\_z\\_ \\~\\~w\\~\\~ \\$m\\$"),
            ("@team", "@<!-- -->team"),
            ("fixes #12", "fixes #<!-- -->12"),
            ("[t](http://x)", "[t\\](http\\://x)"),
            ("www.x.org", "www\\.x.org"),
            ("&lt;", "\\&lt;"),
            ("\\", "\\\\"),
            ("[0.1, 0.2]", "[0.1, 0.2]"),
        ],
    )
    def test_each_special(self, text: str, escaped: str) -> None:
        assert for_markdown(text) == escaped

    @pytest.mark.parametrize(
        ("text", "escaped"),
        [("# h", "\\# h"), ("- x", "\\- x"), ("+ x", "\\+ x"), ("12. x", "12\\. x"), ("a", "a")],
    )
    def test_the_start_of_a_line(self, text: str, escaped: str) -> None:
        assert paragraph_for_markdown(text) == escaped

    @given(st.text())
    def test_no_bare_special_is_left(self, text: str) -> None:
        escaped = for_markdown(clean(text)).replace("<!-- -->", "")
        assert not re.search(r"(?<!\\)[|<>`]", re.sub(r"\\\\", "", escaped))
        assert not re.search(r"@\w", for_markdown(text))


class TestForLatex:
    def test_commands_become_text(self) -> None:
        assert for_latex("\\input{x}") == "\\textbackslash{}input\\{x\\}"
        assert for_latex("50% & $5 #1_a^b~") == (
            "50\\% \\& \\$5 \\#1\\_a\\textasciicircum{}b\\textasciitilde{}"
        )

    def test_what_a_row_would_swallow(self) -> None:
        assert for_latex("[0.5cm]") == "{[}0.5cm{]}"
        assert for_latex("*") == "{*}"

    def test_two_hyphens_are_no_dash(self) -> None:
        assert for_latex("a---b") == "a-{}-{}-b"

    @given(st.text())
    def test_only_our_commands_and_balanced_braces(self, text: str) -> None:
        escaped = for_latex(clean(text))
        bare = re.sub(r"\\[{}$&#%_]", "", escaped)
        assert set(re.findall(r"\\([a-zA-Z]+)", bare)) <= COMMANDS
        assert not re.search(r"\\(?![a-zA-Z])", bare)
        assert bare.count("{") == bare.count("}")
        assert "%" not in bare


class TestNumberForLatex:
    @pytest.mark.parametrize(
        ("text", "typeset"),
        [
            ("+0.025", "$+0.025$"),
            ("[-0.003, +0.047]", "$[-0.003,\\ +0.047]$"),
            ("3×10⁻²²", "$3\\times10^{-22}$"),
            ("<10⁻³⁰⁰", "$<10^{-300}$"),
            ("1,000", "$1{,}000$"),
            ("[0.70, ∞)", "$[0.70,\\ \\infty)$"),
            ("undefined", "undefined"),
            ("±0.01", "$\\pm 0.01$"),
            ("−0.5", "$-0.5$"),
            ("[−0.003, +0.047]", "$[-0.003,\\ +0.047]$"),
            ("score", "score"),
            ("", ""),
        ],
    )
    def test_numbers_as_mathematics(self, text: str, typeset: str) -> None:
        assert number_for_latex(text) == typeset


class TestForCsv:
    @pytest.mark.parametrize("text", ["=cmd()", "+1", "-1", "@x", "  =x", "＝x"])
    def test_formulas_get_an_apostrophe(self, text: str) -> None:
        assert for_csv(text) == f"'{text}"

    @pytest.mark.parametrize("text", ["a=b", "", "model-1", "'x"])
    def test_other_text_stays(self, text: str) -> None:
        assert for_csv(text) == text


def test_dashes_are_typeset_by_every_engine() -> None:
    """LuaLaTeX's own font has no character for them: they were missing between Hodges and Lehmann."""
    assert for_latex("Hodges–Lehmann — twice") == "Hodges--Lehmann --- twice"
