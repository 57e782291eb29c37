"""Runs of Hugging Face's Trainer, and results as its Hub shows them."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assay.evidence.cell_text import number_of
from assay.evidence.readers.log_files import document
from assay.evidence.readers.log_items import inside
from assay.evidence.readers.tracked_run import TrackedRun, numbers, settings, text_of


def trained(path: Path) -> Iterator[TrackedRun]:
    """Runs of Hugging Face's Trainer: what they evaluated last, in the first of these files that there is."""
    if path.is_file():
        found = _evaluated(path)
        yield TrackedRun(path.resolve().parent.name, _named_folder(path.resolve().parent), found)
        return
    for run in sorted({path, *(one for one in path.iterdir() if one.is_dir())}):
        states = sorted(run.glob("checkpoint-*/trainer_state.json"), key=_step)
        files = [*(run / name for name in RESULTS), *states[-1:]]
        kept = next((found for one in files if one.is_file() and (found := _evaluated(one))), None)
        if kept:
            yield TrackedRun(run.name, _named_folder(run), kept)


RESULTS = ("all_results.json", "eval_results.json", "trainer_state.json")

_CLOCKED = ("runtime", "samples_per_second", "steps_per_second", "samples", "jit_compilation_time")


def _step(state: Path) -> int:
    number = state.parent.name.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


def _named_folder(run: Path) -> dict[str, str]:
    """`bert-seed1` names a model and its seed."""
    model, _, seed = run.name.rpartition("seed")
    return {"model": model.rstrip("-_ "), "seed": seed.strip("-_= ")} if model else {}


def _evaluated(path: Path) -> dict[str, float]:
    """Measures of the last evaluation, without the clocks."""
    found = document(path, str(path), dict[str, Any])
    history: Sequence[dict[str, Any]] = inside(found, "log_history", list) or ()
    last: dict[str, Any] = next(
        (one for one in reversed(history)
         if isinstance(one, dict) and any(k.startswith("eval_") for k in one)), {}
    )  # fmt: skip
    evaluated = numbers(last or found).items()
    kept = {k.removeprefix("eval_"): v for k, v in evaluated if k.startswith("eval_")}
    return {k: v for k, v in kept.items() if k not in _CLOCKED}


_ENTRY = re.compile(
    r"^- dataset:\s*\n(?P<dataset>(?:[ ]{4}.*\n)+)(?P<rest>(?:[ ]{2}.*(?:\n|$))*)", re.MULTILINE
)


def published(path: Path) -> Iterator[TrackedRun]:
    """Entries of `.eval_results/*.yaml` in folders named after their models, a value each."""
    files = [path] if path.is_file() else sorted(path.glob("**/.eval_results/*.y*ml"))
    for file in files:
        place = file.resolve().parents[1]
        for entry in _ENTRY.finditer(text_of(file) + "\n"):
            dataset, rest = (settings(entry[part]) for part in ("dataset", "rest"))
            value = number_of(rest.get("value", ""))
            if value is not None:
                where = "/".join(filter(None, (dataset.get("id"), dataset.get("task_id"))))
                yield TrackedRun(place.name, {"dataset": where}, {"value": value})
