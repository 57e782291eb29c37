"""The address as state: what it asks, what is wrong with it, and back again."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evidence.reading_options import Options
from assay.web.limits import MAX_MODELS, MAX_TEXT
from assay.web.page_state import ASKING, LISTS, READING, field_of, parse, settled, written
from assay.web.reading_form import FORM, LABELS, in_page_words


class TestParse:
    def test_reading_and_asking(self) -> None:
        asked = parse(
            [("truth", "y"), ("models", "a"), ("models", "b"), ("margin", "0.01"), ("paired", "no")]
        )
        assert asked.reading() == {"truth": "y", "paired": False, "models": ["a", "b"]}
        assert asked.asking() == {"level": 0.95, "rng": 0, "margin": 0.01}
        assert asked.problems == {}

    def test_what_is_empty_or_unknown_is_left_out(self) -> None:
        assert parse([("truth", " "), ("utm_source", "x"), ("margin", "")]).texts == {}

    def test_a_margin_of_zero_is_none(self) -> None:
        assert "margin" not in parse([("margin", "0")]).asking()

    @pytest.mark.parametrize(
        ("name", "value", "words"),
        [
            ("level", "2", "from 0.5 to 0.9999"),
            ("level", "high", "not a number"),
            ("margin", "inf", "from 0 up"),
            ("resamples", "99", "from 100 to 100,000"),
            ("seed", "-1", "whole number"),
            ("unit", "planet", "one of item, fold"),
            ("truth", "x" * (MAX_TEXT + 1), "longer"),
        ],
    )
    def test_problems_say_what_is_needed(self, name: str, value: str, words: str) -> None:
        asked = parse([(name, value)])
        assert words in asked.problems[name]
        assert name not in asked.texts

    def test_too_many_models(self) -> None:
        asked = parse([("models", str(place)) for place in range(MAX_MODELS + 1)])
        assert "at most" in asked.problems["models"]

    @given(
        st.dictionaries(st.sampled_from(("truth", "measure", "baseline")), st.text(min_size=1)),
        st.lists(st.text(min_size=1, max_size=20), unique=True, max_size=5),
    )
    def test_an_address_gives_back_what_made_it(
        self, texts: dict[str, str], models: list[str]
    ) -> None:
        asked = parse([*texts.items(), *(("models", model) for model in models)])
        query = urlsplit(asked.address("/e/x")).query
        again = parse(parse_qsl(query, keep_blank_values=True))
        assert (again.texts, again.models) == (asked.texts, asked.models)

    def test_a_change_in_the_address(self) -> None:
        asked = parse([("truth", "y"), ("margin", "0.1")])
        assert asked.address("/e/x", margin=None, level="0.9") == "/e/x?truth=y&level=0.9"


class TestFieldOf:
    @pytest.mark.parametrize(
        ("message", "field"),
        [
            ("data.csv has no column 'z' for truth; it has 'a'", "truth"),
            ("a.csv has 2 columns that could be the id: 'id', 'item'; say which with id=", "id"),
            ("no model 'x' to be the baseline; there are a, b", "baseline"),
            ("a margin of 5 is the whole range of accuracy [0, 1]", "margin"),
            ("there is no measure 'acuracy'; did you mean accuracy?", "measure"),
            ("one model (a) is there: give a second one, or the level", "against"),
            ("something else altogether", None),
        ],
    )
    def test_errors_find_their_field(self, message: str, field: str | None) -> None:
        assert field_of(message) == field

    def test_fields_do_not_clash(self) -> None:
        assert not set(READING) & set(ASKING)


class TestTold:
    def test_every_option_of_the_door_can_be_set(self) -> None:
        """As the command line has them; what else Python takes is about arrays and large files."""
        elsewhere = {"slice", "threshold", "scores", "measure", "judge", "labelled_at"}
        named = {field.name for group in FORM for field in group.fields}
        assert set(Options.__annotations__) - elsewhere == named - {"by_position"}
        assert named == {*READING, *LISTS, "missing"}

    def test_what_is_told_reaches_the_reading(self) -> None:
        said = [
            ("correct", "yes"), ("lower_is_better", "no"), ("by_position", "yes"), ("folds", "10"),
            ("test_share", "0.25"), ("names", "id, truth ,a"), ("where", "split=test"),
            ("where", "x=1"), ("ignore", "age, old"), ("missing", "wrong"),
        ]  # fmt: skip
        asked = parse(said)
        assert asked.problems == {}
        assert asked.reading() == {
            "correct": True, "lower_is_better": False, "id": False, "folds": 10, "test_share": 0.25,
            "names": ["id", "truth", "a"], "where": ["split=test", "x=1"], "ignore": ["age, old"],
            "missing": "wrong",
        }  # fmt: skip
        assert asked.asking()["lower_is_better"] is False

    @pytest.mark.parametrize(
        "arguments",
        [
            {"id": False}, {"correct": True}, {"lower_is_better": False}, {"models": ["a", "b,c"]},
            {"folds": 10, "repeats": 5}, {"where": ["split=test"]}, {"test_share": 0.3},
            {"id": "item", "repeat": "rater"}, {"names": ["id", "y"]}, {"positive": "1"},
        ],
    )  # fmt: skip
    def test_an_answer_becomes_the_options_it_stands_for(
        self, arguments: dict[str, object]
    ) -> None:
        assert parse(written(arguments)).reading() == arguments

    def test_answers_replace_what_they_are_about(self) -> None:
        pairs = [
            ("margin", "0.1"),
            ("models", "x"),
            ("answer-0", "models=a&models=b%2Cc"),
            ("answer", ""),
        ]
        assert settled("/e/k", pairs) == "/e/k?margin=0.1&models=a&models=b%2Cc"
        assert settled("/e/k", [("margin", "0.1")]) is None
        assert settled("/e/k", [("answer", ""), ("test_share", "0.3")]) == "/e/k?test_share=0.3"

    def test_what_a_judge_answers_stands_in_its_tab(self) -> None:
        pairs = [("answer-0", "truth=human&judge=gpt"), ("answer-1", "correct=yes")]
        assert settled("/e/k", pairs) == "/e/k/judge?people=human&judge=gpt"

    @pytest.mark.parametrize(
        ("name", "value", "words"),
        [
            ("folds", "1", "from 2"), ("test_share", "1.5", "from 0.001 to 0.999"),
            ("correct", "maybe", "Choose"), ("decimal", "dot", "comma, point"),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_said(self, name: str, value: str, words: str) -> None:
        assert words in parse([(name, value)]).problems[name]


class TestWords:
    @pytest.mark.parametrize(
        ("message", "words"),
        [
            ("name the one with the truth with truth=", "with “Column with the truth”"),
            ("positive='x' is no class", "“Positive class”: x is no class"),
            ("add lower_is_better=True", "add “Better values are”: lower"),
            ("id=False pairs them by position", "“Ignore ids: pair the rows by their order” pairs"),
            ("missing='complete' leaves", "“A blank means”: leave out its row leaves"),
        ],
    )
    def test_options_are_called_as_their_fields(self, message: str, words: str) -> None:
        assert words in in_page_words(message)

    def test_every_field_has_a_label(self) -> None:
        assert set(LABELS) >= {*READING, *LISTS, *ASKING}
