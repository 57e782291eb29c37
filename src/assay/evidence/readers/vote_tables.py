"""Votes between two models: refused, with the method that takes them."""

import re
import shlex
from collections import Counter
from collections.abc import Sequence

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import NotApplicable
from assay.core.wording import either
from assay.evidence.cell_text import quoted
from assay.evidence.names import LOSER, WINNER, names_raters, plain
from assay.evidence.preferences import LOST, TIE_WORDS, WON
from assay.evidence.profile import Profile
from assay.evidence.readers.layout import Layout, truth_by_name

_OTHERWISE = "If other columns are values of models, name them with models="
_MOST = 10
"""Names up to which a column is a scale or a board."""


def refuse_votes(layout: Layout) -> None:
    """Votes between two models are no values of models: another method takes them."""
    words = [name for name in layout.free() if layout.column(name).style == "words"]
    cast = [name for name in words if plain(name) in WINNER or _tells_who_won(layout.column(name))]
    words = [
        n for n in words if n in cast or not (_names_many(layout.column(n)) or names_raters(n))
    ]
    lost = any(plain(name) in LOSER for name in words)
    if len(words) == len(cast) == 1 and not truth_by_name(layout):
        _refuse_winners(layout, cast[0])
    if (len(words) > 2 or lost) and cast and not truth_by_name(layout):
        file = shlex.quote(layout.title)
        data = "data" if layout.table.stem is None else repr(layout.title)
        rank = either(f"assay.board({data}, votes=True)", f"assay board {file} --votes")
        test = either(f"assay.bradley_terry({data})", f"assay test bradley_terry {file}")
        raise NotApplicable(
            f"{layout.title} holds votes: `{rank}` ranks the models by Elo, `{test}` tests their strengths. "
            f"{_OTHERWISE}"
        )


def _names_many(column: Profile) -> bool:
    """Whether a column names the rows, which are more than a scale or a board has names."""
    return column.is_unique and len(column.levels) > _MOST


def _tells_who_won(column: Profile) -> bool:
    words = {level.strip().lower() for level in column.levels} - TIE_WORDS
    return len(words) == 2 and words <= WON | LOST


def _refuse_winners(layout: Layout, column: str) -> None:
    """A column of winners alone: of two models it is two counts, with ties halved."""
    counted = Counter(str(cell) for cell in layout.column(column).present)
    ties = sum(n for word, n in counted.items() if word.lower() in TIE_WORDS)
    wins = {word: n + ties / 2 for word, n in counted.items() if word.lower() not in TIE_WORDS}
    # not only its first rows
    whole = len(layout.column(column).cells) == layout.table.rows().size()
    if len(wins) == 2 and whole:
        (a, b), (first, second) = wins, wins.values()
        raise NotApplicable(
            f"{layout.title} holds votes: {a!r} {counted[a]:,}, {b!r} {counted[b]:,}, ties {ties:,}. For the "
            f"probability that {a!r} is preferred: `{_tested([[0, first], [second, 0]])}` (ties halved)"
        )


def refuse_wins(layout: Layout, columns: Sequence[Profile]) -> None:
    """How often each model won over each other: nobody plays against himself."""
    wins = np.array([one.numbers for one in columns]).T
    if np.isfinite(wins).sum() == wins.size - len(wins) and np.isnan(wins.diagonal()).all():
        raise NotApplicable(
            f"{layout.title} holds how often each model won over each other: `{_tested(np.nan_to_num(wins))}`, "
            "where a row is of the winner"
        )


def _tested(wins: Sequence[Sequence[float]] | FloatArray) -> str:
    """The command that tests the strengths of models, of which a row holds the wins over each other."""
    counts = [[f"{cell:g}" for cell in row] for row in wins]
    return either(
        f"assay.bradley_terry([{', '.join(f'[{comma}]' for comma in map(', '.join, counts))}])",
        f"assay test bradley_terry --wins '{';'.join(map(','.join, counts))}'",
    )


_WINS = re.compile(r"(?:.*_)?(?:n_)?(?:wins?|won|loss(?:es)?|lost)(?:_.*)?")
_TIES = re.compile(r"(?:n_)?(?:ties?|tied|draws?|drawn)")


def refuse_tallies(layout: Layout) -> None:
    """Wins counted by model or by pair of models: the rows are no items, and the counts no values."""
    counts = [one for one in layout.columns.values() if one.is_whole and one.low >= 0.0]
    won = [one for one in counts if _WINS.fullmatch(plain(one.name)) and one.complete]
    tied = [one for one in counts if _TIES.fullmatch(plain(one.name)) and one.complete]
    names = [one for one in layout.columns.values() if one.style == "words" and one.complete]
    if len(won) != 2 or len(tied) > 1 or truth_by_name(layout):
        return
    first, second = (one.numbers + sum(0.5 * tie.numbers for tie in tied) for one in won)
    of = [list(map(str, one.cells)) for one in names]
    if len(of) == 1 and len(of[0]) == 2 and np.array_equal(first, second[::-1]):
        of, first, second = [of[0][:1], of[0][1:]], first[:1], second[:1]
    if len(of) == 1 and names[0].is_unique:
        raise NotApplicable(
            f"{layout.title} counts the wins and losses of {quoted(of[0])}, but not over whom. Give a row for "
            f"each pair with the wins of both, or each vote with its winner. {_OTHERWISE}"
        )
    if len(of) == 2 and not any(a == b for a, b in zip(*of, strict=True)):
        models = list(dict.fromkeys(of[0] + of[1]))
        wins = np.zeros((len(models), len(models)))
        for a, b, one, other in zip(*of, first, second, strict=True):
            wins[models.index(a), models.index(b)] += one
            wins[models.index(b), models.index(a)] += other
        raise NotApplicable(
            f"{layout.title} counts wins between models: `{_tested(wins)}` tests the strengths of "
            f"{quoted(models, 20)}, in this order{' (ties halved)' if tied else ''}. {_OTHERWISE}"
        )
