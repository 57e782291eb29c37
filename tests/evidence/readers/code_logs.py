"""Results of code benchmarks as human-eval and EvalPlus write them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.evidence.readers.harness_logs import write_lines


def human_eval(path: Path, attempts: Mapping[str, Sequence[Any]]) -> Path:
    """A line per attempt, as evaluate_functional_correctness writes them."""
    rows = [
        {"task_id": task, "completion": "  pass", "result": "passed", "passed": passed}
        for task, tried in attempts.items()
        for passed in tried
    ]
    return write_lines(path, rows)


def evalplus(path: Path, attempts: Mapping[str, Sequence[tuple[Any, Any]]]) -> Path:
    """Results by task, as evalplus.evaluate writes them; of a pair, the original and the added tests."""
    found = {
        task: [
            {
                "task_id": task,
                "solution": "def f(): pass",
                "base_status": base,
                "plus_status": plus,
                "base_fail_tests": [],
                "plus_fail_tests": [[1, 2]],
            }
            for base, plus in tried
        ]
        for task, tried in attempts.items()
    }
    whole = {"date": "2026-11-15 10:00", "hash": "fe585eb4df8c88d844eeb463ea4d0302", "eval": found}
    whole["pass_at_k"] = {"base": {"pass@1": 0.9}, "plus": {"pass@1": 0.9}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole))
    return path
