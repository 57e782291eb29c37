"""Arguments from tables of judgements: which of two models was preferred, and how items were rated."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.core.methods import Method
from assay.evidence.cells import plural, quoted
from assay.evidence.from_items import matrix_of_counts
from assay.evidence.given import Given
from assay.evidence.names import KNOWN
from assay.evidence.preferences import from_groups, from_matrix
from assay.evidence.ratings import Sheet, from_long
from assay.evidence.refusals import Arguments, refused

Sources = Sequence[Given]

FIRST = ("model_a", "a", "first", "left", "player_a", "model_1", "model1")
SECOND = ("model_b", "b", "second", "right", "player_b", "model_2", "model2")
WINNER = ("winner", "preferred", "preference", "choice", "vote")
LOSER = ("loser",)
COUNT = (*KNOWN["count"], "n", "times")
RATER = (
    *("rater", "rater_id", "annotator", "annotator_id", "judge", "judge_id", "coder", "coder_id"),
    *("worker", "worker_id", "user", "user_id"),
)
RATING = ("rating", "label", "score", "value", "category", "annotation", "answer")
ITEM = (*KNOWN["id"], "unit", "task", "prompt", "prompt_id")
"""Column names that speak for themselves, in any case."""

_MOST_DISTINCT = 5_000_000
_HEAD = 4_096


def preferences(method: Method, sources: Sources) -> Arguments:
    """Columns model_a, model_b and winner, or winner and loser, perhaps with counts; or a square of wins."""
    (given,) = sources
    square = _square(given)
    if square is not None:
        return square
    found = _asked_for(given) or _recognised(given)
    if given.table is None or found is None:
        raise refused(method, given, "name the columns with --columns model_a,model_b,winner")
    names, count = found
    rows = given.table.rows([*names, *([] if count is None else [count])])
    if count is not None:
        facts = rows.facts([count])[count]
        if facts.missing or facts.unreadable or not facts.whole or facts.low < 0:
            raise EvidenceError(f"{rows.describe(count)} must hold whole numbers from 0 up")
    groups = rows.group(names, count=count, limit=_MOST_DISTINCT)
    if groups is None:
        raise EvidenceError(
            f"{given.title} has more than {_MOST_DISTINCT:,} different rows in {quoted(names)}: are "
            "these names of models?"
        )
    loser = len(names) == 2
    made = from_groups(groups.levels, groups.codes, groups.counts, loser=loser, what=given.title)
    return (made,), {}


def ratings(method: Method, sources: Sources) -> Arguments:
    """A column per rater and a row per item; or columns item, rater and rating."""
    (given,) = sources
    if given.table is None or (given.kind == "scores" and given.asked.columns is None):
        raise refused(method, given)
    if given.asked.columns is None and _recognised(given) is not None:
        raise refused(method, given, "preferences are compared by bradley_terry")
    if not given.table.rows().size():
        raise EvidenceError(f"{given.title} has no rows of data")
    long = [_first_of(given.names, words) for words in (ITEM, RATER, RATING)]
    if given.asked.columns is None and None not in long:
        names = [name for name in long if name is not None]
        item, rater, rating = given.table.rows(names).coded(names)
        return (from_long(item, rater, rating, what=given.title),), {}
    known = given.asked.columns or tuple(
        name for name in given.names if name.strip() and name.strip().lower() not in KNOWN["id"]
    )
    unknown = [name for name in known if name not in given.names]
    if unknown:
        raise EvidenceError(
            f"{given.title} has no column {quoted(unknown)}; it has {quoted(given.names)}"
        )
    if len(known) < 2:
        raise EvidenceError(
            f"{given.title} has {plural(len(known), 'column')} of ratings ({quoted(known)}), and agreement "
            "needs two raters or more"
        )
    columns = given.table.rows(known).coded(known)
    return (Sheet(names=tuple(known), columns=tuple(columns)),), {}


def listed(source: Any) -> Any:
    """A JSON list of objects, as Chatbot Arena publishes its battles, as columns; all else as it is.

    Cells that are objects or lists themselves, such as conversations, are left out.
    """
    if not isinstance(source, str | Path) or Path(source).suffix.lower() != ".json":
        return source
    path = Path(source)
    if not path.is_file():
        return source
    with path.open("rb") as file:
        if not file.read(_HEAD).lstrip().startswith(b"["):
            return source
    try:
        rows = msgspec.json.decode(path.read_bytes(), type=list[dict[str, Any]])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return source  # whose reader says what is wrong
    plain = [
        {name: cell for name, cell in row.items() if not isinstance(cell, dict | list)}
        for row in rows
    ]
    names = dict.fromkeys(name for row in plain for name in row)
    return {name: [row.get(name) for row in plain] for name in names}


def _square(given: Given) -> Arguments | None:
    """A table of wins whose first column holds the names of the others."""
    if given.table is None or len(given.names) < 3 or given.asked.columns is not None:
        return None
    head, *rest = given.names
    if [str(value) for value in given.cells(head)[: len(rest) + 1]] != rest:
        return None
    wins = matrix_of_counts(given)
    return None if wins is None else ((from_matrix(wins, rest),), {})


def _asked_for(given: Given) -> tuple[list[str], str | None] | None:
    """The columns that the user named: two names (winner, loser), or three, and perhaps a count."""
    asked = list(given.asked.columns or ())
    unknown = [name for name in asked if name not in given.names]
    if unknown:
        raise EvidenceError(
            f"{given.title} has no column {quoted(unknown)}; it has {quoted(given.names)}"
        )
    if len(asked) == 3 and asked[2].strip().lower() in COUNT:
        return asked[:2], asked[2]
    if len(asked) in (2, 3):
        return asked, None
    return (asked[:3], asked[3]) if len(asked) == 4 else None


def _recognised(given: Given) -> tuple[list[str], str | None] | None:
    """The columns by their names."""
    count = _first_of(given.names, COUNT)
    winner, loser = _first_of(given.names, WINNER), _first_of(given.names, LOSER)
    if winner is not None and loser is not None:
        return [winner, loser], count
    a, b = _first_of(given.names, FIRST), _first_of(given.names, SECOND)
    if a is None or b is None or winner is None:
        return None
    return [a, b, winner], count


def _first_of(names: Sequence[str], words: Sequence[str]) -> str | None:
    """The column whose name comes first among the words."""
    lowered = {name.strip().lower(): name for name in reversed(names)}
    return next((lowered[word] for word in words if word in lowered), None)


RATERS: dict[str, Callable[[Method, Sources], Arguments]] = {
    "preferences": preferences,
    "ratings": ratings,
}
