"""`assay.read`: whatever a user calls evidence, recognised as predictions or as scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Protocol, TypeGuard

from assay.core.checks import check_choice
from assay.core.errors import EvidenceError, UsageError
from assay.evidence.cells import plural
from assay.evidence.memory import MemoryRows
from assay.evidence.placing import HOLDING, Holding
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.readers.filtered import Where, filtered, values_of, without
from assay.evidence.readers.logged import Reading, read_logged
from assay.evidence.readers.scores import looks_like_scores, read_scores, says_unit
from assay.evidence.readers.sources import Table, open_sources
from assay.evidence.readers.tables import read_predictions
from assay.evidence.roles import KNOWN, ModelsGiven, Role
from assay.evidence.scores import Scores

Evidence = Predictions | Unpaired | Scores

UNITS = ("item", "fold", "seed", "dataset")
"""What a comparison can speak about; scores are of all but the first."""


class Offering(Protocol):
    """Anything that makes evidence of itself: the result of a study, or a store that holds one."""

    def as_evidence(
        self, *, unit: str | None, measure: str | None, models: Any, task: Any
    ) -> Predictions | Scores: ...


def offers_evidence(source: Any) -> TypeGuard[Offering]:
    """Told by its type: a frame may have a column of any name."""
    return hasattr(type(source), "as_evidence")


OF_TABLES: tuple[Role, ...] = ("truth", "weight", "count", "fold", "repeat")
"""Columns that only tables have: to name one says that the source is a table, not a log."""


def read(
    *sources: Any,
    truth: str | None = None,
    models: ModelsGiven = None,
    id: str | Literal[False] | None = None,  # noqa: A002
    positive: Any = None,
    threshold: float | None = None,
    weight: str | None = None,
    count: str | None = None,
    cluster: str | None = None,
    fold: str | None = None,
    repeat: str | None = None,
    paired: bool = True,
    on_mismatch: str = "error",
    unit: str | None = None,
    measure: str | None = None,
    metric: str | None = None,
    task: str | Sequence[str] | None = None,
    unscored: str = "error",
    where: Where = None,
    slice: str | None = None,  # noqa: A002 (the word of the command line)
    scores: str | None = None,
) -> Evidence:
    """Evidence from files, frames, arrays or a DuckDB relation; see ``docs/evidence.md``.

    Several sources of predictions are joined by item id; ``id=False`` pairs them by position
    instead, and ``paired=False`` keeps them apart: models on different items. ``threshold`` makes
    labels of scores, the positive class from it up. A table without a
    truth that has a column dataset, fold, repeat or seed holds scores; ``unit`` ("fold", "seed",
    "dataset") says so where names do not, and ``measure`` names scores that are nameless.
    Logs of evaluation harnesses and results of other tools are recognised too (``docs/logs.md``):
    ``metric``, ``task`` and ``unscored`` say what to read of them.
    The result of a study, or a store with one, gives its scores: over splits, or over data sets
    (``task`` names some of them); ``unit="item"`` gives the predictions on one.
    ``where`` ("split=test") keeps the rows of a table that fulfil it, before anything is
    recognised; ``slice`` names the column whose values `compare` looks at one by one.
    ``scores`` says where scores of files and cluster frames are ranked (``docs/large.md``): in
    "memory", or by the engine, "exact" or "binned"; many of them are refused unless it is said.
    What is not named is recognised by column names, and ``summary()`` says what was recognised.
    """
    if not sources:
        raise UsageError("give at least one path, frame or mapping of names to arrays")
    if len(sources) == 1 and offers_evidence(sources[0]):
        return sources[0].as_evidence(unit=unit, measure=measure, models=models, task=task)
    if len(sources) == 1 and isinstance(sources[0], Evidence):
        return _finished(_checked(sources[0], unit), threshold, scores)
    if any(isinstance(source, Evidence) for source in sources):
        raise UsageError("evidence that was read already cannot be joined; give its sources")
    if unit is not None:
        check_choice(unit, UNITS, "unit")
    given: dict[Role, str | None] = {
        "truth": truth,
        "id": id or None,
        "weight": weight,
        "count": count,
        "cluster": cluster,
        "fold": fold,
        "repeat": repeat,
        "slice": slice,
    }
    asked = Reading(
        metric=metric,
        task=task,
        unscored=unscored,
        models=models,
        id=id,
        cluster=cluster,
        measure=measure,
        unit=unit,
        paired=paired,
        on_mismatch=on_mismatch,
        positive=positive,
    )
    found = _logged(sources, asked, given, where)
    whole = _tabled(sources, asked, given, where) if found is None else found
    return _finished(whole, threshold, scores)


def _logged(
    sources: Sequence[Any], asked: Reading, given: Mapping[Role, str | None], where: Where
) -> Evidence | None:
    """Evidence of a log or of another tool's results; None where the sources are tables."""
    of_table = where is not None or any(given[role] for role in OF_TABLES)
    key = given["slice"]
    alone = key is not None and asked.cluster is None
    found = read_logged(sources, replace(asked, cluster=key) if alone else asked, as_table=of_table)
    return found if found is None or key is None else _sliced_by_key(found, key, alone=alone)


def _tabled(
    sources: Sequence[Any], asked: Reading, given: Mapping[Role, str | None], where: Where
) -> Evidence:
    """Evidence of tables: scores of models where columns or the unit say so, else predictions."""
    tables = filtered(open_sources(sources), where)
    speaks = len(tables) == 1 and given["truth"] is None and looks_like_scores(tables[0].names)
    if asked.unit in UNITS[1:] or (asked.unit is None and speaks):
        _refuse_roles(tables, asked.unit, given, asked.positive)
        return _scores(tables, asked.unit, asked.measure, asked.models, given["slice"])
    return read_predictions(
        tables,
        given=given,
        models=asked.models,
        by_position=asked.id is False,
        positive=asked.positive,
        paired=asked.paired,
        on_mismatch=asked.on_mismatch,
    )


def _finished(evidence: Evidence, threshold: float | None, scores: str | None) -> Evidence:
    return _held(_cut(evidence, threshold), scores)


def _held(evidence: Evidence, scores: str | None) -> Evidence:
    """The evidence with what was said about where its scores are ranked."""
    if scores is None:
        return evidence
    where: Holding = check_choice(scores, HOLDING, "scores")
    if isinstance(evidence, Scores):
        raise UsageError("scores= says where item scores are ranked; these are scores of models")
    if isinstance(evidence, Unpaired):
        parts = tuple(replace(part, scores=_where(part, where)) for part in evidence.parts)
        return replace(evidence, parts=parts)
    return replace(evidence, scores=_where(evidence, where))


def _where(evidence: Predictions, where: Holding) -> Holding:
    if where == "binned" and isinstance(evidence.rows, MemoryRows):
        raise UsageError(
            "scores='binned' is for files and frames on a cluster; these scores are in memory, where "
            "they are ranked exactly: leave it out"
        )
    return where


def _cut(evidence: Evidence, threshold: float | None) -> Evidence:
    """The evidence with labels made of scores, if a threshold was given."""
    if threshold is None:
        return evidence
    if isinstance(evidence, Scores):
        raise UsageError("threshold= makes labels of item scores; these are scores of models")
    if isinstance(evidence, Predictions):
        return evidence.labels_from_scores(threshold)
    return Unpaired(parts=tuple(part.labels_from_scores(threshold) for part in evidence.parts))


def _refuse_roles(
    tables: Sequence[Table], unit: str | None, given: Mapping[Role, str | None], positive: Any
) -> None:
    """Refuse what scores of models have no use for: it says that these are predictions."""
    asked = [role for role in ("truth", "weight", "count", "cluster") if given[role] is not None]
    asked += ["positive"] if positive is not None else []
    truths = [name for name in tables[0].names if name.strip().lower() in KNOWN["truth"]]
    if truths and not says_unit(tables[0].names):
        raise UsageError(
            f"{tables[0].title} has a column {truths[0]!r}, so it holds predictions, which speak "
            f"about items; a comparison over {unit}s needs scores of the models by {unit}"
        )
    if asked:
        over = f"unit={unit!r}" if unit is not None else "a column of folds, seeds or data sets"
        raise UsageError(
            f"{asked[0]}= is for predictions, which speak about items; {over} says that these are "
            f"scores of models. Leave out one of the two"
        )


def _sliced_by_key(found: Evidence, key: str, *, alone: bool) -> Evidence:
    """A log read with its clusters by a key of the items (or by task): they are slices instead."""
    if not (alone and isinstance(found, Predictions) and found.origin and "cluster" in found.roles):
        raise UsageError(
            f"slices of a log are by a key of its items, or slice='task', without cluster=; {key!r} "
            "gives none here"
        )
    roles: dict[Role, str] = {}
    roles |= {role: name for role, name in found.roles.items() if role != "cluster"}
    roles["slice"] = found.roles["cluster"]
    clusters = None
    if "repeat" in roles and "id" in roles:  # items tried several times hang together
        roles["cluster"] = roles["id"]
        clusters = found.rows.distinct([roles["id"]])[0]
    said = found.origin.description.replace(
        f"; {plural(found.clusters or 0, 'cluster')}", f"; slices by {key}"
    )
    origin = replace(found.origin, description=said)
    return replace(found, roles=roles, clusters=clusters, origin=origin)


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


def _scores(
    tables: Sequence[Table],
    unit: str | None,
    measure: str | None,
    models: ModelsGiven,
    by: str | None,
) -> Scores:
    if len(tables) > 1:
        raise UsageError("scores come in one table: a row per score, or a column per model")
    names = None if models is None else [models] if isinstance(models, str) else list(models)
    options: dict[str, Any] = {"unit": unit, "measure": measure, "models": names}
    if by is None:
        return read_scores(tables[0], **options)
    try:
        whole = read_scores(without(tables[0], by), **options)
    except EvidenceError as error:
        raise EvidenceError(
            f"without column {by!r} the scores do not make one table ({error}): slices share their "
            f"data sets; look at one of them with where='{by}=VALUE'"
        ) from None
    parts = {
        value: read_scores(filtered(tables, {by: value})[0], **{**options, "unit": whole.unit})
        for value in values_of(tables[0], by)
    }
    return replace(whole, slices=tuple(parts.items()))
