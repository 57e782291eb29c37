"""Predictions of cross-validated models scored fold by fold, which is the design of a question about algorithms."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from assay.core.errors import NotApplicable, UsageError
from assay.core.notes import note
from assay.estimates.measure_needs import asked_measure
from assay.estimates.near_majority import SHARES_OF_RIGHT
from assay.evidence.names import Role
from assay.evidence.predictions import Predictions
from assay.evidence.reading import Evidence
from assay.evidence.score_columns import ScoreColumns
from assay.evidence.scores import Scores
from assay.evidence.slices import MOST_SLICES, slices_of
from assay.measures.registry import Measure


def scored_by_fold(
    evidence: Evidence, measures: list[Any], *, asked: bool
) -> tuple[Evidence, list[Any]]:
    """Scores by fold where predictions say their folds, and the names of their measures.

    Unasked, evidence that cannot be scored by fold is left as it is.
    """
    if isinstance(evidence, Scores):
        return evidence, measures
    if not isinstance(evidence, Predictions) or "fold" not in evidence.roles:
        if asked:
            raise UsageError(
                "these are predictions item by item; unit='fold' needs the fold of each item, in "
                "a column called fold"
            )
        return evidence, measures
    try:
        found = _scores(evidence, [asked_measure(one, (evidence,)) for one in measures])
    except NotApplicable:
        if asked:
            raise
        return evidence, measures
    return found, list(found.measures)


def _scores(evidence: Predictions, measures: Sequence[Measure]) -> Scores:
    parts = list(_parts(evidence))
    scores = [
        {
            "model": model,
            "measure": measure.called,
            "score": value,
            "fold": fold,
            "repeat": repeat,
            "n_test": part.n,
            "n_train": size - part.n,
        }
        for repeat, fold, size, part in parts
        for measure in measures
        for model, value in _values(part, measure, fold)
    ]
    return Scores(
        columns=ScoreColumns.from_records(scores),
        unit="fold",
        models=evidence.models,
        measures=tuple(dict.fromkeys(measure.called for measure in measures)),
        sources=evidence.rows.sources,
        notes=(*evidence.notes, note("scored-by-fold", items=evidence.n, folds=len(parts))),
        directions={
            measure.called: measure.direction
            for measure in measures
            if measure.direction != "unknown"
        },
        majority=_majority(evidence)
        if any(one.name in SHARES_OF_RIGHT for one in measures)
        else None,
    )


def _majority(evidence: Predictions) -> tuple[str, float]:
    """The most frequent class, and its share of the items."""
    tally = evidence.tally()
    support = tally.confusion(evidence.models[0]).sum(axis=1)
    most = int(support.argmax())
    return tally.classes[most], float(support[most] / support.sum())


def _parts(evidence: Predictions) -> Iterator[tuple[str, str, int, Predictions]]:
    """Repeat, fold, items of the whole repeat, and the predictions of the fold."""
    repeats = _by(evidence, "repeat") if "repeat" in evidence.roles else {"": evidence}
    for repeat, run in repeats.items():
        folds = _by(run, "fold")
        if len(folds) < 2:
            raise NotApplicable("one fold is no cross-validation: leave out unit=")
        for fold, part in folds.items():
            if part.n < 2:
                raise NotApplicable(
                    f"fold {fold} holds one item: folds of single items tell no more than the items. "
                    "Leave out unit="
                )
            yield repeat, fold, run.n, part


def _by(evidence: Predictions, role: Role) -> dict[str, Predictions]:
    """The evidence cut by the values of a role."""
    column = evidence.roles[role]
    if evidence.rows.distinct([column])[0] > MOST_SLICES:
        raise NotApplicable(
            f"{evidence.rows.describe(column)} has more than {MOST_SLICES} values, more than anybody "
            "trains on. Leave out unit="
        )
    roles: dict[Role, str] = {**evidence.roles, "slice": column}
    found = slices_of(replace(evidence, roles=roles))
    return {name: part for name, part in found.items() if isinstance(part, Predictions)}


def _values(part: Predictions, measure: Measure, fold: str) -> Iterator[tuple[str, float]]:
    from assay.estimates.resampling_cells import reduce

    values = reduce(part, measure).values
    for model, value in zip(part.models, values.tolist(), strict=True):
        if value != value:  # NaN
            raise NotApplicable(
                f"{measure.called} of {model} is undefined in fold {fold}, so that folds cannot be "
                "compared in it: take accuracy, or leave out unit="
            )
        yield model, value
