"""`assay.study_report`: everything a finished study says, decided once for every renderer."""

from typing import Any, Protocol, runtime_checkable

from assay.compare.comparison_result import comparison_of
from assay.compare.findings import Settings
from assay.compare.learning_curves import compare_curves
from assay.compare.several_measures import MeasuredPart, decided_together, part_of
from assay.compare.several_sentences import held_sentence
from assay.core.checks import check_level, check_margin, many_names
from assay.core.errors import AssayError, UsageError
from assay.core.notes import Note
from assay.core.results import Comparison, EvidenceSummary
from assay.core.rng import Rng, seed_of
from assay.core.study_results import CurveComparison, ScoreTable, StudyReport
from assay.estimates.mean_scores import with_intervals
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.evidence.study_evidence import StudyEvidence

RESAMPLES = 9999


@runtime_checkable
class Studied(Protocol):
    """Anything that holds a finished study, such as the result of `Study.run`."""

    def as_study(self) -> StudyEvidence: ...


@many_names
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
    are compared over data sets, or over the splits where there is one data set, in every measure:
    all pairs in all measures are one family, and the first measure leads. ``margin`` is of the
    first. ``missing`` says what to do about learners that lack scores: refuse, complete or
    skillings-mack, as `assay.compare` does.
    """
    found = study.as_study() if isinstance(study, Studied) else study
    if not isinstance(found, StudyEvidence):
        raise UsageError(
            f"a study is the result of Study.run, or read_study('study.db'); got {type(study).__name__}"
        )
    level, margin, seed = check_level(level), check_margin(margin), seed_of(rng)
    asked: dict[str, Any] = {"baseline": baseline, "missing": missing}
    settings = Settings(level=level, n_resamples=RESAMPLES, seed=seed)
    comparisons, refused = _compared(found, settings, margin, asked)
    questions = sum(len(one.verdicts) for one in comparisons)
    curves = tuple(compare_curves(one, level=level, margin=margin) for one in found.curves)
    return StudyReport(
        name=found.name,
        design=found.design,
        evidence=_evidence(found),
        level=level,
        margin=margin,
        sentence=_summary(found, comparisons, refused, level, questions),
        scores=_tables(found, level),
        comparisons=comparisons,
        refused=tuple(refused),
        curves=curves,
        tuning=found.tuning,
        gaps=found.gaps,
        notes=_notes(comparisons, curves, found.notes),
        seed=seed,
        adjustment=comparisons[0].adjustment if comparisons else "",
        questions=questions,
    )


def _tables(found: StudyEvidence, level: float) -> tuple[ScoreTable, ...]:
    """Mean scores with intervals, where the splits give them."""
    known = {measure: one for measure, one in found.scores if isinstance(one, Scores)}
    return tuple(
        with_intervals(one, known[one.measure], level=level) if one.measure in known else one
        for one in found.tables
    )


def _compared(
    found: StudyEvidence, settings: Settings, margin: float | None, asked: dict[str, Any]
) -> tuple[tuple[Comparison, ...], tuple[tuple[str, str], ...]]:
    """Every measure that can be compared, all their pairs as one family, and why others cannot."""
    parts: list[MeasuredPart] = []
    refused: list[tuple[str, str]] = []
    items = next((one for _, one in found.scores if isinstance(one, Predictions)), None)
    for place, (measure, scores) in enumerate(found.scores):
        options = asked if isinstance(scores, Scores) else {**asked, "missing": "refuse"}
        own = margin if place == 0 else None
        try:
            if isinstance(scores, str):
                raise UsageError(scores)
            evidence = scores if isinstance(scores, Scores) or items is None else items
            part = part_of(
                evidence,
                None,
                measure,
                own,
                settings,
                {"against": None, "lower_is_better": None, **options},
            )
            _check_alike(part, parts)
            parts.append(part)
        except AssayError as error:
            refused.append((measure, str(error)))
    if not parts:
        return (), tuple(refused)
    try:
        if len(parts) == 1:
            return (_alone(parts[0], settings),), tuple(refused)
        return decided_together(parts, settings, [])[1], tuple(refused)
    except AssayError as error:
        return (), (*refused, *((part.design.measure.name, str(error)) for part in parts))


def _alone(part: MeasuredPart, settings: Settings) -> Comparison:
    """One measure is a comparison as `assay.compare` makes it."""
    found = part.found if part.found.pairs else part.rule.run(part.design, settings)
    return comparison_of(part.design, part.choice, found, settings)


def _check_alike(part: MeasuredPart, parts: list[MeasuredPart]) -> None:
    """One family has one way of holding together."""
    if parts and part.design.unit != parts[0].design.unit:
        raise UsageError(
            f"{part.design.measure.called} is compared over another unit than "
            f"{parts[0].design.measure.called}: compare it by itself, with assay.compare"
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
    found: StudyEvidence,
    comparisons: tuple[Comparison, ...],
    refused: tuple[tuple[str, str], ...],
    level: float,
    questions: int,
) -> str:
    """The answer in the first measure, or why there is none; then what holds all together."""
    first = found.tables[0].measure
    for one in comparisons:
        if one.measure == first:
            several = len(comparisons) > 1
            held = f" {held_sentence(comparisons, level, questions)}" if several else ""
            return f"By {first}: {one.sentence}{held}"
    why = dict(refused).get(first, "")
    return f"No comparison by {first}: {why}"


def _notes(
    comparisons: tuple[Comparison, ...], curves: tuple[CurveComparison, ...], own: tuple[Note, ...]
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
