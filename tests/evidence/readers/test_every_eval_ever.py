import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import EvidenceError
from assay.evidence.reading import read
from tests.evidence.forms import predictions
from tests.evidence.readers.harness_logs import eee_files, eee_row, sha

U, V = "82b87027-639f-4c3b-8f99-fad7ac350893", "c46a2b75-ea55-4733-8360-e1a4e435c892"


def rows(scores: list[float], **options: Any) -> list[dict[str, Any]]:
    return [eee_row(str(n), score, **options) for n, score in enumerate(scores)]


def lm_eval_metadata(metrics: dict[str, Any], **more: str) -> dict[str, str]:
    """What the converter of lm-eval logs keeps."""
    return {"doc_hash": sha("d"), "prompt_hash": sha("p"), "target_hash": sha("t"), "filter": "none",
            "lm_eval_metrics": json.dumps(metrics), **more}  # fmt: skip


class TestConverter:
    """What the package every_eval_ever 0.3.0 made of two logs of lm-evaluation-harness."""

    def test_its_files(self) -> None:
        found = predictions(Path(__file__).parent / "tools" / "every_eval_ever")
        assert found.models == ("lab/large", "lab/small")
        right = found.columns("labels").predictions.sum(axis=1).tolist()
        assert (found.n, right) == (12, [11, 8])
        assert found.origin is not None
        assert found.origin.reported["lab/small"][""] == pytest.approx(8 / 12)


class TestRuns:
    @pytest.mark.parametrize("form", ["instances", "aggregate", "folder"])
    def test_instances_are_found(self, tmp_path: Path, form: str) -> None:
        a = eee_files(tmp_path, U, rows([1.0, 0.0, 1.0]))
        b = eee_files(tmp_path, V, rows([0.0, 0.0, 1.0], model="org/b"))
        given = {
            "instances": [a, b],
            "aggregate": [tmp_path / f"{U}.json", tmp_path / f"{V}.json"],
            "folder": [tmp_path],
        }[form]
        evidence = predictions(*given)
        assert evidence.models == ("org/a", "org/b")
        assert evidence.columns("labels").predictions.tolist() == [[1, 0, 1], [0, 0, 1]]
        assert "Every Eval Ever of lm_eval 0.4.13" in evidence.summary().description

    def test_averages_alone_are_not_enough(self, tmp_path: Path) -> None:
        eee_files(tmp_path, U, rows([1.0])).unlink()
        with pytest.raises(EvidenceError, match="holds averages only"):
            read(tmp_path / f"{U}.json")

    def test_a_name_that_no_file_can_have(self, tmp_path: Path) -> None:
        eee_files(tmp_path, U, rows([1.0])).unlink()
        aggregate = tmp_path / f"{U}.json"
        aggregate.write_text(aggregate.read_text().replace(f"{U}_samples.jsonl", "x" * 5_000))
        with pytest.raises(EvidenceError, match="holds averages only"):
            read(aggregate)

    def test_no_file_elsewhere_is_opened(self, tmp_path: Path) -> None:
        (tmp_path / "in").mkdir()
        secret = eee_files(tmp_path, V, rows([1.0]))
        eee_files(tmp_path / "in", U, rows([1.0])).unlink()
        aggregate = tmp_path / "in" / f"{U}.json"
        aggregate.write_text(
            aggregate.read_text().replace(f"data/x/{U}_samples.jsonl", str(secret))
        )
        with pytest.raises(EvidenceError, match="holds averages only"):
            read(aggregate)

    @given(scores=st.lists(st.floats(0, 1), min_size=1, max_size=12))
    def test_round_trip(self, tmp_path_factory: Any, scores: list[float]) -> None:
        path = eee_files(tmp_path_factory.mktemp("eee"), U, rows(scores), aggregate=False)
        evidence = predictions(path)
        needs = "labels" if "labels" in evidence.offers["org/a"] else "losses"
        assert evidence.columns(needs).predictions.tolist() == [scores]  # type: ignore[arg-type]


class TestMetrics:
    def test_a_row_for_each_metric(self, tmp_path: Path) -> None:
        both = [*rows([1.0, 0.0], result="acc"), *rows([0.5, 0.25], result="acc_norm")]
        path = eee_files(tmp_path, U, both)
        assert predictions(path).columns("labels").predictions.tolist() == [[1, 0]]
        assert [note.code for note in predictions(path).notes] == ["metric-taken"]
        found = predictions(path, metric="acc_norm").columns("losses").predictions
        assert found.tolist() == [[0.5, 0.25]]

    def test_lower_is_better_where_the_aggregate_says_so(self, tmp_path: Path) -> None:
        evidence = predictions(eee_files(tmp_path, U, rows([0.5, 0.25]), lower=True))
        assert evidence.origin is not None
        assert evidence.origin.measure == "mean_loss"

    def test_is_correct_can_be_asked_for(self, tmp_path: Path) -> None:
        path = eee_files(tmp_path, U, rows([1.0, 0.5]))
        found = predictions(path, metric="is_correct").columns("labels").predictions
        assert found.tolist() == [[1, 0]]

    def test_tasks_are_chosen(self, tmp_path: Path) -> None:
        path = eee_files(tmp_path, U, [*rows([1.0, 0.0]), *rows([1.0], task="mmlu")])
        with pytest.raises(EvidenceError, match="2 tasks: 'gsm8k', 'mmlu'"):
            read(path)
        assert predictions(path, task="gsm8k").n == 2

    def test_a_sample_that_comes_again_is_a_repeat(self, tmp_path: Path) -> None:
        path = eee_files(tmp_path, U, [*rows([1.0, 0.0, 1.0]), *rows([0.0, 0.0, 1.0])])
        evidence = predictions(path)
        assert (evidence.n, evidence.clusters) == (6, 3)

    def test_clusters_from_the_metadata(self, tmp_path: Path) -> None:
        items = [eee_row(str(n), 1.0, metadata={"topic": str(n % 2)}) for n in range(4)]
        assert predictions(eee_files(tmp_path, U, items), cluster="topic").clusters == 2


class TestZerosThatAreNoScores:
    def test_the_converter_writes_zero_for_an_item_without_a_number(self, tmp_path: Path) -> None:
        good = [eee_row(str(n), 1.0, metadata=lm_eval_metadata({"acc": 1.0})) for n in range(2)]
        lost = eee_row("2", 0.0, result=None, metadata=lm_eval_metadata({"bleu": ["a", "b"]}))
        path = eee_files(tmp_path, U, [*good, lost])
        with pytest.raises(
            EvidenceError, match="1 answer without a score, of 3: the converter found"
        ):
            read(path)
        assert predictions(path, unscored="drop").columns("labels").predictions.tolist() == [[1, 1]]

    def test_also_where_all_are_lost(self, tmp_path: Path) -> None:
        metadata = lm_eval_metadata({"word_perplexity": [-0.8, 1]})
        lost = [eee_row(str(n), 0.0, result=None, metadata=metadata) for n in range(3)]
        with pytest.raises(EvidenceError, match="3 answers without a score, of 3"):
            read(eee_files(tmp_path, U, lost))

    def test_zeros_that_nothing_vouches_for_are_noted(self, tmp_path: Path) -> None:
        path = eee_files(tmp_path, U, rows([1.0, 0.0, 0.0], result=None))
        (note,) = predictions(path).notes
        assert note.code == "doubtful-zeros"
        assert "2 scores of 0" in note.message

    def test_errors(self, tmp_path: Path) -> None:
        path = eee_files(tmp_path, U, [*rows([1.0, 0.0]), eee_row("2", 0.0, error="timeout")])
        with pytest.raises(EvidenceError, match=r"the sample ended in an error \(1\)"):
            read(path)

    def test_an_unknown_level(self, tmp_path: Path) -> None:
        path = eee_files(tmp_path, U, rows([1.0, -1.0, 3.0]), unknown=True)
        assert predictions(path, unscored="drop").n == 2


class TestJoin:
    def test_other_questions(self, tmp_path: Path) -> None:
        a = eee_files(tmp_path, U, rows([1.0, 0.0]))
        b = eee_files(tmp_path, V, rows([1.0, 0.0], model="org/b", question="other"))
        with pytest.raises(EvidenceError, match="different questions"):
            read(a, b)

    def test_the_hashes_of_lm_eval_tell_prompts_from_items(self, tmp_path: Path) -> None:
        kept = lm_eval_metadata({"acc": 1.0})
        other = {**kept, "prompt_hash": sha("chat template")}
        a = eee_files(tmp_path, U, rows([1.0], metadata=kept))
        b = eee_files(tmp_path, V, rows([1.0], metadata=other, model="org/b", question="<chat>"))
        assert [note.code for note in predictions(a, b).notes] == ["prompts-differ"]


class TestAverages:
    def test_items_that_make_another_average_are_noted(self, tmp_path: Path) -> None:
        """The converter gives a group of tasks the items of one of them."""
        path = eee_files(tmp_path, U, rows([1.0, 0.0, 0.0]), averaged=0.5)
        (found,) = predictions(path).notes
        assert found.code == "log-disagrees"
        assert "0.333333, and the file with the averages says 0.5" in found.message

    def test_rounded_averages_agree(self, tmp_path: Path) -> None:
        assert (
            predictions(eee_files(tmp_path, U, rows([1.0, 0.0, 0.0]), averaged=0.333)).notes == ()
        )

    def test_log_likelihoods_of_a_perplexity_are_turned_round(self, tmp_path: Path) -> None:
        values = [-6.0, -2.0]
        lines = [
            eee_row(
                str(place),
                value,
                result="perplexity",
                metadata={"lm_eval_metrics": json.dumps({"perplexity": value, "acc": 0})},
            )
            for place, value in enumerate(values)
        ]
        evidence = predictions(eee_files(tmp_path, U, lines, lower=True, averaged=math.exp(4.0)))
        assert evidence.columns("losses").predictions.tolist() == [[6.0, 2.0]]
        assert evidence.origin is not None
        assert evidence.origin.measure == "mean_loss"
        assert [note.code for note in evidence.notes] == ["log-perplexity"]

    def test_a_perplexity_of_another_source_is_taken_as_it_is(self, tmp_path: Path) -> None:
        lines = [eee_row(str(n), 3.0 + n, result="perplexity") for n in range(2)]
        evidence = predictions(eee_files(tmp_path, U, lines, lower=True))
        assert evidence.columns("losses").predictions.tolist() == [[3.0, 4.0]]
