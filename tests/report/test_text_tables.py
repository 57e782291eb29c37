"""Narrow terminals: words and numbers stay whole."""

import numpy as np
import pytest

import assay
from assay.core.results import Comparison, Comparisons

MODELS = ("gradient_boosting", "logistic_regression", "random_forest")


def compared(*models: str, sliced: bool = True) -> Comparison | Comparisons:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 300)
    columns = {
        name: np.where(rng.random(300) < 0.05 * place, 1 - truth, truth)
        for place, name in enumerate(models, 1)
    }
    if not sliced:
        return assay.compare({"truth": truth, **columns}, rng=1)
    regions = np.array(["north", "south-west", "east"])[rng.integers(0, 3, 300)]
    return assay.compare(
        {"truth": truth, **columns, "region": regions}, truth="truth", models=models,
        slice="region", rng=1,
    )  # fmt: skip


class TestPrintTable:
    @pytest.mark.parametrize("width", [60, 80, 120])
    @pytest.mark.parametrize("count", [2, 3])
    @pytest.mark.parametrize("sliced", [True, False])
    def test_no_word_is_broken(self, width: int, count: int, sliced: bool) -> None:
        lines = assay.render(
            compared(*MODELS[:count], sliced=sliced), width=width, details=True
        ).splitlines()
        assert max(map(len, lines)) <= width
        whole = {*MODELS, "accuracy", "undecided", "better", "verdict", "south-west", "measure"}
        tables = " ".join(lines).replace("south- west", "south-west").split()
        for word in whole:
            for cut in range(3, len(word)):
                assert not (word[:cut] in tables and word[cut:] in tables), (word, cut)

    def test_what_all_rows_share_is_said_once(self) -> None:
        text = assay.render(compared(*MODELS[:2]), width=80, details=True)
        shared = (
            "In all rows: measure accuracy, first gradient_boosting, second logistic_regression."
        )
        assert shared in " ".join(text.split())
        assert "slice        difference" in text
        assert "south-west" in text

    def test_names_stand_above_their_numbers(self) -> None:
        lines = assay.render(compared(*MODELS), width=60, details=True).splitlines()
        place = lines.index("all · gradient_boosting · random_forest")
        assert lines[place + 1].split()[-1] == "better"
        assert lines.index("slice · first · second") < place

    def test_all_words_stand_above_where_numbers_take_all_the_room(self) -> None:
        names = ("first_of_three", "second_of_three", "third_of_three")
        ahead = np.array([1, -1, 1, -1, 2, -1, 1, -1])  # on as many data sets as behind
        scores = {name: 0.8 - 0.01 * place * ahead for place, name in enumerate(names)}
        table = {"dataset": list("abcdefgh"), **scores}
        found = assay.compare(table, measure="accuracy")
        lines = assay.render(found, width=60, details=True).splitlines()
        place = lines.index("first · second · verdict")
        assert "first_of_three · third_of_three · undecided" in lines[place:]
        assert not any("…" in line for line in lines[place : place + 10])

    @pytest.mark.parametrize("width", [40, 50, 60])
    def test_no_number_is_cut_short(self, width: int) -> None:
        rng = np.random.default_rng(1)
        truth = rng.integers(0, 2, 300)
        models = {name: np.where(rng.random(300) < 0.2, 1 - truth, truth) for name in "abc"}
        found = assay.compare({"truth": truth, **models}, margin=0.02, rng=1)
        text = assay.render(found, width=width, details=True)
        assert max(map(len, text.splitlines())) <= width
        assert "…" not in text
        place = text.index("Estimates of")
        assert "undecided 2" in text[place:]
        assert text[place:].count("n 300") == 3

    def test_a_wide_terminal_has_one_line_a_row(self) -> None:
        text = assay.render(compared(*MODELS), width=130, details=True)
        assert "In all rows" not in text
        assert "accuracy   all          gradient_boosting" in text
