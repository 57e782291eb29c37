"""Names in figures: short, and as different as they came."""

from hypothesis import given
from hypothesis import strategies as st

from assay.core.formatting import clean_name
from assay.plots.measure_labels import short_names


class TestShortNames:
    def test_short_names_stay(self) -> None:
        assert short_names(["tree", "net"], 8) == ("tree", "net")

    def test_long_names_are_cut_in_the_middle(self) -> None:
        assert short_names(["gradient-boosting-large"], 9) == ("grad…arge",)

    def test_names_that_would_be_the_same_are_cut_less(self) -> None:
        names = ["meta/Llama-8B-Instruct", "meta/Llama-70B-Instruct"]
        first, second = short_names(names, 10)
        assert first != second

    @given(st.lists(st.text(max_size=30), max_size=6))
    def test_different_names_stay_different(self, names: list[str]) -> None:
        short = short_names(names, 6)
        assert len(set(short)) == len({clean_name(name) for name in names})
