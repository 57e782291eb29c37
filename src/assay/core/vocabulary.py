"""The words every layer speaks, and the small value types that carry them."""

from typing import Literal, get_args

Unit = Literal["item", "fold", "seed", "dataset"]
"""What the conclusion generalises over."""

Alternative = Literal["two-sided", "greater", "less"]
"""Which differences count as evidence: any, A above B, or A below B."""

Direction = Literal["higher", "lower"]
"""Which values of a measure are better."""

Sense = Literal["higher", "lower", "unknown"]
"""The direction of a measure; unknown where nobody said and no name tells."""


def known_side(sense: Sense) -> Direction | None:
    """The better side, None where it is unknown."""
    return None if sense == "unknown" else sense


def direction_words(sense: Sense) -> str:
    """The direction as a phrase: higher is better."""
    return "better side unknown" if sense == "unknown" else f"{sense} is better"


def quantity_name(quantity: str) -> str:
    """What a simulation counted, in the words that readers know."""
    return {"type I error": "false-positive rate", "type II error": "false-negative rate"}.get(
        quantity, quantity
    )


VerdictWord = Literal["better", "worse", "equivalent", "undecided", "higher", "lower"]
"""What the interval says of A beside B; higher and lower where the direction is unknown."""

GateWord = Literal["passed", "failed", "undecided"]

Takes = Literal[
    "counts",  # errors, n
    "two-counts",  # errors_a, n_a, errors_b, n_b
    "margins",  # errors_a, errors_b, n of the same items, without the joint table
    "paired-table",  # both_right, only_a, only_b, both_wrong
    "contingency-table",  # a matrix of counts
    "confusion",  # a square matrix of counts, rows truth, columns prediction
    "sample",  # one array
    "clustered-sample",  # one array, and the cluster of each value
    "clustered-pairs",  # two arrays of equal length, and the cluster of each pair
    "two-samples",  # two arrays, unpaired
    "pairs",  # two arrays of equal length, or one array of differences
    "groups",  # a sequence of arrays, unpaired
    "blocks",  # a matrix, rows blocks (items, folds, data sets), columns models
    "successes",  # a 0/1 matrix, rows items, columns models
    "scored-labels",  # truth (0/1) and one array of scores
    "paired-scored-labels",  # truth (0/1) and two arrays of scores on the same items
    "two-scored-labels",  # truth and scores of A, truth and scores of B
    "p-values",  # one array of p-values
    "replicated-pairs",  # differences, rows repeats, columns folds
    "sized-differences",  # differences, the size behind each, and the size asked for
    "criteria-pairs",  # two matrices, rows units, columns criteria
    "criteria-groups",  # a sequence of matrices, rows units, columns criteria
    "fold-score-pairs",  # two matrices of scores, rows data sets, columns folds
    "runs",  # two arrays of run scores, unpaired
    "many-runs",  # a mapping model -> array or matrix of run scores
    "fold-losses",  # the cross-validated loss of each item, and the fold of each
    "paired-fold-losses",  # the losses of A and of B on each item, and the fold of each
    "many-fold-losses",  # losses, rows items, columns models, and the fold of each item
    "fold-scored-labels",  # truth (0/1), cross-validated scores, and the fold of each item
    "nested-losses",  # losses, rows items, columns the fold left out besides, and folds
    "out-of-bag-losses",  # losses by item, or rows samples and columns items, NaN where not left out
    "bootstrap-losses",  # losses of the fitted model, and out-of-bag losses, rows samples
    "bootstrap-losses-rate",  # the same, and the no-information rate
    "summary",  # mean, sd, n and the like
    "effect",  # a difference and its standard error
    "ranks",  # mean ranks and the number of data sets
    "model-predictions",  # evidence of one model
    "predictions",  # evidence of two or more models on the same items
    "two-predictions",  # evidence of two models on different items
    "preferences",  # which of two models was preferred: a square matrix of wins, or rows
    "judged",  # people's grades with gaps, and a judge's grades of every item
    "ratings",  # a table, rows items and columns raters; missing ratings allowed
]
"""The shape of a method's evidence: command line, page and conformance laws are built from it."""

UNITS: tuple[Unit, ...] = get_args(Unit)
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
SENSES: tuple[Sense, ...] = get_args(Sense)
TURNED: dict[VerdictWord, VerdictWord] = {
    "better": "worse",
    "worse": "better",
    "higher": "lower",
    "lower": "higher",
}
"""A verdict's word seen from the other model; the other words are the same from both."""
TAKES: tuple[Takes, ...] = get_args(Takes)

POPULATION: dict[Unit, str] = {
    "item": "these trained models on new items like the ones tested",
    "fold": "these algorithms trained on samples of this size from this source",
    "seed": "these algorithms on this task, with new random seeds",
    "dataset": "these algorithms on new data sets like the ones used",
}
"""To what a conclusion about several models applies, for each unit."""
CLUSTERED = "these trained models on items of new clusters like the ones tested"
"""The same where items come in clusters, such as the questions of a topic or the scans of a patient."""
POOLED = "the trained models of all folds together, on new items like these"
"""The same where every fold has a model of its own, and their predictions are counted together."""
_ONE = {"these trained models": "this trained model", "these algorithms": "this algorithm"}


def population(
    unit: Unit,
    models: int,
    *,
    pooled: bool = False,
    clustered: bool = False,
    trained: str = "",
    tasks: int = 1,
) -> str:
    """To what a conclusion about so many models applies.

    ``trained`` is the size of training sets, ``tasks`` over how many data sets a seed is averaged.
    """
    text = POOLED if pooled else CLUSTERED if clustered and unit == "item" else POPULATION[unit]
    if unit == "fold" and trained:
        text = f"these algorithms trained on {trained} items like these"
    if unit == "seed" and tasks > 1:
        text = text.replace("this task", f"these {tasks:,} data sets")
    for several, one in _ONE.items() if models == 1 else ():
        text = text.replace(several, one)
    return text


UNIT_PLURAL: dict[Unit, str] = {
    "item": "items",
    "fold": "folds",
    "seed": "seeds",
    "dataset": "data sets",
}

_SINGULAR: dict[Unit, str] = {"item": "item", "fold": "fold", "seed": "seed", "dataset": "data set"}


def counted(n: int, unit: Unit) -> str:
    """A number of units with its noun: 1 item, 2 data sets."""
    return f"{n:,} {_SINGULAR[unit] if n == 1 else UNIT_PLURAL[unit]}"


REVERSED: dict[Alternative, Alternative] = {
    "two-sided": "two-sided",
    "greater": "less",
    "less": "greater",
}
"""The alternative seen from the other side."""
