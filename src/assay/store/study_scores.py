"""A finished study as evidence: its scores by split or by data set, with what is missing and why."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from assay.core.errors import EvidenceError, UsageError
from assay.core.notes import note
from assay.core.study_results import StudyGap
from assay.core.vocabulary import Unit
from assay.evidence.cell_text import plural
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.store.record_types import PlanEntry

if TYPE_CHECKING:
    from assay.store.store import Store

MOST_NAMED, MOST_LETTERS = 6, 120
NOT_RUN = "not run yet"


class OneSplit(EvidenceError):
    """A study whose one split has one score of each learner: its items can be compared."""


def as_evidence(
    store: "Store",
    study: str,
    *,
    unit: str | None = None,
    measure: str | None = None,
    models: Sequence[str] = (),
    datasets: Sequence[str] = (),
) -> Scores | Predictions:
    """The plain tasks of a study: over the splits of one data set, or over several data sets.

    A learner that lacks a split of a data set has no score on it, because a mean over other splits
    would not compare. ``unit="item"`` gives the predictions on one data set.
    """
    entries = [entry for entry in store.entries(study) if entry.plain]
    if not entries:
        raise EvidenceError(f"the study {study!r} in {store.location} plans no tasks")
    chosen = _chosen(entries, datasets)
    if unit == "item":
        return store.predictions(study, _one(chosen, "predictions"), learners=models)
    over: Unit = "dataset" if unit is None and len(chosen) > 1 else "fold"
    if unit in ("fold", "dataset"):
        over = "fold" if unit == "fold" else "dataset"
    elif unit is not None:
        raise UsageError(f"a study has scores by fold and by dataset, and items; not by {unit}")
    if over == "fold":
        _enough(entries, _one(chosen, "folds"))
    measures = (measure,) if measure is not None else store.measures(study)
    records: list[dict[str, Any]] = []
    for name in measures:
        records += _records(store, study, name, set(chosen), by_cell=over == "dataset")
    lacking = gaps(store, study, measures, chosen)
    if not records:
        raise EvidenceError(f"the study {study!r} has no scores to compare: {gap_words(lacking)}")
    found = Scores.from_records(
        records,
        unit=over,
        models=models or None,
        sources=(f"study {study} in {store.location}",),
        notes=(note("study-gaps", what=gap_words(lacking)),) if lacking else (),
    )
    sides = {name: side for name, side in store.directions().items() if side != "unknown"}
    found = replace(found, directions={name: sides[name] for name in measures if name in sides})
    if over == "dataset":
        return found
    made = [
        len({getattr(one, what) for one in entries if one.dataset in chosen})
        for what in ("fold", "repeat")
    ]
    majority = store.majority(study, _one(chosen, "folds"))
    return replace(found, majority=majority, made=(made[0], made[1]))


def gaps(
    store: "Store", study: str, measures: Sequence[str], datasets: Sequence[str] | None = None
) -> tuple[StudyGap, ...]:
    """Learners that lack scores of plain tasks: failed, not run, undefined or infinite."""
    reasons = {
        (one.dataset, one.learner, one.repeat, one.fold): f"{one.status}: {_short(one.reason)}"
        for one in store.failures(study)
        if one.plain
    }
    found: dict[tuple[str, str], dict[PlanEntry, None]] = {}
    for name in measures:
        scores = store.scores(study, name)
        for entry, value, status in zip(scores.entries, scores.values, scores.status, strict=True):
            if math.isfinite(value) or not entry.plain:
                continue
            place = (entry.dataset, entry.learner, entry.repeat, entry.fold)
            known = "undefined" if value != value else "infinite"
            why = NOT_RUN if status is None else reasons.get(place, f"{name} is {known}")
            found.setdefault((entry.learner, why), {})[entry] = None
    told = []
    for (learner, why), tasks in found.items():
        kept = [one.dataset for one in tasks if datasets is None or one.dataset in datasets]
        if kept:
            named = tuple(dict.fromkeys(kept))
            told.append(StudyGap(learner=learner, reason=why, tasks=len(kept), datasets=named))
    return tuple(told)


def _short(reason: str) -> str:
    """The sentence of an error without the module of its name."""
    kind, _, rest = reason.partition(": ")
    text = f"{kind.rpartition('.')[2]}: {rest}" if rest else reason
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}…"


def gap_words(found: Sequence[StudyGap]) -> str:
    """The gaps in words, the first few."""
    more = f"; and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    told = []
    for gap in found[:MOST_NAMED]:
        others = f" and {len(gap.datasets) - 3} more" if len(gap.datasets) > 3 else ""
        where = ", ".join(gap.datasets[:3]) + others
        told.append(f"{gap.learner} on {where} ({plural(gap.tasks, 'task')}, {gap.reason})")
    rest = ". The same assay run goes on" if any(one.reason == NOT_RUN for one in found) else ""
    return "; ".join(told) + more + rest


def _chosen(entries: Sequence[PlanEntry], wanted: Sequence[str]) -> tuple[str, ...]:
    known = tuple(dict.fromkeys(entry.dataset for entry in entries))
    if not wanted:
        return known
    found = tuple(name for name in known if any(fnmatchcase(name, one) for one in wanted))
    if not found:
        raise UsageError(
            f"the study has no data set {' or '.join(map(repr, wanted))}; it has {', '.join(known)}"
        )
    return found


def _one(chosen: Sequence[str], what: str) -> str:
    if len(chosen) > 1:
        raise UsageError(f"{what} are of one data set: choose one with task=: {', '.join(chosen)}")
    return chosen[0]


def _enough(entries: Sequence[PlanEntry], dataset: str) -> None:
    splits = {(entry.repeat, entry.fold) for entry in entries if entry.dataset == dataset}
    if len(splits) < 2:
        raise OneSplit(
            f"the study has one split of {dataset}, so the variation of scores is unknown. Compare "
            "the items of that split with unit='item'"
        )


def _records(
    store: "Store", study: str, name: str, datasets: set[str], *, by_cell: bool
) -> list[dict[str, Any]]:
    scores = store.scores(study, name)
    rows = zip(
        scores.entries, scores.values.tolist(), scores.n_train.tolist(), scores.n_test.tolist(),
        strict=True,
    )  # fmt: skip
    plain = [row for row in rows if row[0].plain and row[0].dataset in datasets]
    broken = {(one.dataset, one.learner) for one, value, *_ in plain if not math.isfinite(value)}
    return [
        {
            "model": one.learner, "measure": name, "score": value, "dataset": one.dataset,
            "fold": one.fold + 1, "repeat": one.repeat + 1, "n_train": n_train, "n_test": n_test,
        }
        for one, value, n_train, n_test in plain
        if math.isfinite(value) and not (by_cell and (one.dataset, one.learner) in broken)
    ]  # fmt: skip
