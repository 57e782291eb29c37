"""Tables that hold no values of models row by row: refused, with the method that takes them."""

import shlex
from collections import Counter

import numpy as np

from assay.core.errors import EvidenceError, NotApplicable
from assay.evidence.cell_text import quoted
from assay.evidence.names import TRAINING, plain
from assay.evidence.preferences import TIE_WORDS
from assay.evidence.readers.layout import Layout, truth_by_name

_VOTES = frozenset({"winner", "preferred", "preference", "vote", "choice"})


def refuse_training(layout: Layout) -> None:
    """Rows of one training run are no items, whatever was said of them."""
    for name in layout.free():
        if plain(name) in TRAINING and layout.column(name).is_unique:
            raise EvidenceError(
                f"the rows of {layout.title} follow each other in one training run (column {name!r}), so they say "
                "nothing about new items: bring the predictions of the trained models (truth=), or their final scores, "
                "a row for each seed, fold or data set (unit='seed')"
            )


def refuse_report(layout: Layout) -> None:
    """Precision and recall by class are scores of one model, not predictions of several."""
    named = {plain(name) for name in layout.table.names}
    if {"precision", "recall"} <= named and named & {"support", "f1-score", "f1_score"}:
        raise NotApplicable(
            f"{layout.title} is a report of one model by class (precision, recall), not a table of predictions: "
            "bring the predictions, a row for each item, with the true class in a column (truth=)"
        )


def refuse_votes(layout: Layout) -> None:
    """Votes between two models are no values of models: another method takes them."""
    words = [name for name in layout.free() if layout.column(name).style == "words"]
    cast = [name for name in words if plain(name) in _VOTES]
    if len(words) == len(cast) == 1 and not truth_by_name(layout):
        _refuse_winners(layout, cast[0])
    if len(words) > 2 and cast and not truth_by_name(layout):
        file = shlex.quote(layout.title)
        raise NotApplicable(
            f"{layout.title} holds votes: `assay board {file} --votes` ranks the models by Elo, `assay test "
            f"bradley_terry {file}` tests their strengths. If other columns are values of models, name them "
            "with models="
        )


def _refuse_winners(layout: Layout, column: str) -> None:
    """A column of winners alone: of two models it is two counts, with ties halved."""
    counted = Counter(str(cell) for cell in layout.column(column).present)
    ties = sum(n for word, n in counted.items() if word.lower() in TIE_WORDS)
    wins = {word: n + ties / 2 for word, n in counted.items() if word.lower() not in TIE_WORDS}
    whole = (
        len(layout.column(column).cells) == layout.table.rows().size()
    )  # not only its first rows
    if len(wins) == 2 and whole:
        (a, b), (first, second) = wins, wins.values()
        raise NotApplicable(
            f"{layout.title} holds votes: {a!r} {counted[a]:,}, {b!r} {counted[b]:,}, ties {ties:,}. For the chance "
            f"that {a!r} is preferred: `assay test bradley_terry --wins '0,{first:g};{second:g},0'` (ties halved)"
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
