"""Files that promptfoo, DeepEval, Optuna and MLflow wrote, and shapes that other tools document."""

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import EvidenceError
from assay.evidence.readers.log_formats import known_files, recognise
from assay.evidence.scores import Scores

TOOLS = Path(__file__).parent / "tools"
"""Written by promptfoo 0.12x, DeepEval, Optuna and MLflow 3.17 themselves, with providers that need no network."""


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

    def test_the_file_of_the_last_run(self, tmp_path: Path) -> None:
        whole = json.loads((TOOLS / "deepeval.json").read_text())
        path = written(tmp_path / "latest.json", {"testRunData": whole})
        assert assay.read(path, metric="success").n == 6


class TestOptuna:
    def test_steps_are_folds(self) -> None:
        found: Any = assay.read(TOOLS / "optuna.sqlite", lower_is_better=False, folds=5, repeats=1)
        assert isinstance(found, Scores)
        assert found.models == ("trial 0", "trial 1", "trial 2", "trial 3")
        assert len(found.scores) == 20

    def test_one_value_a_trial_says_nothing_about_spread(self) -> None:
        with pytest.raises(EvidenceError, match="says nothing about spread"):
            assay.compare(TOOLS / "optuna_values.sqlite", lower_is_better=False)


class TestMLflow:
    def test_runs_of_a_model_are_its_seeds(self) -> None:
        found = assay.compare(TOOLS / "mlruns", measure="accuracy")
        assert found.evidence.unit == "seed"
        assert set(found.evidence.models) == {"svm", "tree"}

    def test_the_measures_there_are(self) -> None:
        with pytest.raises(EvidenceError, match="it has 'accuracy', 'val/f1'"):
            assay.read(TOOLS / "mlruns", measure="recall")


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


class TestExperiments:
    def test_wandb(self, tmp_path: Path) -> None:
        for seed in range(3):
            place = tmp_path / f"offline-run-2026-{seed}" / "files"
            written(place / "wandb-summary.json", {"accuracy": 0.8 + seed / 100, "_step": 7})
            (place / "config.yaml").write_text(f"model:\n  value: mlp\nseed:\n  value: {seed}\n")
        found: Any = assay.read(tmp_path)
        assert (found.models, found.unit, found.measures) == (("mlp",), "seed", ("accuracy",))

    def test_ray_tune(self, tmp_path: Path) -> None:
        for trial in ("a", "b"):
            for seed in range(3):
                line = {
                    "trial_id": f"{trial}{seed}",
                    "accuracy": 0.5,
                    "config": {"model": trial, "seed": seed},
                }
                text = "\n".join(json.dumps({**line, "accuracy": value}) for value in (0.1, 0.7))
                place = tmp_path / f"train_{trial}{seed}"
                place.mkdir()
                (place / "result.json").write_text(text + "\n")
        found: Any = assay.read(tmp_path, measure="accuracy")
        assert {one.value for one in found.scores} == {0.7}, "the last report of a trial counts"
        assert found.models == ("a", "b")

    def test_hugging_face_trainer(self, tmp_path: Path) -> None:
        for model in ("bert", "roberta"):
            for seed in (1, 2, 3):
                told = {"eval_accuracy": 0.9, "eval_runtime": 3.1, "train_loss": 0.2, "epoch": 3.0}
                written(tmp_path / f"{model}-seed{seed}" / "all_results.json", told)
        found: Any = assay.read(tmp_path)
        assert (found.models, found.measures) == (("bert", "roberta"), ("accuracy",))

    def test_dvc(self, tmp_path: Path) -> None:
        shown = {
            revision: {"data": {"metrics.json": {"data": {"accuracy": value}}}}
            for revision, value in (("workspace", 0.9), ("main", 0.8))
        }
        path = written(tmp_path / "metrics_diff.json", shown)
        assert recognise(path) == "DVC"

    def test_tabarena(self, tmp_path: Path) -> None:
        path = tmp_path / "results.csv"
        rows = [
            f"{m},t{t},{f},{0.2 + t / 100}"
            for m in ("rf", "lgbm")
            for t in range(6)
            for f in (0, 1)
        ]
        path.write_text("\n".join(["method,task,fold,metric_error", *rows]) + "\n")
        found: Any = assay.read(path)
        assert (found.models, len({one.dataset for one in found.scores})) == (("rf", "lgbm"), 6)
        assert assay.compare(path).direction == "lower"

    def test_a_folder_of_nothing_known_is_left_to_others(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_text("nothing")
        assert known_files(tmp_path) == []


class TestTrec:
    def run(self, path: Path, shift: float) -> Path:
        lines = [
            f"map                   \t{q}\t{0.3 + q / 1000 + shift:.4f}" for q in range(301, 331)
        ]
        lines += [f"P_10                  \t{q}\t0.5000" for q in range(301, 331)]
        path.write_text(
            "\n".join([*lines, "runid                 \tall\tbm25", "map \tall\t0.6"]) + "\n"
        )
        return path

    def test_queries_are_items(self, tmp_path: Path) -> None:
        a, b = self.run(tmp_path / "a.txt", 0.0), self.run(tmp_path / "b.txt", 0.05)
        found = assay.compare(b, a, metric="map", baseline="a")
        assert found.evidence.n == 30
        assert found.verdict.outcome.effect.value == pytest.approx(0.05, abs=1e-9)

    def test_an_ordinary_table_is_none(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text("map,a,b\n1,2,3\n")
        assert recognise(path) is None
