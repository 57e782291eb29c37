from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.core.errors import EvidenceError
from assay.evidence.reading import read
from tests.evidence.forms import predictions
from tests.evidence.readers.harness_logs import helm_record, helm_run, helm_stat

ROBUST = {"name": "typos", "robustness": True, "fairness": False, "computed_on": "perturbed"}


def records(scores: Sequence[float | None], metric: str = "exact_match") -> list[dict[str, Any]]:
    return [
        helm_record(f"id{n}", [helm_stat(metric, score), helm_stat("num_prompt_tokens", 42.0)])
        for n, score in enumerate(scores)
    ]


class TestRuns:
    @pytest.mark.parametrize("form", ["file", "run", "suite"])
    def test_files_folders_and_suites(self, tmp_path: Path, form: str) -> None:
        runs = [
            helm_run(tmp_path, "openai/a", records([1, 0, 1])),
            helm_run(tmp_path, "openai/b", records([0, 0, 1])),
        ]
        given = {
            "file": [run / "per_instance_stats.json" for run in runs],
            "run": runs,
            "suite": [tmp_path],
        }[form]
        evidence = predictions(*given)
        assert evidence.models == ("openai/a", "openai/b")
        assert evidence.columns("labels").predictions.tolist() == [[1, 0, 1], [0, 0, 1]]
        assert evidence.notes == ()
        assert "mmlu:subject=anatomy,method=multiple_choice_joint" in evidence.summary().description

    def test_names_from_the_folder_where_the_specification_is_lost(self, tmp_path: Path) -> None:
        run = helm_run(tmp_path, "openai/a", records([1, 0, 1]))
        (run / "run_spec.json").unlink()
        assert predictions(run).models == ("openai_a",)

    @given(scores=st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=12))
    def test_round_trip(self, tmp_path_factory: Any, scores: list[float]) -> None:
        run = helm_run(tmp_path_factory.mktemp("run"), "a", records(scores, "f1_score"))
        evidence = predictions(run)
        needs = "labels" if "labels" in evidence.offers["a"] else "losses"
        assert evidence.columns(needs).predictions.tolist() == [scores]  # type: ignore[arg-type]


class TestMetrics:
    def test_the_first_is_taken_without_the_bookkeeping(self, tmp_path: Path) -> None:
        stats = [helm_stat(name, 1.0) for name in ("exact_match", "quasi_exact_match")]
        stats += [helm_stat(name, 1.0) for name in ("num_output_tokens", "inference_runtime")]
        run = helm_run(tmp_path, "a", [helm_record("id1", stats)])
        (found,) = predictions(run).notes
        assert "exact_match was taken" in found.message
        assert found.message.endswith("the others: 'quasi_exact_match'")
        assert predictions(run, metric="num_output_tokens").n == 1

    def test_statistics_of_an_instance_are_spread_over_records(self, tmp_path: Path) -> None:
        spread = [
            helm_record("id1", [helm_stat("other", 0.5)]),
            helm_record("id1", [helm_stat("exact_match", 1.0)]),
            helm_record("id2", [helm_stat("exact_match", 0.0)]),
            helm_record("id2", [helm_stat("other", 0.5)]),
        ]
        run = helm_run(tmp_path, "a", spread)
        evidence = predictions(run, metric="exact_match")
        assert evidence.columns("labels").predictions.tolist() == [[1, 0]]

    def test_perturbed_items_and_other_splits_do_not_count(self, tmp_path: Path) -> None:
        mixed = [
            helm_record("id1", [helm_stat("exact_match", 1.0)]),
            helm_record("id1", [helm_stat("exact_match", 0.0)], perturbation=ROBUST),
            helm_record("id1", [helm_stat("exact_match", 0.0, perturbation=ROBUST)]),
            helm_record("id9", [helm_stat("exact_match", 0.0, split="train")]),
            helm_record("id8", [helm_stat("exact_match", 0.0, split="valid")]),
        ]
        evidence = predictions(helm_run(tmp_path, "a", mixed))
        assert evidence.columns("labels").predictions.tolist() == [[1]]

    def test_without_a_test_split_the_validation_counts(self, tmp_path: Path) -> None:
        valid = [helm_record("id1", [helm_stat("exact_match", 1.0, split="valid")])]
        assert predictions(helm_run(tmp_path, "a", valid)).n == 1

    def test_a_statistic_that_was_removed_is_no_score(self, tmp_path: Path) -> None:
        lost = [*records([1, 0]), helm_record("id2", [helm_stat("num_prompt_tokens", 3.0)])]
        lost.append(helm_record("id3", [helm_stat("exact_match", None)]))
        run = helm_run(tmp_path, "a", lost)
        with pytest.raises(EvidenceError, match="2 answers without a score, of 4"):
            read(run)
        assert predictions(run, unscored="drop").n == 2

    def test_the_mean_is_worked_out_where_it_is_not_given(self, tmp_path: Path) -> None:
        stat = helm_stat("logprob", None) | {"count": 4, "sum": 3.0}
        run = helm_run(tmp_path, "a", [helm_record("id1", [stat])])
        assert predictions(run).columns("losses").predictions.tolist() == [[0.75]]


class TestRepeatsAndClusters:
    def test_trials_are_repeats(self, tmp_path: Path) -> None:
        trials = [
            helm_record(f"id{n}", [helm_stat("exact_match", float(n % 2))], trial=trial)
            for trial in range(3)
            for n in range(4)
        ]
        evidence = predictions(helm_run(tmp_path, "a", trials))
        assert (evidence.n, evidence.clusters) == (12, 4)

    def test_sub_splits_can_be_clusters(self, tmp_path: Path) -> None:
        items = [
            helm_record(f"id{n}", [helm_stat("exact_match", 1.0, sub_split=f"s{n % 2}")])
            for n in range(4)
        ]
        run = helm_run(tmp_path, "a", items)
        assert predictions(run, cluster="sub_split").clusters == 2
        with pytest.raises(EvidenceError, match="'sub_split' only; got 'topic'"):
            read(run, cluster="topic")


class TestJoin:
    def test_other_questions_are_refused(self, tmp_path: Path) -> None:
        a = helm_run(tmp_path, "a", records([1, 0, 1]))
        b = helm_run(tmp_path, "b", records([1, 0, 1]), changed={"id1": "another"})
        with pytest.raises(EvidenceError, match=r"different questions .* 1 item \('id1'\)"):
            read(a, b)

    def test_without_the_state_nothing_is_verified(self, tmp_path: Path) -> None:
        a = helm_run(tmp_path, "a", records([1, 0, 1]))
        b = helm_run(tmp_path, "b", records([1, 0, 1]), state=False)
        assert [note.code for note in predictions(a, b).notes] == ["items-unverified"]

    def test_compared(self, tmp_path: Path) -> None:
        a = helm_run(tmp_path, "a", records([1.0] * 30 + [0.0] * 10))
        b = helm_run(tmp_path, "b", records([1.0] * 10 + [0.0] * 30))
        assert assay.compare(read(a, b)).verdict.word == "better"
