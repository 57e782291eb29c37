from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.reading import read
from assay.measures.values import pass_at_k
from tests.evidence.forms import predictions
from tests.evidence.readers.code_logs import evalplus, human_eval
from tests.evidence.readers.harness_logs import write_lines

TASKS = {"HumanEval/0": [True, False, True, False], "HumanEval/1": [False] * 4}


class TestAttempts:
    def test_are_counted_per_task(self, tmp_path: Path) -> None:
        evidence = predictions(human_eval(tmp_path / "gpt.jsonl_results.jsonl", TASKS))
        columns = evidence.columns("values")
        assert evidence.models == ("gpt",)
        assert columns.truth.tolist() == [4, 4]
        assert columns.predictions.tolist() == [[2, 0]]
        found = assay.evaluate(evidence, measures=None).estimates[0]
        assert (found.measure, found.value) == ("pass@1", 0.25)

    @given(
        tried=st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=2, max_size=6),
        k=st.integers(1, 5),
    )
    def test_pass_at_k_of_the_log_is_that_of_the_counts(
        self, tmp_path_factory: Any, tried: list[list[bool]], k: int
    ) -> None:
        tasks = {f"t/{n}": attempts for n, attempts in enumerate(tried)}
        path = human_eval(tmp_path_factory.mktemp("log") / "a_results.jsonl", tasks)
        evidence = predictions(path, metric=f"pass@{k}")
        found = assay.evaluate(evidence, measures=None).estimates[0]
        expected = pass_at_k([5] * len(tried), [sum(attempts) for attempts in tried], k).mean()
        assert found.measure == f"pass@{k}"
        assert found.value == pytest.approx(expected)

    def test_two_models(self, tmp_path: Path) -> None:
        a = human_eval(tmp_path / "a_results.jsonl", TASKS)
        b = human_eval(tmp_path / "b_results.jsonl", {task: [True] * 4 for task in TASKS})
        result = assay.compare(read(a, b))
        assert result.measure == "pass@1"
        assert result.verdict.outcome.effect.value == pytest.approx(-0.75)

    def test_attempts_can_be_repeats_instead(self, tmp_path: Path) -> None:
        evidence = predictions(human_eval(tmp_path / "a_results.jsonl.gz", TASKS), metric="passed")
        assert (evidence.n, evidence.clusters) == (8, 2)

    def test_other_numbers_of_attempts(self, tmp_path: Path) -> None:
        a = human_eval(tmp_path / "a_results.jsonl", TASKS)
        b = human_eval(tmp_path / "b_results.jsonl", {task: [True] * 5 for task in TASKS})
        with pytest.raises(EvidenceError, match=r"numbers of attempts .*metric='passed'"):
            read(a, b)
        evidence = predictions(a, b, metric="passed")
        assert evidence.columns("losses").predictions.tolist() == [[0.5, 0], [1, 1]]


class TestRefused:
    def test_an_unknown_metric(self, tmp_path: Path) -> None:
        path = human_eval(tmp_path / "a.jsonl", TASKS)
        with pytest.raises(UsageError, match="pass@K, pass\\^K or 'passed'"):
            read(path, metric="accuracy")

    def test_an_attempt_that_was_not_judged(self, tmp_path: Path) -> None:
        path = human_eval(tmp_path / "a.jsonl", {"t": [True, None]})
        with pytest.raises(EvidenceError, match="1 answer without a score, of 2"):
            read(path)

    def test_a_share(self, tmp_path: Path) -> None:
        path = human_eval(tmp_path / "a.jsonl", {"t": [0.5]})
        with pytest.raises(EvidenceError, match=r"line 1 of .*true or false, got 0\.5"):
            read(path)

    def test_clusters(self, tmp_path: Path) -> None:
        with pytest.raises(EvidenceError, match="nothing to cluster"):
            read(human_eval(tmp_path / "a.jsonl", TASKS), cluster="topic")

    def test_samples_that_were_not_run_are_no_results(self, tmp_path: Path) -> None:
        path = write_lines(tmp_path / "a.jsonl", [{"task_id": "t", "completion": "pass"}])
        with pytest.raises(AmbiguousEvidence, match="Which columns"):
            read(path)


class TestEvalPlus:
    ATTEMPTS: ClassVar = {
        "HumanEval/0": [("pass", "pass"), ("pass", "fail")],
        "HumanEval/1": [("fail", "fail"), ("pass", "pass")],
        "HumanEval/2": [("timeout", "fail"), ("fail", "fail")],
    }

    def share(self, path: Path, metric: str) -> float | None:
        return assay.evaluate(read(path, metric=metric), measures=None).estimates[0].value

    def test_an_attempt_passes_all_tests(self, tmp_path: Path) -> None:
        path = evalplus(tmp_path / "m_temp_0.8_eval_results.json", self.ATTEMPTS)
        assert predictions(path).models == ("m_temp_0.8",)
        assert self.share(path, "pass@1") == pytest.approx(2 / 6)
        assert self.share(path, "pass@2") == pytest.approx(2 / 3)
        assert "EvalPlus" in predictions(path).summary().description

    def test_the_original_tests_alone(self, tmp_path: Path) -> None:
        path = evalplus(tmp_path / "a_eval_results.json", self.ATTEMPTS)
        assert self.share(path, "pass@1,base") == pytest.approx(3 / 6)
        assert self.share(path, "passed,base") == pytest.approx(3 / 6)

    def test_without_added_tests(self, tmp_path: Path) -> None:
        path = evalplus(
            tmp_path / "run" / "eval_results.json", {"a": [("pass", None)], "b": [("fail", None)]}
        )
        assert self.share(path, "pass@1") == 0.5
        assert predictions(path).models == ("run",)

    def test_what_cannot_be_asked_for(self, tmp_path: Path) -> None:
        path = evalplus(tmp_path / "a_eval_results.json", self.ATTEMPTS)
        with pytest.raises(UsageError, match="',base' for the original tests alone; got 'plus'"):
            read(path, metric="plus")
        line = human_eval(tmp_path / "a.jsonl_results.jsonl", {"t": [True]})
        with pytest.raises(UsageError, match=r"pass@K, pass\^K or 'passed'"):
            read(line, metric="pass@1,base")
        empty = evalplus(tmp_path / "b_eval_results.json", {"t": []})
        empty.write_text(empty.read_text().replace('"pass_at_k"', '"base_status": 0, "pass_at_k"'))
        with pytest.raises(EvidenceError, match="holds no attempts"):
            read(empty)
