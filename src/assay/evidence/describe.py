"""What was recognised in the evidence, in one sentence and a few counts."""

from collections.abc import Sequence

from assay.core.results import Details, EvidenceSummary
from assay.core.vocabulary import counted
from assay.evidence.cells import plural, quoted, shortened
from assay.evidence.names import Role
from assay.evidence.predictions import Predictions
from assay.evidence.roles import NEEDS

_ROLE_WORDS: dict[Role, str] = {
    "id": "ids in",
    "weight": "importance weights in",
    "count": "counts in",
    "fold": "folds in",
    "repeat": "repeats in",
    "slice": "slices in",
}


def summary_of(evidence: Predictions) -> EvidenceSummary:
    truth = evidence.roles.get("truth")
    return EvidenceSummary(
        kind="predictions",
        sources=evidence.rows.sources,
        models=evidence.models,
        n=evidence.n,
        unit="item",
        description=_sentence(evidence) if evidence.origin is None else evidence.origin.description,
        truth=None if truth is None else evidence.rows.describe(truth),
        classes=evidence.classes,
        clusters=evidence.clusters,
        details=_details(evidence),
    )


def _sentence(evidence: Predictions) -> str:
    parts = [f"{plural(evidence.n, 'item')} from {quoted_sources(evidence)}", _truth(evidence)]
    for needs in NEEDS:
        # two-class probabilities and scores are one column: say it once
        models = [m for m in evidence.models if needs in _stated(evidence, m)]
        if models:
            parts.append(f"{needs} of {quoted(models, 8)}")
    for role, words in _ROLE_WORDS.items():
        if role in evidence.roles:
            parts.append(f"{words} {evidence.rows.describe(evidence.roles[role])}")
    if evidence.clusters is not None:
        cluster = evidence.rows.describe(evidence.roles["cluster"])
        parts.append(f"{plural(evidence.clusters, 'cluster')} in {cluster}")
    return "; ".join(parts) + "."


def counted_evidence(n: int | None, unit: str | None, models: Sequence[str]) -> str:
    """How much there is: 740 items × 5 models (opus, llama, …)."""
    rows = "" if n is None else f"{counted(n, unit or 'item')} × "  # type: ignore[arg-type]
    more = ", …" if len(models) > 8 else ""
    return f"{rows}{plural(len(models), 'model')} ({', '.join(map(shown_name, models[:8]))}{more})"


def shown_name(name: str) -> str:
    text = str(name)
    return text if len(text) <= 40 else f"{text[:39]}…"


def quoted_sources(evidence: Predictions) -> str:
    return ", ".join(evidence.rows.sources)


def _truth(evidence: Predictions) -> str:
    truth = evidence.roles.get("truth")
    if truth is None:
        return "no truth, so each column of numbers is taken as the losses of a model"
    where = evidence.rows.describe(truth)
    if not evidence.classes:
        return f"truth (numbers) in {where}"
    classes = f"{plural(len(evidence.classes), 'class', 'classes')}: {quoted(evidence.classes, 8)}"
    positive = "" if evidence.positive is None else f"; positive {shortened(evidence.positive)}"
    return f"truth in {where} ({classes}{positive})"


def _stated(evidence: Predictions, model: str) -> set[str]:
    columns = evidence.columns_of[model]
    return {n for n in evidence.offers[model] if getattr(columns, n)}


def _details(evidence: Predictions) -> Details:
    offers = ((f"offers:{m}", ", ".join(sorted(evidence.offers[m]))) for m in evidence.models)
    roles = ((role, evidence.rows.describe(name)) for role, name in evidence.roles.items())
    notes = ((note.code, note.message) for note in evidence.notes)
    positive = (("positive", evidence.positive),) if evidence.positive is not None else ()
    return (
        *positive,
        *roles,
        *offers,
        *notes,
        *(evidence.origin.details if evidence.origin else ()),
    )
