"""Sources in memory put in one row order by item id, never by position unless asked."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError
from assay.core.notes import Note
from assay.evidence.cell_text import id_text, is_missing, quoted
from assay.evidence.model_columns import ModelColumns
from assay.evidence.names import Role
from assay.evidence.prediction_assembly import renamed
from assay.evidence.readers.mismatch import (
    Absent,
    refuse_conflict,
    refuse_missing_ids,
    refuse_repeated_ids,
    same_value,
    settle_mismatch,
)
from assay.evidence.reading_options import OnMismatch
from assay.evidence.rows_memory import Array, MemoryRows

SHARED: tuple[Role, ...] = ("truth", "weight", "count", "cluster", "fold", "slice")
"""Roles that several sources may carry; they must agree."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JoinedPart:
    """The rows of one source (or of one model of a long table)."""

    title: str
    arrays: Mapping[str, Array]
    roles: Mapping[Role, str]
    models: Mapping[str, ModelColumns]
    lines: Sequence[int] = ()
    """Where each row stood, if it came from a file."""
    source: str = ""
    """What the rows are of, where the title says whose they are too: the rows of a model in a long table."""

    def origin(self, name: str) -> str:
        """A column in words; one of a model in a long table with the model."""
        of_model = any(name in columns.used() for columns in self.models.values())
        whose = f" for model {next(iter(self.models))!r}" if self.source and of_model else ""
        return f"column {name!r} of {self.source or self.title}{whose}"

    def size(self) -> int:
        return len(next(iter(self.arrays.values())))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Joined:
    """Several sources as one table of rows."""

    rows: Any
    roles: dict[Role, str]
    models: dict[str, ModelColumns]
    notes: tuple[Note, ...]


def align(parts: Sequence[JoinedPart], *, by_position: bool, policy: OnMismatch) -> Joined:
    """One table of the items that the parts have in common, in the order of the first part."""
    repeated = all("repeat" in part.roles for part in parts)
    keys = _positions(parts) if by_position else [_keys(p, repeated=repeated) for p in parts]
    index = [{key: place for place, key in enumerate(listed)} for listed in keys]
    common = [key for key in keys[0] if all(key in known for known in index[1:])]
    every = list(dict.fromkeys(key for listed in keys for key in listed))
    titles = [part.title for part in parts]
    absent = [_absent(part, known, every, titles) for part, known in zip(parts, index, strict=True)]
    notes = settle_mismatch(absent, every=len(every), common=len(common), policy=policy)
    aliases, shared, models = put_together(parts, [part.arrays for part in parts])
    arrays: dict[str, Array] = {}
    origins: dict[str, str] = {}
    lines: dict[str, list[int]] = {}
    for part, known, alias in zip(parts, index, aliases, strict=True):
        order = np.array([known[key] for key in common], dtype=np.intp)
        arrays |= {alias[name]: array[order] for name, array in part.arrays.items()}
        origins |= {alias[name]: part.origin(name) for name in part.arrays}
        stood = [part.lines[row] for row in order.tolist()] if part.lines else []
        lines |= dict.fromkeys(alias.values(), stood)
    for role, columns in shared.items():
        _check_agreement(role, columns, arrays, common)
    roles = {role: columns[0][1] for role, columns in shared.items()}
    if not by_position:
        roles["id"] = aliases[0][parts[0].roles["id"]]
    # a repeat tells rows apart only where it is part of the key
    if repeated and (len(parts) == 1 or not by_position):
        roles["repeat"] = aliases[0][parts[0].roles["repeat"]]
    sources = tuple(dict.fromkeys(part.source or part.title for part in parts))
    rows = MemoryRows(arrays, sources, origins, common, lines)
    return Joined(rows=rows, roles=roles, models=models, notes=notes)


def put_together(
    parts: Sequence[Any], names: Sequence[Iterable[str]]
) -> tuple[list[dict[str, str]], dict[Role, list[tuple[str, str]]], dict[str, ModelColumns]]:
    """New names of the columns of each part, those of each shared role with titles, and the models."""
    aliases = [{name: f"{place}:{name}" for name in own} for place, own in enumerate(names)]
    shared: dict[Role, list[tuple[str, str]]] = {}
    models: dict[str, ModelColumns] = {}
    for part, alias in zip(parts, aliases, strict=True):
        for role in SHARED:
            if role in part.roles:
                shared.setdefault(role, []).append((part.title, alias[part.roles[role]]))
        models |= {model: renamed(of, alias) for model, of in part.models.items()}
    return aliases, shared, models


def _positions(parts: Sequence[JoinedPart]) -> list[list[str]]:
    sizes = {part.title: part.size() for part in parts}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{title} has {size:,}" for title, size in sizes.items())
        raise EvidenceError(f"pairing by position needs equal numbers of rows; {listed}")
    return [[str(place) for place in range(part.size())] for part in parts]


def _keys(part: JoinedPart, *, repeated: bool) -> list[str]:
    """The id of each row, with its repeat where there are repeats; unique and never missing."""
    names = [part.roles["id"], *([part.roles["repeat"]] if repeated else [])]
    columns = [part.arrays[name].tolist() for name in names]
    rows = enumerate(zip(*columns, strict=True))
    gaps = [place for place, cells in rows if any(map(is_missing, cells))]
    if gaps:
        first = f"line {part.lines[gaps[0]]}" if part.lines else f"position {gaps[0]}"
        refuse_missing_ids(part.title, len(gaps), first)
    keys = [" / ".join(map(id_text, cells)) for cells in zip(*columns, strict=True)]
    if len(set(keys)) < len(keys):
        times = Counter(keys)
        twice = sorted((-count, key) for key, count in times.items() if count > 1)
        most = [(key, -count) for count, key in twice[:5]]
        refuse_repeated_ids(part.title, len(twice), most)
    return keys


def _absent(
    part: JoinedPart, known: Mapping[str, int], every: Sequence[str], titles: Sequence[str]
) -> Absent:
    lacking = [key for key in every if key not in known] if len(known) < len(every) else []
    return Absent(_told_apart(part, titles), len(lacking), tuple(sorted(lacking)[:5]))


def _told_apart(part: JoinedPart, titles: Sequence[str]) -> str:
    """The title of a part; of several models from one folder the model as well."""
    model = quoted(tuple(part.models))
    return f"{model} ({part.title})" if titles.count(part.title) > 1 else part.title


def _check_agreement(
    role: Role,
    columns: Sequence[tuple[str, str]],
    arrays: Mapping[str, Array],
    items: Sequence[str],
) -> None:
    if len(columns) < 2:
        return
    cells = list(zip(*(arrays[name].tolist() for _, name in columns), strict=True))
    try:
        verdicts = {values: same_value(values) for values in set(cells)}
        wrong = [place for place, values in enumerate(cells) if not verdicts[values]]
    except (TypeError, ValueError):  # a list has no hash, nor has a length of time without a unit
        wrong = [place for place, values in enumerate(cells) if not same_value(values)]
    if wrong:
        first = [(items[place], cells[place]) for place in wrong[:3]]
        refuse_conflict(role, [title for title, _ in columns], len(wrong), first)
