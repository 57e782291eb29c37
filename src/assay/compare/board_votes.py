"""Boards of votes: Bradley-Terry strengths as Elo points."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.errors import NotApplicable
from assay.core.methods import find_method
from assay.core.notes import Note
from assay.core.results import EvidenceSummary
from assay.estimates.board_aggregates import ELO
from assay.estimates.board_winner import Contenders
from assay.estimates.unit_scores import root_of_covariance
from assay.evidence.cell_text import quoted
from assay.evidence.method_arguments import arguments_of_call
from assay.evidence.preferences import Preferences, as_preferences
from assay.kernels.bradley_terry import fitted, groups_of, sandwich


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Votes:
    """Ratings of models, with what was read."""

    contenders: Contenders
    summary: EvidenceSummary
    words: str
    notes: tuple[Note, ...]


def rated(evidence: tuple[Any, ...]) -> Votes:
    """Strengths by maximum likelihood, their spread from the votes themselves (sandwich)."""
    positional, _, notes = arguments_of_call(find_method("bradley_terry"), evidence, {})
    votes = as_preferences(*positional)
    groups = groups_of(votes.wins)
    if np.unique(groups).size > 1:
        raise NotApplicable(_apart(votes, groups))
    fit = fitted(votes.first, votes.second, votes.ties, position=False)
    if fit is None:
        raise NotApplicable("the strengths of these models do not settle: more votes are needed")
    covariance = sandwich(fit, votes.first, votes.second, votes.ties, position=False)
    words = f"{votes.n:,} votes"
    sources = tuple(str(one) for one in evidence if isinstance(one, str) or hasattr(one, "suffix"))
    return Votes(
        contenders=Contenders(
            models=votes.models,
            values=1000.0 + ELO * fit.values,
            root=ELO * root_of_covariance(covariance),
            sign=1.0,
            n=votes.n,
            unit="item",
        ),
        summary=EvidenceSummary(
            kind="votes",
            sources=sources,
            models=votes.models,
            n=votes.n,
            unit="item",
            description=f"{words} on {len(votes.models)} models, {votes.n_ties:,} ties.",
        ),
        words=words,
        notes=tuple(notes),
    )


def _apart(votes: Preferences, groups: Any) -> str:
    """Which models never lost to, or never won against, the rest (Ford 1957)."""
    sizes = np.bincount(groups)
    alone = [
        model
        for model, group in zip(votes.models, groups, strict=True)
        if sizes[group] < sizes.max()
    ]
    return (
        f"{quoted(alone, 5)} won or lost every vote against the others, so no finite rating fits. "
        "Leave such models out, or collect votes that connect them"
    )
