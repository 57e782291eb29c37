"""The harness's own average beside ours: of a task, of a group of tasks, and where it weighs them otherwise."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from tests.evidence.readers.harness_logs import (
    inspect_json,
    inspect_sample,
    lm_eval_run,
    lm_samples,
)

SIZES = {"law": 40, "math": 20}


def scores(model: str, task: str) -> list[float]:
    rng = np.random.default_rng([len(model), len(task), SIZES[task]])
    return [float(one) for one in rng.random(SIZES[task]) < (0.9 if task == "law" else 0.4)]


def suite(root: Path, *, grouped: bool = True) -> list[Path]:
    """Two models on a group of two tasks, with the group's average by items as the harness writes it."""
    folders = []
    for model in ("big", "small one"):
        tasks = {task: lm_samples(scores(model, task)) for task in SIZES}
        folder = lm_eval_run(
            root, model, tasks, groups={"suite": list(SIZES), "law": [], "math": []}
        )
        (place,) = folder.glob("results_*.json")
        summary: dict[str, Any] = json.loads(place.read_text())
        everything = [one for task in SIZES for one in scores(model, task)]
        if grouped:
            summary["results"]["suite"] = {"exact_match,none": float(np.mean(everything))}
        place.write_text(json.dumps(summary))
        folders.append(folder)
    return folders


def test_a_single_task(tmp_path: Path) -> None:
    found = assay.board(*suite(tmp_path), task="law")
    for row in found.rows:
        assert row.reported == pytest.approx(np.mean(scores(row.model, "law")))
        assert row.estimate.value == pytest.approx(row.reported)
    assert "Log       states the same averages" in found.summary()
    assert "in the log" in found.to_markdown()
    assert list(found.to_frame()["reported"]) == [row.reported for row in found.rows]


def test_a_group_that_counts_every_item_alike(tmp_path: Path) -> None:
    alike = assay.board(*suite(tmp_path), suite="task", weights="items")
    assert not [one for one in alike.notes if one.code == "log-weights"]
    for row in alike.rows:
        assert row.estimate.value == pytest.approx(row.reported)
    by_task = assay.board(*suite(tmp_path), suite="task")
    for row in by_task.rows:
        everything = [one for task in SIZES for one in scores(row.model, task)]
        assert row.reported == pytest.approx(np.mean(everything))
        assert row.estimate.value == pytest.approx(
            np.mean([np.mean(scores(row.model, task)) for task in SIZES])
        )
    (said,) = [one for one in by_task.notes if one.code == "log-weights"]
    assert "weights='items'" in said.message
    assert "the largest difference" in by_task.summary()


def test_tasks_without_a_group_are_put_together_as_the_board_does(tmp_path: Path) -> None:
    found = assay.board(*suite(tmp_path, grouped=False), suite="task")
    for row in found.rows:
        assert row.reported == pytest.approx(row.estimate.value)


def test_a_part_of_a_group_is_not_the_group(tmp_path: Path) -> None:
    """The average of a group is of all its tasks, so that it says nothing of one that was chosen."""
    for row in assay.board(*suite(tmp_path), task="math").rows:
        assert row.reported == pytest.approx(np.mean(scores(row.model, "math")))


def test_other_measures_have_no_number_of_the_log(tmp_path: Path) -> None:
    assert all(
        row.reported is None
        for row in assay.board(*suite(tmp_path), task="law", aggregate="mean_rank").rows
    )


def test_inspect(tmp_path: Path) -> None:
    paths = []
    for model, right in {"a": 6, "b": 3}.items():
        samples = [inspect_sample(k, {"match": "C" if k < right else "I"}) for k in range(10)]
        path = inspect_json(tmp_path / f"{model}.json", model, samples)
        facts = json.loads(path.read_text())
        value = {"name": "accuracy", "value": right / 10 + (0.1 if model == "a" else 0.0)}
        facts["results"]["scores"] = [
            {"name": "match", "scorer": "match", "metrics": {"accuracy": value}}
        ]
        path.write_text(json.dumps(facts))
        paths.append(path)
    found = assay.board(*paths)
    assert {row.model: row.reported for row in found.rows} == {"a": 0.7, "b": 0.3}
    assert "states 0.70 for a, which is 0.60 here" in " ".join(found.summary().split())


def test_a_task_that_one_model_lacks_is_refused_or_left_out_aloud(tmp_path: Path) -> None:
    answers = {"art": [1.0, 0.0] * 10, "law": scores("big", "law"), "math": scores("big", "math")}
    for model, lacks in {"big": "", "mid": "", "small": "art"}.items():
        tasks = {task: lm_samples(one) for task, one in answers.items() if task != lacks}
        lm_eval_run(tmp_path, model, tasks)
    with pytest.raises(assay.EvidenceError, match=r"'small' \(.*\) lacks 20 items"):
        assay.board(tmp_path, suite="task")
    found = assay.board(tmp_path, suite="task", on_mismatch="intersect")
    assert [note.code for note in found.notes] == ["items-dropped"]
    assert found.units == "60 items of 2 tasks"
