"""Shapes of judgements: which of two models was preferred, and how items were rated."""

from assay.core.errors import EvidenceError
from assay.core.wording import either
from assay.evidence.argument_shapes import Arguments, numbers, rows, shape
from assay.evidence.arguments_from_items import matrix_of_counts
from assay.evidence.cell_text import plural, quoted
from assay.evidence.judged_columns import load
from assay.evidence.method_source import MethodSource
from assay.evidence.names import KNOWN, LOSER, WINNER
from assay.evidence.preferences import Preferences, from_groups, from_matrix
from assay.evidence.ratings import RatingSheet, from_long

FIRST = ("model_a", "a", "first", "left", "player_a", "model_1", "model1")
SECOND = ("model_b", "b", "second", "right", "player_b", "model_2", "model2")
COUNT = (*KNOWN["count"], "n", "times")
RATER = (
    *("rater", "rater_id", "annotator", "annotator_id", "judge", "judge_id", "coder", "coder_id"),
    *("worker", "worker_id", "user", "user_id"),
)
RATING = ("rating", "label", "score", "value", "category", "annotation", "answer")
ITEM = (*KNOWN["id"], "unit", "task", "prompt", "prompt_id")
"""Column names that speak for themselves, in any case."""

_MOST_DISTINCT = 5_000_000


@shape(
    "preferences",
    rows("wins", "0,8,7;3,0,6;4,5,0", metavar="0,8;3,0"),
    needs="columns model_a, model_b and winner (or winner and loser), a row per comparison",
)
def preferences(source: MethodSource) -> Arguments:
    """Columns model_a, model_b and winner, or winner and loser, perhaps with counts; or a square of wins."""
    wins = _square_of_wins(source)
    if wins is not None:
        return (wins,)
    found = _columns_asked_for(source) or _known_columns(source)
    if source.table is None or found is None:
        raise source.refused(
            either(
                "rename the columns to model_a, model_b and winner",
                "name the columns with --columns model_a,model_b,winner",
            )
        )
    names, count = found
    table = source.table.rows([*names, *([] if count is None else [count])])
    if count is not None:
        facts = table.facts([count])[count]
        if facts.missing or facts.unreadable or not facts.whole or facts.low < 0:
            raise EvidenceError(f"{table.describe(count)} must hold whole numbers from 0 up")
    groups = table.group(names, count=count, limit=_MOST_DISTINCT)
    if groups is None:
        raise EvidenceError(
            f"{source.title} has more than {_MOST_DISTINCT:,} different rows in {quoted(names)}: are "
            "these names of models?"
        )
    loser = len(names) == 2
    made = from_groups(groups.levels, groups.codes, groups.counts, loser=loser, what=source.title)
    return (made,)


@shape(
    "ratings",
    rows("rows", "1,1,2;2,2,2;3,3,2;1,2,1;3,3,3", metavar="1,1,nan;2,2,3"),
    needs="a row per item and a column per rater, or columns item, rater and rating",
)
def ratings(source: MethodSource) -> Arguments:
    """A column per rater and a row per item; or columns item, rater and rating."""
    chosen = source.options.columns
    if source.table is None or (source.kind == "scores" and chosen is None):
        raise source.refused()
    if chosen is None and _known_columns(source) is not None:
        raise source.refused("preferences are compared by bradley_terry")
    if not source.table.rows().size():
        raise EvidenceError(f"{source.title} has no rows of data")
    long = [name for words in (ITEM, RATER, RATING) if (name := source.column(words)) is not None]
    if chosen is None and len(long) == 3:
        item, rater, rating = source.table.rows(long).coded(long)
        return (from_long(item, rater, rating, what=source.title),)
    ids = source.called("id")
    names = source.chosen() or tuple(
        name for name in source.names if name.strip() and name not in ids
    )
    if len(names) < 2:
        raise EvidenceError(
            f"{source.title} has {plural(len(names), 'column')} of ratings ({quoted(names)}), and "
            "agreement needs two raters or more"
        )
    return (RatingSheet(names=names, columns=tuple(source.table.rows(names).coded(names))),)


@shape(
    "judged",
    numbers("people", "1,0,1,1,0,1,0,1,nan,nan,nan,nan"),
    numbers("judge", "1,0,1,1,0,1,1,1,1,0,1,1"),
    needs="a column of people's grades with gaps and a column of a judge's grades",
)
def judged(source: MethodSource) -> Arguments:
    """Two columns that the user names: people's grades, and the judge's."""
    names = source.chosen() or ()
    if source.table is None or len(names) != 2:
        raise source.refused(
            either(
                "pass people's column and the judge's",
                "name people's column and the judge's with --columns people,judge",
            )
        )
    columns = load(source.table)
    return tuple(columns[name].numbers() for name in names)


def _square_of_wins(source: MethodSource) -> Preferences | None:
    """A table of wins whose first column holds the names of the others."""
    if len(source.names) < 3 or source.options.columns is not None:
        return None
    head, *rest = source.names
    if [str(value) for value in source.cells(head)[: len(rest) + 1]] != rest:
        return None
    wins = matrix_of_counts(source)
    return None if wins is None else from_matrix(wins, rest)


def _columns_asked_for(source: MethodSource) -> tuple[list[str], str | None] | None:
    """The columns that the user named: two names (winner, loser), or three, and perhaps a count."""
    asked = list(source.chosen() or ())
    if len(asked) == 3 and asked[2].strip().lower() in COUNT:
        return asked[:2], asked[2]
    if len(asked) in (2, 3):
        return asked, None
    return (asked[:3], asked[3]) if len(asked) == 4 else None


def _known_columns(source: MethodSource) -> tuple[list[str], str | None] | None:
    """The columns by their names."""
    for words in ((WINNER, LOSER), (FIRST, SECOND, (*WINNER, "result"))):
        names = [name for one in words if (name := source.column(one)) is not None]
        if len(names) == len(words):
            return names, source.column(COUNT)
    return None
