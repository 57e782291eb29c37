"""The answer at a glance: few words, the right ones, and intervals where they belong."""

from dataclasses import replace
from typing import Any

import pytest

from assay.compare.compare import compare
from assay.core.results import Comparison, Evaluation
from assay.estimates.evaluate import evaluate
from assay.report.headline import best_first, headline, short
from assay.report.views import view
from assay.web import chart_data
from assay.web.answer_card import MOST_ROWS, glance, strip

TRUTH = [1, 1, 0, 0, 1, 0, 1, 0] * 25
GOOD, FAIR = (
    TRUTH[:190] + [1 - one for one in TRUTH[190:]],
    TRUTH[:150] + [1 - one for one in TRUTH[150:]],
)


def compared(margin: float | None = None, /, **models: Any) -> Comparison:
    found: Comparison = compare({"truth": TRUTH, **models}, margin=margin, rng=1)
    return found


class TestHeadline:
    @pytest.mark.parametrize(
        ("models", "margin", "words"),
        [
            ({"good": GOOD, "fair": FAIR}, None, "good is better than fair"),
            ({"fair": FAIR, "good": GOOD}, None, "good is better than fair"),  # the winner first
            ({"good": GOOD, "same": [*GOOD[:199], TRUTH[199]]}, None, "No clear difference"),
            ({"good": GOOD, "fair": FAIR}, 0.5, "good and fair are equivalent"),
            ({"good": GOOD, "fair": FAIR, "twin": list(FAIR)}, None,
             "good is better than both others"),
        ],
    )  # fmt: skip
    def test_the_answer(self, models: dict[str, Any], margin: float | None, words: str) -> None:
        assert headline(compared(margin, **models)) == words

    def test_a_baseline_and_a_level(self) -> None:
        table = {"truth": TRUTH, "good": GOOD, "fair": FAIR, "third": GOOD[::-1]}
        found = compare(table, baseline="fair", rng=1)
        assert headline(found) == "1 of 2 models are better than fair"
        found = compare({"truth": TRUTH, "good": GOOD}, against=0.5, rng=1)
        assert headline(found).startswith("good is better than")

    def test_who_ranks_first_is_not_called_better_than_all(self) -> None:
        close = [*GOOD[:199], TRUTH[199]]
        found = compared(good=GOOD, close=close, fair=FAIR)
        assert headline(found) == "close ranks first; clearly better than 1 of 2 others"

    def test_unknown_direction_is_neutral(self) -> None:
        rows = [f"d{place}" for place in range(12)]
        values = [0.5 + place / 100 for place in range(12)]
        table = {
            "dataset": rows,
            "a": [one + 0.05 + one / 50 for one in values],
            "b": values,
        }
        found = compare(table, rng=1)
        assert headline(found) == "a has higher values than b"
        drawn = strip(found)
        assert drawn is not None
        assert (drawn.left, drawn.right) == ("", "")

    def test_at_most_twelve_words_whatever_models_are_called(self) -> None:
        long = "a model with a very long name of many words, v" + "9" * 80
        named = {f"{long} {place}": column for place, column in enumerate((GOOD, FAIR, FAIR[::-1]))}
        for found in (compared(**named), compared(**dict(list(named.items())[:2]))):
            assert len(headline(found).split()) <= 12
        assert len(short("x" * 300)) <= 26

    def test_long_names_that_begin_alike_stay_different(self) -> None:
        names = [f"gradient-boosted-trees-with-target-encoding-v{place}" for place in (1, 2)]
        found = compared(None, **dict(zip(names, (GOOD, FAIR), strict=True)))
        first, second = headline(found).split(" is better than ")
        assert ("v1" in first, "v2" in second) == (True, True)
        (row,) = strip(found).rows  # type: ignore[union-attr]
        assert ("v1" in row.label, "v2" in row.label, row.said) == (True, True, " − ".join(names))

    def test_one_model_shows_its_value(self) -> None:
        found = evaluate({"truth": TRUTH, "good": GOOD}, measures=["accuracy"])
        assert isinstance(found, Evaluation)
        assert headline(found).endswith("0.950")


class TestStrip:
    def test_zero_margin_and_interval_stand_in_order(self) -> None:
        drawn = strip(compared(0.02, good=GOOD, fair=FAIR))
        assert drawn is not None
        (row,) = drawn.rows
        assert drawn.margin is not None
        assert row.at is not None
        assert drawn.margin[0] < drawn.zero < drawn.margin[1] < row.low < row.at < row.high
        assert (drawn.left, drawn.right) == ("← fair better", "good better →")

    def test_it_says_what_the_table_says(self) -> None:
        """The card, the matrix, the forest plot and the table of pairs write a number alike."""
        result = compared(good=GOOD, fair=FAIR, third=GOOD[:120] + FAIR[120:])
        (table,) = [one for one in view(result).tables if one.name == "differences"]
        written = {cell.text for row in table.rows for cell in row}
        drawn, matrix = strip(result), chart_data.matrix(result)
        assert drawn is not None
        assert matrix is not None
        assert {row.text.split(" [")[0] for row in drawn.rows} <= written
        assert {cell[5] for cell in matrix["cells"] if cell[2] > 0} <= written
        assert {row["text"].split(" [")[0] for row in chart_data.forest(result)["rows"]} <= written

    def test_the_best_comes_first_everywhere(self) -> None:
        result = compared(fair=FAIR, good=GOOD, third=GOOD[:120] + FAIR[120:])
        order = best_first(result)
        assert order[0] == "good"
        assert [row["label"] for row in chart_data.estimates(result, "accuracy")["rows"]] == order
        matrix = chart_data.matrix(result)
        assert matrix is not None
        assert matrix["models"] == order

    def test_only_some_rows_and_none_without_intervals(self) -> None:
        models = {
            f"m{place}": TRUTH[: 100 + 8 * place] + [1 - one for one in TRUTH[100 + 8 * place :]]
            for place in range(12)
        }
        drawn = strip(compared(**models))
        assert drawn is not None
        assert len(drawn.rows) == MOST_ROWS
        result = compared(good=GOOD, fair=FAIR)
        bare = replace(
            result.verdict,
            outcome=replace(
                result.verdict.outcome,
                effect=replace(result.verdict.outcome.effect, interval=None),
            ),
        )
        assert strip(replace(result, verdicts=(bare,))) is None


class TestFacts:
    @pytest.mark.parametrize("models", [2, 3])
    def test_three_of_them(self, models: int) -> None:
        named = dict(list({"good": GOOD, "fair": FAIR, "third": FAIR[::-1]}.items())[:models])
        result = compared(**named)
        shown, more = glance(result, view(result).facts)
        assert len(shown) == 3
        assert shown[-1].text == "200 items"
        assert not set(shown) & set(more)
