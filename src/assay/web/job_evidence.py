"""Jobs on evidence: what was recognised, the answer, every measure, corrections, figures, reports."""

import base64
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import combinations
from typing import Any

from assay.compare.compare import compare
from assay.compare.comparison_result import verdict_alone
from assay.core import wire
from assay.core.errors import AssayError, EvidenceError, UsageError
from assay.core.memo import while_rows_stand
from assay.core.questions import AmbiguousEvidence, Question
from assay.core.results import Comparison, Evaluation
from assay.estimates.evaluate import evaluate
from assay.estimates.measure_needs import check_offers, fitting_measure
from assay.evidence.open_questions import which_measure
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.scores import Scores
from assay.hypotheses.multiplicity import adjust, shaffer
from assay.measures.registry import find_measure, measures
from assay.report import render
from assay.report.explain import explain_result
from assay.report.figures import COLUMN, axes_of
from assay.report.views import view
from assay.web.answer_card import card
from assay.web.job_reading import (
    columns_of,
    direction_question,
    looked,
    question_facts,
    reading_facts,
)
from assay.web.jobs import failed
from assay.web.limits import MAX_MODELS, MAX_ROWS
from assay.web.page_state import field_of
from assay.web.reading_form import in_page_words

Evidence = Predictions | Unpaired | Scores
MUCH = 50_000
"""Cells of evidence (rows times models) from which on the verdict is told first."""
MANY_SCORES = 1_000
"""Scores from which on it is: posteriors over data sets take longest."""
MOST_CORRECTED = 16
"""Models of which every pair is compared by itself, for other corrections."""
EVERY: tuple[str, ...] = (
    "accuracy", "balanced_accuracy", "f1", "f1_macro", "precision", "recall", "specificity", "mcc",
    "kappa", "roc_auc", "average_precision", "log_loss", "brier", "mae", "mse", "rmse", "r2",
    "mean_loss",
)  # fmt: skip
"""The measures of the page of estimates, in its order; all others by name."""


def observed(source: dict[str, Any], reading: dict[str, Any]) -> Evidence:
    """The evidence behind a key, if it is not too large for the page."""
    found = looked(source, reading).evidence()
    _check_size(found)
    return found


def _check_size(evidence: Evidence) -> None:
    parts = evidence.parts if isinstance(evidence, Unpaired) else (evidence,)
    n = max(part.n for part in parts)
    if n > MAX_ROWS:
        raise EvidenceError(
            f"{n:,} rows are more than the page takes ({MAX_ROWS:,}): use the command line, assay compare"
        )
    if len(evidence.models) > MAX_MODELS:
        raise UsageError(
            f"{len(evidence.models)} models are more than the page compares at once ({MAX_MODELS}): "
            "choose some of the models below"
        )


def fitting(evidence: Evidence, *, known: bool = False) -> list[str]:
    """The measures that this evidence allows; ``known``: without those that ask for a positive class."""
    if isinstance(evidence, Scores):
        return list(evidence.measures)
    parts = evidence.parts if isinstance(evidence, Unpaired) else (evidence,)
    found = []
    for name, measure in measures().items():
        try:
            for part in parts:
                check_offers(part, measure, part.models)
                measure.bind(part.classes, part.positive)
                if len(part.classes) == 2 and measure.needs in ("scores", "probabilities"):
                    part.check_positive()
        except AmbiguousEvidence:  # it fits once the positive class is said, and asks for it
            if known:
                continue
        except AssayError:
            continue
        found.append(name)
    return found


def recognised(evidence: Evidence) -> dict[str, Any]:
    """What was recognised, as the form shows it."""
    summary = evidence.summary()
    parts = evidence.parts if isinstance(evidence, Unpaired) else (evidence,)
    first = parts[0]
    roles = dict(first.roles) if isinstance(first, Predictions) else {}
    return {
        "description": summary.description,
        "kind": summary.kind,
        "n": summary.n,
        "unit": summary.unit,
        "models": list(summary.models),
        "classes": list(summary.classes)[:50],
        "positive": first.positive if isinstance(first, Predictions) else None,
        "clusters": summary.clusters,
        "roles": roles,
        "measures": (known := fitting(evidence)),
        "common": [name for name in EVERY if name in known],
        "ranked": [model for part in parts for model in ranked_models(part)],
    }


def ranked_models(evidence: Any) -> tuple[str, ...]:
    """The models whose scores rank items of two classes."""
    if not isinstance(evidence, Predictions) or len(evidence.classes) != 2:
        return ()
    return tuple(model for model in evidence.models if "scores" in evidence.offers[model])


def result_of(evidence: Evidence, asking: dict[str, Any]) -> Comparison | Evaluation:
    """The comparison; of one model without a level to meet, its evaluation."""
    asking = dict(asking)
    if isinstance(evidence, Scores):
        asking.setdefault("measure", evidence.measures[0])
    if len(evidence.models) == 1 and "against" not in asking:
        kept = {name: asking[name] for name in ("level", "n_resamples", "rng") if name in asking}
        wanted = [asking["measure"]] if "measure" in asking else None
        return evaluate(evidence, measures=wanted, **kept)
    found: Comparison = compare(evidence, **asking)
    return found


def answer(
    source: dict[str, Any],
    reading: dict[str, Any],
    asking: dict[str, Any],
    tell: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """What was read, what is open and, where nothing is, the answer; an error keeps what was known.

    Of much evidence the card of the verdict is told first, then all of it, before other methods are worked out.
    """
    found: dict[str, Any] = {
        "columns": [], "reading": None, "questions": [], "recognised": None, "result": None,
    }  # fmt: skip
    open_questions: Sequence[Question] = ()
    try:
        evidence, asking = _understood(source, reading, asking, found)
        with while_rows_stand():  # the files are the page's own
            result = result_of(evidence, asking)
        open_questions = direction_question(result)
        if tell is not None and _is_large(evidence):
            alone = verdict_alone(result) if isinstance(result, Comparison) else result
            early = {**found, "questions": _questions(open_questions, found), "card": card(alone)}
            tell(early)
            tell({**early, **_facts(alone)})
        found |= _facts(result)
    except AmbiguousEvidence as error:
        open_questions = error.questions
    except AssayError as error:
        found |= failed(type(error).__name__, in_page_words(error), field_of(str(error)))
    if found["reading"] is None:
        found["columns"] = columns_of(source)
    found["questions"] = _questions(open_questions, found)
    return found


def _facts(result: Comparison | Evaluation) -> dict[str, Any]:
    # curves of a million points have pages of their own
    whole = wire.to_builtins(replace(result, curves=()))
    return {"result": whole, "explained": explain_result(result)}


def _questions(asked: Sequence[Question], found: dict[str, Any]) -> list[Any]:
    return [question_facts(one, found["columns"]) for one in asked]


def _is_large(evidence: Evidence) -> bool:
    """Whether other methods may take so long that the verdict is worth telling before them."""
    if isinstance(evidence, Scores):
        return evidence.columns.size > MANY_SCORES
    parts = evidence.parts if isinstance(evidence, Unpaired) else (evidence,)
    return sum(part.n * len(part.models) for part in parts) > MUCH


def _understood(
    source: dict[str, Any], reading: dict[str, Any], asking: dict[str, Any], found: dict[str, Any]
) -> tuple[Evidence, dict[str, Any]]:
    """The evidence and what is asked of it; what is known on the way to it goes to ``found``."""
    seen = looked(source, reading)
    found["reading"] = reading_facts(seen)
    found["columns"] = list(dict.fromkeys(one.name for one in seen.columns))
    evidence = seen.evidence()
    found["recognised"] = recognised(evidence)
    found["recognised"]["every_model"] = _every_model(source, reading, evidence)
    _check_size(evidence)
    of_files = source["kind"] == "files" and "measure" not in asking  # a study has its first one
    if (
        of_files
        and isinstance(evidence, Scores)
        and min(map(len, (evidence.models, evidence.measures))) > 1
    ):
        raise AmbiguousEvidence([which_measure(", ".join(seen.sources), evidence.measures)])
    told = {"unit": "item"} if reading.get("unit") == "item" else {}  # else folds, where there are
    return evidence, {**asking, **told}


def _every_model(source: dict[str, Any], reading: dict[str, Any], evidence: Evidence) -> list[str]:
    """All models there are, also those that were not asked for, to choose from."""
    if "models" not in reading:
        return list(evidence.models)
    others = {name: said for name, said in reading.items() if name != "models"}
    try:
        return list(dict.fromkeys([*looked(source, others).models, *evidence.models]))
    except AssayError:  # only some of the columns are models
        return list(evidence.models)


def estimates(
    source: dict[str, Any], reading: dict[str, Any], asking: dict[str, Any]
) -> dict[str, Any]:
    """Every common measure that the evidence allows, each with its interval."""
    evidence = observed(source, reading)
    kept = {name: asking[name] for name in ("level", "n_resamples", "rng") if name in asking}
    known = fitting(evidence, known=True)
    wanted = known if isinstance(evidence, Scores) else [name for name in EVERY if name in known]
    asking_more = [name for name in fitting(evidence) if name in EVERY and name not in known]
    asked = asking.get("measure")
    if asked is not None and asked not in wanted:
        wanted = [asked, *wanted]
    found = evaluate(evidence, measures=wanted, **kept)
    return {"result": wire.to_builtins(replace(found, curves=())), "open": asking_more}


def corrected(
    source: dict[str, Any], reading: dict[str, Any], asking: dict[str, Any], correction: str
) -> dict[str, Any]:
    """Each pair compared by itself, and its p-value under a correction over all of them."""
    evidence = observed(source, reading)
    if isinstance(evidence, Unpaired):
        raise UsageError("models on different items make one pair: there is nothing to correct")
    if len(evidence.models) > MOST_CORRECTED:
        raise UsageError(
            f"other corrections are shown for up to {MOST_CORRECTED} models; there are "
            f"{len(evidence.models)}: choose some of the models"
        )
    asking = dict(asking)
    if isinstance(evidence, Scores):
        asking.setdefault("measure", evidence.measures[0])
    baseline = asking.pop("baseline", None)
    pairs = [
        (a, b) if baseline is None or b == baseline else (b, a)
        for a, b in combinations(evidence.models, 2)
        if baseline is None or baseline in (a, b)
    ]
    alone = [compare(evidence.select(a, b), **asking).verdict for a, b in pairs]
    told = [one for one in alone if one.outcome.p_value is not None]
    given = [float(one.outcome.p_value or 0.0) for one in told]
    if correction == "shaffer":
        adjusted = shaffer(given, len(evidence.models))
    else:
        adjusted = tuple(given) if correction == "none" else adjust(given, method=correction)  # type: ignore[arg-type]
    return {
        "correction": correction,
        "pairs": [
            {"a": one.a, "b": one.b, "method": one.outcome.method, "p": p, "adjusted": q}
            for one, p, q in zip(told, given, adjusted, strict=True)
        ],
    }


def figures(result: dict[str, Any]) -> dict[str, Any]:
    """The figures of a result as SVG elements, with their words and tables."""
    from assay.report.figures import draw

    found = wire.from_builtins(result)
    seen = view(found)
    return {"figures": draw(seen.figures, found)}


def figure(result: dict[str, Any], wanted: str, form: str, narrow: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002
    """One figure as a file; ``narrow`` for the screen of a phone."""
    from assay.plots.style import as_bytes, paper

    found = wire.from_builtins(result)
    named = [one for one in view(found).figures if one.name == wanted]
    if not named:
        raise UsageError(f"there is no figure {wanted!r} here")
    with paper(COLUMN) if narrow else nullcontext():
        drawn = as_bytes(axes_of(named[0], found), form)
    return {"base64": base64.b64encode(drawn).decode()}


def document(
    source: dict[str, Any],
    reading: dict[str, Any],
    asking: dict[str, Any],
    form: str,
    command: str,
) -> dict[str, Any]:
    """The whole report in one of the formats of the command line."""
    result = result_of(observed(source, reading), asking)
    return {"text": render(result, form, command=command, typed="cli")}


def default_measure(evidence: Evidence, asked: str | None) -> str:
    """The measure that decides where none is named."""
    if asked is not None:
        return asked if isinstance(evidence, Scores) else find_measure(asked).name
    if isinstance(evidence, Scores):
        return evidence.measures[0]
    return fitting_measure(evidence.parts if isinstance(evidence, Unpaired) else (evidence,)).name


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "answer": answer,
    "estimates": estimates,
    "corrected": corrected,
    "figures": figures,
    "figure": figure,
    "document": document,
}
