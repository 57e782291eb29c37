"""Logs as older versions of the harness write them, and names that stand for several tasks."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import EvidenceError
from assay.evidence.reading import read
from tests.evidence.forms import predictions
from tests.evidence.readers.harness_logs import TIME, lm_eval_run, lm_samples, write_lines

A = [1.0, 0.0, 1.0, 1.0]
B = [0.0, 0.0, 1.0, 0.0]


def without(lines: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [{key: line[key] for key in line if key not in names} for line in lines]


class TestLinesWithoutFilters:
    """Up to 0.4.7: the lines of one filter after those of another, and no word about it."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        lines = [*lm_samples(A, each="strict-match"), *lm_samples(B, each="flexible-extract")]
        folder = lm_eval_run(tmp_path, "a", {"gsm8k": lines})
        write_lines(folder / f"samples_gsm8k_{TIME}.jsonl", without(lines, "filter", "metrics"))
        return folder

    def test_the_results_file_names_them(self, folder: Path) -> None:
        first = predictions(folder, metric="exact_match,strict-match")
        other = predictions(folder, metric="exact_match,flexible-extract")
        assert first.columns("labels").predictions.tolist() == [A]
        assert other.columns("labels").predictions.tolist() == [B]
        assert first.notes == other.notes == ()

    def test_without_the_results_file_nobody_knows(self, folder: Path) -> None:
        (folder / f"results_{TIME}.json").unlink()
        with pytest.raises(
            EvidenceError, match=r"'0': line 1, line 5\).*keep the results file beside"
        ):
            read(folder)

    def test_one_filter_needs_no_name(self, tmp_path: Path) -> None:
        lines = without(lm_samples(A, "acc"), "filter", "metrics")
        path = write_lines(tmp_path / "run.jsonl", lines)
        assert predictions(path).columns("labels").predictions.tolist() == [A]


class TestArrays:
    """Up to 0.4.2: one array of samples in ``<arguments>_<task>.jsonl`` beside ``results.json``."""

    def old(self, root: Path, model: str, scores: list[float]) -> Path:
        root.mkdir()
        lines = without(lm_samples(scores, "acc", hashed=False), "filter", "metrics")
        lines = [{**line, "target": place} for place, line in enumerate(lines)]
        (root / f"pretrained__{model}_toy_mc.jsonl").write_text(json.dumps(lines, indent=2))
        results = {
            "results": {"toy_mc": {"acc,none": sum(scores) / 4, "acc_stderr,none": 0.2}},
            "group_subtasks": {"toy_mc": []},
            "configs": {"mc": {}, "toy_mc": {"task": "toy_mc"}},
            "config": {"model": "hf", "model_args": f"pretrained=org/{model},dtype=float32"},
        }
        (root / "results.json").write_text(json.dumps(results, indent=2))
        return root

    @pytest.mark.parametrize("form", ["folder", "samples", "results"])
    def test_are_read(self, tmp_path: Path, form: str) -> None:
        folders = [self.old(tmp_path / name, name, s) for name, s in (("x", A), ("y", B))]
        if form != "folder":
            pattern = {"samples": "*.jsonl", "results": "results.json"}[form]
            folders = [next(folder.glob(pattern)) for folder in folders]
        evidence = predictions(*folders)
        assert evidence.models == ("org/x", "org/y")
        assert evidence.columns("labels").predictions.tolist() == [A, B]
        assert evidence.notes == ()
        assert "acc of toy_mc" in evidence.summary().description

    def test_an_entry_is_named(self, tmp_path: Path) -> None:
        path = next(self.old(tmp_path / "x", "x", A).glob("*.jsonl"))
        path.write_text(path.read_text().replace('"acc": 0.0', '"acc": "good"'))
        with pytest.raises(EvidenceError, match=r"entry 2 of .*'good' is not a score"):
            read(path)


class TestModelNames:
    @pytest.mark.parametrize(
        ("arguments", "name"),
        [
            ({"model": "gpt-x", "base_url": "http://x"}, "gpt-x"),
            ("dtype=float32,pretrained=org/m", "org/m"),
            ({}, "dummy"),
            ("", "dummy"),
            (None, "dummy"),
        ],
    )
    def test_by_the_argument_that_names_the_model(
        self, tmp_path: Path, arguments: Any, name: str
    ) -> None:
        folder = lm_eval_run(tmp_path, "a", {"t": lm_samples(A)})
        path = folder / f"results_{TIME}.json"
        results = json.loads(path.read_text())
        results |= {"model_name": "", "config": {"model": "dummy", "model_args": arguments}}
        path.write_text(json.dumps(results))
        assert predictions(folder).models == (name,)


class TestGroups:
    def test_a_group_stands_for_its_tasks(self, tmp_path: Path) -> None:
        folder = lm_eval_run(
            tmp_path,
            "a",
            {"mmlu_law": lm_samples(A), "mmlu_art": lm_samples(B), "x": lm_samples(B)},
            groups={"mmlu": ["mmlu_law", "arts"], "arts": ["mmlu_art"], "x": []},
        )
        assert predictions(folder, task="mmlu").n == 8
        assert predictions(folder, task="arts").n == 4
        with pytest.raises(EvidenceError, match="in groups 'arts', 'mmlu'"):
            read(folder, task="y")

    def test_groups_in_a_circle_end(self, tmp_path: Path) -> None:
        groups = {"p": ["q", "t"], "q": ["p"]}
        folder = lm_eval_run(tmp_path, "a", {"t": lm_samples(A)}, groups=groups)
        assert predictions(folder, task="q").n == 4
