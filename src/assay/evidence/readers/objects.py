"""Objects of Python as columns: mappings, frames with their index, arrays of one and two dimensions."""

from collections.abc import Callable, Mapping, Sequence, Set
from numbers import Number
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.cell_questions import which_order
from assay.evidence.cell_text import class_text, number_of, ordered, quoted, shortened
from assay.evidence.frames import FRAME_MODULES, is_frame, module_of
from assay.evidence.names import known_as, names_items, place_of
from assay.evidence.readers.json_files import a_row_each, flat, within
from assay.evidence.readers.nested_results import unfolded
from assay.evidence.reading_options import Told
from assay.evidence.rows_memory import Array
from assay.evidence.rows_sql import unmasked

CLEARLY = 2.0
"""Standard deviations of a count by which another order of columns has to be right more often."""
ROUNDING = 0.02
"""How far the probabilities of all classes may be from 1."""


def is_column(source: Any) -> bool:
    """Whether an object is one array of values: a list, a numpy array, a series, a tensor."""
    if isinstance(source, str | bytes | Mapping) or getattr(source, "shape", None) == ():
        return False
    if isinstance(source, Sequence | np.ndarray):
        return not getattr(getattr(source, "dtype", None), "names", None)
    if module_of(source) in FRAME_MODULES and hasattr(source, "shape"):
        return len(source.shape) == 1
    return not is_frame(source) and (hasattr(source, "__array__") or hasattr(source, "__dlpack__"))


def columns_of(source: Any, title: str, told: Told | None = None) -> dict[str, Array]:
    """An object as named columns of equal length."""
    classes = None if told is None else told.classes
    if isinstance(source, Sequence) and source and all(isinstance(one, Mapping) for one in source):
        rows = a_row_each([{str(name): cell for name, cell in row.items()} for row in source])
        places = flat(tuple(dict.fromkeys(name for row in rows for name in row)), rows)
        cells = {name: [within(row, *place) for row in rows] for name, place in places.items()}
        return _from_mapping(cells, title)
    if isinstance(source, Mapping):
        columns = _unbatched(unfolded(source, title, told or Told()))
        return _from_mapping(_aligned(columns), title, classes)
    index = getattr(source, "index", None)  # a timestamp has none
    series = module_of(source) == "pandas" and getattr(source, "ndim", 0) == 1 and index is not None
    if series and _sizes(list(source)):
        return columns_of(dict(source.items()), title, told)  # an array for each model
    levels = getattr(index, "names", ())
    if series and len(levels) == 2 and not any(levels):
        groups = source.groupby(level=0, sort=False)  # by model, as pandas.concat has them
        return columns_of({str(key): of.droplevel(0) for key, of in groups}, title, told)
    if series and any(levels):
        return columns_of(source.to_frame(source.name or "score"), title, told)
    array = module_of(source) == "pyarrow" and not is_frame(source)
    if hasattr(source, "to_pandas") and not (is_frame(source) or series or array):
        return columns_of(source.to_pandas(), title, told)  # a data set of Hugging Face
    if is_frame(source):
        return _of_frame(_stacked(source), title)
    names = getattr(getattr(source, "dtype", None), "names", None)
    if names:  # an array of records
        return _from_mapping({name: source[name] for name in names}, title)
    if isinstance(source, Number):
        as_array(source, str(source))  # says why a lone number is no evidence
    raise UsageError(
        "evidence is a path, a frame, a DuckDB relation, a mapping of names to arrays, or the "
        f"truth and such a mapping. Got {type(source).__name__} {shortened(source)}"
    )


def _of_frame(source: Any, title: str) -> dict[str, Array]:
    """The columns of a frame beside its index; cells with a part for each model are taken apart."""
    frame = opened_frame(source, title)
    frame_names(frame, title)
    arrays = {**_index_of(source), **_unlisted(as_arrays(frame))}
    if any(isinstance(cell, dict) for of in arrays.values() for cell in of[:1]):
        lines = zip(*(of.tolist() for of in arrays.values()), strict=True)
        return columns_of([dict(zip(arrays, row, strict=True)) for row in lines], title)
    return _from_mapping(arrays, title)


def _aligned(source: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Series of pandas in the order of the first one's index, whose labels name the rows.

    A series that only numbers its rows is taken as it stands, as an array is.
    """
    pandas = {n: one for n, one in source.items() if module_of(one) == "pandas"}
    series = {n: one for n, one in pandas.items() if getattr(one, "ndim", 0) == 1}
    labelled = {n: one for n, one in series.items() if hasattr(one, "index")}
    if not labelled:
        return source
    turned = dict(source)
    first_name, first = next(iter(labelled.items()))
    for name, one in labelled.items():
        if not one.index.equals(first.index):
            turned[name] = _in_order(one, first, str(name), str(first_name))
    index = first.index
    words = index.inferred_type == "string" and index.is_unique
    return {str(index.name or ""): index.to_numpy(), **turned} if words else turned


def _stacked(frame: Any) -> Any:
    """A pivot by model and seed (fold, repeat, data set) as the long table it was; other frames as they are."""
    columns: Any = getattr(frame, "columns", None) if module_of(frame) == "pandas" else None
    if module_of(frame) != "pandas" or getattr(columns, "nlevels", 1) < 2:
        return frame
    places = {name: place_of(str(name)) for name in columns.names if name is not None}
    levels = [name for name, place in places.items() if place is not None]
    if "model" not in places.values() or len(levels) < 2 or columns.nlevels - len(levels) > 1:
        return frame
    if len(frame) == 1 and frame.index.names == [None]:  # a row that nothing was pivoted by
        frame = frame.reset_index(drop=True)
        long = frame.stack(levels, future_stack=True).droplevel(0)
    else:
        long = frame.stack(levels, future_stack=True)
    return long.to_frame("score") if long.ndim == 1 else long


def _in_order(one: Any, first: Any, name: str, first_name: str) -> Any:
    """A series in the order of the first one's labels, or as it stands where only one of them has labels."""
    numbered = [series for series in (one, first) if _is_numbered(series)]
    alike = len(one) == len(first) and one.index.is_unique and first.index.is_unique
    if alike and set(one.index) == set(first.index):
        if len(numbered) == 1:
            bare, drawn = (name, first_name) if numbered[0] is one else (first_name, name)
            raise EvidenceError(
                f"{bare!r} numbers its rows, and {drawn!r} has the same numbers in another order: are rows paired "
                f"by place or by number? By place (predictions in the order of a test set that was drawn): "
                f"{drawn}.reset_index(drop=True); by number: {bare}.reindex({drawn}.index)"
            )
        return one.reindex(first.index)
    ranges = all(type(series.index).__name__ == "RangeIndex" for series in (one, first))
    if not numbered or (ranges and len(numbered) == 1):  # the latter are slices of one numbering
        raise EvidenceError(
            f"{first_name!r} and {name!r} have different labels in their index, so their rows "
            "cannot be paired. Give both the same index, or arrays (.to_numpy()) in one order"
        )
    return one


def _is_numbered(series: Any) -> bool:
    """Whether the index is what pandas gives to rows without labels, and no part of another's."""
    index = series.index
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _index_of(frame: Any) -> dict[str, Array]:
    """The index of a pandas frame, which names its rows; none where it only numbers them."""
    index = getattr(frame, "index", None)
    if module_of(frame) != "pandas" or index is None:
        return {}
    if type(index).__name__ == "RangeIndex" and index.name is None:
        return {}
    levels = [index.get_level_values(place) for place in range(index.nlevels)]
    if len(levels) == 1 and index.name is None and not index.is_unique:
        return {}  # what is left of frames that were put together
    taken = set(map(str, frame.columns))
    named = {}
    for place, level in enumerate(levels):
        name = "" if level.name is None else str(level.name)
        if level.name is None and len(levels) > 1:
            name = f"Unnamed: {place}"
        if name not in taken:
            named[name] = as_array(level, name)
    return named


def _from_mapping(
    source: Mapping[Any, Any], title: str, classes: Sequence[Any] | None = None
) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    unnamed: list[Array] = []
    for name, values in source.items():
        array = as_array(values, str(name))
        if array.ndim == 2 and 1 in array.shape:  # a row of a sparse matrix too
            arrays[str(name)] = array.ravel()
        elif array.ndim == 2 and known_as(str(name), "truth"):
            arrays[str(name)] = _from_indicators(array, classes)
        elif array.ndim == 2:
            named = list(getattr(values, "columns", ()))
            arrays |= _probabilities(str(name), array, source, classes, named)
            unnamed += [array] if classes is None and not named else []
        elif str(name) in arrays:
            raise EvidenceError(f"{title} has two columns of the same name: {quoted(source)}")
        else:
            arrays[str(name)] = array
    truths = [one for name, one in arrays.items() if known_as(name, "truth")]
    if unnamed and len(truths) == 1:
        _check_order(unnamed, truths[0])
    arrays = _with_label_sets(arrays)
    sizes = {name: len(array) for name, array in arrays.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name!r} has {size:,}" for name, size in list(sizes.items())[:5])
        raise EvidenceError(
            f"columns must be equally long; {listed}. Scores of different numbers of runs are a frame with the "
            "columns model, seed and score"
        )
    if not arrays or not next(iter(sizes.values())):
        raise EvidenceError(f"{title} has no rows of data")
    return arrays


def _with_label_sets(arrays: dict[str, Array]) -> dict[str, Array]:
    """Columns in which sets or lists of labels are texts: an answer is right if all its labels are."""
    objects = {n: a.tolist() for n, a in arrays.items() if a.dtype == object and not names_items(n)}
    cells = [cell for column in objects.values() for cell in column]
    if len(objects) < 2:  # the truth and a model have them
        return arrays
    if not cells or not all(isinstance(cell, set | frozenset | list | tuple) for cell in cells):
        return arrays
    if not all(isinstance(label, str | int | np.integer) for cell in cells for label in cell):
        return arrays
    listed = {tuple(cell) for cell in cells if isinstance(cell, list | tuple)}
    if len({tuple(sorted(map(class_text, cell))) for cell in listed}) < len(listed):
        raise EvidenceError(
            f"lists of labels of {quoted(objects)} differ only in their order. Give sets if the order "
            "does not matter, or texts (' '.join(labels)) if it does"
        )
    texts = {
        name: ["|".join(sorted(map(class_text, cell))) or "{}" for cell in column]
        for name, column in objects.items()
    }
    return arrays | {name: np.array(text, dtype=object) for name, text in texts.items()}


def _unlisted(arrays: dict[str, Array]) -> dict[str, Array]:
    """Columns of a frame, in which lists of probabilities of the truth's classes become arrays."""
    truths = [array for name, array in arrays.items() if known_as(name, "truth")]
    classes = len(set(map(class_text, truths[0].tolist()))) if len(truths) == 1 else 0
    found = dict(arrays)
    for name, array in arrays.items():
        if array.dtype == object and len(array) and isinstance(array[0], list | np.ndarray):
            rows = _from_list([_even(cell) for cell in array])
            found[name] = rows if rows.ndim == 2 and rows.shape[1] == classes else array
    return found


def _unbatched(source: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Lists of arrays, batch by batch as the truth, as one array each."""
    truths = [values for name, values in source.items() if known_as(str(name), "truth")]
    sizes = _sizes(truths[0]) if len(truths) == 1 else []
    if not sizes or all(_is_indicator(np.asarray(one)) for one in truths[0]):
        return source
    return {
        name: _joined(str(name), values) if _sizes(values) == sizes else values
        for name, values in source.items()
    }


def _joined(name: str, batches: Sequence[Any]) -> Array:
    try:
        return np.concatenate([np.asarray(one) for one in batches])
    except (TypeError, ValueError):  # records beside numbers, two columns beside three
        raise EvidenceError(
            f"the batches of {name!r} do not go together: give arrays of one type and shape"
        ) from None


def _is_indicator(row: Array) -> bool:
    """Whether a row has a 1 for its class and 0 for the others."""
    return bool(row.dtype.kind in "biufO" and np.isin(row, (0, 1)).all() and row.sum() == 1)


def _sizes(values: Any) -> list[int]:
    """How long the arrays of a list are; nothing where it is no list of arrays."""
    arrays = isinstance(values, list | tuple) and all(hasattr(one, "__array__") for one in values)
    return [len(one) for one in values] if arrays and all(map(np.ndim, values)) else []


def _from_indicators(array: Array, given: Sequence[Any] | None) -> Array:
    """The class of each row of a truth that has a 1 for it and 0 for the others."""
    if not (array.size and np.isin(array, (0, 1)).all() and (array.sum(axis=1) == 1).all()):
        raise EvidenceError(
            f"the truth has shape {array.shape}, rows without a 1 or with several. Take one label, compare(truth[:, 0],"
            " {'a': a[:, 0], …}), or ask which sets are right, compare([*map(str, truth)], {'a': [*map(str, a)], …})"
        )
    classes: Array = np.asarray(given if given is not None else range(array.shape[1]))
    if len(classes) != array.shape[1]:
        raise UsageError(
            f"classes= names {len(classes)}, and the truth has {array.shape[1]} columns"
        )
    return np.asarray(classes[array.argmax(axis=1)])


def _check_order(matrices: Sequence[Array], truth: Array) -> None:
    """Refuse matrices whose columns stand for the classes in another order than that of their names."""
    from scipy.optimize import linear_sum_assignment

    texts = list(map(class_text, truth.tolist()))
    classes = ordered(set(texts))
    if number_of(classes[0]) is not None or any(len(texts) != len(one) for one in matrices):
        return  # codes count the columns
    codes = np.array([classes.index(text) for text in texts])
    counts = np.zeros((len(classes), len(classes)))
    for matrix in matrices:
        np.add.at(counts, (codes, matrix.argmax(axis=1)), 1)
    of_columns, best = linear_sum_assignment(counts.T, maximize=True)
    more = counts.T[of_columns, best].sum() - counts.trace()
    if more > CLEARLY * np.sqrt(counts.sum()):
        suggested = [classes[place] for place in best]
        raise AmbiguousEvidence([which_order(suggested, list(classes))])


def _probabilities(
    name: str,
    array: Array,
    source: Mapping[Any, Any],
    given: Sequence[Any] | None,
    named: Sequence[Any] = (),
) -> dict[str, Array]:
    """A column for each class and the class of the largest, as scikit-learn orders them.

    ``named`` are the columns of a frame: where they are the classes, they say which is which.
    """
    truths = [as_array(v, str(k)) for k, v in source.items() if known_as(str(k), "truth")]
    truths = [_from_indicators(one, given) if one.ndim == 2 else one for one in truths]
    classes = tuple(map(class_text, () if given is None else given)) or (
        ordered({class_text(value) for value in truths[0].tolist()}) if len(truths) == 1 else ()
    )
    own = tuple(map(class_text, named))
    classes = own if given is None and set(own) == set(classes) else classes
    if not truths:
        raise UsageError(
            f"{name!r} has shape {array.shape}, and there is no truth. Give scores of repeated folds as .ravel() with "
            "folds= and repeats=. Give those of runs and tasks as a frame with columns model, dataset, seed, score"
        )
    if not array.size:
        raise UsageError(f"{name!r} holds no probabilities")
    if len(classes) != array.shape[1]:
        raise UsageError(
            f"{name!r} has {array.shape[1]} columns of probabilities and the truth "
            f"{len(classes)} classes; say which column is which: classes=[…] in their order"
        )
    if array.max() <= 0.0 and np.allclose(np.exp(array).sum(axis=1), 1.0, atol=ROUNDING):
        array = np.exp(array)  # of predict_log_proba
    best = np.empty(len(array), dtype=object)
    best[:] = [classes[place] for place in array.argmax(axis=1)]
    if not (array.min() >= 0.0 and np.allclose(array.sum(axis=1), 1.0, atol=ROUNDING)):
        if given is None and 2 < len(classes) == len(array):
            raise UsageError(
                f"every value of the truth occurs once, so {name!r} does not hold scores of its classes"
            )
        return {f"{name}:label": best}  # logits, or scores of each class by itself
    of_classes = {f"{name}:p({each})": array[:, place] for place, each in enumerate(classes)}
    return {**of_classes, f"{name}:label": best}


_LONE = (
    "so its variation is unknown. Give the predictions by item (the "
    "truth first, then a column per model), or the scores by data set, fold or seed"
)


def as_array(values: Any, name: str) -> Array:
    """One column of values; two dimensions are probabilities of classes."""
    values = values.toarray() if hasattr(values, "toarray") else values  # a sparse matrix
    if _is_listing(values):
        return _from_list(list(values))
    if isinstance(values, np.ma.MaskedArray):
        values = unmasked(values)
    elif hasattr(type(values), "detach"):
        values = values.detach().cpu()  # a tensor of torch that a gradient or a GPU holds
    to_numpy = getattr(values, "to_numpy", None)
    if to_numpy is not None and module_of(values) == "pyarrow":
        array = np.asarray(values)
    elif to_numpy is not None:
        array = _numpy_of(values)
    elif hasattr(values, "__array__") or not hasattr(values, "__dlpack__"):
        array = np.asarray(values)
    else:
        try:
            array = np.from_dlpack(values)
        except (BufferError, RuntimeError, TypeError) as error:  # of a GPU, or bfloat16
            how = f"give {name}.float().cpu().numpy()"
            raise EvidenceError(f"{name!r} becomes no array of NumPy ({error}): {how}") from None
    if array.ndim == 0:
        what = "one number" if array.dtype.kind in "biuf" else f"a {type(values).__name__}"
        model = "a model: train and compare models by assay.compare({'a': …}, X, y), or give predictions"
        raise EvidenceError(f"{name!r} is {what}, {model if hasattr(values, 'predict') else _LONE}")
    if array.ndim > 2 or (array.ndim == 2 and array.dtype.kind not in "fiu"):
        raise EvidenceError(
            f"array {name!r} has shape {array.shape}; give one column each, for instance "
            f"'{name}:p(CLASS)' for the probability of a class"
        )
    if array.dtype.kind == "V":
        named = f" ({quoted(array.dtype.names)})" if array.dtype.names else ""
        raise EvidenceError(f"array {name!r} holds records{named}; give one column each")
    if array.dtype.kind not in "biufUOT":
        array = array.astype(str).astype(object)
    return _unpacked(array) if array.dtype == object else array


def _is_listing(values: Any) -> bool:
    """Whether values come one after the other, in something that is no array: a list, a deque, a generator."""
    if isinstance(values, str | bytes | bytearray | memoryview | Mapping | Set):
        return False
    return hasattr(values, "__iter__") and not any(
        hasattr(values, form) for form in ("__array__", "__dlpack__", "to_numpy")
    )


def _unpacked(array: Array) -> Array:
    """Cells that can be told apart: arrays, series, tensors and records as lists or values, NA of pandas as None."""
    plain = {kind: _plain_by(kind) for kind in set(map(type, array))}
    if not any(plain.values()):
        return array
    found = np.empty(len(array), dtype=object)
    found[:] = [cell if (of := plain[type(cell)]) is None else of(cell) for cell in array]
    return found


def _plain_by(kind: type[Any]) -> Callable[[Any], Any] | None:
    """What makes a plain value of a cell of a kind; None where it is one."""
    if kind.__name__ == "NAType":
        return lambda _: None
    scalar = issubclass(kind, np.generic) and not issubclass(kind, np.void)
    alone = scalar or not hasattr(kind, "__array__")
    return None if alone else lambda cell: np.asarray(cell).tolist()


def _numpy_of(values: Any) -> Array:
    """A column of a frame as an array; whole numbers of 128 bits, which NumPy lacks, one by one."""
    nested = "Struct" in str(getattr(values, "dtype", ""))  # in polars a matrix
    try:
        return _from_list(values.to_list()) if nested else np.asarray(values.to_numpy())
    except Exception:
        if not hasattr(values, "to_list"):
            raise
        return _from_list(values.to_list())


def _from_list(values: Sequence[Any]) -> Array:
    """Numpy would turn [1, "a"] into text and [True, 2] into numbers."""
    kinds = {type(value) for value in values}
    whole = all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds)
    real = all(issubclass(kind, int | np.integer | float | np.floating) for kind in kinds)
    for alike, wanted in ((whole, "iu"), (kinds <= {bool}, "b"), (real and bool not in kinds, "f")):
        if alike and kinds:
            array = np.asarray(values)
            if array.dtype.kind in wanted:
                return array
    arrays = bool(kinds) and all(isinstance(row, np.ndarray) and row.ndim for row in values)
    even = (arrays or kinds <= {list, tuple}) and len({len(row) for row in values}) == 1
    if even:
        array = _even(values)
        if array.dtype.kind in "fiu" and array.ndim == 2:
            return array
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return _unpacked(array)


def _even(rows: Sequence[Any]) -> Array:
    """Rows as one array; of one dimension where their cells are lists of several lengths."""
    try:
        return np.asarray(rows)
    except ValueError:
        return np.empty(0, dtype=object)


def as_arrays(frame: Any) -> dict[str, Array]:
    """The columns of a frame of narwhals in memory."""
    names = frame.collect_schema().names()
    return {str(name): as_array(frame[:, place], str(name)) for place, name in enumerate(names)}


def opened_frame(source: Any, title: str) -> Any:
    """A frame of narwhals: lazy where its rows live on a cluster, else in memory."""
    import narwhals as nw

    if type(source).__name__ == "RecordBatch":
        import pyarrow as pa

        source = pa.Table.from_batches([source])
    if hasattr(source, "set_axis") and getattr(source.columns, "nlevels", 1) > 1:  # pandas
        joined = ["_".join(str(part) for part in name if str(part)) for name in source.columns]
        source = source.set_axis(joined, axis=1)
    try:
        frame = nw.from_native(source)
        lazy = isinstance(frame, nw.LazyFrame)
        return frame.collect() if lazy and not frame.implementation.is_spark_like() else frame
    except TypeError:
        kind = type(source).__name__
        raise UsageError(f"{title} is a {kind}; give a data frame with named columns") from None
    except nw.exceptions.DuplicateError:
        raise EvidenceError(f"{title} has two columns of the same name") from None


def frame_names(frame: Any, title: str) -> tuple[str, ...]:
    """The names of a frame's columns, each once."""
    names = tuple(map(str, frame.collect_schema().names()))
    if len(set(names)) < len(names):
        raise EvidenceError(f"{title} has two columns of the same name: {quoted(names)}")
    return names
