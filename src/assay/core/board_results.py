"""What a board says: every model's score, its rank with the ranks it may have, and who may be the best."""

from dataclasses import dataclass
from typing import Literal

from assay.core.checks import checked
from assay.core.errors import UnknownPart
from assay.core.notes import Note
from assay.core.result_outputs import Shown
from assay.core.results import Choice, Details, Estimate, EvidenceSummary
from assay.core.vocabulary import Sense

RankSets = Literal["joint", "marginal"]
"""Whether the sets of ranks are simultaneous, or each is by itself."""

ROUNDED_AVERAGE = 5e-4
"""Averages of a log and of the items that differ by less are the same, rounded."""

Standing = Literal["on", "maybe", "off"]
"""Whether a model is on the front of score against cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """One model: its score with a simultaneous interval, its rank, and the ranks it may have.

    ``rank`` is 1 + the number of models with a better score, so that ties share it. ``letters``
    are shared with the models it does not differ from; None where the alphabet does not suffice.
    """

    model: str
    estimate: Estimate
    rank: int
    low: int
    high: int
    may_be_best: bool
    letters: str | None = None
    standing: Standing | None = None
    cost: float | None = None
    tasks: tuple[float, ...] = ()
    """The score on each task of a suite."""
    reported: float | None = None
    """What the log of the harness states for the same score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """Two models next to each other on the board, and the units that would separate them.

    ``units`` are for the difference ``planned``, which is the margin or the difference observed: if the
    true one is smaller, more are needed.
    """

    better: str
    worse: str
    difference: float
    low: float
    high: float
    separated: bool
    planned: float
    units: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What a board that is kept in a file has promised and spent."""

    arrivals: int
    """How many additions there were, the first board being none."""
    share: float
    """The part of α that the newest addition had."""
    added: tuple[str, ...]
    models: tuple[str, ...]
    """All models by arrival."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board(Shown):
    """A ranking that says how sure it is; every text, table and figure of it is drawn from here."""

    evidence: EvidenceSummary
    measure: str
    direction: Sense
    aggregate: str
    """What of each unit is averaged: the score itself, its rank, the share of models it beats …"""
    sets: RankSets
    level: float
    choice: Choice
    rows: tuple[BoardRow, ...]
    """The models, best first."""
    winner: Estimate | None
    """The score of the best model, corrected for having been chosen."""
    best: int
    """For how many places the candidates below are."""
    candidates: tuple[str, ...]
    """All models that may be among the ``best`` first."""
    pairs_apart: int
    """Pairs of models that differ significantly."""
    neighbours: tuple[Neighbours, ...]
    sentence: str
    does_not_say: str
    units: str
    """What was averaged over, in words: 500 items, 8 tasks."""
    tasks: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    ledger: Ledger | None = None
    notes: tuple[Note, ...] = ()
    seed: int | None = None
    details: Details = ()

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        return tuple(row.estimate for row in self.rows)

    @property
    def may_be_best(self) -> tuple[str, ...]:
        """The set of possible winners."""
        return tuple(row.model for row in self.rows if row.may_be_best)

    @checked
    def row(self, model: str) -> BoardRow:
        for row in self.rows:
            if row.model == model:
                return row
        known = ", ".join(row.model for row in self.rows[:20])
        raise UnknownPart(f"no model {model!r} on this board; it has {known}")
