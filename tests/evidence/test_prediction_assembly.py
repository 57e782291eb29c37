"""What columns hold, by their values; and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core.errors import EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence
from tests.evidence.forms import Table, predictions, write_csv


def kind(truth: list[Any], column: list[Any], **options: Any) -> set[str]:
    """What a bare column is taken for, and that file and memory agree on it."""
    return set(predictions({"y": truth, "a": column}, **options).offers["a"])


class TestBareColumns:
    def test_labels(self) -> None:
        assert kind([0, 1, 1], [0, 0, 1]) == {"labels"}
        assert kind(["cat", "dog"], ["dog", "dog"]) == {"labels"}
        assert kind(["1", "0"], [1.0, 0.0]) == {"labels"}
        assert kind([True, False], ["true", "False"]) == {"labels"}

    def test_labels_of_a_class_the_truth_lacks(self) -> None:
        evidence = predictions({"y": ["a", "b"], "m": ["a", "none of these"]})
        assert evidence.classes == ("a", "b", "none of these")
        assert kind([0, 1, 2], [0, 1, 3]) == {"labels"}
        assert kind([1, 1, 1], [0, 1, 1]) == {"labels"}

    def test_scores(self) -> None:
        assert kind([0, 1, 1], [-2.5, 0.1, 3.0]) == {"scores"}
        assert kind([0, 1, 1], [10, 55, 90]) == {"scores"}
        assert kind(["no", "yes"], ["1.5", "2"]) == {"scores"}

    def test_scores_from_zero_to_one_serve_as_probabilities(self) -> None:
        assert kind([0, 1, 1], [0.5, 0.1, 1.0]) == {"scores", "probabilities"}

    def test_values(self) -> None:
        assert kind([1.5, 2.5, 3.0], [1, 2, 3]) == {"values"}
        assert kind(list(range(30)), [v + 1 for v in range(30)]) == {"values"}
        assert kind([1, 2, 3, 4], [1.5, 2.0, 3.5, 4.0]) == {"values"}

    def test_many_whole_classes_are_classes_if_predictions_are_among_them(self) -> None:
        classes = list(range(40))
        assert kind(classes, classes[::-1]) == {"labels"}
        assert kind(classes, classes[1:] + classes[:1]) == {"values"}  # all but one are off by one

    def test_numbers_without_a_truth_are_losses_only_if_told(self) -> None:
        table = {"a": [0.5, 1.5], "b": [1, 0]}
        with pytest.raises(AmbiguousEvidence, match="What is a row"):
            predictions(table)
        with pytest.raises(AmbiguousEvidence, match="What do the numbers of 'a', 'b'"):
            predictions(table, unit="item", models=["a", "b"])
        evidence = predictions(table, losses=True, models=["a", "b"])
        assert evidence.offers == {"a": {"losses"}, "b": {"losses"}}
        assert evidence.columns("losses").predictions.tolist() == [[0.5, 1.5], [1.0, 0.0]]
        assert evidence.columns("losses").truth.size == 0
        assert "lower is better" in evidence.summary().description

    def test_the_first_rows_do_not_decide(self, tmp_path: Path) -> None:
        truth = [0, 1] * 3000
        late: Table = {"y": truth, "a": [*[0, 1] * 2999, 0, 0.25]}
        many: Table = {"y": [*[0, 1] * 2999, 7.5, 1], "a": truth}
        for place, table in enumerate((late, many)):
            for source in (table, write_csv(tmp_path / f"{place}.csv", table)):
                expected = {"scores", "probabilities"} if table is late else {"values"}
                assert predictions(source).offers["a"] == expected

    def test_classes_that_are_fractions_in_words(self) -> None:
        assert kind(["0.5", "1.5", "other"], ["0.5", "0.5", "1.5"]) == {"labels"}

    def test_numbers_for_many_classes_are_refused(self) -> None:
        with pytest.raises(EvidenceError, match=r"truth has 3 classes .*'NAME:p\(CLASS\)'"):
            kind(["a", "b", "c"], [0.5, 0.2, 0.1])

    def test_spaces_around_a_class_do_not_matter(self) -> None:
        found = predictions({"y": ["cat", "dog"], "a": [" cat", " dog"]}, truth="y")
        assert found.tally().confusion("a").tolist() == [[1, 0], [0, 1]]

    def test_a_stray_word_among_numbers(self) -> None:
        truth = [v + 0.5 for v in range(30)]
        with pytest.raises(EvidenceError, match="'oops' at position 30 is not a number"):
            kind([*truth, "oops"], [1.0] * 31)

    def test_text_for_numbers(self) -> None:
        with pytest.raises(EvidenceError, match="must hold numbers, but 'oops' at position 1"):
            kind([0.5, 1.5], [1, "oops"])

    def test_no_truth_and_no_numbers(self) -> None:
        table = {"diagnosis": ["x", "y", "x"], "a": ["x", "x", "y"]}
        with pytest.raises(
            AmbiguousEvidence, match="Which column of the data holds the truth"
        ) as e:
            predictions(table)
        assert [answer.option for answer in e.value.questions[0].answers] == [
            "--truth diagnosis",
            "--truth a",
            "--correct --positive x",
            "--correct --positive y",
        ]
        assert predictions(table, truth="diagnosis").models == ("a",)


class TestSaidColumns:
    def test_kinds_side_by_side(self) -> None:
        evidence = predictions(
            {
                "y": ["n", "p", "p"],
                "a": ["n", "p", "n"],
                "a:score": [1, 5, 3],
                "a:loss": [0.1, 0.2, 0.3],
                "b:p(n)": [0.9, 0.2, 0.4],
                "b:p(p)": [0.1, 0.8, 0.6],
            },
            positive="p",
        )
        assert evidence.offers == {
            "a": {"labels", "scores", "losses"},
            "b": {"probabilities", "scores"},
        }
        assert evidence.columns("scores").predictions.tolist() == [[1, 5, 3], [0.1, 0.8, 0.6]]
        assert evidence.columns("probabilities", ["b"]).predictions.shape == (1, 3, 2)

    def test_suffixes_with_classes_of_the_truth(self) -> None:
        evidence = predictions(
            {"target": [0, 1], "rf_proba_0": [0.4, 0.5], "rf_proba_1": [0.6, 0.5]}
        )
        assert evidence.models == ("rf",)
        assert evidence.columns("scores").predictions.tolist() == [[0.6, 0.5]]

    def test_one_probability_of_two_is_enough(self) -> None:
        evidence = predictions({"y": [0, 1], "a:p(1)": [0.25, 0.5]})
        assert evidence.columns("probabilities").predictions.tolist() == [
            [[0.75, 0.25], [0.5, 0.5]]
        ]

    def test_values_as_said(self) -> None:
        assert predictions({"y": [1, 2, 3], "a:value": [1, 2, 3]}).offers["a"] == {"values"}

    def test_regression_with_losses(self) -> None:
        evidence = predictions({"y": [0.5, 1.5], "a": [0.4, 1.0], "a:loss": [1.0, 2.0]})
        assert evidence.offers["a"] == {"values", "losses"}

    @pytest.mark.parametrize(
        ("table", "match"),
        [
            ({"y": [0, 1, 2], "a:score": [1, 2, 3]}, "scores of 'a', but the truth has 3 classes"),
            ({"y": [0, 1, 2], "a:p(0)": [1, 0, 0]}, "no probability column for '1', '2'"),
            ({"y": [0, 1], "a:p(0)": [1, 0]}, "no probability column for '1'.*positive='0'"),
            ({"y": [0, 1], "a:p(1)": [1.5, 0]}, "holds 1.5; probabilities are between 0 and 1"),
            ({"y": [0, 1], "a:p(1)": [-0.5, 0]}, "holds -0.5; probabilities"),
            ({"y": [0, 1], "a:label": [0, 1], "b:value": [0, 1]}, "model 'b' has values"),
        ],
    )
    def test_refusals(self, table: dict[str, list[Any]], match: str) -> None:
        with pytest.raises(EvidenceError, match=match):
            predictions(table)

    def test_scores_in_two_columns(self) -> None:
        table = {"y": [0, 1], "a": [0.5, 2], "a:score": [1, 2]}
        with pytest.raises(EvidenceError, match="scores in column 'a' and in 'a:score'"):
            predictions(table, models="a")

    def test_a_truth_alone(self) -> None:
        with pytest.raises(AmbiguousEvidence, match="Which columns of the data are predictions"):
            predictions({"y": [0, 1]})


class TestPositive:
    @pytest.mark.parametrize(
        ("truth", "positive"),
        [
            ([0, 1], "1"),
            ([-1, 1], None),  # of outliers -1 is what is looked for
            (["neg", "pos"], "pos"),
            (["-", "+"], "+"),
            (["no", "yes"], "yes"),
            ([True, False], "True"),
            (["9", "10"], None),
            (["fraud", "legit"], None),
            ([1, 1], "1"),
            ([0, 0], None),
            (["a", "b", "c"], None),
        ],
    )
    def test_only_where_the_classes_say_so(self, truth: list[Any], positive: str | None) -> None:
        assert predictions({"y": truth, "a": truth}).positive == positive

    def test_as_said(self) -> None:
        table = {"y": [0, 1, 1], "a": [0.1, 0.2, 0.3]}
        evidence = predictions(table, positive=0)
        assert evidence.positive == "0"
        assert evidence.columns("scores").truth.tolist() == [1, 0, 0]

    def test_a_lone_class_can_be_the_negative_one(self) -> None:
        evidence = predictions({"y": ["a", "a"], "m:score": [1, 2]}, positive="b")
        assert evidence.classes == ("a", "b")
        assert evidence.columns("scores").truth.tolist() == [0, 0]

    @pytest.mark.parametrize(
        ("truth", "positive", "match"),
        [
            ([0, 1], 2, "positive=2 is not a class; classes are '0', '1'"),
            (["a", "b", "c"], "a", "positive= is for two classes; the truth has 3"),
            ([0.5, 1.5], 1, "there are no classes here"),
        ],
    )
    def test_refusals(self, truth: list[Any], positive: Any, match: str) -> None:
        with pytest.raises(UsageError, match=match):
            predictions({"y": truth, "a": truth}, positive=positive)


class TestWeightsAndCounts:
    def test_frequencies_multiply(self) -> None:
        evidence = predictions({"y": [0, 1, 1], "a": [0, 0, 1], "count": [3, 0, 2.0]})
        assert evidence.n == 5
        assert evidence.tally().counts.tolist() == [3, 2]
        assert evidence.tally().rows.tolist() == [[0, 0], [1, 1]]
        columns = evidence.columns("labels")
        assert columns.truth.tolist() == [0, 0, 0, 1, 1]

    def test_weights_and_frequencies_together(self) -> None:
        table = {"y": [0, 1], "a": [0, 1], "count": [3, 2], "weight": [0.5, 2.0]}
        tally = predictions(table).tally()
        assert tally.counts.tolist() == [3, 2]
        assert tally.weight_sums is not None
        assert tally.weight_squares is not None
        assert tally.weight_sums.tolist() == [1.5, 4.0]
        assert tally.weight_squares.tolist() == [0.75, 8.0]

    @pytest.mark.parametrize(
        ("role", "values", "match"),
        [
            ("weight", [1.0, -2.0], "negative weight -2.0 at position 1"),
            ("weight", [1.0, float("inf")], "is not a finite number"),
            ("weight", [1.0, None], "1 missing value"),
            ("weight", [0.0, 0.0], "only weights of zero"),
            ("count", [1, -1], "holds '-1' at position 1; counts are whole numbers"),
            ("count", [1, 2.5], "holds '2.5' at position 1; counts are whole numbers"),
            ("count", [1, "oops"], "is not a number"),
            ("count", [0, 0], "no rows of data"),
        ],
    )
    def test_refusals(self, role: str, values: list[Any], match: str, tmp_path: Path) -> None:
        table = {"y": [0, 1], "a": [0, 1], role: values}
        with pytest.raises(EvidenceError, match=match):
            predictions(table)
        with pytest.raises(EvidenceError, match=match.split(" at ")[0].replace(".0", "")):
            predictions(write_csv(tmp_path / "t.csv", table))

    def test_rows_are_not_repeated_without_end(self) -> None:
        evidence = predictions({"y": [0, 1], "a": [0, 1], "count": [10**9, 1]})
        assert evidence.tally().n == 10**9 + 1
        with pytest.raises(EvidenceError, match="assay expands up to 50,000,000"):
            evidence.columns("labels")


class TestUnits:
    def test_repeated_ids_are_refused(self) -> None:
        table = {"id": ["x", "y", "x"], "y": [0, 1, 0], "a": [0, 1, 1]}
        with pytest.raises(AmbiguousEvidence, match=r"'x' 2 times.*cluster='id'.*id=False"):
            predictions(table)
        assert predictions(table, id=False).n == 3
        assert predictions(table, cluster="id").clusters == 2

    def test_repeats_make_items_clusters(self, tmp_path: Path) -> None:
        table: Table = {
            "id": ["x", "y", "x", "y"],
            "repeat": [1, 1, 2, 2],
            "y": [0, 1, 0, 1],
            "a": [0, 1, 1, 1],
        }
        for source in (table, write_csv(tmp_path / "t.csv", table)):
            evidence = predictions(source)
            assert evidence.clusters == 2
            assert evidence.columns("labels").clusters is not None
            repeats = evidence.columns("labels").repeats
            assert repeats is not None
            assert repeats.tolist() == [0, 0, 1, 1]

    def test_missing_ids_and_clusters(self) -> None:
        with pytest.raises(
            EvidenceError, match=r"column 'id' of the data has 1 missing.* at position 1"
        ):
            predictions({"id": ["x", None], "y": [0, 1], "a": [0, 1]})
        with pytest.raises(EvidenceError, match="column 'group' of the data has 1 missing value"):
            predictions({"group": ["x", None], "y": [0, 1], "a": [0, 1]}, cluster="group")

    def test_folds_are_codes(self) -> None:
        evidence = predictions({"fold": [10, 9, 10], "y": [0, 1, 1], "a": [0, 1, 1]})
        folds = evidence.columns("labels").folds
        assert folds is not None
        assert folds.tolist() == [1, 0, 1]


class TestLargeCounts:
    def test_three_thousand_classes(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(0)
        truth = [f"class {v}" for v in [*range(3000), *rng.integers(0, 3000, 3000).tolist()]]
        table: Table = {"y": truth, "a": [*truth[:5990], *truth[5991:], truth[5990]]}
        memory = predictions(table).tally()
        file = predictions(write_csv(tmp_path / "t.csv", table)).tally()
        assert len(memory.classes) == 3000
        assert np.array_equal(memory.rows, file.rows)
        assert np.array_equal(memory.counts, file.counts)

    def test_a_hundred_models(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(0)
        table: dict[str, Any] = {"y": rng.integers(0, 2, 200).tolist()}
        table |= {f"m{p}": rng.integers(0, 2, 200).tolist() for p in range(100)}
        models = [f"m{p}" for p in range(100)]
        file = predictions(write_csv(tmp_path / "t.csv", table), models=models)
        memory = predictions(table)
        assert len(file.models) == 100
        assert np.array_equal(file.tally().rows, memory.tally().rows)
        pair = file.tally(["m7", "m42"])
        assert np.array_equal(pair.counts, memory.tally(["m7", "m42"]).counts)

    def test_a_column_of_sentences_is_no_model(self, tmp_path: Path) -> None:
        sentences = [f"say {v}" for v in range(30_000)]
        table: Table = {"y": [0, 1] * 15_000, "prompt": sentences}
        for source in (table, write_csv(tmp_path / "t.csv", table)):
            with pytest.raises(AmbiguousEvidence, match="None looks like one") as refused:
                predictions(source)
            assert "prompt" not in str(refused.value)  # which describes the items
            with pytest.raises(EvidenceError, match=r"is not a number|20,000 distinct values"):
                predictions(source, models=["prompt"])

    def test_a_huge_label(self) -> None:
        with pytest.raises(EvidenceError, match="longer than 10,000 characters"):
            predictions({"y": ["x" * 20_000, "b"], "a": ["b", "b"]})
