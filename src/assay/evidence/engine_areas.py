"""Which engine ranks the scores of predictions, and what it cannot rank."""

from typing import TYPE_CHECKING

from assay.core.errors import NotApplicable
from assay.evidence.database import DatabaseRows
from assay.evidence.lazy import LazyRows
from assay.evidence.placing import Leaves, Placed, Question

if TYPE_CHECKING:
    from assay.evidence.predictions import Predictions


def place(evidence: "Predictions", models: tuple[str, ...]) -> Placed:
    """The scores of the models ranked where the rows are."""
    question = _question(evidence, models)
    if isinstance(evidence.rows, LazyRows):
        from assay.evidence.lazy_areas import place_lazily

        return place_lazily(evidence.rows, question)
    from assay.evidence.database_areas import place_in_database

    return place_in_database(_database(evidence), question)


def leaves(evidence: "Predictions", model: str) -> Leaves:
    """The items of each class by bins of the scores of one model."""
    question = _question(evidence, (model,))
    if isinstance(evidence.rows, LazyRows):
        from assay.evidence.lazy_areas import leaves_lazily

        return leaves_lazily(evidence.rows, question)[0]
    from assay.evidence.database_areas import leaves_in_database

    return leaves_in_database(_database(evidence), question)[0]


def _database(evidence: "Predictions") -> DatabaseRows:
    if not isinstance(evidence.rows, DatabaseRows):
        raise TypeError("scores in memory are ranked there")
    return evidence.rows


def _question(evidence: "Predictions", models: tuple[str, ...]) -> Question:
    if evidence.weighted or evidence.clusters is not None:
        what = "importance weights" if evidence.weighted else "clusters"
        raise NotApplicable(
            f"scores={evidence.scores!r} ranks independent, unweighted items, and these have {what}: "
            "use scores='memory'"
        )
    evidence.check_positive()
    positive = str(evidence.positive)
    own = [evidence.columns_of[model] for model in models]
    return Question(
        truth=evidence.roles["truth"],
        positive=positive,
        scores=tuple(of.scores or of.probabilities[positive] for of in own),
        count=evidence.roles.get("count"),
        exact=evidence.scores == "exact",
    )
