"""Jobs on stores: studies, how far they are, their failures, scores and curves."""

import glob
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from assay.compare.learning_curves import compare_curves
from assay.compare.study_report import study_report
from assay.core import wire
from assay.core.errors import AssayError
from assay.core.measure_names import better_side
from assay.core.study_results import ScoreTable
from assay.estimates.mean_scores import with_intervals
from assay.evidence.blocks import Blocks
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.kernels.ranks import midranks
from assay.report import render
from assay.store.store import Store
from assay.store.study_reading import Failure
from assay.study.curve_tasks import curve_scores
from assay.study.stored_study import read_study

MOST_FAILURES = 200
MOST_TRACE = 20_000


def _opened(store: str) -> Store:
    return Store.open(store if "://" in store else Path(store), create=False)


def listing(store: str) -> dict[str, Any]:
    """The studies of a store and how far each is."""
    with _opened(store) as opened:
        return {"studies": [_progress(opened, name) for name in opened.studies()]}


def progress(store: str, study: str) -> dict[str, Any]:
    """How far one study is."""
    with _opened(store) as opened:
        return _progress(opened, study)


def _progress(store: Store, name: str) -> dict[str, Any]:
    measures = store.measures(name)
    entries = store.entries(name)
    keys = {entry.key for entry in entries}
    failed = store.failures(name)
    done = len(keys & store.done_keys(name))
    return {
        "name": name,
        "total": len(keys),
        "done": done,
        "failed": len(failed),
        "missing": len(keys) - done,
        "measures": list(measures),
        "datasets": list(dict.fromkeys(entry.dataset for entry in entries)),
        "learners": list(dict.fromkeys(entry.learner for entry in entries)),
        "curves": sorted(
            {"learning" for entry in entries if entry.train_size is not None}
            | {"noise" for entry in entries if entry.noise_on is not None}
        ),
        "noise": sorted({entry.noise_on for entry in entries if entry.noise_on is not None}),
    }


def overview(store: str, study: str, measure: str | None) -> dict[str, Any]:
    """One study: progress, and mean scores of every learner on every data set."""
    with _opened(store) as opened:
        found: dict[str, Any] = {"study": _progress(opened, study), "table": None}
        names = found["study"]["measures"]
        chosen = measure if measure in names else (names[0] if names else None)
        if chosen is not None:
            table = opened.scores(study, chosen).by_dataset()
            order = _best_first(table, chosen)
            found["table"] = {
                "measure": chosen,
                "models": [table.models[place] for place in order],
                "names": list(table.names or ()),
                "values": [[_number(row[place]) for place in order] for row in table.values],
                "intervals": _intervals(opened, study, chosen, table, order),
            }
        return found


def _intervals(
    store: Store, study: str, measure: str, table: Blocks, order: list[int]
) -> list[list[Any]]:
    """The ends of the interval of each mean; none while the study has no evidence to give."""
    names = tuple(table.names or ())
    means = ScoreTable(
        measure=measure, direction="higher", datasets=names, learners=table.models, values=()
    )
    try:
        evidence = store.as_evidence(study=study, measure=measure)
    except AssayError:
        return []
    if not isinstance(evidence, Scores):
        return []
    rows = with_intervals(means, evidence).intervals
    return [[msgspec.to_builtins(row[place]) for place in order] for row in rows]


def _best_first(table: Blocks, measure: str) -> list[int]:
    """The learners by mean rank, as the report has them; as they were named where it is unknown who is ahead."""
    side = better_side(measure)
    whole = table.values[~np.isnan(table.values).any(axis=1)]
    if side is None or not len(whole):
        return list(range(table.k))
    ranks = midranks(whole if side == "lower" else -whole).mean(axis=0)
    return [int(place) for place in np.argsort(ranks, kind="stable")]


def failures(store: str, study: str) -> dict[str, Any]:
    """What failed, with tracebacks; alike ones once."""
    with _opened(store) as opened:
        found = opened.failures(study)
    groups: dict[tuple[str, str, str], dict[str, Any]] = {}
    alike = Counter(map(_kind, found))
    for one in found:
        key = _kind(one)
        group = groups.setdefault(
            key,
            {
                "learner": one.learner,
                "status": one.status,
                "reason": one.reason[:500],
                "count": alike[key],
                "trace": one.error[-MOST_TRACE:],
                "places": [],
            },
        )
        if len(group["places"]) < 12:
            group["places"].append(f"{one.dataset}, repeat {one.repeat + 1}, fold {one.fold + 1}")
    return {"total": len(found), "groups": list(groups.values())[:MOST_FAILURES]}


def _kind(failure: Failure) -> tuple[str, str, str]:
    """What makes two failures alike: the learner, and the error without its numbers."""
    return failure.learner, failure.status, failure.reason.split(":", maxsplit=1)[0]


def study_curves(
    store: str,
    study: str,
    kind: str,
    measure: str | None,
    dataset: str | None,
    on: str | None,
    level: float,
    margin: float | None,
) -> dict[str, Any]:
    """Learning or noise curves on one data set, with bands and crossings."""
    with _opened(store) as opened:
        names = opened.measures(study)
        chosen = measure or names[0]
        noise = {"on": on} if on else {}
        scores = curve_scores(opened, study, kind, measure=_known(chosen), dataset=dataset, **noise)  # type: ignore[arg-type]
        found = compare_curves(scores, level=level, margin=margin)
    return {
        "kind": found.kind,
        "dataset": found.dataset,
        "measure": found.measure,
        "level": level,
        "curves": [
            {"model": one.model, "columns": {k: [_number(v) for v in vs] for k, vs in one.columns}}
            for one in found.curves
        ],
        "crossings": [
            {"a": one.a, "b": one.b, "at": one.at, "established": one.established}
            for one in found.crossings
        ],
        "notes": [
            {"code": note.code, "message": note.message}
            for note in dict.fromkeys(
                [*found.notes, *(note for curve in found.curves for note in curve.notes)]
            )
        ],
    }


def _known(measure: str) -> Any:
    from assay.measures.registry import find_measure

    try:
        return find_measure(measure)
    except AssayError:  # seconds, complexity: recorded, but no measure
        return measure


def evidence_of(source: dict[str, Any], reading: dict[str, Any]) -> Scores | Predictions:
    """What a study left as evidence: scores by data set or fold, or predictions item by item."""
    dataset = source["dataset"]
    with _opened(source["store"]) as opened:
        found = opened.as_evidence(
            study=source["study"],
            unit=source["by"],
            models=reading.get("models"),
            task=None if dataset is None else glob.escape(dataset),
        )
    if isinstance(found, Scores):  # where the store lies is nobody's business
        return replace(found, sources=(f"study {source['study']}",))
    return found


def study_document(store: str, study: str, form: str, level: float) -> dict[str, Any]:
    """The report of a study, as `assay report` writes it."""
    found = replace(read_study(store, study), source=Path(store).name)
    return {"text": render(study_report(found, level=level, rng=1), form, typed="cli")}


def study_verdict(store: str, study: str, measure: str | None) -> dict[str, Any]:
    """Who is ahead in a measure, as the report of the study has it; why not, where that cannot be said."""
    found = replace(read_study(store, study), source=Path(store).name, curves=())
    report = study_report(found, rng=1)
    wanted = measure or (report.comparisons[0].measure if report.comparisons else None)
    result = next((one for one in report.comparisons if one.measure == wanted), None)
    said = report.sentence if result is None else result.sentence or result.verdict.sentence
    return {"result": None if result is None else wire.to_builtins(result), "sentence": said}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "listing": listing,
    "progress": progress,
    "overview": overview,
    "failures": failures,
    "study_curves": study_curves,
    "study_document": study_document,
    "study_verdict": study_verdict,
}
