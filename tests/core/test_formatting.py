"""Numbers as people read them."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.core.formatting import (
    finest_of,
    say_p,
    say_power,
    shown,
    shown_p,
    shown_percent,
    write_estimate,
    write_number,
    write_p,
)
from assay.core.results import Estimate, Interval, TestOutcome
from tests.written import number_of


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


@pytest.mark.parametrize(
    ("value", "half_width", "text"),
    [
        (0.84567, 0.0123, "0.846"),
        (0.84567, 0.123, "0.85"),
        (-0.00001, 0.012, "0.000"),
        (1234.5, 56.0, "1,235"),
        (0.5, None, "0.5"),
        (0.5, 0.0, "0.5"),
        (None, 0.1, "undefined"),
        (math.inf, None, "∞"),
        (-math.inf, 0.1, "−∞"),
    ],
)
def test_shown(value: float | None, half_width: float | None, text: str) -> None:
    assert shown(value, half_width) == text


@pytest.mark.parametrize(
    ("p_value", "text"),
    [
        (0.0314, "0.031"),
        (0.5, "0.50"),
        (0.00123, "0.0012"),
        (3.2e-22, "3×10⁻²²"),
        (4e-5, "4×10⁻⁵"),
        (1.0, "1.00"),
        (0.998, "0.998"),
        (0.0, "<10⁻³⁰⁰"),
        (None, "undefined"),
    ],
)
def test_shown_p(p_value: float | None, text: str) -> None:
    assert shown_p(p_value) == text


def test_shown_percent() -> None:
    assert shown_percent(0.95) == "95%"
    assert shown_percent(0.999) == "99.9%"


def test_a_half_is_rounded_alike_however_it_was_reached() -> None:
    """7/80 as a quotient and as a difference of accuracies differ in the last bit."""
    for one, other in ((7 / 80, 0.85 - 0.7625), (-7 / 80, 0.7625 - 0.85)):
        assert one != other
        assert shown(one, 0.03) == shown(other, 0.03)


def test_a_power_has_one_rounding() -> None:
    assert [say_power(value) for value in (0.0755, 0.5, 0.99951, None)] == [
        "7.5%",
        "50%",
        "over 99.9%",
        "no",
    ]


class TestWriteEstimate:
    def test_two_digits_of_the_half_width(self) -> None:
        assert str(write_estimate(estimate(0.83412, 0.8161, 0.8514))) == "0.834 [0.816, 0.851]"
        assert str(write_estimate(estimate(48237.0, 47000.0, 49500.0))) == "48,200 [47,000, 49,500]"

    def test_differences_carry_their_sign(self) -> None:
        written = write_estimate(estimate(0.0251, -0.0034, 0.0536), signed=True)
        assert str(written) == "+0.025 [−0.003, +0.054]"

    def test_what_is_infinite_has_no_ends(self) -> None:
        assert str(write_estimate(estimate(math.inf, math.inf, math.inf))) == "∞"

    def test_without_any_end_two_digits_are_enough(self) -> None:
        open_ = [estimate(value, -math.inf, math.inf) for value in (0.0780904, 0.0261471)]
        assert str(write_estimate(open_[0], signed=True)) == "+0.078 (−∞, ∞)"
        assert [write_estimate(one, finest=finest_of(open_)).value for one in open_] == [
            "0.078",
            "0.026",
        ]
        bounded = estimate(0.0123456, 0.0, 0.0247)
        assert finest_of([*open_, bounded]) == pytest.approx(0.01235)

    def test_what_belongs_together_has_the_same_digits(self) -> None:
        other = estimate(0.0230341, 0.0137, 0.0324)  # a narrower interval of the same difference
        assert str(write_estimate(other)) == "0.0230 [0.0137, 0.0324]"
        assert str(write_estimate(other, finest=0.019)) == "0.023 [0.014, 0.032]"
        sharp = estimate(0.0230341, 0.0229, 0.0231)  # of another kind: its own digits
        assert write_estimate(sharp, finest=0.019).value == write_estimate(sharp).value

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
        printed_low, printed_high = map(number_of, written.strip("[()]").split(", "))
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
        assert write_number(math.inf) == "∞"
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


def test_an_end_on_the_null_but_for_rounding_is_written_as_left_out() -> None:
    """The inversion of a rank test that rejects zero may end at zero: 0.1 + 0.2 - 0.3 is no 0."""
    interval = Interval(low=-0.04, high=0.3 - 0.1 - 0.2, level=0.95, method="wilcoxon")
    one = Estimate(
        measure="auc", value=-0.0147, interval=interval, method="wilcoxon", n=14, unit="dataset"
    )
    assert str(write_estimate(one, null=0.0)) == "−0.015 [−0.040, 0.000)"
    assert str(write_estimate(one, null=0.0, signed=True)) == "−0.015 [−0.040, 0.000)"
