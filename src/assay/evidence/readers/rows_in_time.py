"""Rows with a date whose losses follow one another: blocks of consecutive rows are the units, not rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.notes import Note, note
from assay.evidence.cell_text import class_text
from assay.evidence.names import plain
from assay.evidence.predictions import Predictions
from assay.evidence.profile import Profile
from assay.evidence.readers.dates import is_date, times_of
from assay.evidence.readers.layout import Layout
from assay.evidence.rows import Rows
from assay.kernels.ranks import midranks

_TIMES = frozenset({"t", "timestamp", "date", "ds", "year", "month", "week", "day", "hour"})
"""Names under which a whole number that comes once is a time."""
FEWEST, MOST = 20, 1_000_000
"""Rows from which on a correlation says something, and beyond which they are not fetched for it."""
SEEN, FADED = 1.6, 2.0
"""Standard errors of a correlation above which it is taken for one, and below which it has faded."""
APART = 4
"""Blocks are so many times as long as it takes the correlation to fade."""
FEWEST_BLOCKS, MOST_BLOCKS = 5, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBlocks:
    """Rows cut into blocks of consecutive rows by their date."""

    date: str
    of: dict[str, str]
    """The block of each date."""
    correlation: float
    count: int

    @property
    def column(self) -> str:
        return f"blocks of {self.date or 'the index'}"

    @property
    def said(self) -> Note:
        facts = {"r": self.correlation, "count": self.count, "ignored": self.date}
        return note("rows-in-time", date=self.date or "the index", **facts)


def blocks_in_time(found: Predictions, laid: Sequence[Layout]) -> TimeBlocks | None:
    """Blocks, where the losses of two models differ in this row much as they did in the row before."""
    plain_rows = found.clusters is None and not found.weighted and "count" not in found.roles
    if not plain_rows or not FEWEST <= found.n <= MOST or any(one.table.frame for one in laid):
        return None
    dated = _order(found, laid)  # without a date no row is fetched
    losses = None if dated is None else _losses(found)
    if losses is None or dated is None:
        return None
    name, texts, order = dated
    series = [a - b for a, b in pairwise(losses)] or list(losses)  # of one model its own
    correlations = max((_correlations(one[order]) for one in series), key=lambda of: of[0])
    error = 1.0 / np.sqrt(found.n)
    if correlations[0] <= SEEN * error:
        return None
    faded = np.flatnonzero(correlations < FADED * error)
    horizon = 1 + int(faded[0] if faded.size else correlations.size)
    count = int(np.clip(found.n // (APART * horizon), FEWEST_BLOCKS, MOST_BLOCKS))
    numbers = np.arange(found.n) * count // found.n
    of = {texts[row]: str(block) for row, block in zip(order, numbers, strict=True)}
    return TimeBlocks(date=name, of=of, correlation=float(correlations[0]), count=count)


def in_blocks(layout: Layout, blocks: TimeBlocks) -> None:
    """Put the blocks into a table, as clusters."""
    table = layout.table.in_memory()
    date = layout.roles.get("id", blocks.date)  # joined tables may call it otherwise
    cells = table.arrays[blocks.date if blocks.date in table.names else date].tolist()
    numbers = np.array([blocks.of.get(class_text(cell)) for cell in cells], dtype=object)
    layout.table = table.with_array(blocks.column, numbers)
    layout.roles["cluster"] = blocks.column
    layout.take(blocks.column, "cluster", "rows follow one another in time")
    if layout.why.get(blocks.date, ("",))[0] != "id":
        layout.take(blocks.date, "time", "its values")


def _losses(found: Predictions) -> FloatArray | None:
    """A row of losses for each model, whatever it brings; of scores how far their rank is from the class."""
    offered = frozenset.intersection(*found.offers.values())
    if "losses" in offered:
        return found.columns("losses").predictions
    if "values" in offered:
        columns = found.columns("values")
        return np.asarray((columns.predictions - columns.truth) ** 2, dtype=np.float64)
    if "labels" in offered:
        columns = found.columns("labels")
        return np.asarray(columns.predictions != columns.truth, dtype=np.float64)
    if "scores" in offered and found.positive is not None:
        columns = found.columns("scores")
        ranks = np.array([midranks(scores) / scores.size for scores in columns.predictions])
        return np.asarray((ranks - columns.truth) ** 2, dtype=np.float64)
    return None


def _order(found: Predictions, laid: Sequence[Layout]) -> tuple[str, list[str], IntArray] | None:
    """The column of dates, each there once, the date of every row, and the order of rows in time."""
    layout = laid[0]
    own = layout.roles.get("id")
    joined = found.roles.get("id")  # under its name where tables were joined
    places: list[tuple[str, str, Rows]] = []
    if own is not None and joined is not None:
        places.append((own, joined, found.rows))
    if layout.model_column is None and len(laid) == 1:  # else rows stand in another order
        taken = {*layout.used(), *layout.told.ignore, own}
        free = [name for name in layout.columns if name not in taken]
        places += [(name, name, layout.table.rows([name])) for name in free]
    for name, column, rows in places:
        if name not in layout.columns or not _is_time(layout.columns[name]):
            continue
        codes, levels = rows.coded([column])[0]
        times = times_of(levels)
        if times is not None and len(levels) == found.n == len(codes):
            texts = [class_text(level) for level in levels]
            return name, [texts[code] for code in codes], np.argsort(times[codes], kind="stable")
    return None


def _is_time(column: Profile) -> bool:
    numbered = plain(column.name) in _TIMES and column.is_whole
    return numbered or is_date(column.levels)


def _correlations(differences: FloatArray) -> FloatArray:
    """Correlations of differences with those 1, 2 … steps before, up to a quarter of the series."""
    centred = differences - differences.mean()
    whole = float(centred @ centred)
    lags = range(1, max(2, min(centred.size // 4, 100)))
    if not whole > 0.0:
        return np.zeros(len(lags))
    return np.array([float(centred[lag:] @ centred[:-lag]) / whole for lag in lags])
