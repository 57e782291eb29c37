"""Labels of several files counted while they are joined, so that no joined row is ever kept.

One full outer join gives the distinct rows with their counts and proves that the ids are sound: if
every row found partners and their number equals the number of rows of every file, then no id is
missing, repeated or unmatched. (With m_j(i) rows of id i in file j, the join has the sum over i of
the product of m_j(i) rows; equality with the sum of every m_j(i), all at least 1, makes each 1.)
Where the proof fails, the slow way names the trouble.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.evidence.readers.item_join_query import FilePart, outer_join
from assay.evidence.readers.mismatch import same_value
from assay.evidence.rows import MAX_JOINT, Groups
from assay.evidence.rows_memory import Array
from assay.evidence.rows_sql import SqlRows, as_text


def count_joined(joined: SqlRows, parts: Sequence[FilePart]) -> Groups | None:
    """The distinct rows of the joined files by all columns in use; None where that is no help."""
    if not all(_only_labels(joined, part) for part in parts):
        return None
    columns = [part.columns[part.roles["id"]] for part in parts]
    whole = all(column.type == "whole" for column in columns)
    ids = [column.sql if whole else as_text(column) for column in columns]
    query, keys = f"({outer_join(parts, ids, '1')})", list(joined.columns)
    terms = ["count(*)", *(f"count(r{place})" for place in range(len(parts)))]
    found = SqlRows(joined.run, query, joined.columns, joined.sources).grouped(
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


def _only_labels(joined: SqlRows, part: FilePart) -> bool:
    """Whether a file brings just ids, truth and labels, as far as its first rows tell."""
    if not part.countable or not set(part.roles) <= {"id", "truth"}:
        return False
    names = part.used()
    if any(part.columns[name].type == "other" for name in names):
        return False
    labels = {name for of in part.models.values() for name in (of.bare, of.labels)}
    rows = SqlRows(joined.run, part.sql, part.columns, (part.title,))
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
