"""A stored study as evidence: what was run, its scores by measure, its curves, what is missing."""

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from assay.core.checks import checked
from assay.core.errors import EvidenceError, UsageError
from assay.core.study_results import ScoreTable, TuningSummary
from assay.evidence.curve_scores import CurveScores
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.evidence.study_evidence import StudyEvidence
from assay.store.damage import DamagedStore
from assay.store.store import Store
from assay.store.study_scores import OneSplit, gaps
from assay.study.curve_tasks import Curves, curve_scores
from assay.study.splits import Resampling
from assay.study.tuning import summarise

Form = TypeVar("Form")

SCHEMES = {
    "holdout": "one split",
    "subsampling": "{repeats} random splits",
    "cv": "{folds}-fold cross-validation",
    "5x2": "five times two-fold cross-validation",
    "leave-one-out": "leave one out",
    "bootstrap": "{repeats} bootstrap samples, tested out of bag",
    "time": "{folds} parts in order of time",
}


@checked
def read_study(source: "str | Path | Store", study: str | None = None) -> StudyEvidence:
    """A study of a store, by path, URL or opened; ``study`` names one of several."""
    if isinstance(source, Store):
        return _evidence_of(source, study)
    with Store.open(source, create=False) as store:
        return _evidence_of(store, study)


def _evidence_of(store: Store, study: str | None) -> StudyEvidence:
    name = study or store.only_study()
    spec = store.spec(name)
    measures = store.measures(name)
    if "seed" not in spec:
        raise store.damaged(f"the description of the study {name!r} has no seed")
    directions = store.directions()
    return StudyEvidence(
        name=name,
        source=store.location,
        seed=spec["seed"],
        design=_design(store, name, spec),
        tables=tuple(_table(store, name, one, directions[one]) for one in measures),
        scores=tuple((one, _scores(store, name, one)) for one in measures),
        curves=_curves(store, name, spec, measures[0]),
        tuning=tuning_of(store, name),
        gaps=gaps(store, name, measures),
    )


def _scores(store: Store, study: str, measure: str) -> Scores | Predictions | str:
    """The scores of a measure; the items where there is one split of one data set."""
    try:
        try:
            return store.as_evidence(study=study, measure=measure)
        except OneSplit:
            return store.as_evidence(study=study, unit="item")
    except DamagedStore:
        raise
    except EvidenceError as error:
        return str(error)


def _table(store: Store, study: str, measure: str, direction: str) -> ScoreTable:
    found = store.scores(study, measure).by_dataset()
    return ScoreTable(
        measure=measure,
        direction="lower" if direction == "lower" else "higher",
        datasets=tuple(found.names or ()),
        learners=found.models,
        values=tuple(
            tuple(None if value != value else float(value) for value in row) for row in found.values
        ),
    )


def _design(store: Store, study: str, spec: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    entries = store.entries(study)
    failed, missing = len(store.failures(study)), len(store.missing(study))
    resampling = _described(store, spec, "resampling", Resampling)
    scheme = SCHEMES[resampling.scheme].format(**msgspec.structs.asdict(resampling))
    if resampling.scheme == "cv" and (resampling.repeats or 1) > 1:
        scheme = f"{resampling.repeats} × {scheme}"
    done = f"{len(entries) - failed - missing:,} of {len(entries):,} with scores"
    troubles = [f"{count:,} {word}" for count, word in ((failed, "failed"), (missing, "not run"))]
    trouble = ", ".join(text for text in troubles if not text.startswith("0 "))
    curves = [name for name, one in (spec.get("curves") or {}).items() if one]
    return (
        ("learners", ", ".join(dict.fromkeys(entry.learner for entry in entries))),
        ("data sets", ", ".join(dict.fromkeys(entry.dataset for entry in entries))),
        ("splits", scheme),
        ("tasks", f"{done}{f'; {trouble}' if trouble else ''}"),
        *((("curves", ", ".join(curves)),) if curves else ()),
    )


def _described(store: Store, spec: dict[str, Any], part: str, form: type[Form]) -> Form:
    """A part of a study's description; a stranger may have written it."""
    try:
        return msgspec.convert(spec.get(part) or {}, form)
    except msgspec.ValidationError as error:
        raise store.damaged(f"the {part} in study.spec is not what assay writes: {error}") from None


def _curves(
    store: Store, study: str, spec: dict[str, Any], measure: str
) -> tuple[CurveScores, ...]:
    """Every curve that can be drawn, in the first measure."""
    asked = _described(store, spec, "curves", Curves)
    kinds: list[tuple[Any, Any]] = [("learning", "labels")] if asked.learning else []
    kinds += [("noise", kind) for kind in (asked.noise.kinds if asked.noise else ())]
    found = []
    for dataset in dict.fromkeys(entry.dataset for entry in store.entries(study)):
        for kind, noise_on in kinds:
            try:
                found.append(
                    curve_scores(store, study, kind, measure=measure, dataset=dataset, on=noise_on)
                )
            except DamagedStore:
                raise
            except (EvidenceError, UsageError):  # too small for a curve, or all splits failed
                continue
    return tuple(found)


def tuning_of(store: Store, study: str) -> tuple[TuningSummary, ...]:
    """For every tuned learner and data set: honest score, optimism, which settings won."""
    directions = store.directions()
    known = store.measures(study)
    grouped: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in store.records(study):
        plain = record["train_size"] is None and record["noise_on"] is None
        if plain and record["details"]["tuned"] is not None:
            grouped.setdefault((record["dataset"], record["learner"]), []).append(record)
    summaries = []
    for (dataset, learner), records in grouped.items():
        chosen = [record["details"]["tuned"] for record in records]
        name = chosen[0]["measure"]
        outer: list[float | None] = [None]
        if name in known:
            found = store.scores(study, name)
            outer = [
                float(value)
                for one, value in zip(found.entries, found.values, strict=True)
                if one.plain and (one.dataset, one.learner) == (dataset, learner)
            ]
        summaries.append(summarise(dataset, learner, chosen, outer, directions.get(name, "higher")))
    return tuple(summaries)
