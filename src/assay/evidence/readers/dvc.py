"""Metrics of DVC by revision."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError
from assay.evidence.readers.log_files import document
from assay.evidence.readers.log_items import inside
from assay.evidence.readers.tracked_run import TrackedRun, numbers


def runs_of(path: Path) -> Iterator[TrackedRun]:
    """What DVC prints as JSON: `metrics show`, `metrics diff`, or `exp show`."""
    shown: Any = document(path, str(path), object)
    if isinstance(shown, list):
        yield from _experiments(shown)
        return
    if is_diff(shown):
        for side in ("old", "new"):
            files = (file for file in shown.values() if isinstance(file, dict))
            cells = {n: inside(one, side, object) for file in files for n, one in file.items()}
            yield TrackedRun(side, {}, numbers(cells))
        return
    if not isinstance(shown, dict):
        raise EvidenceError(
            f"{path} holds no metrics by revision, as `dvc metrics show --json` prints"
        )
    for revision, one in shown.items():
        yield TrackedRun(revision or "workspace", {}, _of_files(inside(one, "data", dict)))


def _experiments(shown: list[Any]) -> Iterator[TrackedRun]:
    """Experiments; the workspace and the commits they started from would count runs twice."""
    tried = [
        one
        for commit in shown
        for group in inside(commit, "experiments", list) or ()
        for one in inside(group, "revs", list) or ()
    ]
    for one in tried or shown:
        given: dict[str, Any] = {}
        for file in (inside(one, "data.params", dict) or {}).values():
            given |= inside(file, "data", dict) or {}
        found = _of_files(inside(one, "data.metrics", dict))
        name = inside(one, "name", str) or inside(one, "rev", str) or ""
        yield TrackedRun(name, given, found, finished=inside(one, "error", object) is None)


def _of_files(files: dict[str, Any] | None) -> dict[str, float]:
    found: dict[str, float] = {}
    for file in (files or {}).values():
        found |= numbers(inside(file, "data", dict))
    return found


def is_diff(shown: Any) -> bool:
    inner = next(iter(shown.values()), None) if isinstance(shown, dict) else None
    first = next(iter(inner.values()), None) if isinstance(inner, dict) else None
    return isinstance(first, dict) and {"old", "new"} <= set(first)
