"""Names made safe, numbers written to the digit that their uncertainty supports."""

import math
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.core.results import Estimate, Interval, TestOutcome
from assay.core.text_formatting import (
    clean,
    clean_name,
    finest_of,
    say_p,
    shorten,
    write_estimate,
    write_number,
    write_p,
)
from assay.plots.measure_labels import direction_of, measure_label, measure_title


def estimate(value: float | None, low: float | None = None, high: float | None = None) -> Estimate:
    interval = None
    if low is not None and high is not None:
        interval = Interval(low=low, high=high, level=0.95, method="wilson")
    return Estimate(
        measure="accuracy", value=value, interval=interval, method="wilson", n=10, unit="item"
    )


def outcome(p: float | None, **details: float) -> TestOutcome:
    return TestOutcome(
        method="mcnemar",
        statistic=None,
        p_value=p,
        effect=estimate(0.1),
        details=tuple(details.items()),
    )


class TestClean:
    def test_terminal_sequences_vanish(self) -> None:
        assert clean("\x1b[31mred\x1b[0m") == "red"
        assert clean("\x1b]0;title\x07name\x9b2J") == "name"
        assert clean("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\") == "link"
        assert clean("\x1bPq#0\x1b\\after") == "after"

    def test_an_unfinished_sequence_does_not_swallow_the_text(self) -> None:
        assert clean("\x1b]0;rest of the name") == "0;rest of the name"

    def test_lines_become_one_line(self) -> None:
        assert clean("a\r\nb\tc\u2028d") == "a b c d"

    def test_what_reorders_or_hides_is_shown(self) -> None:
        assert clean("\u202egpj.exe") == "⟨U+202E⟩gpj.exe"
        assert clean("a\u200bb\U000e0041") == "a⟨U+200B⟩b⟨U+E0041⟩"

    def test_half_characters_can_be_encoded(self) -> None:
        assert clean("a\ud800").encode() == "a\ufffd".encode()

    def test_names_in_other_scripts_stay(self) -> None:
        for name in ("模型", "نموذج", "Größe", "é̄", "🙂", "می‌خواهم"):
            assert clean(name) == name

    @given(st.text(alphabet=st.characters()))
    def test_nothing_of_a_control_survives(self, text: str) -> None:
        shown = clean(text)
        assert not {unicodedata.category(letter) for letter in shown} & {"Cc", "Cs", "Zl", "Zp"}
        assert clean(shown) == shown

    def test_a_model_always_has_a_name(self) -> None:
        assert clean_name(None) == clean_name("") == clean_name("\x00 ") == "(unnamed)"


class TestShorten:
    def test_keeps_both_ends(self) -> None:
        assert shorten("abcdefghij", 5) == "ab…ij"
        assert shorten("abcdefghij", 6) == "abc…ij"

    def test_leaves_short_text_alone(self) -> None:
        assert shorten("abcde", 5) == "abcde"

    @given(st.text(), st.integers(1, 50))
    def test_never_longer(self, text: str, width: int) -> None:
        assert len(shorten(text, width)) <= width


class TestWriteEstimate:
    def test_two_digits_of_the_half_width(self) -> None:
        assert str(write_estimate(estimate(0.83412, 0.8161, 0.8514))) == "0.834 [0.816, 0.851]"
        assert str(write_estimate(estimate(48237.0, 47000.0, 49500.0))) == "48200 [47000, 49500]"

    def test_differences_carry_their_sign(self) -> None:
        written = write_estimate(estimate(0.0251, -0.0034, 0.0536), signed=True)
        assert str(written) == "+0.025 [−0.003, +0.054]"

    def test_zero_has_no_sign(self) -> None:
        written = write_estimate(estimate(-0.00001, -0.02, 0.02), signed=True)
        assert str(written) == "0.000 [−0.020, +0.020]"

    def test_rounding_never_touches_the_null(self) -> None:
        close = estimate(0.0099, 0.00003, 0.0197)
        assert str(write_estimate(close)) == "0.0099 [0.0000, 0.0197]"
        assert str(write_estimate(close, null=0.0)) == "0.00990 [0.00003, 0.01970]"

    def test_rounding_never_touches_the_margin(self) -> None:
        inside = estimate(0.0, -0.0099996, 0.0099996)
        assert write_estimate(inside, null=0.0).interval == "[−0.0100, 0.0100]"
        within = write_estimate(inside, null=0.0, margin=0.01)
        assert within.interval == "[−0.0099996, 0.0099996]"

    def test_the_other_side_of_the_margin_needs_no_digits(self) -> None:
        far = estimate(0.0378, 0.01997, 0.0556)
        assert write_estimate(far, null=0.0, margin=0.02).interval == "[0.020, 0.056]"

    def test_one_sided(self) -> None:
        assert str(write_estimate(estimate(0.8, 0.71, math.inf))) == "0.800 [0.710, ∞)"
        assert str(write_estimate(estimate(0.8, -math.inf, 0.89))) == "0.800 (−∞, 0.890]"

    def test_without_an_interval(self) -> None:
        assert str(write_estimate(estimate(0.123456))) == "0.1235"

    def test_undefined(self) -> None:
        assert str(write_estimate(estimate(None))) == "undefined"
        assert str(write_estimate(estimate(None, 0.1, 0.9))) == "undefined [0.10, 0.90]"

    @given(st.floats(-10, 10), st.floats(1e-6, 5), st.floats(0, 1), st.floats(1e-3, 2) | st.none())
    @example(low=2e-9, width=5.0, share=0.5, margin=None)
    def test_what_is_printed_decides_as_the_interval_does(
        self, low: float, width: float, share: float, margin: float | None
    ) -> None:
        high = low + width
        if min(abs(low), abs(high)) < 1e-9 or (
            margin and min(abs(low + margin), abs(high - margin)) < 1e-9
        ):
            return  # closer than any reader can see
        written = write_estimate(
            estimate(low + share * width, low, high), null=0.0, margin=margin
        ).interval
        printed_low, printed_high = map(float, written.replace("−", "-").strip("[()]").split(", "))
        above = printed_low > 0 or written.startswith("(0")  # an open end is left out
        below = printed_high < 0 or (printed_high == 0 and written.endswith(")"))
        assert (above, below) == (low > 0, high < 0)
        if margin is not None:
            assert (printed_low > -margin, printed_high < margin) == (low > -margin, high < margin)


class TestWriteP:
    @pytest.mark.parametrize(
        ("p", "text"),
        [
            (0.0312, ".031"),
            (0.0004, "< .001"),
            (3e-22, "< .001"),
            (0.0, "< .001"),
            (0.31, ".31"),
            (0.0996, ".10"),
            (0.08, ".080"),
            (0.9951, "> .99"),
            (1.0, "> .99"),
            (None, "undefined"),
        ],
    )
    def test_as_readers_expect(self, p: float | None, text: str) -> None:
        assert write_p(outcome(p)) == text

    def test_stays_on_its_side_of_alpha(self) -> None:
        assert write_p(outcome(0.0504), alpha=0.05) == ".0504"
        assert write_p(outcome(0.0500001), alpha=0.05) == ".0500001"
        assert float(write_p(outcome(0.04999), alpha=1 - 0.95)) <= 0.05
        assert write_p(outcome(0.0007), alpha=0.0005) == ".0007"
        assert write_p(outcome(0.0003), alpha=0.0005) == ".0003"

    def test_in_a_sentence(self) -> None:
        assert say_p(outcome(0.0312)) == "p = .031"
        assert say_p(outcome(1e-9)) == "p < .001"
        assert say_p(outcome(None)) == "p undefined"

    @given(st.floats(1e-12, 1.0), st.sampled_from([0.0001, 0.01, 0.05, 0.1]))
    def test_never_contradicts_the_test(self, p: float, alpha: float) -> None:
        if abs(p - alpha) <= 1e-9:
            return
        text = write_p(outcome(p), alpha=alpha)
        bounds = {"< .001": 0.0, "> .99": 1.0}
        assert (bounds.get(text, float(text.strip("<> "))) <= alpha) == (p <= alpha)


class TestWriteNumber:
    def test_kinds(self) -> None:
        assert [write_number(value) for value in (1234, 3.0, 0.123456, "a\nb", True, None)] == [
            "1,234", "3", "0.1235", "a b", "yes", "undefined",
        ]  # fmt: skip
        assert write_number(math.inf) == "inf"
        assert write_number(-0.25) == "−0.25"


class TestFinest:
    def test_rows_of_a_table_have_the_same_digits(self) -> None:
        wide, narrow = estimate(0.65, 0.53, 0.78), estimate(0.626, 0.536, 0.716)
        finest = finest_of([wide, narrow])
        assert str(write_estimate(wide, finest=finest)) == "0.650 [0.530, 0.780]"
        assert str(write_estimate(narrow, finest=finest)) == "0.626 [0.536, 0.716]"

    def test_not_where_they_differ_tenfold(self) -> None:
        assert finest_of([estimate(0.5, 0.1, 0.9), estimate(0.5, 0.49, 0.51)]) is None
        assert finest_of([]) is None


def test_an_end_that_was_searched_for_stands_on_the_null() -> None:
    """An exact test that does not reject 0.5 ends there; the search stops a hair beyond it."""
    one = estimate(0.4, 0.3055, 0.5 + 1.25e-9)
    assert str(write_estimate(one, null=0.5)) == "0.400 [0.306, 0.500]"


class TestMeasures:
    def test_arrows_point_to_the_better_side(self) -> None:
        assert measure_label("accuracy") == "accuracy ↑"
        assert measure_label("log_loss") == "log_loss ↓"
        assert measure_label("own_score") == "own_score"
        assert measure_label("own_score", "lower") == "own_score ↓"

    def test_a_bias_has_no_better_side(self) -> None:
        assert direction_of("mean_error") is None

    def test_titles_are_prose(self) -> None:
        assert measure_title("log_loss") == "log loss"
        assert measure_title("own_score") == "own_score"


def test_an_end_on_the_null_but_for_rounding_is_written_as_left_out() -> None:
    """The inversion of a rank test that rejects zero may end at zero: 0.1 + 0.2 - 0.3 is no 0."""
    interval = Interval(low=-0.04, high=0.3 - 0.1 - 0.2, level=0.95, method="wilcoxon")
    one = Estimate(
        measure="auc", value=-0.0147, interval=interval, method="wilcoxon", n=14, unit="dataset"
    )
    assert str(write_estimate(one, null=0.0)) == "−0.015 [−0.040, 0.000)"
    assert str(write_estimate(one, null=0.0, signed=True)) == "−0.015 [−0.040, 0.000)"
