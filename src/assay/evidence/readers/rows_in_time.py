"""Rows with a date whose differences of losses follow one another: they are not independent."""

import re
from itertools import pairwise
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.notes import Note, note
from assay.evidence.cell_text import first_names
from assay.evidence.predictions import Predictions
from assay.evidence.readers.layout import Layout
from assay.evidence.rows import Rows

_DATE = re.compile(r"\d{4}[-/]\d{1,2}([-/]\d{1,2})?([ T].*)?", re.ASCII)
FEWEST, MOST = 20, 1_000_000
"""Rows from which on a correlation says something, and beyond which they are not fetched for it."""
CLEAR, GONE = 3.0, 2.0
"""Standard errors of a correlation above which it is clear, and below which it has faded."""


def time_notes(found: Predictions, layout: Layout) -> tuple[Note, ...]:
    """A warning where the losses of two models differ in this row much as they did in the row before."""
    plain = found.clusters is None and not found.weighted and FEWEST <= found.n <= MOST
    if not plain or len(found.models) < 2:
        return ()
    dated = _order(found, layout)  # without a date no row is fetched
    losses = None if dated is None else _losses(found)
    if losses is None or dated is None:
        return ()
    name, order = dated
    said = []
    for a, b in pairwise(range(len(found.models))):
        correlations = _correlations(losses[a][order] - losses[b][order])
        said.append((float(correlations[0]), (a, b), correlations))
    strongest, pair, correlations = max(said, key=lambda one: one[0])
    if strongest <= CLEAR / np.sqrt(found.n):
        return ()
    faded = np.flatnonzero(correlations < GONE / np.sqrt(found.n))
    horizon = 1 + int(faded[0] if faded.size else correlations.size)
    models = [found.models[place] for place in pair]
    facts = {"models": first_names(models), "columns": ",".join(models), "horizon": horizon}
    return (note("rows-in-time", date=name, r=strongest, **facts),)


def _losses(found: Predictions) -> FloatArray | None:
    """A row of losses for each model, whatever it brings; none of scores and probabilities."""
    offered = frozenset.intersection(*found.offers.values())
    if "losses" in offered:
        return found.columns("losses").predictions
    if "values" in offered:
        columns = found.columns("values")
        return np.asarray((columns.predictions - columns.truth) ** 2, dtype=np.float64)
    if offered == {"labels"}:
        columns = found.columns("labels")
        return np.asarray(columns.predictions != columns.truth, dtype=np.float64)
    return None


def _order(found: Predictions, layout: Layout) -> tuple[str, IntArray] | None:
    """The column of dates, each there once, and the order of rows in time."""
    own = found.roles.get("id")
    places: list[tuple[str, Rows]] = [] if own is None else [(own, found.rows)]
    if layout.model_column is None:  # else rows stand in another order than those of the table
        taken = {*layout.used(), own}
        places += [(n, layout.table.rows([n])) for n in layout.columns if n not in taken]
    for name, rows in places:
        if name not in layout.columns or not _is_dated(layout.columns[name].levels):
            continue
        codes, levels = rows.coded([name])[0]
        times = _times(levels)
        if times is not None and len(levels) == found.n == len(codes):
            return name or "the index", np.argsort(times[codes], kind="stable")
    return None


def _is_dated(levels: Any) -> bool:
    """Whether a column's first cell is written as a date."""
    first = next(iter(levels or ()), None)
    return first is not None and _DATE.fullmatch(str(first)) is not None


def _times(levels: tuple[Any, ...]) -> Any:
    try:
        return np.array([str(one).replace("/", "-") for one in levels], dtype="datetime64[us]")
    except ValueError:
        return None


def _correlations(differences: FloatArray) -> FloatArray:
    """Correlations of differences with those 1, 2 … steps before, up to a quarter of the series."""
    centred = differences - differences.mean()
    whole = float(centred @ centred)
    lags = range(1, max(2, min(centred.size // 4, 100)))
    if not whole > 0.0:
        return np.zeros(len(lags))
    return np.array([float(centred[lag:] @ centred[:-lag]) / whole for lag in lags])
