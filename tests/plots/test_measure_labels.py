"""Names in figures: short, and as different as they came."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.formatting import clean_name
from assay.plots.measure_labels import measure_label, short_names


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


@pytest.mark.parametrize(
    ("measure", "label"),
    [
        ("mean_cost[0,1;1,0]", "mean cost ↓"),
        ("total_cost[0,1;1,0|a,b]", "total cost ↓"),
        ("weighted_accuracy[1,2,3,4]", "weighted accuracy ↑"),
        ("partial_auc[0.2]", "AUC up to FPR 0.2 ↑"),
        ("log_strength", "log strength ↑"),
        ("log_loss", "log_loss ↓"),
        ("speed[0]", "speed[0]"),
    ],
)
def test_nobody_reads_the_table_of_costs_in_a_heading(measure: str, label: str) -> None:
    assert measure_label(measure) == label
