"""`assay.study_report`: everything a finished study says, decided once for every renderer."""

from typing import Any, Protocol, runtime_checkable

from assay.compare.compare import compare
from assay.compare.curves import compare_curves
from assay.core.checks import check_level, check_margin
from assay.core.errors import AssayError, UsageError
from assay.core.notes import Note
from assay.core.results import Comparison, EvidenceSummary
from assay.core.rng import Rng, seed_of
from assay.core.studies import CurveComparison, StudyReport
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.evidence.studies import StudyEvidence


@runtime_checkable
class Studied(Protocol):
    """Anything that holds a finished study, such as the result of `Study.run`."""

    def as_study(self) -> StudyEvidence: ...


def study_report(
    study: "StudyEvidence | Studied",
    *,
    margin: float | None = None,
    baseline: str | None = None,
    missing: str = "refuse",
    level: float = 0.95,
    rng: Rng = None,
) -> StudyReport:
    """A study as it is read: scores, comparisons, curves, and what is missing and why.

    ``study`` is the result of `Study.run`, or what `assay.read_study` makes of a store. Learners
    are compared over data sets, or over the splits where there is one data set, in every measure;
    the first decides. ``margin`` is of the first measure. ``missing`` says what to do about
    learners that lack scores: refuse, complete or skillings-mack, as `assay.compare` does.
    """
    found = study.as_study() if isinstance(study, Studied) else study
    if not isinstance(found, StudyEvidence):
        raise UsageError(
            f"a study is the result of Study.run, or read_study('study.db'); got {type(study).__name__}"
        )
    level, margin, seed = check_level(level), check_margin(margin), seed_of(rng)
    comparisons: list[Comparison] = []
    refused: list[tuple[str, str]] = []
    for place, (measure, scores) in enumerate(found.scores):
        options: dict[str, Any] = {"measure": measure, "baseline": baseline, "level": level}
        options |= {"rng": seed, "margin": margin if place == 0 else None}
        if isinstance(scores, Scores):
            options["missing"] = missing
        try:
            if isinstance(scores, str):
                raise UsageError(scores)
            comparisons.append(compare(scores, **options))
        except AssayError as error:
            refused.append((measure, str(error)))
    curves = tuple(compare_curves(one, level=level, margin=margin) for one in found.curves)
    return StudyReport(
        name=found.name,
        design=found.design,
        evidence=_evidence(found),
        level=level,
        margin=margin,
        summary=_summary(found, comparisons, refused),
        scores=found.tables,
        comparisons=tuple(comparisons),
        refused=tuple(refused),
        curves=curves,
        tuning=found.tuning,
        gaps=found.gaps,
        notes=_notes(comparisons, curves, found.notes),
        seed=seed,
    )


def _evidence(found: StudyEvidence) -> EvidenceSummary:
    table = found.tables[0]
    one = len(table.datasets) == 1
    known = next((s for _, s in found.scores if isinstance(s, Scores | Predictions)), None)
    return EvidenceSummary(
        kind="study",
        sources=(found.source,),
        models=table.learners,
        n=len(table.datasets) if known is None else known.n,
        unit="fold" if one else "dataset",
        description=f"study {found.name}: {len(table.learners)} learners on "
        f"{len(table.datasets)} data set{'' if one else 's'}, {dict(found.design)['splits']}",
    )


def _summary(
    found: StudyEvidence, comparisons: list[Comparison], refused: list[tuple[str, str]]
) -> str:
    """The answer in the first measure, or why there is none."""
    first = found.tables[0].measure
    for one in comparisons:
        if one.measure == first:
            return f"By {first}: {one.summary}"
    why = dict(refused).get(first, "")
    return f"No comparison by {first}: {why}"


def _notes(
    comparisons: list[Comparison], curves: tuple[CurveComparison, ...], own: tuple[Note, ...]
) -> tuple[Note, ...]:
    every = [*own, *(one for part in comparisons for one in part.notes)]
    for curve in curves:
        every += curve.notes
        every += [one for part in curve.curves for one in part.notes]
        every += [one for part in curve.levelling for one in part.notes]
    by_code: dict[str, Note] = {}
    for one in every:
        by_code.setdefault(one.code, one)
    return tuple(by_code.values())
