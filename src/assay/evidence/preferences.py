"""Preferences: which of two models was found better, counted by pair and by place."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import as_array, as_matrix
from assay.core.errors import EvidenceError
from assay.evidence.cell_text import id_text, is_missing, number_of, ordered, quoted, shortened
from assay.evidence.rows_memory import MemoryRows

MOST_MODELS = 1_000
"""More names than this are texts or ids, and their pairs would not be read by anybody."""

MOST_WINS = 2.0**50
"""Beyond this a number of wins would lose its last digit."""

WON, LOST = (
    frozenset({"win", "won", "wins", "w"}),
    frozenset({"loss", "lose", "lost", "losses", "l"}),
)
"""What came out for the first of two."""
FIRST_WORDS = frozenset({"a", "model_a", "first", "left", "player_a", "model a"}) | WON
SECOND_WORDS = frozenset({"b", "model_b", "second", "right", "player_b", "model b"}) | LOST
TIE_WORDS = frozenset(
    {"tie", "tied", "tie (bothbad)", "bothbad", "both_bad", "draw", "equal", "both"}
    | {"neither", "same"}
)
"""How a winner may be written besides by name; a missing one is a tie too."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Preferences:
    """Counts of comparisons; row i was shown first, column j second.

    ``first``: the first was preferred; ``second``: the second was; ``ties``: neither. Where places
    were not kept, ``placed`` is False and every row is the winner.
    """

    models: tuple[str, ...]
    first: FloatArray
    second: FloatArray
    ties: FloatArray
    placed: bool

    @property
    def wins(self) -> FloatArray:
        """How often the row was preferred to the column, a tie being half of it."""
        return np.asarray(self.first + self.second.T + (self.ties + self.ties.T) / 2.0)

    @property
    def counts(self) -> FloatArray:
        """How often row and column met."""
        met = self.first + self.second + self.ties
        return np.asarray(met + met.T)

    @property
    def n(self) -> int:
        return round(float((self.first + self.second + self.ties).sum()))

    @property
    def n_ties(self) -> int:
        return round(float(self.ties.sum()))


def as_preferences(*evidence: Any, models: Sequence[str] | None = None) -> Preferences:
    """A square matrix of wins; or arrays of first, second and winner, perhaps with counts."""
    if len(evidence) == 1 and isinstance(evidence[0], Preferences):
        if models is not None:
            raise EvidenceError("models names the rows of a matrix of wins; these have their names")
        return evidence[0]
    if len(evidence) == 1 and as_array(evidence[0], "preferences").ndim == 2:
        return from_matrix(evidence[0], models)
    if len(evidence) in (3, 4) and models is None:
        return _from_arrays(evidence)
    raise EvidenceError(
        "preferences come in one of three forms. A square matrix of wins (row preferred to column). Or arrays of the "
        "first model, the second and the winner (and counts). Or a table with columns model_a, model_b, winner. Got "
        f"{len(evidence)} of {type(evidence[0]).__name__ if evidence else 'nothing'}"
    )


def from_matrix(wins: Any, models: Sequence[str] | None = None) -> Preferences:
    """Row i was preferred to column j so many times; halves are ties that were split."""
    table = as_matrix(wins, "the matrix of wins", rows=2, columns=2)
    k = len(table)
    names = (
        tuple(map(str, models)) if models is not None else tuple(f"model {i + 1}" for i in range(k))
    )
    if table.shape[0] != table.shape[1]:
        raise EvidenceError(f"a matrix of wins is square; got shape {table.shape}")
    if len(names) != k or len(set(names)) < k:
        raise EvidenceError(f"{k} models need {k} different names; got {quoted(names)}")
    if (table < 0).any() or (table > MOST_WINS).any() or (2 * table != np.rint(2 * table)).any():
        raise EvidenceError(
            "a matrix of wins holds whole counts, or halves where ties were split. Multiply "
            "shares of wins by the number of comparisons first"
        )
    if np.diag(table).any():
        raise EvidenceError("the diagonal of a matrix of wins is 0: no model meets itself")
    empty = np.zeros_like(table)
    return _checked(Preferences(models=names, first=table, second=empty, ties=empty, placed=False))


def from_groups(
    columns: Sequence[tuple[Any, ...]], codes: IntArray, counts: IntArray, *, loser: bool, what: str
) -> Preferences:
    """Distinct rows (first, second, winner) or (winner, loser), with how often each occurred."""
    names = [
        _names(levels, title, what)
        for levels, title in zip(columns[:2], ("first", "second"), strict=True)
    ]
    there = counts > 0
    codes, counts = codes[there], counts[there]
    models = ordered(names[side][code] for side in (0, 1) for code in set(codes[:, side].tolist()))
    _refuse_spellings(models, what)
    if len(models) > MOST_MODELS:
        raise EvidenceError(
            f"{what} names {len(models):,} models, {quoted(models, 3)}; up to {MOST_MODELS:,} are "
            "compared: are these the names of models?"
        )
    place = {name: at for at, name in enumerate(models)}
    sides = [np.array([place.get(name, -1) for name in one]) for one in names]
    a, b = sides[0][codes[:, 0]], sides[1][codes[:, 1]]
    same = np.flatnonzero(a == b)
    if same.size:
        raise EvidenceError(
            f"{what} compares {shortened(models[a[same[0]]])} with itself "
            f"{int(counts[same].sum()):,} times: leave those rows out"
        )
    won = np.zeros(len(codes), dtype=np.int64)
    if not loser:
        won = _winners(models, a, b, columns[2], codes[:, 2], what)
    k = len(models)
    tables = np.zeros((3, k, k))
    np.add.at(tables, (won, a, b), counts)
    return _checked(
        Preferences(
            models=models, first=tables[0], second=tables[1], ties=tables[2], placed=not loser
        )
    )


def _from_arrays(evidence: Sequence[Any]) -> Preferences:
    """Rows in memory, reduced to their distinct ones."""
    titles = ("the first model", "the second model", "the winner", "the count")
    given = [as_array(*one) for one in zip(evidence, titles, strict=False)]
    arrays = [*given[:2], np.asarray(evidence[2], dtype=object)]
    sizes = {one.shape for one in given}
    if len(sizes) != 1 or arrays[0].ndim != 1 or not arrays[0].size:
        raise EvidenceError(
            "the first model, the second and the winner are lists of equal length, a comparison each; "
            f"got shapes {', '.join(str(one.shape) for one in given)}"
        )
    columns = dict(zip(("first", "second", "winner"), arrays, strict=True))
    if len(evidence) == 4:
        columns["count"] = _counts(evidence[3])
    rows = MemoryRows(columns, ("the evidence",))
    groups = rows.group(
        ("first", "second", "winner"), count="count" if "count" in columns else None
    )
    if groups is None:
        raise TypeError("groups without a limit are all there")
    return from_groups(groups.levels, groups.codes, groups.counts, loser=False, what="the evidence")


def _counts(given: Any) -> IntArray:
    numbers = [number_of(value) for value in np.asarray(given).tolist()]
    if any(one is None or one < 0 or not float(one).is_integer() for one in numbers):
        raise EvidenceError("counts are whole numbers from 0 up: how often a row occurred")
    return np.array(numbers, dtype=np.int64)


def _names(levels: Iterable[Any], side: str, what: str) -> list[str]:
    """The names of models; a missing one is refused."""
    listed = list(levels)
    if any(is_missing(value) for value in listed):
        raise EvidenceError(f"{what} has rows without the name of the {side} model: repair them")
    return [id_text(value).strip() for value in listed]


def _refuse_spellings(models: Sequence[str], what: str) -> None:
    """Names that differ in capitals only are one model, whose votes would be split."""
    known: dict[str, str] = {}
    for name in models:
        other = known.setdefault(name.casefold(), name)
        if other != name:
            raise EvidenceError(
                f"{what} names {shortened(other)} and {shortened(name)}, which differ in capitals only: write a "
                "model the same way in all rows"
            )


def _winners(
    models: Sequence[str],
    a: IntArray,
    b: IntArray,
    levels: Sequence[Any],
    codes: IntArray,
    what: str,
) -> IntArray:
    """Who won each distinct row: winners are written by name throughout, or by place throughout."""
    blank = np.array([is_missing(level) or not str(level).strip() for level in levels])
    if blank[codes].any() and any(str(level).strip().lower() in TIE_WORDS for level in levels):
        raise EvidenceError(
            f"{what} has rows without a winner, and writes ties in words elsewhere: leave those rows out, or write tie"
        )
    texts = ["" if is_missing(level) else id_text(level).strip() for level in levels]
    pairs = [
        (models[one], models[other]) for one, other in zip(a.tolist(), b.tolist(), strict=True)
    ]
    said = [texts[code] for code in codes.tolist()]
    by_name = [_side(text, {one}, {other}) for text, (one, other) in zip(said, pairs, strict=True)]
    by_place = [_side(text.lower(), FIRST_WORDS, SECOND_WORDS) for text in said]
    for found in (by_name, by_place):
        if None not in found:
            return np.array(found, dtype=np.int64)
    for text, (one, other), *sides in zip(said, pairs, by_name, by_place, strict=True):
        if sides == [None, None]:
            raise EvidenceError(
                f"{what} has the winner {shortened(text)} of {shortened(one)} and {shortened(other)}. A winner is one "
                "of the two names, or model_a, model_b (a, b), or tie"
            )
    raise EvidenceError(
        f"{what} writes winners by name in some rows and by place (model_a, model_b) in others: "
        "write all of them one way"
    )


def _side(text: str, first: Set[str], second: Set[str]) -> int | None:
    """0 for the first, 1 for the second, 2 for a tie; None where the word is none of these."""
    if text in first or text in second:
        return 0 if text in first else 1
    return 2 if not text or text.lower() in TIE_WORDS else None


def _checked(found: Preferences) -> Preferences:
    if len(found.models) < 2 or not found.n:
        raise EvidenceError(
            f"a preference needs two models and a comparison; got {found.n:,} comparisons of {quoted(found.models)}"
        )
    return found
