import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.cli.main import main
from assay.core.errors import EvidenceError, UsageError
from assay.evidence.predictions import Unpaired
from assay.evidence.reading import read
from assay.report.option_names import as_typed
from tests.evidence.forms import predictions
from tests.evidence.readers.harness_logs import (
    TIME,
    lm_eval_run,
    lm_sample,
    lm_samples,
    write_lines,
)

A = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
B = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]


def samples(folder: Path, task: str = "gsm8k") -> Path:
    return folder / f"samples_{task}_{TIME}.jsonl"


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    a = lm_eval_run(tmp_path / "x", "org/a", {"gsm8k": lm_samples(A)})
    b = lm_eval_run(tmp_path / "y", "org/b", {"gsm8k": lm_samples(B)[::-1]})
    return a, b


class TestScores:
    def test_right_and_wrong_become_labels_joined_by_id(self, two: tuple[Path, Path]) -> None:
        evidence = predictions(samples(two[0]), samples(two[1]))
        assert evidence.models == ("org/a", "org/b")
        assert evidence.columns("labels").predictions.tolist() == [A, B]
        assert evidence.notes == ()
        assert evidence.origin is not None
        assert evidence.origin.measure == "accuracy"
        assert evidence.summary().description.startswith(
            "exact_match of gsm8k (higher is better) of 'org/a', 'org/b' on 6 items; from "
        )
        details = dict(evidence.summary().details)
        assert f"sha256:{samples(two[0])}" in details

    @pytest.mark.parametrize("form", ["folder", "results", "root"])
    def test_folders_and_results_files_lead_to_the_samples(
        self, tmp_path: Path, two: tuple[Path, Path], form: str
    ) -> None:
        given = {
            "folder": two,
            "results": [folder / f"results_{TIME}.json" for folder in two],
            "root": [tmp_path],
        }[form]
        evidence = predictions(*given)
        assert evidence.columns("labels").predictions.tolist() == [A, B]

    def test_compared_by_mcnemar_with_an_interval_of_its_own(self, two: tuple[Path, Path]) -> None:
        result = assay.compare(read(*two))
        assert result.choice.method == "mcnemar"
        assert result.verdict.outcome.effect.value == pytest.approx(2 / 6)

    def test_all_right_still_has_an_interval_with_width(self, tmp_path: Path) -> None:
        folder = lm_eval_run(tmp_path, "a", {"t": lm_samples([1.0] * 20)})
        found = assay.evaluate(read(folder)).estimates[0]
        assert found.value == 1.0
        assert found.interval is not None
        assert found.interval.low < 0.95
        assert not [note for note in found.notes if note.code == "accuracy-misleads"]

    def test_parts_of_the_credit_are_scores_of_which_more_is_better(self, tmp_path: Path) -> None:
        a = lm_eval_run(tmp_path, "a", {"t": lm_samples([0.5, 1, 0.25, 0.5], "rouge")})
        b = lm_eval_run(tmp_path, "b", {"t": lm_samples([0.25, 0.5, 0, 0.125], "rouge")})
        result = assay.compare(read(a, b))
        assert result.measure == "rouge"
        assert result.direction == "higher"
        assert result.verdict.outcome.effect.value == pytest.approx(0.34375)

    @pytest.mark.parametrize(("top", "measure"), [(1.0, "mean_score"), (7.5, "mean_rating")])
    def test_the_measure_fits_the_range(self, tmp_path: Path, top: float, measure: str) -> None:
        evidence = predictions(lm_eval_run(tmp_path, "a", {"t": lm_samples([0.5, top])}))
        assert evidence.origin is not None
        assert evidence.origin.measure == measure

    @given(
        scores=st.lists(
            st.one_of(
                st.floats(0, 1), st.sampled_from([True, False, "True", "False", 1, 0, "0.5"])
            ),
            min_size=1,
            max_size=20,
        )
    )
    def test_round_trip(self, tmp_path_factory: Any, scores: list[Any]) -> None:
        folder = lm_eval_run(tmp_path_factory.mktemp("log"), "a", {"t": lm_samples(scores)})
        evidence = predictions(folder)
        needs = "labels" if "labels" in evidence.offers["a"] else "losses"
        words = {"True": 1.0, "False": 0.0}
        assert evidence.columns(needs).predictions[0].tolist() == [  # type: ignore[arg-type]
            words[score] if score in ("True", "False") else float(score) for score in scores
        ]


class TestDirection:
    def test_as_the_results_file_says(self, tmp_path: Path) -> None:
        folder = lm_eval_run(
            tmp_path, "a", {"t": lm_samples([0.0, 1.0], "odd")}, higher={"t": {"odd": False}}
        )
        evidence = predictions(folder)
        assert evidence.origin is not None
        assert evidence.origin.measure == "mean_loss"

    @pytest.mark.parametrize(
        ("metric", "lower"),
        [("word_perplexity", True), ("ter", True), ("token_error", True), ("acc", False)],
    )
    def test_by_name_where_nothing_is_said(self, tmp_path: Path, metric: str, lower: bool) -> None:
        folder = lm_eval_run(tmp_path, "a", {"t": lm_samples([0.5, 0.1], metric)}, results=False)
        evidence = predictions(folder)
        assert evidence.origin is not None
        assert (evidence.origin.measure == "mean_loss") is lower

    def test_scores_of_opposite_directions_are_not_compared(self, tmp_path: Path) -> None:
        a = lm_eval_run(tmp_path, "a", {"t": lm_samples([0.5], "ter")})
        b = lm_eval_run(
            tmp_path, "b", {"t": lm_samples([0.5], "ter")}, higher={"t": {"ter": False}}
        )
        with pytest.raises(EvidenceError, match="cannot be compared"):
            read(a, b)


class TestMetricsAndFilters:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        lines = [
            lm_sample(place, {"exact_match": float(each == "flexible"), "f1_text": 0.5}, each=each)
            for place in range(3)
            for each in ("strict", "flexible")
        ]
        return lm_eval_run(tmp_path, "a", {"t": lines})

    def test_the_first_is_taken_where_none_is_named_and_that_is_said(self, folder: Path) -> None:
        evidence = predictions(folder)
        assert evidence.columns("labels").predictions.tolist() == [[0, 0, 0]]
        assert [note.code for note in evidence.notes] == ["metric-taken"]
        assert (
            "exact_match,strict was taken, the first of them that items have; the others: "
            "'exact_match,flexible', 'f1_text,strict', 'f1_text,flexible'"
        ) in evidence.notes[0].message

    def test_the_first_that_items_have(self, tmp_path: Path) -> None:
        values = {"bleu": ["2", "lol"], "exact_match": 0.0}
        evidence = predictions(lm_eval_run(tmp_path, "a", {"t": [lm_sample(0, values)]}))
        assert "exact_match was taken" in evidence.notes[0].message

    def test_runs_whose_first_metrics_differ_need_a_name(self, tmp_path: Path) -> None:
        a = lm_eval_run(tmp_path, "a", {"t": [lm_sample(0, {"acc": 1.0, "acc_norm": 0.0})]})
        b = lm_eval_run(tmp_path, "b", {"t": [lm_sample(0, {"acc_norm": 0.0, "acc": 1.0})]})
        with pytest.raises(EvidenceError, match=r"'acc' of .*'acc_norm' of .* metric="):
            read(a, b)
        assert predictions(a, b, metric="acc").n == 1

    def test_an_ambiguous_name_is_refused(self, folder: Path) -> None:
        with pytest.raises(EvidenceError, match="could be 'exact_match,strict', 'exact_match,flex"):
            read(folder, metric="exact_match")
        with pytest.raises(EvidenceError, match="no metric 'acc'; it has 'exact_match,strict'"):
            read(folder, metric="acc")

    def test_as_the_harness_names_it(self, folder: Path) -> None:
        evidence = predictions(folder, metric="exact_match,flexible")
        assert evidence.columns("labels").predictions.tolist() == [[1, 1, 1]]

    def test_the_filter_none_needs_no_name(self, tmp_path: Path) -> None:
        folder = lm_eval_run(tmp_path, "a", {"t": lm_samples(A, "acc")})
        assert predictions(folder, metric="acc,none").n == predictions(folder, metric="acc").n == 6

    def test_pairs_of_answers_become_labels(self, tmp_path: Path) -> None:
        pairs = [[1, 1], [0, 1], [1, 0], [0, 0], [1, 1]]
        folder = lm_eval_run(tmp_path, "a", {"t": lm_samples(pairs, "f1")})
        evidence = predictions(folder, metric="f1")
        columns = evidence.columns("labels")
        assert columns.truth.tolist() == [1, 0, 1, 0, 1]
        assert columns.predictions.tolist() == [[1, 1, 0, 0, 1]]
        found = assay.evaluate(evidence, measures=None).estimates[0]
        assert found.measure == "f1"
        assert found.value == pytest.approx(2 / 3)

    def test_parts_of_a_corpus_metric_are_refused(self, tmp_path: Path) -> None:
        values = {"bleu": ["2", "lol"], "exact_match": 0.0}
        folder = lm_eval_run(tmp_path, "a", {"t": [lm_sample(0, values)]})
        with pytest.raises(EvidenceError, match=r"line 1 of .*'bleu' holds .*: 'exact_match'"):
            read(folder, metric="bleu")

    def test_text_is_no_score(self, tmp_path: Path) -> None:
        folder = lm_eval_run(tmp_path, "a", {"t": lm_samples([1.0, "good"])})
        with pytest.raises(EvidenceError, match=r"line 2 of .*'good' is not a score"):
            read(folder)

    def test_a_metric_cannot_pose_as_another_field(self, tmp_path: Path) -> None:
        line = {**lm_sample(0, {"acc": 1.0}), "metrics": ["doc_id", "acc"]}
        assert predictions(lm_eval_run(tmp_path, "a", {"t": [line]})).n == 1


class TestUnscored:
    @pytest.fixture
    def two(self, tmp_path: Path) -> list[Path]:
        a = lm_samples([1.0, None, 0.0, "nan"])
        del a[2]["exact_match"]
        return [
            lm_eval_run(tmp_path, "a", {"t": a}),
            lm_eval_run(tmp_path, "b", {"t": lm_samples([1.0, 1.0, 0.0, 1.0])}),
        ]

    def test_is_refused_not_zero(self, two: list[Path]) -> None:
        with pytest.raises(EvidenceError, match="3 answers without a score, of 4: no score was"):
            read(*two)

    def test_left_out_of_both_runs_with_a_note(self, two: list[Path]) -> None:
        evidence = predictions(*two, unscored="drop")
        assert evidence.columns("labels").predictions.tolist() == [[1], [1]]
        assert [note.code for note in evidence.notes] == ["unscored-dropped"]
        assert "3 of 4 answers of a" in evidence.notes[0].message

    def test_counted_as_wrong_where_asked(self, two: list[Path]) -> None:
        evidence = predictions(*two, unscored="wrong")
        assert evidence.columns("labels").predictions.tolist() == [[1, 0, 0, 0], [1, 1, 0, 1]]
        assert [note.code for note in evidence.notes] == ["unscored-wrong"]

    def test_a_rating_has_no_wrong(self, tmp_path: Path) -> None:
        folder = lm_eval_run(tmp_path, "a", {"t": lm_samples([7.0, None, 3.0])})
        with pytest.raises(UsageError, match="scores from 0 to 1"):
            read(folder, unscored="wrong")

    @pytest.mark.parametrize("policy", ["drop", "wrong"])
    def test_nothing_left_is_an_error(self, tmp_path: Path, policy: str) -> None:
        folder = lm_eval_run(tmp_path, "a", {"t": lm_samples([None, "NaN"])})
        with pytest.raises(EvidenceError, match=r"no answer in .* has a score"):
            read(folder, unscored=policy)

    def test_an_unknown_policy(self, two: list[Path]) -> None:
        with pytest.raises(UsageError, match="unscored is one of error, drop, wrong"):
            read(*two, unscored="zero")


class TestJoin:
    def test_other_questions_under_the_same_id_are_refused(self, tmp_path: Path) -> None:
        a = lm_eval_run(tmp_path, "a", {"t": lm_samples(A)})
        changed = lm_samples(B)
        changed[2] = lm_sample(2, {"exact_match": 1.0}, document={"answer": "other"})
        b = lm_eval_run(tmp_path, "b", {"t": changed})
        with pytest.raises(EvidenceError, match=r"different questions .* for 1 item \('2'\)"):
            read(a, b)
        evidence = predictions(a, b, on_mismatch="intersect")
        assert evidence.n == 5
        assert [note.code for note in evidence.notes] == ["items-dropped"]

    def test_a_shuffled_data_set_is_joined_by_hash(self, tmp_path: Path) -> None:
        lines = lm_samples(A)
        turned = [{**line, "doc_id": 5 - place} for place, line in enumerate(lines)]
        a = lm_eval_run(tmp_path, "a", {"t": lines})
        b = lm_eval_run(tmp_path, "b", {"t": turned})
        with pytest.raises(EvidenceError, match="id='hash'"):
            read(a, b)
        evidence = predictions(a, b, id="hash")
        assert evidence.columns("labels").predictions.tolist() == [A, A]

    def test_other_prompts_are_noted(self, tmp_path: Path) -> None:
        a = lm_eval_run(tmp_path, "a", {"t": lm_samples(A)})
        b = lm_eval_run(tmp_path, "b", {"t": lm_samples(B, prompt="Think. ")})
        evidence = predictions(a, b)
        assert [note.code for note in evidence.notes] == ["prompts-differ"]
        assert "6 of 6 items differ" in evidence.notes[0].message

    def test_old_files_without_hashes_are_compared_by_their_documents(self, tmp_path: Path) -> None:
        a = lm_eval_run(tmp_path, "a", {"t": lm_samples(A, hashed=False)})
        b = lm_eval_run(tmp_path, "b", {"t": lm_samples(B, hashed=False)})
        assert predictions(a, b).notes == ()
        wrong = lm_samples(B, hashed=False, document={"question": "?"})
        c = lm_eval_run(tmp_path, "c", {"t": wrong})
        with pytest.raises(EvidenceError, match="for 6 items"):
            read(a, c)

    def test_old_and_new_files_cannot_be_verified(self, tmp_path: Path) -> None:
        a = lm_eval_run(tmp_path, "a", {"t": lm_samples(A, hashed=False)})
        b = lm_eval_run(tmp_path, "b", {"t": lm_samples(B)})
        evidence = predictions(a, b)
        assert [note.code for note in evidence.notes] == ["items-unverified"]

    def test_a_limit_leaves_items_unmatched_and_is_noted(self, tmp_path: Path) -> None:
        a = lm_eval_run(tmp_path, "a", {"t": lm_samples(A)})
        b = lm_eval_run(tmp_path, "b", {"t": lm_samples(B[:4])}, original=6)
        with pytest.raises(EvidenceError, match="lacks 2 items"):
            read(a, b)
        evidence = predictions(a, b, on_mismatch="intersect")
        assert evidence.n == 4
        assert [note.code for note in evidence.notes] == ["partial-log", "items-dropped"]
        assert "4 items of 6: the run had a limit" in evidence.notes[0].message

    def test_unpaired(self, tmp_path: Path) -> None:
        a = lm_eval_run(tmp_path, "a", {"t": lm_samples(A)})
        b = lm_eval_run(tmp_path, "b", {"t": lm_samples(B[:4])})
        found = read(a, b, paired=False)
        assert isinstance(found, Unpaired)
        assert [part.n for part in found.parts] == [6, 4]

    def test_the_same_model_twice_is_named_by_its_folder(self, tmp_path: Path) -> None:
        a = lm_eval_run(tmp_path / "before", "m", {"t": lm_samples(A)})
        b = lm_eval_run(tmp_path / "after", "m", {"t": lm_samples(B)})
        assert predictions(a, b).models == ("m (before/m)", "m (after/m)")
        assert predictions(a, b, models=["old", "new"]).models == ("old", "new")
        with pytest.raises(EvidenceError, match="the same run was given twice"):
            read(a, a)

    def test_models_are_chosen_by_name(self, tmp_path: Path) -> None:
        for model in "abc":
            lm_eval_run(tmp_path, model, {"t": lm_samples(A)})
        assert predictions(tmp_path, models=["c", "a"]).models == ("c", "a")
        with pytest.raises(EvidenceError, match="no model 'd'; the logs have 'a', 'b', 'c'"):
            read(tmp_path, models=["a", "d"])
        with pytest.raises(UsageError, match="a list of names"):
            read(tmp_path, models={"a": "acc"})


class TestTasks:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return lm_eval_run(
            tmp_path,
            "a",
            {"mmlu_law": lm_samples(A), "mmlu_art": lm_samples(B), "x": lm_samples(B)},
        )

    def test_several_must_be_chosen_from(self, folder: Path) -> None:
        with pytest.raises(EvidenceError, match="3 tasks: 'mmlu_art', 'mmlu_law', 'x'"):
            read(folder)
        with pytest.raises(EvidenceError, match="no task 'y'; it has"):
            read(folder, task="y")

    def test_the_refusal_says_what_to_type(self, folder: Path) -> None:
        with pytest.raises(EvidenceError) as refused:
            read(folder)
        typed = as_typed(str(refused.value))
        for option in ("--task mmlu_art", "--task '*'", "--slice task"):
            assert option in typed

    def test_slices_of_tasks_take_them_all(self, tmp_path: Path) -> None:
        """One family: every task and all of them together."""
        for model, scores in (("a", A), ("b", B)):
            lm_eval_run(tmp_path, model, {"law": lm_samples(scores), "art": lm_samples(A)})
        found = assay.compare(tmp_path, slice="task")
        assert found.slices == ("art", "law")
        assert found == assay.compare(tmp_path, slice="task", task="*")
        assert (found.questions, found.adjustment) == (3, "holm")
        assert predictions(tmp_path, cluster="task").clusters == 2

    def test_a_pattern_pools_them(self, folder: Path) -> None:
        evidence = predictions(folder, task="mmlu_*", cluster="task")
        assert (evidence.n, evidence.clusters) == (12, 2)
        assert evidence.columns("labels").predictions.tolist() == [[*B, *A]]
        assert len([name for name, _ in evidence.summary().details if "sha256" in name]) == 2

    def test_one_of_them(self, folder: Path) -> None:
        assert predictions(folder, task="mmlu_law").columns("labels").predictions.tolist() == [A]

    def test_two_runs_of_one_task_are_not_mixed(self, tmp_path: Path) -> None:
        lm_eval_run(tmp_path, "a", {"t": lm_samples(A)})
        lm_eval_run(tmp_path, "a", {"t": lm_samples(B)}, time="2026-08-22T10-34-56.306425")
        with pytest.raises(EvidenceError, match="both runs of 'a' on 't'"):
            read(tmp_path)

    def test_files_of_two_tasks_with_the_same_items_can_be_compared(self, tmp_path: Path) -> None:
        a = lm_eval_run(tmp_path / "1", "m", {"gsm8k": lm_samples(A)})
        b = lm_eval_run(tmp_path / "2", "m", {"gsm8k_cot": lm_samples(B, prompt="Think. ")})
        assert predictions(a, b).n == 6


class TestClusters:
    def test_a_field_of_the_document(self, tmp_path: Path) -> None:
        lines = [
            lm_sample(place, {"acc": score}, document={"passage": {"id": place // 2}})
            for place, score in enumerate(A)
        ]
        evidence = predictions(lm_eval_run(tmp_path, "a", {"t": lines}), cluster="passage.id")
        assert evidence.clusters == 3

    def test_a_missing_key_is_refused(self, tmp_path: Path) -> None:
        folder = lm_eval_run(tmp_path, "a", {"t": lm_samples(A)})
        with pytest.raises(EvidenceError, match=r"6 items of 6 .* have no value of 'passage'"):
            read(folder, cluster="passage")


class TestBadFiles:
    def test_a_line_is_named(self, tmp_path: Path) -> None:
        path = samples(lm_eval_run(tmp_path, "a", {"gsm8k": lm_samples(A)}))
        path.write_text(path.read_text() + '{"doc_id": \n')
        with pytest.raises(EvidenceError, match=r"line 7 of .*samples_gsm8k.* is not JSON"):
            read(path)

    def test_a_line_without_an_id(self, tmp_path: Path) -> None:
        path = samples(lm_eval_run(tmp_path, "a", {"gsm8k": lm_samples(A)}))
        path.write_text(path.read_text() + '{"exact_match": 1, "filter": "none"}\n')
        with pytest.raises(EvidenceError, match=r"line 7 of .* missing required field `doc_id`"):
            read(path)

    def test_deep_nesting(self, tmp_path: Path) -> None:
        path = samples(lm_eval_run(tmp_path, "a", {"gsm8k": lm_samples(A)}))
        deep = "[" * 10_000 + "]" * 10_000
        line = f'{{"doc_id": 9, "doc": {deep}, "filter": "none", "exact_match": 1}}'
        path.write_text(path.read_text() + line + "\n")
        with pytest.raises(EvidenceError, match=r"line 7 of .* is nested too deeply"):
            read(path)

    def test_huge_numbers_are_no_scores(self, tmp_path: Path) -> None:
        path = samples(lm_eval_run(tmp_path, "a", {"gsm8k": lm_samples([1.0, 7, 0.0])}))
        path.write_text(
            path.read_text().replace('"exact_match": 7', '"exact_match": 1' + "0" * 400)
        )
        with pytest.raises(EvidenceError, match="the score is infinite"):
            read(path)
        assert predictions(path, unscored="drop").n == 2
        path.write_text(path.read_text().replace("0" * 400, "0" * 5000))
        with pytest.raises(EvidenceError, match=r"line 2 of .* is not JSON"):
            read(path)

    def test_constants_that_json_does_not_have(self, tmp_path: Path) -> None:
        rows = [float("nan"), 1.0, float("inf"), 0.0]
        folder = lm_eval_run(tmp_path, "a", {"t": lm_samples(rows)})
        assert predictions(folder, unscored="drop").columns("labels").predictions.tolist() == [
            [1, 0]
        ]

    def test_of_a_key_that_occurs_twice_the_last_counts(self, tmp_path: Path) -> None:
        path = samples(lm_eval_run(tmp_path, "a", {"gsm8k": lm_samples([1.0, 1.0])}))
        twice = path.read_text().replace(
            '"exact_match": 1.0', '"exact_match": 1.0, "exact_match": 0.0'
        )
        path.write_text(twice)
        assert predictions(path).columns("labels").predictions.tolist() == [[0, 0]]

    def test_a_line_beyond_the_cap(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = samples(lm_eval_run(tmp_path, "a", {"gsm8k": lm_samples(A)}))
        monkeypatch.setattr("assay.evidence.readers.log_files.MAX_LINE", 1000)
        path.write_text(
            path.read_text() + json.dumps(lm_sample(9, {"exact_match": 1}, prompt="x" * 999))
        )
        with pytest.raises(EvidenceError, match=r"line 7 of .* longer than 1,000 bytes"):
            read(path)

    def test_an_item_twice(self, tmp_path: Path) -> None:
        folder = lm_eval_run(tmp_path, "a", {"t": lm_samples(A) + lm_samples(B)[:1]})
        with pytest.raises(EvidenceError, match=r"scores item '0' twice \(line 1, line 7\)"):
            read(folder)

    def test_averages_alone_are_not_enough(self, tmp_path: Path) -> None:
        folder = lm_eval_run(tmp_path, "a", {"gsm8k": lm_samples(A)})
        samples(folder).unlink()
        with pytest.raises(EvidenceError, match=r"holds averages only.*--log_samples"):
            read(folder / f"results_{TIME}.json")

    def test_packed_by_gzip_and_renamed(self, tmp_path: Path) -> None:
        a = write_lines(tmp_path / "small.jsonl.gz", lm_samples(A))
        b = write_lines(tmp_path / "large.jsonl.gz", lm_samples(B))
        assert predictions(a, b).models == ("small", "large")

    def test_a_gzip_file_that_is_cut_off(self, tmp_path: Path) -> None:
        path = write_lines(tmp_path / "small.jsonl.gz", lm_samples(A * 50))
        path.write_bytes(path.read_bytes()[:-30])
        with pytest.raises(EvidenceError, match="cannot be read"):
            read(path)

    def test_a_first_line_of_a_megabyte_is_still_recognised(self, tmp_path: Path) -> None:
        lines = lm_samples(A, document={"context": "x" * 1_000_000})
        assert predictions(write_lines(tmp_path / "long.jsonl", lines)).n == 6

    def test_text_that_is_not_utf8(self, tmp_path: Path) -> None:
        path = samples(lm_eval_run(tmp_path, "a", {"gsm8k": lm_samples(A)}))
        path.write_bytes(path.read_bytes() + b'{"doc_id": "\xff", "exact_match": 1}\n')
        with pytest.raises(EvidenceError, match=r"line 7 of .* is not UTF-8"):
            read(path)


class TestThroughAssay:
    def test_the_command_line_reads_logs(
        self, two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
    ) -> None:
        arguments = ["--metric", "exact_match", "--task", "gsm*", "--unscored", "drop"]
        with pytest.raises(SystemExit) as ended:
            main(["compare", *map(str, two), *arguments, "--format", "json", "--seed", "1"])
        assert ended.value.code in (0, None)
        shown = capsys.readouterr()
        assert json.loads(shown.out)["verdicts"][0]["a"] == "org/a"
        assert "exact_match of gsm8k (higher is better)" in shown.err

    def test_caveats_of_the_log_reach_the_comparison(self, tmp_path: Path) -> None:
        a = lm_eval_run(tmp_path, "a", {"t": lm_samples(A)})
        b = lm_eval_run(tmp_path, "b", {"t": lm_samples(B, prompt="Think. ")})
        assert "prompts-differ" in [note.code for note in assay.compare(read(a, b)).notes]

    def test_a_log_knows_no_chance(self, two: tuple[Path, Path]) -> None:
        with pytest.raises(UsageError, match="no fixed value of chance"):
            assay.compare(read(two[0]), against="chance")
        assert assay.compare(read(two[0]), against=0.1).verdict.word == "better"
