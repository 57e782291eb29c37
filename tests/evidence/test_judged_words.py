"""Grades in words, several people, and rows that belong together."""

from typing import Any, ClassVar

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.judged_items import Judged, read_judged

N, LABELS = 60, 20
RNG = np.random.default_rng(8)
WINNER = RNG.choice(["A", "B", "tie"], N)
TOLD: dict[str, Any] = {"truth": "human", "judge": "gpt", "labelled_at": "random"}


def some(words: Any) -> list[Any]:
    return [word if place < LABELS else None for place, word in enumerate(words)]


def read(people: Any, judge: Any, **told: Any) -> Judged:
    return read_judged({"human": some(people), "gpt": list(judge)}, **{**TOLD, **told})


class TestWords:
    def test_capitals_and_blanks_do_not_matter(self) -> None:
        right = RNG.random(N) < 0.7
        found = read(
            np.where(right, " Pass", "fail "), np.where(right, "PASS", "FAIL"), positive="pass"
        )
        assert found.binary
        assert found.judge[0].tolist() == right.astype(float).tolist()
        assert found.people[0][:LABELS].tolist() == right[:LABELS].astype(float).tolist()

    def test_a_tie_is_a_half(self) -> None:
        found = read(WINNER, WINNER, positive="A")
        expected = np.select([WINNER == "A", WINNER == "B"], [1.0, 0.0], 0.5)
        assert found.judge[0].tolist() == expected.tolist()
        assert found.lower_is_better is False
        assert assay.evaluate(found).estimates[0].value is not None

    def test_whose_win_counts_is_asked(self) -> None:
        with pytest.raises(AmbiguousEvidence, match="a tie as a half"):
            read(WINNER, WINNER)

    def test_four_words_are_no_grades(self) -> None:
        words = RNG.choice(["x", "y", "z", "u"], N)
        with pytest.raises(EvidenceError, match="two words with or without a tie"):
            read(words, words)


class TestDirection:
    def test_of_ratings_it_is_asked_without_a_word_on_the_truth(self) -> None:
        ratings = RNG.integers(1, 6, N).astype(float)
        with pytest.raises(AmbiguousEvidence) as asked:
            assay.evaluate(read(ratings, ratings))
        assert "lower_is_better=False" in str(asked.value)
        assert "named as the truth" not in str(asked.value)

    def test_a_judge_is_measured_without_it(self) -> None:
        ratings = RNG.integers(1, 6, N).astype(float)
        judge = np.clip(ratings + RNG.integers(-1, 2, N), 1, 5)
        found = assay.judge({"human": some(ratings), "gpt": judge}, **TOLD)
        assert found.answers[0].corrected.value is not None

    def test_a_model_that_was_only_given_0_and_1_has_ratings_too(self) -> None:
        better = RNG.integers(0, 3, N).astype(float)
        worse = RNG.integers(0, 2, N).astype(float)
        columns = {"human_a": some(better), "human_b": some(worse), "gpt_a": better, "gpt_b": worse}
        found = assay.compare(
            columns, truth=["human_a", "human_b"], judge=["gpt_a", "gpt_b"], lower_is_better=False, labelled_at="random"
        )  # fmt: skip
        assert found.measure == "mean_rating"


class TestSeveralPeople:
    columns: dict[str, Any] = {  # noqa: RUF012 (never changed)
        "gpt": RNG.integers(0, 2, N),
        "ann": some(RNG.integers(0, 2, N)),
        "bob": some([None, *RNG.integers(0, 2, N - 1)]),
    }

    def test_their_mean_counts(self) -> None:
        found = read_judged(self.columns, **{**TOLD, "truth": "ann+bob"}, correct=True)
        assert found.people[0][0] == self.columns["ann"][0]
        assert found.people[0][1] == (self.columns["ann"][1] + self.columns["bob"][1]) / 2
        assert np.isnan(found.people[0][LABELS:]).all()

    def test_with_commas_the_plus_is_named(self) -> None:
        with pytest.raises(UsageError, match=r"truth='ann\+bob'"):
            read_judged(self.columns, **{**TOLD, "truth": "ann,bob"}, correct=True)

    def test_labels_that_models_predict_have_no_mean(self) -> None:
        with pytest.raises(NotApplicable, match="majority label"):
            read_judged(
                {**self.columns, "m": self.columns["gpt"]},
                **{**TOLD, "truth": "ann+bob"},
                models=["m"],
            )


class TestIds:
    def test_rows_of_one_item_are_asked_about(self) -> None:
        right = RNG.integers(0, 2, N)
        columns = {"id": np.arange(N) // 2, "human": some(right), "gpt": right}
        with pytest.raises(UsageError, match="cluster='id'"):
            read_judged(columns, **TOLD, correct=True)
        assert read_judged(columns, **TOLD, correct=True, cluster="id").clusters is not None
        assert read_judged(columns, **TOLD, correct=True, ignore="id").clusters is None

    def test_leading_zeros_are_named(self) -> None:
        grades = {"id": [f"{place:03d}" for place in range(N)], "gpt": RNG.integers(0, 2, N)}
        labels = {
            "id": [str(place) for place in range(LABELS)],
            "human": RNG.integers(0, 2, LABELS),
        }
        with pytest.raises(EvidenceError, match="where it is spelled"):
            read_judged(grades, labels, **TOLD, correct=True, id="id")

    @pytest.mark.parametrize("spelled", ["Q{}", " q{} ", "q00{}", "q{}.0"])
    def test_other_spellings_are_named(self, spelled: str) -> None:
        grades = {"id": [f"q{place}" for place in range(N)], "gpt": RNG.integers(0, 2, N)}
        labels = {
            "id": [spelled.format(place) for place in range(LABELS)],
            "human": RNG.integers(0, 2, LABELS),
        }
        with pytest.raises(EvidenceError, match="where it is spelled 'q0'"):
            read_judged(grades, labels, **TOLD, correct=True, id="id")

    def test_labels_of_which_none_is_known_are_refused_whatever_is_left_out(self) -> None:
        grades = {"id": np.arange(N), "gpt": RNG.integers(0, 2, N)}
        labels = {"id": [f"x{place}" for place in range(LABELS)], "human": RNG.integers(0, 2, LABELS)}  # fmt: skip
        with pytest.raises(EvidenceError, match=r"20 items of .* repair the ids$"):
            read_judged(grades, labels, **TOLD, correct=True, id="id", on_mismatch="intersect")

    @pytest.mark.parametrize("name", ["ID", "item_id", "id"])
    def test_the_column_of_ids_may_be_called_otherwise_in_the_labels(self, name: str) -> None:
        right = RNG.integers(0, 2, N)
        labels = {name: np.arange(LABELS), "human": right[:LABELS]}
        found = read_judged({"id": np.arange(N), "gpt": right}, labels, **TOLD, correct=True, id="id")  # fmt: skip
        assert found.graded().size == LABELS

    def test_a_judge_that_left_half_of_its_cells_empty_is_refused(self) -> None:
        right = RNG.integers(0, 2, N)
        columns = {"human": some(right), "gpt": right, "claude": [None] * 40 + [1] * 20}
        with pytest.raises(EvidenceError, match="'claude' has 40 gaps"):
            read_judged(columns, **{**TOLD, "judge": "gpt,claude"}, correct=True)


class TestGapsOfTheJudge:
    @pytest.mark.parametrize("gap", [None, "ERROR", ""])
    def test_its_most_frequent_grade_stands_there(self, gap: Any) -> None:
        grades = [4, 4, 5, 1, *([4] * (N - 4))]
        found = read(grades, [gap, *grades[1:]], lower_is_better=False)
        assert found.judge[0, :4].tolist() == [4.0, 4.0, 5.0, 1.0]
        assert [one.code for one in found.notes] == ["judge-gaps"]

    def test_of_many_numbers_it_is_the_mean(self) -> None:
        grades = np.round(np.linspace(0.0, 1.0, N), 3)
        found = read(grades, [None, *grades[1:]], lower_is_better=False)
        assert found.judge[0, 0] == pytest.approx(grades[1:].mean())

    def test_labels_have_a_most_frequent_class(self) -> None:
        truth = ["2", *(["0", "1", "2", "2"] * (N // 4))][:N]
        columns = {"human": some(truth), "gpt": [None, *truth[1:]], "m": truth}
        found = read_judged(columns, **TOLD, models=["m"])
        assert found.classes[int(found.judge[0, 0])] == "2"

    def test_words_alone_are_grades(self) -> None:
        words = ["pass", "fail"] * (N // 2)
        found = read(words, words, positive="pass", correct=True)
        assert found.notes == ()


class TestMissingRows:
    def test_items_that_one_model_did_not_answer_can_be_left_out(self) -> None:
        rows = [(item, model) for model in "ab" for item in range(N) if model == "a" or item < 50]
        columns = {
            "id": [item for item, _ in rows],
            "model": [model for _, model in rows],
            "gpt": [item % 2 for item, _ in rows],
            "human": [item % 2 if item < LABELS else None for item, _ in rows],
        }
        with pytest.raises(EvidenceError, match="has 10 gaps: it must grade every answer"):
            read_judged(columns, **TOLD, id="id", correct=True)
        found = read_judged(columns, **TOLD, id="id", correct=True, on_mismatch="intersect")
        assert (found.size, len(found.ids)) == (50, 50)
        assert [one.code for one in found.notes] == ["items-dropped"]


class TestSeveralLabelsOfAnItem:
    GRADES: ClassVar[dict[str, Any]] = {"id": list(range(N)), "gpt": [1, 0] * (N // 2)}

    def labels(self, first: Any, second: Any) -> dict[str, Any]:
        ids = list(range(LABELS))
        who = ["ann"] * LABELS + ["bob"] * LABELS
        return {"id": ids + ids, "annotator": who, "human": [*first, *second]}

    def test_their_mean_counts(self) -> None:
        one, other = [1, 0] * (LABELS // 2), [1, 1] * (LABELS // 2)
        found = read_judged(
            self.GRADES, self.labels(one, other), **TOLD, id="id", lower_is_better=False
        )
        assert found.people[0, :4].tolist() == [1.0, 0.5, 1.0, 0.5]
        assert np.isnan(found.people[0, LABELS:]).all()
        assert [one.code for one in found.notes] == ["labels-joined"]

    def test_words_that_differ_are_refused(self) -> None:
        grades = {**self.GRADES, "gpt": ["yes!", "no!"] * (N // 2)}
        same, other = ["yes!", "no!"] * (LABELS // 2), ["yes!"] * LABELS
        told: dict[str, Any] = {**TOLD, "id": "id", "positive": "yes!", "correct": True}
        assert read_judged(grades, self.labels(same, same), **told).people[0, :2].tolist() == [1, 0]
        with pytest.raises(EvidenceError, match="different words for the same 'id'"):
            read_judged(grades, self.labels(same, other), **told)

    def test_one_model_needs_no_name_in_the_labels(self) -> None:
        grades = {**self.GRADES, "model": ["a"] * N}
        labels = {"id": list(range(LABELS)), "human": [1, 0] * (LABELS // 2)}
        found = read_judged(grades, labels, **TOLD, id="id", correct=True)
        assert (found.models, found.graded().size) == (("a",), LABELS)


class TestColumnsBeside:
    def test_explanations_are_no_models(self) -> None:
        grades = RNG.integers(1, 6, N)
        columns = {
            "human": some(grades),
            "gpt": grades,
            "why": [f"because of {n}" for n in range(N)],
        }
        assert read_judged(columns, **TOLD, lower_is_better=False).models == ("the system",)

    def test_judges_with_scales_of_their_own_count_alike(self) -> None:
        grades = RNG.integers(1, 6, N).astype(float)
        wide = 20.0 * grades
        told: dict[str, Any] = {**TOLD, "judge": "gpt,claude", "lower_is_better": False}
        found = read_judged({"human": some(grades), "gpt": grades, "claude": wide}, **told)
        assert found.judge[0] == pytest.approx(grades)
        near = np.clip(grades + 1.0, 1.0, 5.0)
        found = read_judged({"human": some(grades), "gpt": grades, "claude": near}, **told)
        assert found.judge[0] == pytest.approx((grades + near) / 2.0)


class TestNumbersAsPeopleTypeThem:
    def test_per_cent_are_shares(self) -> None:
        grades = RNG.integers(0, 101, N)
        columns = {
            "human": [f"{one} %" if place < LABELS else "not labelled" for place, one in enumerate(grades)],
            "gpt": [f"{one}%" for one in grades],
        }  # fmt: skip
        found = read_judged(columns, **TOLD, lower_is_better=False)
        assert np.allclose(found.judge[0], grades / 100.0)
        assert np.allclose(found.people[0][:LABELS], grades[:LABELS] / 100.0)

    def test_decimal_commas(self) -> None:
        grades = RNG.integers(10, 51, N) / 10.0
        text = [str(one).replace(".", ",") for one in grades]
        columns = {"human": [*text[:LABELS], *["n/a"] * (N - LABELS)], "gpt": text}
        found = read_judged(columns, **TOLD, lower_is_better=False)
        assert np.allclose(found.judge[0], grades)

    def test_per_cent_beside_numbers_are_asked_about(self) -> None:
        columns = {"human": some(RNG.integers(1, 100, N)), "gpt": ["85 %", "62"] * (N // 2)}
        with pytest.raises(EvidenceError, match="both '85 %' and '62'"):
            read_judged(columns, **TOLD, lower_is_better=False)
