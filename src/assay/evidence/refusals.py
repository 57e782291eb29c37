"""What each shape of evidence needs, and how it is typed: the words of every refusal."""

import inspect
from typing import Any

from assay.core.errors import NotApplicable
from assay.core.methods import Method
from assay.evidence.given import Given

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
"""Positional arguments, and options."""

_VALUES = "0.81,0.79,0.84,0.8,0.77,0.83,0.78,0.82,0.76,0.85"
_A, _B = "--a 0.81,0.79,0.84,0.8,0.77,0.83", "--b 0.78,0.8,0.79,0.76,0.75,0.8"
_ROWS = "0.81,0.78,0.7;0.79,0.8,0.72;0.84,0.79,0.75;0.8,0.76,0.71;0.77,0.75,0.77"
_MATRIX = "0.81,0.78;0.79,0.81;0.84,0.79;0.8,0.76;0.77,0.75;0.86,0.8"
_OTHER = "0.78,0.71;0.8,0.73;0.79,0.76;0.76,0.7;0.75,0.74;0.81,0.7"
_TRUTH = "--truth 0,0,0,1,1,1"

WANTED: dict[str, tuple[str, str]] = {
    "counts": ("labels of one model and the truth, or columns errors and n", "--errors 20 --n 100"),
    "two-counts": (
        "labels of two models on different items (two files), or columns errors and n with two rows",
        "--a 20 100 --b 25 100",
    ),
    "margins": (
        "columns errors_a, errors_b and n with one row",
        "--errors-a 20 --errors-b 25 --n 100",
    ),
    "paired-table": (
        "labels of two models on the same items and the truth, or two columns of 1 (right) and 0",
        "--table 50 10 4 36",
    ),
    "contingency-table": ("a table of counts", '--table "50,10;4,36"'),
    "confusion": (
        "a confusion matrix (rows truth), or labels of one model and the truth",
        '--table "50,10;4,36"',
    ),
    "sample": ("one column of numbers, or scores or losses of one model", f"--values {_VALUES}"),
    "clustered-sample": (
        "one column of numbers (or labels of one model and the truth) and a column cluster",
        "--values 1,0,1,1,0,1,0,0 --clusters 1,1,2,2,3,3,4,4",
    ),
    "clustered-pairs": (
        "two columns of numbers (or labels of two models and the truth) and a column cluster",
        "--a 1,0,1,1,0,1,0,0 --b 0,0,1,0,0,1,1,0 --clusters 1,1,2,2,3,3,4,4",
    ),
    "two-samples": ("two columns of numbers, or scores of two models", f"{_A} {_B}"),
    "pairs": (
        "two columns of numbers (or one of differences), or scores, losses or labels of two models",
        f"{_A} {_B}",
    ),
    "groups": (
        "a column of numbers per group, or scores of two models and more",
        "--group 0.81,0.79,0.84 --group 0.78,0.8,0.79 --group 0.7,0.72,0.75",
    ),
    "blocks": (
        "a table of scores, rows data sets (or folds) and columns models",
        f'--rows "{_ROWS}"',
    ),
    "successes": (
        "labels of two models and more and the truth, or a column of 1 (right) and 0 per model",
        '--rows "1,0,1;1,1,0;0,0,1;1,0,0"',
    ),
    "scored-labels": (
        "the truth and scores of one model",
        f"{_TRUTH} --scores 0.1,0.4,0.3,0.35,0.8,0.9",
    ),
    "paired-scored-labels": (
        "the truth and scores of two models on the same items",
        f"{_TRUTH} --a 0.1,0.4,0.3,0.35,0.8,0.9 --b 0.2,0.3,0.6,0.5,0.4,0.7",
    ),
    "two-scored-labels": (
        "two files, each with the truth and scores of one model",
        "--truth-a 0,0,0,1,1,1 --a 0.1,0.4,0.3,0.35,0.8,0.9 "
        "--truth-b 0,0,1,1,1,1 --b 0.2,0.3,0.6,0.1,0.4,0.7",
    ),
    "p-values": ("a column of p-values", "--p 0.01,0.03,0.04"),
    "replicated-pairs": (
        "scores of two models with columns repeat and fold, or differences with a row per repeat",
        '--rows "0.01,0.02;-0.01,0.03;0.02,0.01;0.0,0.02;0.01,0.03"',
    ),
    "criteria-pairs": (
        "scores of two models in several measures",
        f'--a "{_MATRIX}" --b "{_OTHER}"',
    ),
    "criteria-groups": (
        "scores of two models and more in several measures",
        f'--group "{_MATRIX}" --group "{_OTHER}"',
    ),
    "fold-score-pairs": (
        "scores of two models on several data sets with the folds of each",
        f'--a "{_MATRIX}" --b "{_OTHER}"',
    ),
    "runs": ("a column of run scores for each of two models", f"{_A} {_B}"),
    "many-runs": (
        "a column of run scores for each of two models and more",
        "--group 0.81,0.79,0.84,0.8 --group 0.78,0.8,0.79,0.76",
    ),
    "fold-losses": (
        "labels (or losses) of one model on every item and a column fold",
        "--losses 0,1,0,0,1,0 --folds 1,1,2,2,3,3",
    ),
    "paired-fold-losses": (
        "labels (or losses) of two models on every item and a column fold",
        "--a 0,1,0,0,1,0 --b 1,1,0,0,1,1 --folds 1,1,2,2,3,3",
    ),
    "fold-scored-labels": (
        "the truth, scores of one model and a column fold",
        "--truth 0,1,0,1,0,1 --scores 0.2,0.6,0.4,0.3,0.1,0.9 --folds 1,1,2,2,3,3",
    ),
    "nested-losses": (
        "a row per item, a column fold, and a column of losses per fold left out besides",
        '--losses "0,1,0;0,0,0;1,1,0;0,0,1;0,1,1;1,0,0" --folds 1,1,2,2,3,3',
    ),
    "out-of-bag-losses": (
        "a row per item and a column of losses per bootstrap sample, empty where the item was in it",
        '--losses "0,nan,1,0;nan,1,0,nan;1,0,nan,1"',
    ),
    "bootstrap-losses": (
        "a row per item, a column fitted, and a column of losses per bootstrap sample, empty where "
        "the item was in it",
        '--fitted 0,0,1,0 --out-of-bag "0,nan,1,0;nan,1,0,nan;1,0,nan,1"',
    ),
    "bootstrap-losses-rate": (
        "labels: a row per item, the truth, a column fitted, and a column per bootstrap sample, empty "
        "where the item was in it (with losses give --no-information too)",
        '--fitted 0,0,1,0 --out-of-bag "0,nan,1,0;nan,1,0,nan;1,0,nan,1" --no-information 0.5',
    ),
    "summary": ("columns mean, sd and n with one row", "--mean 0.8 --sd 0.05 --n 10"),
    "effect": (
        "columns value and standard_error with one row",
        "--value 0.02 --standard-error 0.01",
    ),
    "ranks": ("columns model and rank, and --n", "--ranks RF=1.7,SVM=2.1,kNN=2.2 --n 12"),
    "model-predictions": ("predictions of one model and the truth", "predictions.csv --columns a"),
    "predictions": ("predictions of models on the same items and the truth", "predictions.csv"),
    "two-predictions": ("two files, each with the truth and one model", "a.csv b.csv"),
    "preferences": (
        "columns model_a, model_b and winner (or winner and loser), a row per comparison",
        '--wins "0,8,7;3,0,6;4,5,0"',
    ),
    "ratings": (
        "a row per item and a column per rater, or columns item, rater and rating",
        '--rows "1,1,2;2,2,2;3,3,2;1,2,1;3,3,3"',
    ),
}
"""For each shape, what a table must hold, and the same as typed numbers."""

_NEEDED = {"margin": "--margin 0.05", "clusters": "--clusters 1,1,2,2,3,3"}
"""Options without which some methods of a shape cannot answer."""


def example_of(method: Method) -> str:
    """A command that works."""
    accepted = inspect.signature(method.function).parameters
    options = [
        text
        for name, text in _NEEDED.items()
        if name in accepted and accepted[name].kind is inspect.Parameter.KEYWORD_ONLY
    ]
    return " ".join(["assay test", method.id, WANTED[method.takes][1], *options])


def needed(method: Method) -> str:
    """What a method takes, and a command that works."""
    return f"{method.id} takes {WANTED[method.takes][0]}; for instance `{example_of(method)}`"


def refused(method: Method, given: Given, instead: str = "") -> NotApplicable:
    """What came, what is needed, and what to use instead."""
    hint = f" ({instead})" if instead else ""
    return NotApplicable(f"{given.title} holds {given.holds}{hint}. {needed(method)}")
