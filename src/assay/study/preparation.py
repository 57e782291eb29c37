"""Preparation inside the split: categories and missing values made numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray, IndexArray


def taken(X: Any, rows: IndexArray) -> Any:
    """Rows of a matrix or of a frame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def column_kinds(X: Any) -> tuple[list[Any], list[Any], bool]:
    """Columns of numbers, columns of categories, and whether any number is missing."""
    if hasattr(X, "columns"):
        names, columns = list(X.columns), [X[name] for name in X.columns]
    else:
        matrix = np.asarray(X)
        if matrix.dtype.kind in "fiu":
            return list(range(matrix.shape[1])), [], bool(np.isnan(matrix).any())
        names, columns = list(range(matrix.shape[1])), list(matrix.T)
    numbers, categories, missing = [], [], False
    for name, column in zip(names, columns, strict=True):
        values = _as_numbers(column)
        if values is None:
            categories.append(name)
        else:
            numbers.append(name)
            missing = missing or bool(np.isnan(values).any())
    return numbers, categories, missing


def _as_numbers(column: Any) -> FloatArray | None:
    """A column as numbers with NaN for what is missing; None where it holds anything else."""
    kind = getattr(column, "dtype", np.dtype(object))
    if isinstance(kind, np.dtype) and kind.kind in "fiu":
        return np.asarray(column, dtype=np.float64)
    if not isinstance(kind, np.dtype) and str(kind).lower().startswith(("int", "float", "uint")):
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if isinstance(kind, np.dtype) and kind.kind == "O" and not hasattr(column, "cat"):
        cells = list(column)
        if all(one is None or _is_number(one) for one in cells):
            return np.array([np.nan if one is None else one for one in cells], dtype=np.float64)
    return None


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float | np.number) and not isinstance(cell, bool)


def preparation_for(X: Any) -> Any:
    """A transformer of mixed columns; None where all are complete numbers already."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

    numbers, categories, missing = column_kinds(X)
    if not categories and not missing and not _is_object(X):
        return None
    steps = [FunctionTransformer(as_floats, feature_names_out="one-to-one")]
    if missing:
        steps.append(SimpleImputer(strategy="median", keep_empty_features=True))
    encoder = make_pipeline(
        FunctionTransformer(as_texts, feature_names_out="one-to-one"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    parts = [("numbers", make_pipeline(*steps), numbers), ("categories", encoder, categories)]
    return ColumnTransformer([part for part in parts if part[2]], sparse_threshold=0.0)


def _is_object(X: Any) -> bool:
    return not hasattr(X, "columns") and np.asarray(X).dtype.kind not in "fiu"


def as_floats(block: Any) -> FloatArray:
    """A block of number columns, whatever holds it, as floats."""
    if hasattr(block, "to_numpy"):
        return np.asarray(block.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.array(block, dtype=np.float64)


def as_texts(block: Any) -> NDArray[Any]:
    """A block of categories as text, with one category of its own for what is missing."""
    cells = np.asarray(block, dtype=object)
    flat = ["(missing)" if _is_gone(cell) else str(cell) for cell in cells.ravel().tolist()]
    return np.array(flat, dtype=object).reshape(cells.shape)


def _is_gone(cell: Any) -> bool:
    return cell is None or cell != cell or str(cell) in ("<NA>", "NaT")


def prepares_itself(estimator: Any) -> bool:
    """Whether a pipeline begins with a step that deals with columns or missing values."""
    steps = getattr(estimator, "steps", None)
    if not steps:
        return False
    homes = ("sklearn.compose", "sklearn.impute", "sklearn.preprocessing._encoders")
    return str(type(steps[0][1]).__module__).startswith(homes)
