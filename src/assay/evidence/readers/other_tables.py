"""Tables that hold no values of models row by row: refused, with the method that takes them."""

import shlex

import numpy as np

from assay.core.errors import NotApplicable
from assay.evidence.cell_text import quoted
from assay.evidence.names import plain
from assay.evidence.readers.layout import Layout, truth_by_name


def refuse_votes(layout: Layout) -> None:
    """Votes between two models are no values of models: another method takes them."""
    words = [name for name in layout.free() if layout.column(name).style == "words"]
    votes = {"winner", "preferred", "preference", "vote", "choice"}
    if len(words) > 2 and votes & set(map(plain, words)) and not truth_by_name(layout):
        file = shlex.quote(layout.title)
        raise NotApplicable(
            f"{layout.title} holds votes, so strengths are estimated by Bradley and Terry's model: "
            f"`assay test bradley_terry {file}` (a column for each of the two models and one for the "
            "winner). If other columns are values of models, name them with models="
        )


_CELLS = ("tp", "fp", "fn", "tn")
_TOTALS = ("n", "total", "n_items", "items", "count", "trials", "support", "n_total", "questions")
_RIGHT = ("correct", "n_correct", "right", "num_correct", "passed", "successes", "hits", "wins")


def refuse_totals(layout: Layout, model: str) -> None:
    """Right answers of each model in total: what they say depends on which items they fell on."""
    named = {plain(name): layout.column(name).numbers for name in layout.free()}
    if all(cell in named for cell in _CELLS):
        total = np.sum([named[cell] for cell in _CELLS], axis=0)
        errors = named["fp"] + named["fn"]
    else:
        totals = [named[word] for word in _TOTALS if word in named]
        right = [named[word] for word in _RIGHT if word in named]
        if not totals or not right:
            return
        total, errors = totals[0], totals[0] - right[0]
    names = [str(cell) for cell in layout.column(model).cells]
    if len(names) < 2 or not np.isfinite(errors).all() or (errors < 0).any():
        return
    (a, b), (n, other) = errors[:2].astype(int), total[:2].astype(int)
    same = f"on the same items: `assay test margins_range --errors-a {a} --errors-b {b} --n {n}`; "
    raise NotApplicable(
        f"{layout.title} holds totals of {quoted(names)}, not answers item by item. For {names[0]!r} and "
        f"{names[1]!r}, {same if n == other else ''}on different items: "
        f"`assay test newcombe --a {a} {n} --b {b} {other}`. If the columns are data sets instead, "
        "say models_in_rows=True"
    )
