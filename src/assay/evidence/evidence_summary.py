"""What was recognised in the evidence, in one sentence and a few counts."""

from collections.abc import Sequence

from assay.core.results import Details, EvidenceSummary
from assay.core.vocabulary import counted
from assay.evidence.cell_text import NO_ANSWER, first_names, plural, shortened
from assay.evidence.names import Role
from assay.evidence.predictions import Predictions

_ROLE_WORDS: dict[Role, str] = {
    "weight": "weights",
    "count": "counts",
    "fold": "folds",
    "repeat": "repeats",
    "slice": "slices",
}
_FEW_CLASSES = 6
"""Classes that are named one by one."""


def summary_of(evidence: Predictions) -> EvidenceSummary:
    truth = evidence.roles.get("truth")
    return EvidenceSummary(
        kind="predictions",
        sources=evidence.rows.sources,
        models=evidence.models,
        n=evidence.n,
        unit="item",
        description=_said(evidence),
        truth=None if truth is None else evidence.rows.describe(truth),
        classes=evidence.classes,
        clusters=evidence.clusters,
        details=_details(evidence),
    )


def _said(evidence: Predictions) -> str:
    """What was read, in one line that a person checks at a glance."""
    roles, clusters = evidence.roles, evidence.clusters
    if evidence.origin is not None:
        said = evidence.origin.description
    else:
        kinds = {kind for model in evidence.models for kind in _stated(evidence, model)}
        counts = counted_evidence(evidence.n, "item", evidence.models)
        parts = [f"{counts}: {' and '.join(sorted(kinds))}", _truth(evidence)]
        if clusters is not None:
            parts.append(f"{plural(clusters, 'cluster')} by {_name(evidence, 'cluster')}")
        parts += [
            f"{words} {_name(evidence, role)}"
            for role, words in _ROLE_WORDS.items()
            if role in roles
        ]
        said = "; ".join(parts) + "."
    if clusters is None or "repeat" not in roles or roles.get("cluster") != roles.get("id"):
        return said
    # several answers to one item are not so many items
    answers = f"{evidence.n:,} answers to {counted(clusters, 'item')}"
    return said.replace(counted(evidence.n, "item"), answers, 1)


def _name(evidence: Predictions, role: Role) -> str:
    """The column of a role, as the user named it."""
    name = evidence.roles[role]
    place, colon, own = name.partition(":")
    return shortened(own if colon and place.isdigit() else name)


def counted_evidence(n: int | None, unit: str | None, models: Sequence[str]) -> str:
    """How much there is: 740 items × 5 models (opus, llama, …)."""
    rows = "" if n is None else f"{counted(n, unit or 'item')} × "  # type: ignore[arg-type]
    return f"{rows}{plural(len(models), 'model')} ({first_names(models)})"


def shown_name(name: str) -> str:
    text = str(name)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _truth(evidence: Predictions) -> str:
    if "truth" not in evidence.roles:
        return "no truth"
    where = _name(evidence, "truth")
    if not evidence.classes:
        return f"truth {where} (numbers)"
    if len(evidence.classes) > _FEW_CLASSES:
        return f"truth {where} ({len(evidence.classes)} classes)"
    positive = "" if evidence.positive is None else f"; positive {shown_name(evidence.positive)}"
    classes = [shown_name(one) for one in evidence.classes if one != NO_ANSWER]
    return f"truth {where} ({', '.join(classes)}{positive})"


def _stated(evidence: Predictions, model: str) -> set[str]:
    columns = evidence.columns_of[model]
    if columns.values is not None and columns.values == columns.labels:
        return {"whole numbers"}
    return {n for n in evidence.offers[model] if getattr(columns, n)}


def _details(evidence: Predictions) -> Details:
    offers = ((f"offers:{m}", ", ".join(sorted(evidence.offers[m]))) for m in evidence.models)
    roles = ((role, evidence.rows.describe(name)) for role, name in evidence.roles.items())
    notes = ((note.code, note.message) for note in evidence.notes)
    positive = (("positive", evidence.positive),) if evidence.positive is not None else ()
    details = evidence.origin.details if evidence.origin else ()
    return (*positive, *roles, *offers, *notes, *details)
