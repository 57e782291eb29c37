"""What a source says by itself: whether it is another tool's log, and what its column names mean.

All that methods ask of the readers' vocabulary goes through here.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.evidence.names import KNOWN, Role, has_role, looks_like_scores
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.scores import Scores


def words_for(role: Role) -> tuple[str, ...]:
    """The column names, in small letters, that speak for a role."""
    return KNOWN[role]


def columns_for(role: Role, names: Sequence[str]) -> list[str]:
    """The columns that are called after a role, in any case."""
    return [name for name in names if name.strip().lower() in KNOWN[role]]


def describes_rows(name: str) -> bool:
    """Whether a column names or places rows (id, truth, fold, weight …) rather than being a model."""
    return has_role(name)


def speak_of_scores(names: Sequence[str]) -> bool:
    """Whether columns speak of scores by data set, fold or seed rather than of items."""
    return looks_like_scores(names)


def speak_of_items(names: Sequence[str]) -> bool:
    """Whether columns speak of predictions: one is the truth, or one holds losses."""
    return speak_of_losses(names) or bool(columns_for("truth", names))


def speak_of_losses(names: Sequence[str]) -> bool:
    """Whether columns without a truth call themselves losses of items."""
    named = any(name.strip().lower().endswith("loss") for name in names)
    return named and not columns_for("truth", names)


def offers_evidence(value: Any) -> bool:
    """Whether a value makes evidence of itself, as a finished study does; told by its type."""
    return hasattr(type(value), "as_evidence")


def read_log(
    source: Any, *, models: Sequence[str] | None, measure: str | None, cluster: str | None
) -> Predictions | Unpaired | Scores | None:
    """The evidence of a log or of another tool's results; None where the source is a table."""
    from assay.evidence.readers.log_evidence import read_logged
    from assay.evidence.readers.sklearn_results import is_results
    from assay.evidence.told import Told

    if isinstance(source, str | Path) or (isinstance(source, Mapping) and is_results(source)):
        return read_logged([source], Told(models=models, measure=measure, cluster=cluster))
    return None
