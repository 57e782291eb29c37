"""Columns of numbers that say what a row is about (a size, a setting), and are no losses of a model."""

import shlex
from collections.abc import Mapping, Sequence

import numpy as np

from assay.core.checks import FloatArray
from assay.core.errors import EvidenceError
from assay.evidence.cells import quoted
from assay.evidence.predictions import Predictions

FEWEST_ROWS = 20
"""In fewer rows nothing can be told from how values repeat."""

SETTINGS, RUN = 10, 5
"""A factor has at most a tenth as many values as there are rows, in runs of five or more on average."""


def refuse_loss_factors(evidence: Predictions) -> None:
    """Refuse losses of models where some columns are settings of the items."""
    if evidence.n < FEWEST_ROWS or "truth" in evidence.roles:
        return
    bare = [model for model in evidence.models if evidence.columns_of[model].losses == model]
    if len(bare) > 2:
        columns = evidence.columns("losses", bare).predictions
        refuse_factors(dict(zip(bare, columns, strict=True)), evidence.rows.sources)


def refuse_factors(columns: Mapping[str, FloatArray], sources: Sequence[str]) -> None:
    """Refuse columns of numbers that are not all of one kind, and say what to type."""
    factors = factors_among(columns)
    if not factors:
        return
    models = [name for name in columns if name not in factors]
    chosen, every = (shlex.quote(",".join(names)) for names in (models, columns))
    raise EvidenceError(
        f"{quoted(factors)} of {', '.join(sources)} repeat in long runs: they seem to say what a row is about, and "
        f"not to be models. Type `--models {chosen} --unit dataset` where each row is a data set or a "
        f"problem, `--models {chosen}` where it is an item; or `--models {every}` if they are models"
    )


def factors_among(columns: Mapping[str, FloatArray]) -> list[str]:
    """The columns that are settings of the rows, where two or more others are models.

    A column whose few values stand in long runs, beside others that change from row to row, is a
    setting of the rows and no model.
    """
    factors = [name for name, values in columns.items() if _is_factor(values)]
    return factors if len(columns) - len(factors) > 1 else []


def _is_factor(values: FloatArray) -> bool:
    if values.size < FEWEST_ROWS or np.isin(values, (0.0, 1.0)).all():  # right and wrong answers
        return False
    runs = 1 + int(np.count_nonzero(np.diff(values)))
    return np.unique(values).size * SETTINGS <= values.size and runs * RUN <= values.size
