"""What a cell is: class, number or nothing."""

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import (
    class_text,
    id_text,
    is_fraction,
    is_missing,
    is_whole,
    number_of,
    ordered,
    plural,
    quoted,
    refuse_mixed_types,
)


class TestClassText:
    @pytest.mark.parametrize(
        "value",
        [1, 1.0, "1", "+1", "1.", "1.0", "1.000", " 1", np.int8(1), np.float32(1), Decimal("1.00")],
        ids=repr,
    )
    def test_ones_are_one_class(self, value: Any) -> None:
        assert class_text(value) == "1"

    @pytest.mark.parametrize("value", [True, "true", "True", "TRUE", np.bool_(True)], ids=repr)
    def test_truths_are_one_class_and_not_one(self, value: Any) -> None:
        assert class_text(value) == "True"

    @pytest.mark.parametrize(
        "text", ["01", "1e0", "+01", " cat", "cat ", "", "1,0", "0x1", "None", "1.5", "Ⅻ", "١"]
    )
    def test_other_text_stays_as_it_is(self, text: str) -> None:
        assert class_text(text) == text

    @pytest.mark.parametrize("value", [0, 0.0, -0.0, "0", "-0", "-0.0"], ids=repr)
    def test_zero_has_no_sign(self, value: Any) -> None:
        assert class_text(value) == "0"

    @given(st.integers(-(10**15), 10**15))
    def test_a_whole_number_is_the_same_class_in_any_type(self, number: int) -> None:
        assert len({class_text(form) for form in (number, float(number), str(number))}) == 1

    @given(st.text(max_size=20))
    def test_canonical_text_is_a_fixed_point(self, text: str) -> None:
        assert class_text(class_text(text)) == class_text(text)


class TestIdText:
    def test_text_is_kept_and_numbers_are_whole(self) -> None:
        assert [id_text(v) for v in ("1.0", "01", 1, 1.0)] == ["1.0", "01", "1", "1"]


class TestNumberOf:
    @pytest.mark.parametrize(
        ("cell", "number"),
        [("1.5", 1.5), (" 2 ", 2.0), ("1e5", 1e5), (3, 3.0), (True, 1.0), (Decimal("0.5"), 0.5)],
    )
    def test_numbers(self, cell: Any, number: float) -> None:
        assert number_of(cell) == number

    @pytest.mark.parametrize("cell", ["1,5", "abc", "", "١", "1\u00a0", None, [1], 1j, "+-1"])
    def test_what_is_no_number(self, cell: Any) -> None:
        assert number_of(cell) is None

    def test_too_large_is_infinite(self) -> None:
        assert number_of("1e400") == math.inf
        assert number_of(10**400) == math.inf


class TestKindsOfNumbers:
    def test_whole_and_fraction(self) -> None:
        assert is_whole("3.0")
        assert not is_whole("3.5")
        assert is_fraction("3.5")
        assert not any(map(is_fraction, ("3.0", "x", "nan", "inf", None)))


class TestIsMissing:
    @pytest.mark.parametrize("cell", [None, math.nan, np.float32("nan"), "", " ", pd.NA, pd.NaT])
    def test_missing(self, cell: Any) -> None:
        assert is_missing(cell)

    @pytest.mark.parametrize("cell", [0, False, "NA", "nan"])
    def test_present(self, cell: Any) -> None:
        assert not is_missing(cell)


class TestOrdered:
    def test_numbers_by_number_and_words_by_text(self) -> None:
        assert ordered(["10", "9", "-1"]) == ("-1", "9", "10")
        assert ordered(["10", "9", "x"]) == ("10", "9", "x")
        assert ordered(["inf", "2", "10"]) == ("10", "2", "inf")

    @given(st.lists(st.text(max_size=5)), st.randoms())
    def test_order_does_not_depend_on_order(self, texts: list[str], random: Any) -> None:
        shuffled = list(texts)
        random.shuffle(shuffled)
        assert ordered(shuffled) == ordered(texts)


class TestRefuseMixedTypes:
    def test_zero_as_text_and_number(self) -> None:
        with pytest.raises(EvidenceError, match="'0' both as text and as a number"):
            refuse_mixed_types([0, "0", "1"], "column 'a'")

    def test_true_and_one(self) -> None:
        with pytest.raises(EvidenceError, match="mixes True/False with numbers"):
            refuse_mixed_types([True, 1], "column 'a'")

    def test_text_and_numbers_that_do_not_meet(self) -> None:
        refuse_mixed_types([0, 1, "unknown", None], "column 'a'")


class TestWords:
    def test_quoted_shortens_and_counts(self) -> None:
        assert quoted(["a", "b", "c"], 2) == "'a', 'b' and 1 more"
        assert len(quoted(["x" * 1000])) < 50

    def test_plural(self) -> None:
        assert [plural(1, "item"), plural(1200, "item"), plural(2, "class", "classes")] == [
            "1 item",
            "1,200 items",
            "2 classes",
        ]
