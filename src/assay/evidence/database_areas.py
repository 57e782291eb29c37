"""Scores ranked inside DuckDB, which spills to disk: two passes over the rows for each model.

The first counts the items of each class by bin, the second places every item. See `placing.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.evidence.cells import class_text
from assay.evidence.database import DatabaseRows, literal
from assay.evidence.engines import Facts
from assay.evidence.placing import (
    BINS,
    MOST_PARTS,
    Leaves,
    Placed,
    Question,
    Sums,
    parts_of_bins,
    placed_from,
)


def place_in_database(rows: DatabaseRows, question: Question) -> Placed:
    """The areas of the models, from sums that DuckDB made; only bins and sums come back."""
    source, binned = _prepared(rows, question)
    leaves = [_leaves(rows, source, question, one) for one in binned]
    by_class = _sums(rows, source, binned, question)
    return placed_from(by_class[1], by_class[0], leaves, exact=question.exact)


def leaves_in_database(rows: DatabaseRows, question: Question) -> list[Leaves]:
    """The items of each class by bins of the scores of each model."""
    source, binned = _prepared(rows, question)
    return [_leaves(rows, source, question, one) for one in binned]


def _prepared(rows: DatabaseRows, question: Question) -> "tuple[str, list[_Binned]]":
    facts = rows.facts(question.scores)
    source = _source(rows, question)
    return source, [
        _binned(rows, source, place, facts[name]) for place, name in enumerate(question.scores)
    ]


@dataclass(frozen=True, slots=True)
class _Binned:
    """The bin of a score in SQL: ``first`` in equal widths, ``heavy`` ones cut into parts."""

    place: int
    position: str
    heavy: str

    @property
    def score(self) -> str:
        return f"s{self.place}"

    @property
    def leaf(self) -> str:
        return f"l{self.place}"

    def added_to(self, source: str) -> str:
        """The source with a column of leaves: whole numbers in the order of the scores."""
        first = f"least(floor({self.position}), {BINS - 1})"
        if not self.heavy:
            return f"(select *, ({first} * {MOST_PARTS})::bigint as {self.leaf} from {source})"  # noqa: S608
        part = "least(floor((x - k) * coalesce(m, 1)), coalesce(m, 1) - 1)"
        return (
            f"(select * exclude (x, k, m), (k * {MOST_PARTS} + {part})::bigint as {self.leaf} "  # noqa: S608
            f"from (select *, {self.position} as x, {first} as k from {source}) "
            f"left join (values {self.heavy}) h(k, m) using (k))"
        )


def _source(rows: DatabaseRows, question: Question) -> str:
    """Rows as y (1 is positive), c (how many items) and the scores s0, s1, …; −0 becomes 0."""
    raw = rows.raw(question.truth)
    found = rows.run(f"select {raw}, {raw}::varchar from {rows.table} group by all").fetchall()  # noqa: S608
    texts = [literal(text) for value, text in found if class_text(value) == question.positive]
    terms = [f"({raw}::varchar in ({', '.join(texts)}))::int as y" if texts else "0 as y"]
    if question.count is not None:
        terms.append(f"floor({rows.number(question.count)})::bigint as c")
    terms += [
        f"{rows.number(name)} + 0.0 as s{place}" for place, name in enumerate(question.scores)
    ]
    kept = "" if question.count is None else " where c > 0"
    return f"(select * from (select {', '.join(terms)} from {rows.table}){kept})"  # noqa: S608


def _binned(rows: DatabaseRows, source: str, place: int, facts: Facts) -> _Binned:
    low, high = (f"'{end!r}'::double / 2" for end in (facts.low, facts.high))
    position = "0.0"
    if facts.low < facts.high:  # halves, since the range of doubles is no double
        position = f"greatest((s{place} / 2 - {low}) / ({high} - {low}), 0.0) * {BINS}"
    coarse = _Binned(place, position, "")
    query = (
        f"select {coarse.leaf} // {MOST_PARTS}, count(*) from {coarse.added_to(source)} group by 1"  # noqa: S608
    )
    found = np.array(rows.run(query).fetchall(), dtype=np.int64).reshape(-1, 2)
    parts = parts_of_bins(found[:, 1])
    heavy = [f"({k}, {m})" for k, m in zip(found[:, 0], parts, strict=True) if m > 1]
    return _Binned(place, position, ", ".join(heavy))


def _items(question: Question, kept: str = "") -> str:
    """The number of items, of some rows only."""
    which = f" filter ({kept})" if kept else ""
    return f"count(*){which}" if question.count is None else f"sum(c){which}"


def _counts(leaf: str, source: str, question: Question, more: str = "") -> str:
    positives, negatives = (_items(question, f"y = {side}") for side in (1, 0))
    return (
        f"select {leaf} as leaf, coalesce({positives}, 0)::bigint as p, "  # noqa: S608
        f"coalesce({negatives}, 0)::bigint as q{more} from {source} group by 1"
    )


def _leaves(rows: DatabaseRows, source: str, question: Question, binned: _Binned) -> Leaves:
    ends = f", min({binned.score}) as low, max({binned.score}) as high"
    query = _counts(binned.leaf, binned.added_to(source), question, ends)
    found = rows.run(f"{query} order by 1").fetchnumpy()
    low, high = (np.asarray(found[name], dtype=np.float64) for name in ("low", "high"))
    return Leaves(
        low=low,
        positives=np.asarray(found["p"], dtype=np.int64),
        negatives=np.asarray(found["q"], dtype=np.int64),
        mixed=low < high,
    )


def _sums(
    rows: DatabaseRows, source: str, binned: Sequence[_Binned], question: Question
) -> dict[int, Sums]:
    """Sums of doubled placements and of their products in each class, as whole numbers."""
    placed, tables = source, []
    for one in binned:
        tables.append(f"b{one.place} as materialized ({_base(source, one, question)})")
        placed = one.added_to(placed)
        placed = _ranked(placed, one, question) if question.exact else placed
    joins = " ".join(f"join b{one.place} on {one.leaf} = b{one.place}.leaf" for one in binned)
    values = ", ".join(f"({_value(one, question)})::hugeint as v{one.place}" for one in binned)
    amount = "1" if question.count is None else "c"
    size = len(binned)
    terms = [f"sum({amount})", *(f"sum({amount} * v{i})" for i in range(size))]
    terms += [f"sum({amount} * v{i} * v{j})" for i in range(size) for j in range(i, size)]
    query = (
        f"with {', '.join(tables)} select y, {', '.join(terms)} "  # noqa: S608
        f"from (select {'y' if question.count is None else 'y, c'}, {values} "
        f"from {placed} t {joins}) group by y"
    )
    found = {int(y): [int(one) for one in rest] for y, *rest in rows.run(query).fetchall()}
    return {side: _read(found.get(side), size) for side in (0, 1)}


def _base(source: str, binned: _Binned, question: Question) -> str:
    """Of each leaf: negatives in those below it, positives in those above, and its own."""
    counts = _counts(binned.leaf, binned.added_to(source), question)
    return (
        "select leaf, p, q, (sum(q) over (order by leaf))::bigint - q as below, "  # noqa: S608
        f"(sum(p) over (order by leaf desc))::bigint - p as above from ({counts})"
    )


def _ranked(source: str, binned: _Binned, question: Question) -> str:
    """With twice the midrank of each item in its leaf: among all items, and among negatives."""
    window = f"(partition by {binned.leaf} order by {binned.score}"
    upto = f"{window} range between unbounded preceding and current row)"
    before = f"{window} range between unbounded preceding and current row exclude group)"
    terms = [
        f"({_items(question, kept)} over {upto} + coalesce({_items(question, kept)} over {before}, 0))"
        f"::bigint as {name}{binned.place}"
        for name, kept in (("t", ""), ("q", "y = 0"))
    ]
    return f"(select *, {', '.join(terms)} from {source})"  # noqa: S608


def _value(binned: _Binned, question: Question) -> str:
    """Twice the number of items of the other class on the right side."""
    base = f"b{binned.place}"
    if not question.exact:
        return f"if(y = 1, 2 * {base}.below + {base}.q, 2 * {base}.above + {base}.p)"
    ranks, negatives = f"t{binned.place}", f"q{binned.place}"
    return (
        f"if(y = 1, 2 * {base}.below + {negatives}, "
        f"2 * {base}.above + 2 * {base}.p - ({ranks} - {negatives}))"
    )


def _read(found: list[int] | None, size: int) -> Sums:
    if found is None:
        return Sums(items=0, placed=(0,) * size, products=((0,) * size,) * size)
    items, *rest = found
    products = [[0] * size for _ in range(size)]
    listed = iter(rest[size:])
    for i in range(size):
        for j in range(i, size):
            products[i][j] = products[j][i] = next(listed)
    return Sums(items=items, placed=tuple(rest[:size]), products=tuple(map(tuple, products)))
