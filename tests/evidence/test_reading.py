"""The door: what was understood, what is open, and that every answer to a question leads on."""

from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import assay
from assay.core.errors import AssayError, EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.predictions import Predictions
from assay.evidence.reading import Reading, look, read
from assay.evidence.scores import Scores
from tests.evidence.forms import write_csv

RNG = np.random.default_rng(1)
TRUTH = RNG.integers(0, 2, 60)
GOOD = np.where(RNG.random(60) < 0.9, TRUTH, 1 - TRUTH)
FAIR = np.where(RNG.random(60) < 0.8, TRUTH, 1 - TRUTH)
RIGHT = {"item": [f"q{n}" for n in range(60)], "opus": GOOD == TRUTH, "llama": FAIR == TRUTH}


class Answer(str, Enum):  # noqa: UP042 - as people write it
    """Text that calls itself by another name."""

    YES = "y"
    NO = "n"


def codes(reading: Reading) -> list[str]:
    return [question.code for question in reading.questions]


def roles(reading: Reading) -> dict[str, str]:
    return {column.name: column.role for column in reading.columns}


class TestLook:
    def test_every_column_has_its_role_and_its_reason(self, tmp_path: Path) -> None:
        table: dict[str, Any] = {"patient": range(60), "age": RNG.integers(20, 90, 60)}
        table |= {"disease": TRUTH, "ai": GOOD, "reader": FAIR}
        reading = look(write_csv(tmp_path / "t.csv", table), truth="disease")
        found = roles(reading)
        assert found["patient"] == "id"
        assert found["age"] == "description"
        assert found["disease"] == "truth"
        assert reading.models == ("ai", "reader")
        assert all(column.why for column in reading.columns)
        assert codes(reading) == []

    def test_nothing_is_computed_and_nothing_refused(self) -> None:
        reading = look({"a": [0.1, 0.2], "b": [0.3, 0.4]})
        assert codes(reading)
        with pytest.raises(AmbiguousEvidence) as asked:
            reading.evidence()
        assert asked.value.questions == reading.questions
        assert asked.value.reading is reading

    def test_one_line_says_what_was_read(self) -> None:
        reading = look({"y": TRUTH, "a": GOOD})
        assert "predictions" in reading.sentence
        assert "1 model" in reading.sentence

    def test_evidence_is_given_back_as_it_is(self) -> None:
        evidence = read({"y": TRUTH, "a": GOOD})
        assert look(evidence).evidence() is evidence

    def test_ranges_and_blanks(self) -> None:
        frame = pd.DataFrame({"y": TRUTH, "a:score": [None, *RNG.random(59)]})
        (column,) = [c for c in look(frame).columns if c.name == "a:score"]
        assert column.missing == 1
        assert column.low is not None
        assert 0.0 <= column.low <= 1.0
        assert column.looked_at is None

    def test_what_was_seen_in_some_rows_is_said_to_be_of_these(self) -> None:
        graded = [row % 7 if row < 200 else None for row in range(2000)]
        reading = look({"item": range(2000), "y": [0, 1] * 1000, "a:score": graded})
        (column,) = [c for c in reading.columns if c.name == "a:score"]
        assert column.looked_at == 600
        said = str(reading)
        assert "values in 600 rows" in said
        assert "90% blank" in said


class TestRightAndWrong:
    """0 and 1 without a truth: never losses by default."""

    def test_asked(self) -> None:
        with pytest.raises(AmbiguousEvidence, match=r"What do the .* of 'opus', 'llama'"):
            read({name: np.asarray(values) * 1 for name, values in RIGHT.items() if name != "item"}
                 | {"item": RIGHT["item"]})  # fmt: skip

    def test_every_answer_is_followed(self) -> None:
        table = {"item": RIGHT["item"], "opus": RIGHT["opus"] * 1, "llama": RIGHT["llama"] * 1}
        (question,) = look(table).questions
        assert question.code == "values"
        words = {}
        for answer in question.answers:
            if "truth" not in answer.arguments:
                words[answer.option] = assay.compare(table, **answer.arguments, rng=1).estimates
        right, wrong = words["--correct"], words["--losses"]
        assert right[0].value == pytest.approx(float(np.mean(RIGHT["opus"])))
        assert wrong[0].value == pytest.approx(float(np.mean(RIGHT["opus"])))

    def test_the_better_model_is_called_so(self) -> None:
        table = {"item": list(range(200)), "opus": [1] * 190 + [0] * 10, "llama": [0, 1] * 100}
        assert assay.compare(table, correct=True).verdict.word == "better"
        assert assay.compare(table, losses=True).verdict.word == "worse"


class TestPositive:
    TRUTH = ["fraud", "legit", "legit", "fraud"] * 10
    TABLE = {"y": TRUTH, "a": TRUTH[:36] + ["legit"] * 4, "b": ["legit"] * 20 + TRUTH[20:]}  # noqa: RUF012

    def test_neither_of_fraud_and_legit(self) -> None:
        with pytest.raises(AmbiguousEvidence, match="Which class is positive, 'fraud' or 'legit'"):
            assay.compare(self.TABLE, measure="recall")
        assert assay.compare(self.TABLE, measure="accuracy").measure == "accuracy"

    def test_as_told(self) -> None:
        found = assay.evaluate(self.TABLE, measures="recall", positive="fraud")
        assert found.estimates[0].value == pytest.approx(18 / 20)


class TestRows:
    def test_training_rows_are_asked_about(self) -> None:
        table = {"y": TRUTH, "split": ["train"] * 30 + ["test"] * 30, "a": GOOD}
        (question,) = look(table).questions
        assert question.code == "rows"
        assert question.answers[0].option == "--where split=test"
        assert read(table, **question.answers[0].arguments).n == 30

    def test_of_several_tasks_all_can_be_taken(self) -> None:
        table = {"id": range(60), "task": ["bool"] * 30 + ["snarks"] * 30, "y": TRUTH, "a": GOOD}
        (question,) = look(table).questions
        told = [answer.option for answer in question.answers]
        assert told == [
            *("--cluster task", "--unit item"),
            *("--where task=bool", "--where task=snarks"),
        ]
        sizes = [read(table, **answer.arguments).n for answer in question.answers]
        assert sizes == [60, 60, 30, 30]


class TestChance:
    """A column of a file that goes with the truth no better than chance may be no model."""

    def test_is_asked_about_in_a_file(self, tmp_path: Path) -> None:
        table: dict[str, Any] = {"y": TRUTH, "a": GOOD, "married_twice": RNG.integers(0, 2, 60)}
        path = write_csv(tmp_path / "t.csv", table)
        (question,) = look(path).questions
        assert question.code == "models"
        left_out, kept = question.answers
        assert read(path, **left_out.arguments).models == ("a",)
        assert read(path, **kept.arguments).models == ("a", "married_twice")

    def test_a_mapping_is_deliberate(self) -> None:
        assert read({"y": TRUTH, "a": GOOD, "x": RNG.integers(0, 2, 60)}).models == ("a", "x")


class TestArguments:
    def test_the_truth_followed_by_predictions(self) -> None:
        one = read(TRUTH, {"lr": GOOD, "dummy": FAIR})
        assert isinstance(one, Predictions)
        assert one.models == ("lr", "dummy")
        assert read(TRUTH, GOOD, FAIR, models=["lr", "dummy"]).models == ("lr", "dummy")

    def test_columns_as_arrays(self) -> None:
        weighted = read({"y": TRUTH, "a": GOOD}, weight=RNG.random(60))
        assert isinstance(weighted, Predictions)
        assert weighted.weighted
        with pytest.raises(UsageError, match="weight= has 3 values for 60 rows"):
            read({"y": TRUTH, "a": GOOD}, weight=[1.0, 2.0, 3.0])

    def test_an_array_beside_a_file(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "t.csv", {"y": TRUTH.tolist(), "a": GOOD.tolist()})
        with pytest.raises(UsageError, match="as an array goes with one frame or mapping"):
            read(path, weight=np.ones(60))

    def test_an_option_that_does_not_exist(self) -> None:
        with pytest.raises(UsageError, match="there is no argument thruth=; did you mean truth="):
            read({"y": TRUTH, "a": GOOD}, thruth="y")  # type: ignore[call-arg]

    def test_a_frame_with_the_data_sets_as_its_index(self) -> None:
        frame = pd.DataFrame(
            {"tree": [0.9, 0.8, 0.7], "bayes": [0.8, 0.7, 0.6]}, index=["iris", "wine", "glass"]
        )
        found = read(frame, unit="dataset", measure="accuracy")
        assert isinstance(found, Scores)
        assert found.datasets == ("iris", "wine", "glass")


class TestArrays:
    """Arrays one after another: the truth first, unless they are scores."""

    A, B = (0.8 + np.arange(10) / 100, 0.7 + np.arange(10) / 100)

    def test_fractions_are_scores_of_models(self) -> None:
        assert "unit" in codes(look(self.A, self.B))

    def test_without_a_number_are_refused(self) -> None:
        with pytest.raises(EvidenceError, match="no rows"):
            assay.compare([], [], [])

    def test_a_unit_says_so(self) -> None:
        found = read(self.A, self.B, unit="fold", measure="accuracy")
        assert isinstance(found, Scores)
        assert found.models == ("a", "b")

    def test_a_matrix_of_labels_beside_the_truth(self) -> None:
        assert read(TRUTH, np.stack([GOOD, FAIR], axis=1)).models == ("a", "b")

    def test_a_matrix_of_scores(self) -> None:
        given = np.stack([self.A, self.B], axis=1)
        found = read(given, unit="dataset", measure="accuracy", models=["p", "q"])
        assert found.models == ("p", "q")

    def test_searches_chose_on_the_same_folds(self) -> None:
        class Search:
            cv_results_: dict[str, Any] = {}  # noqa: RUF012

        with pytest.raises(UsageError, match="its scores are optimistic"):
            read({"a": Search(), "b": Search()})


def test_a_unit_that_the_evidence_has_not() -> None:
    evidence: Any = read({"y": TRUTH, "a": GOOD})
    with pytest.raises(UsageError, match="predictions are of items"):
        read(evidence, unit="fold")


def test_ties_of_scores_do_not_go_by_the_order_of_rows(tmp_path: Path) -> None:
    """Positives first, and scores of two levels that do not go with them: they are not turned."""
    rows = [f"{int(k < 100)},{0.8 - 0.003 * k:.3f},{(0.35, 0.45)[k % 2]}" for k in range(200)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["truth,rf,svm", *rows]) + "\n")
    assert "positive" not in [question.code for question in assay.look(path).questions]


class TestStrangeObjects:
    """Found by `make fuzz`: each ended in an error of Python."""

    @pytest.mark.parametrize(
        ("source", "match"),
        [
            ([[1, 2], [1]], "lists of one length"),
            ([[1, 2], True], "lists of one length"),
            ({"truth": [], "a": np.empty((0, 2))}, "no probabilities|no rows|empty"),
            (([0, [1, 2], 1], [[0, 1], [1, 1], [0, 0]]), "truth"),
            ({"truth": [[0, [1, 2]], [1, 2]], "a": [[0, 1], [1, 2]]}, "truth"),
            ({"truth": [0, 1, "x\ud800"], "a": [0, 1, 1], "b": [0, 0, 1]}, "half a character"),
            ({"truth": [0, 1, 1], "a\ud800": [0, 1, 1], "b": [0, 0, 1]}, "half a character"),
            ("x\ud800y.csv", r"x\\ud800y"),
            (np.empty((0, 3)), "no rows of data"),
        ],
    )
    def test_are_refused_in_words_that_can_be_written(self, source: Any, match: str) -> None:
        with pytest.raises(AssayError, match=match) as caught:
            assay.read(*(source if isinstance(source, tuple) else (source,)))
        str(caught.value).encode()

    @pytest.mark.parametrize(
        ("told", "match"),
        [
            ({"ignore": 3}, "ignore= is a name or a list of names, got 3"),
            ({"models": 3}, "models= is a name or a list of names, got 3"),
            ({"models": {"m": 3}}, "takes labels, scores"),
            ({"where": 3}, "where is column=value"),
            ({"level": "x"}, "level= is a number, got 'x'"),
            ({"margin": "1%"}, "margin is a number above 0 such as 0.01, got '1%'"),
            ({"measures": 3}, "3"),
        ],
    )
    def test_options_of_another_kind(self, told: dict[str, Any], match: str) -> None:
        verb = assay.evaluate if "measures" in told else assay.compare
        with pytest.raises(assay.AssayError, match=match):
            verb({"truth": [0, 1, 1], "m": [0, 1, 0], "k": [1, 1, 0]}, **told)

    def test_files_of_different_length_beside_one_truth(self) -> None:
        rng = np.random.default_rng(2)
        truth = rng.integers(0, 2, 12)
        both = {"truth": truth, "a": rng.random(12)}, {"b": rng.random(5)}
        with pytest.raises(assay.AssayError):
            assay.compare(*both)
        numbers = {"truth": rng.normal(50, 9, 40), "a": rng.normal(50, 9, 40)}
        with pytest.raises(assay.AssayError):
            assay.compare(numbers, {"b": rng.normal(50, 9, 200)})

    @pytest.mark.parametrize("odd", [pd.NA, pd.NaT, pd.Timestamp("2020-01-01")])
    def test_values_of_pandas_are_no_tables(self, odd: Any) -> None:
        for source in ((odd,), ({"truth": [0, 1], "a": [0, 1]}, odd), ({"a": odd, "b": [1]},)):
            with pytest.raises(assay.AssayError):
                assay.look(*source)

    def test_a_function_is_no_name_of_a_measure(self) -> None:
        with pytest.raises(UsageError, match="give your own function to compare or evaluate"):
            assay.look({"truth": [0, 1], "a": [0, 1]}, measure=lambda truth, found: 0.0)  # type: ignore[arg-type]

    def test_a_share_is_a_number(self) -> None:
        with pytest.raises(UsageError, match=r"test_share= is a number, got '0\.3'"):
            assay.look({"fold": [1, 2], "a": [0.5, 0.7]}, test_share="0.3")  # type: ignore[arg-type]

    def test_a_folder_of_very_many_files_is_refused_before_they_are_opened(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in range(5):
            (tmp_path / f"{name}.parquet").touch()
        monkeypatch.setattr("assay.evidence.folders.MAX_FILES", 3)
        with pytest.raises(EvidenceError, match="more than 3 files; give the files themselves"):
            assay.read(tmp_path)


def test_a_reading_shows_itself() -> None:
    found = assay.look({"item": ["a", "b", "c"], "opus": [1, 0, 1], "llama": [0, 0, 1]})
    assert "open questions; answer each with an option" in found.summary()
    assert str(found) == found.summary()
    assert found._repr_html_().startswith("<pre>")
    assert found.to_dict()["questions"][0]["code"] == "values"
    frame = found.to_frame("pandas")
    assert list(frame["name"]) == ["item", "opus", "llama"]
    assert set(frame["role"]) >= {"id"}


@pytest.mark.parametrize("kind", [np.str_, Answer])
def test_text_of_another_type_is_text(kind: Any) -> None:
    """Lists of NumPy's text had answers that no JSON took."""
    rows = [{"truth": "yn"[k % 2], "a": "yn"[k % 2], "b": "y"} for k in range(20)]
    typed = [{name: kind(cell) for name, cell in row.items()} for row in rows]
    options: dict[str, Any] = {"measure": "f1", "truth": "truth"}
    plain = assay.compare(rows, positive="y", **options)
    assert assay.to_json(assay.compare(typed, positive=kind("y"), **options)) == assay.to_json(
        plain
    )
