"""`assay.read`: whatever a user calls evidence, recognised as predictions or as scores."""

from typing import Any, Literal

from assay.core.errors import UsageError
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.readers.scores import looks_like_scores, read_scores
from assay.evidence.readers.sources import open_sources
from assay.evidence.readers.tables import read_predictions
from assay.evidence.roles import ModelsGiven
from assay.evidence.scores import Scores

Evidence = Predictions | Unpaired | Scores


def read(
    *sources: Any,
    truth: str | None = None,
    models: ModelsGiven = None,
    id: str | Literal[False] | None = None,  # noqa: A002
    unit: str | None = None,
    measure: str | None = None,
    **options: Any,
) -> Evidence:
    """Evidence from files, frames, arrays or a DuckDB relation; see ``docs/evidence.md``.

    Tables with a truth are predictions; tables with a column dataset, fold, repeat or seed and
    without a truth are scores, and ``unit`` ("fold", "seed", "dataset") says so where names do not.
    ``measure`` names scores that a table leaves nameless. The other options are those of
    predictions: positive, weight, count, cluster, fold, repeat, paired, on_mismatch.
    """
    if len(sources) == 1 and isinstance(sources[0], Evidence):
        return _checked(sources[0], unit)
    if unit in ("fold", "seed", "dataset") or (unit is None and truth is None and _scores(sources)):
        if len(sources) > 1:
            raise UsageError("scores come in one table: a row per score, or a column per model")
        names = None if models is None else [models] if isinstance(models, str) else list(models)
        return read_scores(sources[0], unit=unit, measure=measure, models=names)
    return read_predictions(*sources, truth=truth, models=models, id=id, **options)


def _checked(evidence: Evidence, unit: str | None) -> Evidence:
    if isinstance(evidence, Scores):
        if unit in (None, evidence.unit):
            return evidence
        raise UsageError(
            f"these scores were read by {evidence.unit}; read them again with unit={unit!r}"
        )
    if unit not in (None, "item"):
        raise UsageError(
            f"predictions speak about items; a comparison over {unit}s needs scores by {unit}"
        )
    return evidence


def _scores(sources: tuple[Any, ...]) -> bool:
    if len(sources) != 1:
        return False
    (table,) = open_sources(sources)
    return looks_like_scores(table.names)
