"""Numbers put into formulas, and the arithmetic behind them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.results import Interval
from assay.report.formulas import bare, evaluated, filled, number

NUMBERS = st.floats(-1e6, 1e6)


class TestFilled:
    def test_mcnemar(self) -> None:
        names = {"only_a": 10, "only_b": 4, "z": 6 / 14**0.5, "chi2": 36 / 14}
        assert filled("z = (only_a - only_b)/sqrt(only_a + only_b), chi2 = z²", names) == (
            "z = (10 - 4)/sqrt(10 + 4) = 1.60357, chi2 = 1.60357² = 2.57143"
        )

    def test_later_definitions_are_worked_out(self) -> None:
        found = filled("z = d/se, se = sqrt(p (1 - p)/n), p = errors/n", {"errors": 20, "n": 100})
        assert found == "z = d/0.04, se = sqrt(0.2 · (1 - 0.2)/100) = 0.04, p = 20/100 = 0.2"

    def test_an_interval_follows_what_has_two_ends(self) -> None:
        interval = Interval(low=-0.5, high=1.25, level=0.95, method="x")
        names = {"mean": 0.375, "se": 0.446, "z": 1.96}
        assert filled("mean ± z se, se = s/2", names, interval) == (
            "0.375 ± 1.96 · 0.446 = [-0.5, 1.25], se = s/2 = 0.446"
        )

    def test_words_are_left_alone(self) -> None:
        names = {"mean": 3.0, "errors": 7, "p": 0.02}
        assert filled("p = share with mean of ranks or errors seen", names) == (
            "p = share with mean of ranks or 7 seen = 0.02"
        )
        assert filled("t(df) and mean(x)", {"t": 2.0, "mean": 1.0, "df": 9}) == "t(9) and mean(x)"

    def test_negative_numbers_are_set_apart(self) -> None:
        assert filled("a - b", {"a": -1.5, "b": -2}) == "(-1.5) - (-2)"
        assert filled("|a| + Phi(a) + (a)", {"a": -1.5}) == "|-1.5| + Phi(-1.5) + (-1.5)"

    def test_squares_on_the_left(self) -> None:
        assert filled("se² = a/b", {"se": 0.5, "a": 1, "b": 4}) == "se² = 1/4 = 0.25"

    def test_nothing_known(self) -> None:
        assert (
            filled("closed testing with Simes' test", {"m": 3}) == "closed testing with Simes' test"
        )


class TestEvaluated:
    @pytest.mark.parametrize(
        ("expression", "value"),
        [
            ("2 · 3 + 4/2", 8.0),
            ("2 (3 + 1)", 8.0),
            ("(1 + 1)(2 + 2)", 8.0),
            ("2² + 2^3", 12.0),
            ("sqrt(16) sqrt(4)", 8.0),
            ("|3 - 5| min(2, 3)", 4.0),
            ("(1 − level)/2", 0.025),
            ("n k", 48.0),
        ],
    )
    def test_arithmetic(self, expression: str, value: float) -> None:
        names = {"level": 0.95, "n": 12, "k": 4}
        assert evaluated(expression, names) == pytest.approx(value)

    @given(NUMBERS, NUMBERS)
    def test_all_digits_are_used(self, a: float, b: float) -> None:
        assert evaluated("a - b", {"a": a, "b": b}) == a - b

    @pytest.mark.parametrize(
        "expression",
        [
            "__import__('os')",
            "x",
            "1/0",
            "sum of ranks",
            "open('f')",
            "a.b",
            "[1, 2]",
            "",
            "'text'",
        ],
    )
    def test_anything_else_is_nothing(self, expression: str) -> None:
        assert evaluated(expression, {"a": 1.0}) is None


class TestNumber:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (3, "3"),
            (3.0, "3"),
            (-2.5, "(-2.5)"),
            (1 / 3, "0.333333"),
            (float("inf"), "∞"),
            (1e-9, "1e-09"),
        ],
    )
    def test_as_it_stands_in_a_formula(self, value: float, text: str) -> None:
        assert number(value) == text

    def test_alone(self) -> None:
        assert bare(-2.5) == "-2.5"
        assert bare("median") == "median"
