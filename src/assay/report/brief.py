"""The answer first: what the terminal shows of a result unless asked for all of it.

What was read, the verdict, a small table, how it was decided, to what it applies, and every
warning. Built from the result alone, without the tables and paragraphs of a report.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from assay.compare.several_sentences import held_sentence
from assay.core.checks import check_choice
from assay.core.formatting import clean, say_alpha, say_p
from assay.core.notes import Note, by_count
from assay.core.results import Comparison, Comparisons, Estimate, Evaluation, EvidenceSummary
from assay.evidence.cell_text import first_names
from assay.plots.measure_labels import measure_label
from assay.report.brief_grids import (
    estimates_grid,
    many_grid,
    measures_grid,
    of_medians,
    pair_grid,
    questions_grid,
)
from assay.report.brief_lines import Brief, Grid, LabelledLine, ShownNote
from assay.report.headline import first_of_each
from assay.report.method_titles import interval_of, named_outcome, named_test
from assay.report.option_names import names_in, with_options

HINTS = {
    "cli": {
        "details": "--details",
        "figure": "--figure FILE.png",
        "report": "--output FILE.html",
        "margin": "--margin X (equivalence)",
        "compare": "assay compare",
        "items": "about trained models: assay compare PREDICTIONS.csv --truth y",
        "held": "10 × 5 folds (more reliable)",
        "predictions": "predictions (trained models)",
        "seeds": "--unit seed (only these data sets)",
    },
    "python": {
        "details": ".summary(details=True)",
        "figure": ".plot()",
        "report": '.save("report.html")',
        "margin": "margin=X (equivalence)",
        "compare": "assay.compare",
        "items": "about trained models: assay.compare(predictions, truth=y)",
        "held": "10 × 5 folds (more reliable)",
        "predictions": "predictions (trained models)",
        "seeds": 'unit="seed" (only these data sets)',
    },
}
"""Where to go next, as one types it."""
_CLASSES = re.compile(r"(?<=') \([^()]*\)(?=[;.])")
"""The classes of the truth, named behind its column."""


def brief_of(result: Any, *, typed: str = "python") -> Brief | None:
    """What is said of a result in brief; None of those that have no brief form."""
    builders: dict[type[Any], Callable[[Any, dict[str, str]], Brief]] = {
        Comparison: _of_comparison,
        Comparisons: _of_comparisons,
        Evaluation: _of_evaluation,
    }
    if not isinstance(result, tuple(builders)):
        from assay.report.brief_others import BUILDERS  # which needs this module, and more

        builders = BUILDERS
    for kind, build in builders.items():
        if isinstance(result, kind):
            found = build(result, HINTS[check_choice(typed, HINTS, "typed")])
            return found if typed == "python" else with_options(found, names_in(result))
    return None


def _of_comparison(result: Comparison, hints: dict[str, str]) -> Brief:
    single = len(result.verdicts) == 1
    notes = noted(result)
    warnings, details = notes_of(notes, hints)
    last = hints["margin"] if result.margin is None else hints["report"]
    too_few = any(one.code == "cannot-reach-alpha" for one in notes)
    by_seeds = too_few and "seeds" in dict(result.evidence.details)
    over_folds = result.evidence.unit == "fold"
    other = _other_question(result, hints) if single and over_folds else ()
    grid = pair_grid(result) if single else many_grid(result)
    return Brief(
        read=clean(result.evidence.description),
        read_shorter=shorter_forms(result.evidence),
        answer=clean(result.sentence or (result.verdict.sentence if single else "")),
        word=result.verdict.word if single else None,
        most_lines=4 - len(other) if single else 2,
        grid=grid,
        spaced=single,
        lines=(
            *(_estimated_directly(result) if single else letters_line(grid)),
            decided_line(result),
            applies_line(result),
            *other,
        ),
        warnings=warnings,
        hints=(
            details,
            *(hints["held"] for one in result.notes if one.code == "unheld-folds"),
            *((hints["predictions"],) if over_folds and not single else ()),
            *((hints["seeds"],) if by_seeds else ()),
            hints["figure"],
            last,
        ),
    )


def _other_question(
    result: Comparison | Comparisons, hints: dict[str, str]
) -> tuple[LabelledLine, ...]:
    """Scores of folds answer for algorithms: how to ask about trained models.

    Of predictions with their folds the warnings say it (`scored-by-fold`, `pooled-models`).
    """
    predicted = any(one.code == "scored-by-fold" for one in result.notes)
    return () if predicted else (LabelledLine(label="Or ask", text=hints["items"]),)


def shorter_forms(evidence: EvidenceSummary) -> tuple[str, ...]:
    """What was read without the names of the models, which the table has; then without the classes."""
    names = f" ({first_names(evidence.models)})"
    unnamed = clean(evidence.description.replace(names, "", 1))
    return unnamed, _CLASSES.sub("", unnamed)


def letters_line(grid: Grid) -> tuple[LabelledLine, ...]:
    """What the letters of a table say, where it has some."""
    places = [place for place, head in enumerate(grid.heads) if head == "group"]
    if not any(row.cells[place] for row in grid.rows for place in places):
        return ()
    text = "same letter: no significant difference"
    return (LabelledLine(label="Groups", text=text, more=("; each CI is for one model",)),)


ALLOWED_FOR = {
    "unseen-errors": "; allows for unseen errors (max_loss=)",
    "unseen-differences": "; allows for unseen differences (bound=)",
}
"""What the interval of a mean allows for though no item shows it, by the note that says so at length."""


def decided_line(result: Comparison) -> LabelledLine:
    """The deciding test with its correction and level; then, as far as there is room, its company."""
    text = named_test(result.choice.method)
    if len(result.verdicts) == 1:
        text = named_outcome(result.verdict.outcome)
    if result.adjustment == "holm" and result.family > 1:
        text += f", Holm-adjusted over {result.family:,} pairs"
    elif result.family > 1:
        text += f" over {result.family:,} pairs"
    text += f", α = {say_alpha(result.level)}"
    more = []
    named = {(one.outcome.method, one.outcome.effect.interval.method): one.outcome.effect
             for one in result.verdicts if one.outcome.effect.interval is not None}  # fmt: skip
    if of_medians(result.verdicts):
        more.append("; Hodges–Lehmann pseudo-median")
    elif len(named) == 1 and result.family == 1 and len(set(*named)) == 2:
        interval = interval_of(*named.values())
        more.append("" if interval in text else f"; {interval} interval")
    if result.omnibus is not None:
        more.append(f"; {named_test(result.omnibus.method)}: {say_p(result.omnibus)}")
    codes = {one.code for one in result.notes}
    if "heavy-tails" in codes:  # no interval knows better, so there is always room to say it
        text += "; assumes no rarer, larger losses, or set max_loss="
    more += [words for code, words in ALLOWED_FOR.items() if code in codes]
    clusters = result.evidence.clusters
    more += [
        *_class_counts(result.estimates),
        *(() if clusters is None else (f"; {clusters:,} clusters",)),
        _false_positives(result),
    ]
    most = 2 if "heavy-tails" in codes else 1
    return LabelledLine(label="Test", text=text, most=most, more=tuple(filter(None, more)))


def _class_counts(estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """What an area rests on beside all items: positives and negatives, as pieces of a line."""
    found = {
        (facts.get("n_positive"), facts.get("n_negative"))
        for facts in (dict(one.details) for one in estimates)
    }
    positive, negative = found.pop() if len(found) == 1 else (None, None)
    if not isinstance(positive, int) or not isinstance(negative, int):
        return ()
    return (f"; {positive:,} positives", f", {negative:,} negatives")


def _estimated_directly(result: Comparison) -> tuple[LabelledLine, ...]:
    """Said where the difference is not that of the two values above it, which a reader would subtract."""
    if of_medians(result.verdicts):
        return ()
    values = {one.model: one.value for one in result.estimates}
    verdict = result.verdict
    a, b, effect = values.get(verdict.a), values.get(verdict.b), verdict.outcome.effect.value
    if a is None or b is None or effect is None or math.isclose(a - b, effect, abs_tol=1e-9):
        return ()
    return (
        LabelledLine(label="Effect", text="estimated directly, not by subtracting the two values"),
    )


def _false_positives(result: Comparison) -> str:
    found = result.measured
    if found is None or found.low is None or found.high is None:
        return ""
    ends = dict.fromkeys(f"{100 * share:.1f}" for share in (found.low, found.high))
    return f"; false-positive rate {'–'.join(ends)}% (nearest design)"


def applies_line(result: Any) -> LabelledLine:
    evidence = result.evidence
    return LabelledLine(
        label="Applies",
        text=f"to {evidence.applies_to}",
    )


def _of_comparisons(result: Comparisons, hints: dict[str, str]) -> Brief:
    warnings, details = notes_of(
        [*result.notes, *(one for part in result.parts for one in noted(part))], hints
    )
    methods = dict.fromkeys(
        named_outcome(part.verdict.outcome)
        if len(part.verdicts) == 1
        else named_test(part.choice.method)
        for part in result.parts
    )
    adjusted = "Holm-adjusted" if result.adjustment == "holm" else "adjusted jointly (max-t)"
    held = held_sentence(result.parts, result.level, result.questions)  # the line Test says it
    tests = ", ".join(methods).replace(" with simultaneous (max-t) intervals", "")
    grid = questions_grid(result)
    return Brief(
        read=clean(result.evidence.description),
        read_shorter=shorter_forms(result.evidence),
        answer=first_of_each(result) or clean(result.sentence.removesuffix(held).strip()),
        most_lines=3 if len(result.parts[0].verdicts) == 1 else 2,
        grid=grid,
        spaced=False,
        lines=(
            *(replace(line, more=()) for line in letters_line(grid)),
            LabelledLine(
                label="Test",
                text=f"{tests}; {adjusted} over {result.questions:,} comparisons, "
                f"α = {say_alpha(result.level)}",
                most=2,
            ),
            applies_line(result),
            *(_other_question(result, hints) if result.evidence.unit == "fold" else ()),
        ),
        warnings=warnings,
        hints=(details, hints["figure"], hints["margin"]),
    )


def _of_evaluation(result: Evaluation, hints: dict[str, str]) -> Brief:
    measures = list(dict.fromkeys(one.measure for one in result.estimates))
    methods = dict.fromkeys(
        interval_of(one) for one in result.estimates if one.interval is not None
    )
    warnings, details = notes_of(noted(result), hints)
    arrows = "".join(
        f"; {arrow} {side} is better"
        for side, arrow in (("higher", "↑"), ("lower", "↓"))
        if any(arrow in measure_label(name) for name in measures)
    )
    several = len(result.evidence.models) > 1
    return Brief(
        read=clean(result.evidence.description),
        read_shorter=shorter_forms(result.evidence),
        grid=measures_grid(result) or estimates_grid(result),
        narrow_grid=estimates_grid(result),
        lines=(
            LabelledLine(
                label="Interval",
                text=f"{', '.join(methods) or 'none'}{arrows}",
                most=2,
                more=tuple(_class_counts(result.estimates)),
            ),
            applies_line(result),
        ),
        warnings=warnings,
        hints=(details, hints["figure"], *((hints["compare"],) if several else ())),
    )


def noted(result: Any) -> list[Note]:
    """The notes on what was decided and on the estimates; those of methods shown beside are not."""
    return [*result.notes, *(note for one in result.estimates for note in one.notes)]


def notes_of(notes: Iterable[Note], hints: dict[str, str]) -> tuple[tuple[ShownNote, ...], str]:
    """Every warning once, and where the cautions and remarks are, counted."""
    unique = list(dict.fromkeys(notes))
    said = [
        ShownNote(level="warning", message=clean(one.message), code=one.code)
        for one in unique
        if one.level == "warning"
    ]
    codes: Counter[str] = Counter()
    for _, level in dict.fromkeys((one.code, one.level) for one in unique):
        codes[level] += 1
    names = {"caution": ("caution", "cautions"), "remark": ("remark", "remarks")}
    others = [f"{codes[one]} {by_count(codes[one], *names[one])}" for one in names if codes[one]]
    return tuple(said), f"{hints['details']} ({', '.join(['everything', *others])})"
