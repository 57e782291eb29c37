"""Labels of several files counted while they are joined, so that no joined row is ever kept.

One full outer join gives the distinct rows with their counts and proves that the ids are sound: if
every row found partners and their number equals the number of rows of every file, then no id is
missing, repeated or unmatched. (With m_j(i) rows of id i in file j, the join has the sum over i of
the product of m_j(i) rows; equality with the sum of every m_j(i), all at least 1, makes each 1.)
Where the proof fails, the slow way names the trouble.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.evidence.database import IN_ORDER, DatabaseColumn, DatabaseRows, as_text
from assay.evidence.engines import MAX_JOINT, Groups
from assay.evidence.memory import Array
from assay.evidence.names import Role
from assay.evidence.readers.aligned import SHARED
from assay.evidence.readers.mismatch import same_value
from assay.evidence.roles import ModelColumns


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilePart:
    """A file with its roles and models, to be joined with others."""

    title: str
    sql: str
    columns: Mapping[str, DatabaseColumn]
    roles: Mapping[Role, str]
    models: Mapping[str, ModelColumns]
    countable: bool = False  # whether the number of its rows is known without reading them

    def record(self, place: int) -> str:
        """The column of the joined table that tells where in its file a row stood.

        Rows are numbered as they come (``r``); where some were left out before, by the file (``l``).
        """
        first = next(iter(self.columns.values()))
        return f"r{place}" if first.record == IN_ORDER else f"l{place}"

    def aliases(self, place: int) -> list[str]:
        """What the columns in use are called in SQL where parts are joined."""
        return [f"p{place}_{at}" for at in range(len(self.used()))]

    def used(self) -> list[str]:
        kept = [self.roles[role] for role in SHARED if role in self.roles]
        return list(dict.fromkeys([*kept, *(n for of in self.models.values() for n in of.used())]))


def outer_join(
    parts: Sequence[FilePart], ids: Sequence[str], number: str, *, repeated: bool = False
) -> str:
    """A chain of full outer joins, so that whatever does not match can be counted and named."""
    chain, keys = "", "id, rep" if repeated else "id"
    for place, (part, key) in enumerate(zip(parts, ids, strict=True)):
        terms = [f"{key} as id", f"{number} as r{place}"]
        if part.record(place) != f"r{place}":
            terms.append(f"{next(iter(part.columns.values())).record} as l{place}")
        if repeated:
            terms.append(f"{as_text(part.columns[part.roles['repeat']])} as rep")
        named = zip(part.used(), part.aliases(place), strict=True)
        terms += [f"{part.columns[name].sql} as {alias}" for name, alias in named]
        chosen = f"(select {', '.join(terms)} from {part.sql}) p{place}"  # noqa: S608
        chain += f" full outer join {chosen} using ({keys})" if place else chosen
    return f"select * from {chain}"  # noqa: S608


def count_joined(joined: DatabaseRows, parts: Sequence[FilePart]) -> Groups | None:
    """The distinct rows of the joined files by all columns in use; None where that is no help."""
    if not all(_only_labels(joined, part) for part in parts):
        return None
    columns = [part.columns[part.roles["id"]] for part in parts]
    whole = all(column.type == "whole" for column in columns)
    ids = [column.sql if whole else as_text(column) for column in columns]
    query, keys = f"({outer_join(parts, ids, '1')})", list(joined.columns)
    terms = ["count(*)", *(f"count(r{place})" for place in range(len(parts)))]
    found = DatabaseRows(joined.run, query, joined.columns, joined.sources).grouped(
        keys, terms, MAX_JOINT
    )
    items = found[len(keys)]
    if not 0 < items.size <= MAX_JOINT:
        return None
    sizes = {
        joined.run(f"select count(*) from {part.sql}").fetchall()[0][0]  # noqa: S608
        for part in parts
    }
    labels = found[: len(keys)]
    if {int(one.sum()) for one in found[len(keys) :]} != sizes:
        return None
    if not _same_truth(parts, dict(zip(keys, labels, strict=True))):
        return None
    coded = joined.encoded(labels)
    return Groups(
        keys=tuple(keys),
        levels=tuple(levels for _, levels in coded),
        codes=np.stack([codes for codes, _ in coded], axis=1),
        counts=items.astype(np.int64),
    )


def _only_labels(joined: DatabaseRows, part: FilePart) -> bool:
    """Whether a file brings just ids, truth and labels, as far as its first rows tell."""
    if not part.countable or not set(part.roles) <= {"id", "truth"}:
        return False
    names = part.used()
    if any(part.columns[name].type == "other" for name in names):
        return False
    labels = {name for of in part.models.values() for name in (of.bare, of.labels)}
    rows = DatabaseRows(joined.run, part.sql, part.columns, (part.title,))
    return set(names) <= {*labels, part.roles.get("truth")} and all(
        guess == "labels" for guess in rows.guess(names).values()
    )


def _same_truth(parts: Sequence[FilePart], columns: Mapping[str, Array]) -> bool:
    truths = [
        columns[f"{place}:{part.roles['truth']}"].tolist()
        for place, part in enumerate(parts)
        if "truth" in part.roles
    ]
    return len(truths) < 2 or all(map(same_value, set(zip(*truths, strict=True))))
