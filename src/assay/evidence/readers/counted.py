"""Labels of several files counted while they are joined, so that no joined row is ever kept.

One full outer join gives the distinct rows with their counts and proves that the ids are sound: if
every row found partners and their number equals the number of rows of every file, then no id is
missing, repeated or unmatched. (With m_j(i) rows of id i in file j, the join has the sum over i of
the product of m_j(i) rows; equality with the sum of every m_j(i), all at least 1, makes each 1.)
Where the proof fails, the slow way names the trouble.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.evidence.database import DatabaseRows, Run, as_text, identifier
from assay.evidence.engines import MAX_JOINT, Groups, encoded, levels_of
from assay.evidence.readers.mismatch import same_value

if TYPE_CHECKING:
    from assay.evidence.readers.joined import FilePart


def count_joined(run: Run, parts: "Sequence[FilePart]") -> Groups | None:
    """The distinct rows of the joined files by all columns in use; None where that is no help."""
    if not all(_only_labels(run, part) for part in parts):
        return None
    sizes = {run(f"select count(*) from {part.sql}").fetchall()[0][0] for part in parts}  # noqa: S608
    keys = [f"{place}:{name}" for place, part in enumerate(parts) for name in part.used()]
    rows = run(_query(parts, keys)).fetchall()
    if not rows or len(rows) > MAX_JOINT:
        return None
    columns = list(zip(*rows, strict=True))
    items, *present = columns[len(keys) :]
    if {sum(items), *map(sum, present)} != sizes or not _same_truth(parts, keys, columns):
        return None
    known: list[dict[Any, int]] = [{} for _ in keys]
    codes = [encoded(column, seen) for column, seen in zip(columns, known, strict=False)]
    return Groups(
        keys=tuple(keys),
        levels=tuple(map(levels_of, known)),
        codes=np.stack(codes, axis=1),
        counts=np.array(items, dtype=np.int64),
    )


def _only_labels(run: Run, part: "FilePart") -> bool:
    """Whether a file brings just ids, truth and labels, as far as its first rows tell."""
    if not part.countable or not set(part.roles) <= {"id", "truth"}:
        return False
    names = part.used()
    if any(part.columns[name].type == "other" for name in names):
        return False
    labels = {name for of in part.models.values() for name in (of.bare, of.labels)}
    rows = DatabaseRows(run, part.sql, part.columns, (part.title,))
    return set(names) <= {*labels, part.roles.get("truth")} and all(
        guess == "labels" for guess in rows.guess(names).values()
    )


def _query(parts: "Sequence[FilePart]", keys: Sequence[str]) -> str:
    """Counts of the distinct rows, in all and with a row of each file."""
    ids = [part.columns[part.roles["id"]] for part in parts]
    whole = all(column.type == "whole" for column in ids)
    chain = ""
    for place, (part, column) in enumerate(zip(parts, ids, strict=True)):
        terms = [f"{column.sql if whole else as_text(column)} as id"]
        terms += [f"{part.columns[n].sql} as {identifier(f'{place}:{n}')}" for n in part.used()]
        chosen = f"(select {', '.join(terms)} from {part.sql}) p{place}"  # noqa: S608
        chain += f" full outer join {chosen} using (id)" if place else chosen
    counts = ["count(*)", *(f"count(p{place}.id)" for place in range(len(parts)))]
    named = ", ".join(map(identifier, keys))
    return (
        f"select {', '.join([named, *counts])} from {chain} group by {named} "  # noqa: S608
        f"limit {MAX_JOINT + 1}"
    )


def _same_truth(
    parts: "Sequence[FilePart]", keys: Sequence[str], columns: Sequence[tuple[Any, ...]]
) -> bool:
    truths = [
        columns[keys.index(f"{place}:{part.roles['truth']}")]
        for place, part in enumerate(parts)
        if "truth" in part.roles
    ]
    return len(truths) < 2 or all(map(same_value, set(zip(*truths, strict=True))))
