"""Results in mappings of mappings or of tables, results[data set][model] = scores, as one table."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError
from assay.core.measure_names import better_side
from assay.core.questions import AmbiguousEvidence
from assay.evidence.cell_text import is_missing, quoted
from assay.evidence.frames import is_frame
from assay.evidence.model_columns import column_grammar
from assay.evidence.name_parts import numbered_place, spread_of
from assay.evidence.names import is_model_name, is_part, known_as, names_items, place_of
from assay.evidence.open_questions import which_level, which_unit
from assay.evidence.reading_options import Told

PLACE = "place in a list"


def unfolded(source: Mapping[Any, Any], title: str, told: Told) -> Mapping[Any, Any]:
    """A mapping of names to columns, whatever is nested in it."""
    of_models = [name for name, one in source.items() if isinstance(one, Mapping)]
    if of_models and any(known_as(str(name), "truth") for name in {*source} - {*of_models}):
        beside = {name: one for name, one in source.items() if name not in of_models}
        inside = [(name, key) for name in of_models for key in source[name]]
        often = Counter(key for _, key in inside)  # pred of each model
        named = {f"{n}_{k}" if often[k] > 1 else k: source[n][k] for n, k in inside}
        return {**beside, **named}
    inner = list(source.values())
    tables = [_columns(one) for one in inner]
    if tables and all(table is not None for table in tables):
        return _stacked(dict(zip(source, tables, strict=True)))
    nested = bool(inner) and (
        all(isinstance(one, Mapping) for one in inner)
        or all(isinstance(key, tuple) for key in source)
    )
    if not nested and not (told.unit == "seed" and _unequal(inner)):
        return source
    rows = _without_spreads(list(_paths(source)))
    if not rows:
        raise EvidenceError(f"{title} holds no scores: give one row per score")
    if len({len(row) for row in rows}) > 1 or any(_is_nested(row[-1]) for row in rows):
        raise EvidenceError(f"{title} is nested to different depths: give one row per score")
    *levels, values = (list(column) for column in zip(*rows, strict=True))
    if any(len(set(map(type, level))) > 1 for level in levels):
        raise EvidenceError(f"{title} mixes lists and mappings: give one row per score")
    if len(levels) != 2 or PLACE in map(_place, levels):
        return _long(levels, values, title, told)
    return _wide(levels, values, title, told)


def are_by_item(truth: Any, predictions: Any) -> bool:
    """Whether a mapping says the truth of each item, and mappings in another what each model said of it."""
    if not isinstance(predictions, Mapping) or not predictions:
        return False
    given = [truth, *predictions.values()]
    return all(isinstance(of, Mapping) and not any(map(_is_nested, of.values())) for of in given)


def joined_by_item(named: Mapping[str, Mapping[Any, Any]]) -> dict[str, Any]:
    """Mappings of items as columns; an item that the first one lacks has no truth."""
    items = next(iter(named.values()))
    for name, of in named.items():
        if unknown := [item for item in of if item not in items]:
            raise EvidenceError(f"{name!r} has items without a truth: {quoted(unknown)}")
    columns = {name: [of.get(item) for item in items] for name, of in named.items()}
    return {"item": list(items), **columns}


def _columns(table: Any) -> dict[str, list[Any]] | None:
    """The columns of rows, of a frame or of arrays beside a truth; None where it is none of these."""
    if isinstance(table, list | tuple) and table and all(isinstance(r, Mapping) for r in table):
        return {name: [row.get(name) for row in table] for row in table for name in row}
    if is_frame(table) and hasattr(table, "columns"):
        if getattr(getattr(table, "index", None), "name", None) is not None:
            table = table.reset_index()
        return {str(name): list(table[name]) for name in table.columns}
    if isinstance(table, Mapping) and any(known_as(str(name), "truth") for name in table):
        held = {str(n): list(v) for n, v in table.items() if _is_nested(v)}
        return held if len(held) == len(table) else None
    return None


def _stacked(tables: Mapping[Any, Any]) -> dict[str, list[Any]]:
    """Tables one below the other, with the model of each, or the data set where others name the models."""
    names = list(dict.fromkeys(name for table in tables.values() for name in table))
    for key, table in tables.items():
        if len({len(column) for column in table.values()}) != 1:
            raise EvidenceError(f"{key!r} has no columns, or columns of different lengths")
    sizes = {key: len(next(iter(table.values()))) for key, table in tables.items()}
    found = {
        n: [
            cell
            for t, k in zip(tables.values(), sizes.values(), strict=True)
            for cell in t.get(n, [None] * k)
        ]
        for n in names
    }
    truth = [name for name in names if known_as(name, "truth")]
    rest = [n for n in names if n not in truth and place_of(n) is None and not names_items(n)]
    of_sets = any(place_of(name) == "model" for name in names) or (
        bool(truth) and len(rest) > 1 and not any(column_grammar(name)[0] == "" for name in rest)
    )
    whose = {
        "dataset" if of_sets else "model": [k for k, size in sizes.items() for _ in range(size)]
    }
    if truth and not any(map(names_items, names)):
        whose["item"] = [
            f"{k}/{n}" if of_sets else n for k, size in sizes.items() for n in range(size)
        ]
    return {**whose, **found}


def _unequal(inner: Sequence[Any]) -> bool:
    """Whether lists of scores have different lengths."""
    lists = [
        one for one in inner if _is_nested(one) and not hasattr(one, "toarray")
    ]  # none is sparse
    return len(set(map(len, lists))) > 1


def _paths(value: Any) -> Iterator[tuple[Any, ...]]:
    """The keys that lead to each value, then the value; places in a list are whole numbers."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            keys = key if isinstance(key, tuple) else (key,)
            yield from ((*map(str, keys), *rest) for rest in _paths(one))
    elif _is_nested(value) and not any(map(_is_nested, value)):
        yield from enumerate(np.asarray(value).tolist())
    else:
        yield (value,)


def _without_spreads(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows but those of a spread beside its measure: acc_stderr beside acc."""
    keys = {str(row[-2]) for row in rows if len(row) > 1}
    spreads = {key for key in keys if spread_of(key, sorted(keys)) is not None}
    return [row for row in rows if len(row) < 2 or str(row[-2]) not in spreads]


def _is_nested(value: Any) -> bool:
    """Whether a value holds others: a list, an array, a series; a text and a number do not."""
    return isinstance(value, list | tuple | Mapping) or getattr(value, "ndim", 0) > 0


def _place(level: Collection[Any]) -> str | None:
    """What the keys of a level are by themselves: places in a list, measures, folds or seeds."""
    if all(isinstance(key, int) for key in level):
        return PLACE
    return "measure" if all(map(better_side, level)) else numbered_place(level)


def are_models(level: Collection[Any], told: Told) -> bool:
    """Whether keys name models: told so, or called as models are; a letter may name a data set as well."""
    if told.models is not None:
        return set(told.listed or ()) <= set(level)
    return all(isinstance(key, str) and key[1:] and is_model_name(key) for key in level)


def _wide(
    levels: Sequence[list[Any]], values: list[Any], title: str, told: Told
) -> Mapping[str, Any]:
    """Two levels: a column for each model, beside the names of what it was tested on."""
    outer, inner = (list(dict.fromkeys(level)) for level in levels)
    cells = dict(zip(zip(*levels, strict=True), values, strict=True))
    named = [are_models(level, told) for level in (outer, inner)]
    if named == [False, True]:
        return {"": outer, **{key: [cells.get((one, key)) for one in outer] for key in inner}}
    if named[0] == named[1] and len(outer) > len(inner) and told.unit is not None:
        raise AmbiguousEvidence([which_level(title, (outer, inner))])
    return {"": inner, **{one: [cells.get((one, key)) for key in inner] for one in outer}}


def _long(
    levels: Sequence[list[Any]], values: list[Any], title: str, told: Told
) -> Mapping[str, Any]:
    """More levels: a row for each score, with a column for each level."""
    places = [_place(level) for level in levels]
    twins = any(f"val_{key}" in level for level in levels for key in level)
    if twins or any(all(is_part(str(key)) for key in level) for level in levels):
        raise EvidenceError(
            f"the scores of {title} are steps of training runs, which are not independent. Give the predictions of the "
            "trained models (truth=), or their final scores, one row per seed, fold or data set"
        )
    free = [n for n, place in enumerate(places) if place is None]
    models = [n for n in free if are_models(levels[n], told)]
    models = models if len(models) == 1 else free
    if len(models) != 1:
        raise AmbiguousEvidence(
            [which_level(title, [list(dict.fromkeys(levels[n])) for n in free])]
        )
    places[models[0]] = "model"
    units = [n for n in free if n not in models] or [n for n, p in enumerate(places) if p == PLACE]
    known = {"fold", "seed"} & {*places}
    if len(units) == 1 and (not known or places[units[0]] is None):
        right = all(not is_missing(value) and value in (0, 1) for value in values)
        unit = told.unit or ("item" if right else None)
        if unit is None:
            raise AmbiguousEvidence([which_unit(title, items=right)])
        places[units[0]] = unit
    if None in places:
        raise EvidenceError(
            f"{title} is nested {len(levels)} levels deep: give a frame with columns model, dataset, seed and score"
        )
    named = {
        "repeat" if p == PLACE else str(p): level for p, level in zip(places, levels, strict=True)
    }
    return {
        **named,
        "score" if told.measure is None or "measure" in named else told.measure: values,
    }
