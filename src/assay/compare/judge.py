"""`assay.judge`: is this judge worth its grades?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import check_level, check_margin, many_names
from assay.core.errors import EvidenceError, UsageError
from assay.core.formatting import write_given
from assay.core.judge_results import JudgedAnswer, JudgeReport, JudgeWorth
from assay.core.notes import Note
from assay.core.results import Estimate, TestOutcome
from assay.estimates.default_intervals import estimate
from assay.estimates.judge_agreement import agreement_of
from assay.estimates.judged_evaluation import (
    asked_measures,
    beside_notes,
    choice_notes,
    estimates_at,
)
from assay.estimates.judged_values import item_values, labelled_evidence
from assay.evidence.cell_text import plural, quoted
from assay.evidence.judged_columns import JudgedColumn, load
from assay.evidence.judged_items import Judged, read_judged
from assay.evidence.readers.row_filter import filtered
from assay.evidence.readers.source_tables import open_sources
from assay.evidence.reading_options import names_given
from assay.hypotheses.judge_bias import judge_bias
from assay.hypotheses.multiplicity import adjust
from assay.hypotheses.paired_outcomes import mcnemar
from assay.hypotheses.paired_scores import paired_t
from assay.kernels.special import ndtri
from assay.plan.labels import LabelSpread, spread_of

POWER = 0.8
MOST_LEVELS = 10
"""A covariate of words with more of them is no covariate."""
FIRST = {
    "first": 1.0,
    "a": 1.0,
    "1": 1.0,
    "left": 1.0,
    "second": -1.0,
    "b": -1.0,
    "2": -1.0,
    "right": -1.0,
    "tie": 0.0,
}
"""Which answer a pairwise judge prefers, by the place in which it was shown."""
DOES_NOT_SAY = "People's labels are taken as right. Agreement may differ on items of another kind."


@many_names
@many_names
def judge(
    *evidence: Any,
    truth: Any = None,
    judge: Any = None,
    bias: Any = None,
    swap: str | None = None,
    again: str | None = None,
    margin: float | None = None,
    measure: Any = None,
    level: float = 0.95,
    **reading: Any,
) -> JudgeReport:
    """Measure a judge against people: agreement, what sways it, and what its grades are worth in labels.

    ``truth`` names people's column (with gaps), ``judge`` the judge's, or several with commas; ``reading`` are the
    options of a judge's evidence (models, id, labelled_at …). ``bias`` names covariates: length, format, own
    family. ``swap`` is the column of a pairwise judge's verdicts with the answers in the other order, ``again`` that
    of a second run on the same items. With a ``margin`` it says whether labels and judge decide such a difference.

    Examples
    --------
    >>> import assay
    >>> people = [1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1] + [None] * 88
    >>> verdicts = [1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1] + [1, 0] * 44
    >>> found = assay.judge({"human": people, "gpt": verdicts}, truth="human", judge="gpt")
    >>> round(found.estimates[0].value, 3)
    0.917
    """
    names = names_given(judge, "judge")
    sways = names_given(bias, "bias")
    used = [*sways, *names_given(swap, "swap"), *names_given(again, "again")]
    told = {**reading, "ignore": [*names_given(reading.get("ignore"), "ignore"), *used]}
    confidence, asked = check_level(level), check_margin(margin)
    panel = read_judged(*evidence, truth=truth, judge=judge, **told).directed()
    apart = len(names) > 1 and (panel.kind != "grades" or len(panel.models) == 1)
    each = _one_by_one(evidence, truth, names, told) if apart else {}
    names = names or panel.columns[1:]  # evidence that was read before
    parts = each or {" + ".join(names): panel}
    columns = _Columns(evidence, panel, reading) if used else None
    tests = _tests(panel, columns, sways, swap, again, names, confidence)
    answers = _answers(panel, measure, confidence)
    spread, called = spread_of(panel, measure)
    made = JudgeReport(
        evidence=panel.summary(),
        judges=tuple(names),
        level=confidence,
        sentence="",
        does_not_say=DOES_NOT_SAY,
        estimates=tuple(
            one for name, part in parts.items() for one in _agreement(part, name, confidence)
        ),
        answers=answers,
        worths=_worths(parts, measure),
        tests=tests,
        margin=asked,
        notes=_notes(panel, answers),
        details=(("measure", called), ("worth_labels", spread.worth)),
    )
    return _concluded(made, spread)


def _one_by_one(
    evidence: tuple[Any, ...], truth: Any, names: Sequence[str], told: dict[str, Any]
) -> dict[str, Judged]:
    """Every judge by itself; the others' columns have no part."""
    found = {}
    for name in names:
        others = [*told["ignore"], *(one for one in names if one != name)]
        read = read_judged(*evidence, truth=truth, judge=name, **{**told, "ignore": others})
        found[name] = read.directed()
    return found


def _agreement(judged: Judged, name: str, level: float) -> tuple[Estimate, ...]:
    """Over all labelled answers, whoever gave them."""
    people, verdicts = [], []
    for model in judged.models if judged.kind == "grades" else judged.models[:1]:
        graded, row = judged.graded(model), judged.row(model)
        people.append(judged.people[row][graded])
        verdicts.append(judged.judge[row][graded])
    return agreement_of(
        np.concatenate(people), np.concatenate(verdicts), judged.classes, name, level
    )


def _answers(judged: Judged, measure: Any, level: float) -> tuple[JudgedAnswer, ...]:
    chosen = asked_measures(judged, None if measure is None else (measure,))[0]
    # nobody said that a grade of 1 is right, so it is no accuracy yet
    unsaid = judged.kind == "grades" and judged.lower_is_better is None and measure is None
    found = []
    for model in judged.models:
        one = estimates_at(judged, chosen, model)(level)
        said = dict(one.details)
        alone = said.get("judge_alone")
        found.append(
            JudgedAnswer(
                model=model,
                measure="mean grade" if unsaid else chosen.called,
                judge_alone=alone if isinstance(alone, float) else None,
                people_alone=estimate(labelled_evidence(judged, model), chosen, model, level=level),
                corrected=one,
            )
        )
    return tuple(found)


def _worths(parts: dict[str, Judged], measure: Any) -> tuple[JudgeWorth, ...]:
    """What each judge is worth in labels; one is kept if the others without it are worth less than with it."""
    spreads = {name: spread_of(part, measure)[0] for name, part in parts.items()}
    if len(parts) == 1:
        return tuple(
            JudgeWorth(judge=n, labels=s.labels, worth=s.worth) for n, s in spreads.items()
        )
    together = _joint_worth(parts, list(parts), measure)
    found = []
    for name, spread in spreads.items():
        without = _joint_worth(parts, [other for other in parts if other != name], measure)
        found.append(
            JudgeWorth(
                judge=name,
                labels=spread.labels,
                worth=_joint_worth(parts, [name], measure),
                without=without,
                keep=together > 1.05 * without,
            )
        )
    return tuple(found)


def _joint_worth(parts: dict[str, Judged], names: Sequence[str], measure: Any) -> float:
    """Of several judges in one regression: residual variance after all of them, adjusted for their number."""
    chosen = asked_measures(parts[names[0]], None if measure is None else (measure,))[0]
    values = [item_values(parts[name], chosen, parts[name].models[0]) for name in names]
    first = values[0]
    design = np.stack(
        [np.ones(first.graded.size), *(one.judge[one.graded] for one in values)], axis=1
    )
    fitted = design @ np.linalg.lstsq(design, first.people, rcond=None)[0]
    n, spent = first.graded.size, np.linalg.matrix_rank(design)
    residual = float(np.sum((first.people - fitted) ** 2)) / max(n - spent, 1)
    alone = float(first.people.var(ddof=1))
    size = first.judge.size
    return (
        n * alone / (residual + (alone - residual) * n / size)
        if residual > 0.0 or alone > 0.0
        else float(n)
    )


@dataclass(init=False, eq=False)
class _Columns:
    """Other columns of the main source, a value per item."""

    def __init__(self, evidence: tuple[Any, ...], judged: Judged, reading: dict[str, Any]) -> None:
        if judged.kind == "grades" and len(judged.models) > 1:
            raise UsageError(
                "bias=, swap= and again= are of one system's answers: choose one with models= or where="
            )
        self.columns: dict[str, JudgedColumn] = {}
        for table in filtered(open_sources(evidence), reading.get("where")):
            loaded = load(table)
            if any(cells.codes.size == judged.size for cells in loaded.values()):
                self.columns |= {n: c for n, c in loaded.items() if c.codes.size == judged.size}

    def named(self, name: str) -> JudgedColumn:
        if name not in self.columns:
            raise UsageError(
                f"there is no column {name!r} beside the judge's; there are {quoted(list(self.columns), 10)}"
            )
        return self.columns[name]


def _tests(
    judged: Judged,
    columns: _Columns | None,
    biases: Sequence[str],
    swap: str | None,
    again: str | None,
    names: Sequence[str],
    level: float,
) -> tuple[tuple[str, TestOutcome], ...]:
    if columns is None:
        return ()
    graded = judged.graded()
    found: list[tuple[str, TestOutcome]] = []
    if biases:
        found += _biases(judged, columns, biases, graded, level)
    if swap is not None:
        found.append(
            (
                "position: first place minus second",
                _position(columns.named(names[0]), columns.named(swap), level),
            )
        )
    if again is not None:
        found.append(("drift: second run minus first", _drift(judged, columns.named(again), level)))
    return tuple(found)


def _biases(
    judged: Judged, columns: _Columns, names: Sequence[str], graded: IntArray, level: float
) -> list[tuple[str, TestOutcome]]:
    """Errors of the judge against each covariate, Holm-adjusted together."""
    errors = _errors(judged, graded)
    found = []
    for name in names:
        for title, values in _covariates(columns.named(name), graded):
            known = ~np.isnan(values)
            if known.sum() < 10 or np.ptp(values[known]) == 0.0:
                raise EvidenceError(
                    f"{title}: fewer than 10 labelled items, or all alike, cannot show a bias"
                )
            found.append((f"bias: {title}", judge_bias(errors[known], values[known], level=level)))
    p = [one.p_value for _, one in found]
    if any(value is None for value in p):
        return found
    adjusted = adjust([float(value) for value in p if value is not None], method="holm")
    return [
        (
            title,
            replace(
                one, p_value=float(value), details=(*one.details, ("p_unadjusted", one.p_value))
            ),
        )
        for (title, one), value in zip(found, adjusted, strict=True)
    ]


def _errors(judged: Judged, graded: IntArray) -> FloatArray:
    """Judge minus people: of grades their difference, of classes whether the judge is wrong."""
    people, verdicts = judged.people[0][graded], judged.judge[0][graded]
    if judged.kind in ("grades", "values"):
        return np.asarray(verdicts - people, np.float64)
    return np.asarray(verdicts != people, np.float64)


def _covariates(cells: JudgedColumn, graded: IntArray) -> list[tuple[str, FloatArray]]:
    """Numbers in standard deviations; words as one yes-or-no covariate each (of two words, one)."""
    if cells.numeric():
        values = cells.numbers()
        spread = float(np.nanstd(values))
        if spread <= 0.0:
            raise EvidenceError(f"column {cells.name!r} holds one value only")
        binary = set(np.unique(values[~np.isnan(values)])) <= {0.0, 1.0}
        title = cells.name if binary else f"{cells.name} (per standard deviation, {spread:.3g})"
        return [(title, (values if binary else values / spread)[graded])]
    names = cells.texts()
    if len(names) > MOST_LEVELS:
        raise EvidenceError(
            f"column {cells.name!r} has {len(names)} different words: at most {MOST_LEVELS} make sense"
        )
    own = cells.codes[graded]
    shown = names[1:] if len(names) == 2 else names
    codes = [names.index(name) for name in shown]
    return [
        (f"{cells.name} = {name}", np.where(own < 0, np.nan, (own == code).astype(float)))
        for name, code in zip(shown, codes, strict=True)
    ]


def _position(first: JudgedColumn, second: JudgedColumn, level: float) -> TestOutcome:
    """Pairs shown in both orders: how much more often the first place wins both times than the second does."""
    places = []
    for cells in (first, second):
        words = [text.lower() for text in cells.texts()]
        unknown = [word for word in words if word not in FIRST]
        if unknown:
            raise UsageError(
                f"column {cells.name!r} says {unknown[0]!r}, which is no position. A position "
                "check needs first, second or tie (or A, B, tie as they were shown)"
            )
        table = np.array([FIRST[word] for word in words] + [np.nan])
        places.append(table[cells.codes])
    known = ~np.isnan(places[0]) & ~np.isnan(places[1])
    one, two = places[0][known], places[1][known]
    both_first, both_second = int(((one > 0) & (two > 0)).sum()), int(((one < 0) & (two < 0)).sum())
    rest = int(known.sum()) - both_first - both_second
    found = mcnemar(rest, both_first, both_second, 0, level=level)
    return replace(found, effect=replace(found.effect, measure="position bias"))


def _drift(judged: Judged, again: JudgedColumn, level: float) -> TestOutcome:
    """The same items judged twice."""
    old = judged.judge[0]
    new = again.coded(judged.classes) if judged.classes else again.numbers()
    known = ~np.isnan(new)
    if known.sum() < 10:
        raise EvidenceError(
            f"{plural(int(known.sum()), 'item')} judged twice: ten or more are needed"
        )
    if judged.classes:
        graded = judged.graded()
        graded = graded[known[graded]]
        right = [(column[graded] == judged.people[0][graded]) for column in (new, old)]
        old_right, new_right = right[1], right[0]
        counts = (
            int((old_right & new_right).sum()), int((new_right & ~old_right).sum()),
            int((old_right & ~new_right).sum()), int((~old_right & ~new_right).sum()),
        )  # fmt: skip
        return mcnemar(*counts, level=level)
    if set(np.unique(np.concatenate([old[known], new[known]]))) <= {0.0, 1.0}:
        a, b = new[known] == 1.0, old[known] == 1.0
        return mcnemar(
            int((a & b).sum()),
            int((a & ~b).sum()),
            int((~a & b).sum()),
            int((~a & ~b).sum()),
            level=level,
        )
    return paired_t(new[known], old[known], level=level)


def _notes(judged: Judged, answers: tuple[JudgedAnswer, ...]) -> tuple[Note, ...]:
    corrected_ones = [one.corrected for one in answers]
    of_answers = [n for one in corrected_ones for n in one.notes]
    named = [replace(one.corrected, measure=one.measure) for one in answers]
    return tuple(dict.fromkeys([*choice_notes(judged), *of_answers, *beside_notes(named)]))


def _concluded(report: JudgeReport, spread: LabelSpread) -> JudgeReport:
    """The answer in words, and whether the margin is within reach."""
    words = [*_agreement_said(report), _worth_said(spread, report.evidence.n)]
    swayed = [
        title.removeprefix("bias: ")
        for title, one in report.tests
        if title.startswith("bias") and one.rejects(1 - report.level)
    ]
    if swayed:
        words.append(f"Its errors depend on {', '.join(swayed)}.")
    if report.margin is None:
        return replace(report, sentence=" ".join(words))
    z = float(ndtri((1.0 + report.level) / 2.0)) + float(ndtri(POWER))
    enough = z * spread.error(spread.labels) <= report.margin
    fewest = spread.fewest(report.margin / z)
    needed = None if fewest > report.evidence.n else fewest
    if enough:
        words.append(
            f"That is enough to find a difference of {write_given(report.margin)} with 80% power."
        )
    elif needed is None:
        words.append(
            f"No number of labels decides a difference of {write_given(report.margin)}: judge more items."
        )
    else:
        words.append(
            f"For a difference of {write_given(report.margin)} (80% power) label about {needed:,} items."
        )
    return replace(report, sentence=" ".join(words), enough=enough, labels_needed=needed)


def _agreement_said(report: JudgeReport) -> Iterator[str]:
    """How often the judge and people agree."""
    found = (one for one in report.estimates if one.measure.startswith(("agreement", "alpha")))
    agreement = next(found, None)
    whom = report.judges[0]
    if agreement is None:
        yield f"{whom} grades on another scale than people, so there is no agreement to count."
        return
    if agreement.value is None:
        return
    judges = {one.model for one in report.estimates}  # one of several columns is one judge
    if len(report.judges) > 1:
        whom = f"{agreement.model or whom}" + (f" (one of {len(judges)})" if len(judges) > 1 else "")  # fmt: skip
    if agreement.measure == "agreement":
        yield f"{whom} agrees with people on {agreement.value:.1%} of labelled items."
    else:
        yield f"{whom} has an alpha of {agreement.value:.2f}."


def _worth_said(spread: LabelSpread, items: int) -> str:
    """What the judge's grades add to people's labels."""
    if spread.labels >= items:
        return "People labelled every item, so its grades add nothing here."
    if spread.worth / spread.labels <= 1.05:
        return "Its grades add almost nothing to the labels."
    return (
        f"For the mean grade, the {spread.labels:,} labels with its grades are as informative as "
        f"{spread.worth:,.0f} labels alone."
    )
