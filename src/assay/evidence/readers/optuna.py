"""Trials of Optuna: values of studies, and lists of items among the user attributes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.evidence.readers.log_files import decoded
from assay.evidence.readers.log_items import LogAnswer
from assay.evidence.readers.tracked_run import TrackedRun, asked


def runs_of(path: Path, folds: int | None) -> Iterator[TrackedRun]:
    """Finished trials of an SQLite storage, each a model; several studies are data sets.

    Values reported on the way are folds only if that is said: most studies report epochs, for pruning.
    """
    what, table, only = "NULL, v.value", "trial_values", "AND v.objective = 0"
    if folds is not None:
        what, table, only = "v.step, v.intermediate_value", "trial_intermediate_values", ""
    rows = asked(
        path,
        f"SELECT t.number, s.study_name, {what} FROM trials t JOIN studies s USING (study_id) "  # noqa: S608
        f"JOIN {table} v USING (trial_id) WHERE t.state = 'COMPLETE' {only} ORDER BY t.trial_id LIMIT ?",
    )
    several = len({row[1] for row in rows}) > 1
    for number, study, step, value in rows:
        if isinstance(value, float):
            given = {"dataset": study if several else "", "fold": step}
            yield TrackedRun(f"trial {number}", given, {"value": value})


def lists_of(path: Path) -> list[tuple[Any, ...]]:
    """Trial, name and text of the lists that finished trials keep as user attributes: a score for each item."""
    return asked(
        path,
        "SELECT t.number, a.key, a.value_json FROM trials t JOIN trial_user_attributes a USING (trial_id) "
        "WHERE t.state = 'COMPLETE' AND a.value_json LIKE '[%' ORDER BY t.trial_id, a.key LIMIT ?",
    )


def answers(found: Any, _: str) -> Iterator[LogAnswer]:
    """Lists among the user attributes of trials, such as `trial.set_user_attr("correct", [1, 0, …])`."""
    trials: dict[int, dict[str, list[Any]]] = {}
    for number, name, text in found:
        trials.setdefault(number, {})[name] = decoded(
            text.encode(), list[Any], f"{name} of trial {number}"
        )
    for number, lists in trials.items():
        for place in range(max(map(len, lists.values()))):
            scores = {name: one[place] for name, one in lists.items() if place < len(one)}
            yield LogAnswer(str(place), scores, f"place {place}", {}, f"trial {number}")
