"""Answers item by item: files that tools wrote themselves, and shapes that they document."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import EvidenceError
from assay.evidence.readers.log_formats import recognise

TOOLS = Path(__file__).parent / "tools"
"""Its README says which tool wrote what."""


def written(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = isinstance(value, list) and path.suffix == ".jsonl"
    text = "\n".join(map(json.dumps, value)) if lines else json.dumps(value)
    path.write_text(text, encoding="utf-8")
    return path


class TestPromptfoo:
    FILE = TOOLS / "promptfoo.json"

    def test_prompts_are_models_and_repeats_are_no_new_tests(self) -> None:
        found: Any = assay.read(self.FILE, metric="success")
        assert found.models == ("echo · {{word}}", "echo · say {{word}}")
        assert (found.n, found.clusters) == (8, 4)

    def test_scores_are_those_of_the_file(self) -> None:
        found = assay.evaluate(self.FILE, metric="success", measures=["accuracy"])
        rows = json.loads(self.FILE.read_text())["results"]["results"]
        for place, one in enumerate(found.estimates):
            mine = [row["success"] for row in rows if row["promptIdx"] == place]
            assert one.value == pytest.approx(sum(mine) / len(mine))

    def test_every_test_at_a_level(self) -> None:
        told: dict[str, Any] = {"metric": "success", "candidate": "echo · {{word}}"}
        found = assay.gate(self.FILE, each=0.8, observed=True, **told)
        assert (found.word, len(found.checks)) == ("failed", 4)
        assert sum(check.word == "passed" for check in found.checks) == 3

    def test_named_scores(self) -> None:
        with pytest.raises(
            EvidenceError, match="has no metric 'beauty'; it has 'success', 'score'"
        ):
            assay.read(self.FILE, metric="beauty")


class TestDeepEval:
    def test_success_and_metrics(self) -> None:
        found = assay.evaluate(TOOLS / "deepeval.json", metric="Exact", measures=["accuracy"])
        assert found.estimates[0].value == pytest.approx(4 / 6)

    def test_the_file_of_the_last_run(self) -> None:
        found: Any = assay.read(TOOLS / "deepeval_latest.json", metric="success")
        assert (found.n, found.models) == (6, ("small",))


TRACES: dict[str, Any] = {
    "Braintrust": [
        {"id": f"{k}", "input": {"q": k}, "output": "a", "expected": "a", "scores": {"exact": k % 3 > 0},
         "root_span_id": "r", "_xact_id": "1"} for k in range(9)
    ],
    "LangSmith": [
        {"id": f"{k}", "run_type": "chain", "inputs": {"q": k}, "outputs": {"a": 1}, "reference_example_id": f"e{k}",
         "feedback_stats": {"exact": {"n": 1, "avg": float(k % 3 > 0)}}} for k in range(9)
    ],
    "Langfuse": [
        {"id": f"{k}", "projectId": "p", "input": {"q": k}, "output": "a", "latency": 0.1,
         "scores": [{"name": "exact", "value": float(k % 3 > 0), "dataType": "NUMERIC"}]} for k in range(9)
    ],
}  # fmt: skip


@pytest.mark.parametrize("tool", ["langsmith", "braintrust"])
def test_experiments_of_the_tools_themselves(tool: str) -> None:
    """Eight questions, each asked twice; new is wrong on two of them, old on three."""
    suffix = "csv" if tool == "langsmith" else "jsonl"
    old, new = (TOOLS / f"{tool}_{name}.{suffix}" for name in ("old", "new"))
    found = assay.compare(new, old, metric="exact", baseline=f"{tool}_old")
    assert (found.evidence.n, found.evidence.clusters) == (16, 8)
    assert found.verdict.outcome.effect.value == pytest.approx(1 / 8)


def test_runs_of_langsmith_without_their_steps() -> None:
    """Twelve questions; new is wrong on one of them, old on four. Runs inside a run have no feedback."""
    old, new = (TOOLS / f"langsmith_runs_{name}.jsonl" for name in ("old", "new"))
    found = assay.compare(new, old)
    assert found.evidence.n == 12
    assert found.verdict.outcome.effect.value == pytest.approx(3 / 12)


def test_an_answer_that_failed_has_no_score(tmp_path: Path) -> None:
    rows = [*TRACES["Braintrust"], {**TRACES["Braintrust"][0], "scores": {}, "error": "timeout"}]
    step = {**TRACES["Braintrust"][0], "scores": {}, "span_parents": ["r"]}
    path = written(tmp_path / "run.jsonl", [*rows, step])
    with pytest.raises(EvidenceError, match="1 answer without a score, of 10"):
        assay.evaluate(path)
    assert assay.evaluate(path, unscored="drop").estimates[0].n == 9


class TestOptunaTrials:
    FILE = TOOLS / "optuna_items.sqlite"

    def test_the_winner_is_corrected_for_having_been_chosen(self) -> None:
        found = assay.best_of(assay.read(self.FILE, metric="correct"), rng=1)
        told = dict(found.details)
        assert (found.model, told["naive"]) == ("trial 1", pytest.approx(46 / 60))
        assert found.value < told["naive"]

    def test_lists_of_another_length_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "study.sqlite"
        shutil.copy(self.FILE, path)
        with closing(sqlite3.connect(path)) as store:
            store.execute(
                "UPDATE trial_user_attributes SET value_json = '[1, 0]' WHERE trial_id = 3 AND key = 'correct'"
            )
            store.commit()
        with pytest.raises(EvidenceError, match="items"):
            assay.read(path)


@pytest.mark.parametrize("tool", TRACES)
@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_exports_of_traces(tool: str, suffix: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"run.{suffix}", TRACES[tool])
    assert recognise(path) == tool
    (one,) = assay.evaluate(path, measures=["accuracy"]).estimates
    assert (one.model, one.n) == ("run", 9)
    assert one.value == pytest.approx(6 / 9)


def test_two_exports_are_paired_by_their_input(tmp_path: Path) -> None:
    rows = TRACES["Braintrust"]
    old = written(tmp_path / "old.jsonl", rows)
    better = [{**row, "scores": {"exact": True}} for row in reversed(rows)]
    new = written(tmp_path / "new.jsonl", better)
    found = assay.compare(new, old, baseline="old")
    assert found.evidence.n == 9
    assert found.verdict.outcome.effect.value == pytest.approx(3 / 9)


class TestTrec:
    """Two runs of 25 queries, scored by trec_eval, ir_measures and pytrec_eval themselves."""

    FILES = TOOLS / "trec"

    def test_queries_are_items(self) -> None:
        found = assay.compare(
            self.FILES / "dense.txt", self.FILES / "bm25.txt", metric="map", baseline="bm25"
        )
        assert found.evidence.n == 25
        assert found.verdict.outcome.effect.value == pytest.approx(0.6885 - 0.4018, abs=1e-4)

    @pytest.mark.parametrize(
        ("file", "metric"), [("dense.tsv", "AP"), ("dense.jsonl", "AP"), ("dense.json", "map")]
    )
    def test_the_same_scores_from_every_tool(self, file: str, metric: str) -> None:
        """The average that trec_eval prints, although each writes its own form."""
        assert recognise(self.FILES / file) == "trec_eval"
        (one,) = assay.evaluate(self.FILES / file, metric=metric, measures=None).estimates
        assert one.n == 25
        assert one.value == pytest.approx(0.6885, abs=5e-5)

    def test_counts_and_strings_are_no_measures(self) -> None:
        with pytest.raises(
            EvidenceError, match="it has 'map', 'recip_rank', 'P_5', 'P_10', '11pt_avg'"
        ):
            assay.read(self.FILES / "dense.txt", metric="relstring_5")
        with pytest.raises(EvidenceError, match=r"it has 'AP', .*'P\(rel=2\)@5'"):
            assay.read(self.FILES / "dense.tsv", metric="NumRet")

    def test_ranked_documents_have_no_scores(self, tmp_path: Path) -> None:
        path = tmp_path / "dense.run"
        path.write_text("301 Q0 D04 1 3.2100 dense\n301 Q0 D11 2 2.9000 dense\n")
        with pytest.raises(EvidenceError, match=r"trec_eval -q QRELS dense.run > dense.txt"):
            assay.read(path)

    def test_averages_alone_are_not_enough(self, tmp_path: Path) -> None:
        path = tmp_path / "a.txt"
        path.write_text("map \tall\t0.6\nP_10 \tall\t0.5\n")
        with pytest.raises(EvidenceError, match="run trec_eval with -q"):
            assay.read(path)

    def test_an_ordinary_table_is_none(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text("map,a,b\n1,2,3\n")
        assert recognise(path) is None
        path.write_text("id\tP\ty\n1\tR\t3\n2\tAP\t4\n")
        assert recognise(path) is None


class TestLangfuse:
    @pytest.mark.parametrize("kind", ["traces", "experiment"])
    def test_what_its_client_writes(self, kind: str) -> None:
        """Twenty questions; the large model answered sixteen of them, the small one eleven."""
        large, small = (TOOLS / f"langfuse_{kind}_{name}.json" for name in ("large", "small"))
        found = assay.compare(large, small, metric="exact")
        assert found.evidence.n == 20
        assert sorted(one.value or 0.0 for one in found.estimates) == [11 / 20, 16 / 20]

    def test_a_category_is_no_score(self) -> None:
        """It has the number 0 beside its word."""
        with pytest.raises(EvidenceError, match="'kind' is not a score"):
            assay.read(TOOLS / "langfuse_traces_small.json", metric="tone")

    def test_a_list_of_traces_has_no_scores(self) -> None:
        with pytest.raises(EvidenceError, match=r"langfuse.api.trace.get\(id\)"):
            assay.read(TOOLS / "langfuse_list.json")


class TestKaggle:
    """A solution and submissions: files of the same two columns, in any order."""

    def files(self, folder: Path) -> list[Path]:
        truth = [k * 7 % 10 < 4 for k in range(200)]
        rows = [f"{k},{int(y)},{'Public' if k % 2 else 'Private'}" for k, y in enumerate(truth)]
        (folder / "solution.csv").write_text("\n".join(["Id,Target,Usage", *rows]) + "\n")
        for name, every in (("first", 5), ("second", 8)):
            rows = [f"{k},{int(y != (k % every == 0))}" for k, y in enumerate(truth)]
            (folder / f"{name}.csv").write_text("\n".join(["Id,Target", *reversed(rows)]) + "\n")
        return [folder / f"{name}.csv" for name in ("first", "solution", "second")]

    def test_submissions_are_models(self, tmp_path: Path) -> None:
        found = assay.compare(*self.files(tmp_path), id="Id", truth="Target", baseline="first")
        assert found.evidence.models == ("first", "second")
        assert found.verdict.outcome.effect.value == pytest.approx(1 / 5 - 1 / 8)

    def test_both_parts_of_the_board(self, tmp_path: Path) -> None:
        found: Any = assay.compare(*self.files(tmp_path), id="Id", truth="Target", slice="Usage")
        assert {part.slice for part in found.parts} == {None, "Public", "Private"}
