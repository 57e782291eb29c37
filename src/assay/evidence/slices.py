"""Evidence cut into slices: the same models on the rows of each value of one column."""

from dataclasses import replace

from assay.core.errors import UsageError
from assay.evidence.cell_text import id_text, ordered
from assay.evidence.names import Role
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.scores import Scores

MOST_SLICES = 100
"""More values than this are hardly groups; each slice is a question of the family."""

MISSING = "(missing)"
"""The slice of rows that have no value."""


def slices_of(evidence: Predictions | Unpaired | Scores) -> dict[str, Predictions | Scores]:
    """The evidence of each slice by its value; read with ``slice=`` to have any."""
    if isinstance(evidence, Unpaired):
        raise UsageError("slices need the models on the same items, or one table of scores")
    if isinstance(evidence, Scores):
        found: dict[str, Predictions | Scores] = dict(evidence.slices)
    else:
        found = _of_predictions(evidence)
    if not found:
        raise UsageError("the evidence was read without slices: read it with slice='COLUMN'")
    if len(found) > MOST_SLICES:
        raise UsageError(
            f"the column of slices has {len(found):,} values; slices are few groups, up to "
            f"{MOST_SLICES}: use cluster= for patients or documents"
        )
    return found


def _of_predictions(evidence: Predictions) -> dict[str, Predictions | Scores]:
    column = evidence.roles.get("slice")
    if column is None:
        return {}
    levels = evidence.rows.levels([column], 10 * MOST_SLICES)[column]
    if levels is None:
        raise UsageError(
            f"{evidence.rows.describe(column)} has more than {10 * MOST_SLICES:,} values; slices "
            f"are few groups, up to {MOST_SLICES}"
        )
    texts = ordered(id_text(level) for level in levels if level is not None)
    found: dict[str, Predictions | Scores] = {
        text: _sliced(evidence, column, text) for text in texts
    }
    if None in levels:
        found[MISSING] = _sliced(evidence, column, None)
    return found


def _sliced(evidence: Predictions, column: str, text: str | None) -> Predictions:
    """One slice; it keeps the classes of the whole, so that measures mean the same in all."""
    rows = evidence.rows.where(column, [text])
    roles: dict[Role, str] = {}
    roles |= {role: name for role, name in evidence.roles.items() if role != "slice"}
    cluster = roles.get("cluster")
    return replace(
        evidence,
        rows=rows,
        roles=roles,
        n=rows.size(roles.get("count")),
        clusters=None if cluster is None else rows.distinct([cluster])[0],
        joint=None,
        notes=(),
    )
