"""Scores ranked inside DuckDB, which spills to disk: two passes over the rows for each model.

The first counts the items of each class by bin, the second places every item. See `placing.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.evidence.cells import class_text
from assay.evidence.database import DatabaseRows, literal
from assay.evidence.placing import (
    BINS,
    MOST_CUTS,
    MOST_PARTS,
    Leaves,
    Placed,
    Question,
    Sums,
    parts_of_bins,
    placed_from,
)
from assay.evidence.tally import IntArray


def place_in_database(rows: DatabaseRows, question: Question) -> Placed:
    """The areas of the models, from sums that DuckDB made; only bins and sums come back."""
    source = _source(rows, question)
    found = _refined(rows, source, question)
    leaves = [leaves for _, leaves in found]
    if question.exact or len(leaves) > 1:
        by_class = _sums(rows, source, found, question)
    else:
        by_class = leaves[0].sums()
    return placed_from(by_class[1], by_class[0], leaves, exact=question.exact)


def leaves_in_database(rows: DatabaseRows, question: Question) -> list[Leaves]:
    """The items of each class by bins of the scores of each model."""
    return [leaves for _, leaves in _refined(rows, _source(rows, question), question)]


@dataclass(frozen=True, slots=True)
class _Binned:
    """The bin of a score in SQL: ``position`` in equal widths, crowded ones cut again and again."""

    place: int
    position: str
    cuts: tuple[str, ...] = ()

    @property
    def score(self) -> str:
        return f"s{self.place}"

    @property
    def leaf(self) -> str:
        return f"l{self.place}"

    def added_to(self, source: str) -> str:
        """The source with a column of leaves: whole numbers in the order of the scores.

        ``x`` is where in its leaf a score lies; parts are powers of two, so nothing is rounded.
        """
        cut = (
            f"(select * exclude (k), k - l as x from (select *, least(floor(k), {BINS - 1})::bigint as l "  # noqa: S608
            f"from (select *, {self.position} as k from {source})))"
        )
        for crowded in self.cuts:
            cut = (
                f"(select * exclude (x, l, m, part), x * m - part as x, "  # noqa: S608
                f"l * {MOST_PARTS} + part as l from (select *, least(floor(x * m), m - 1)::bigint as part "
                f"from (select t.*, coalesce(h.m, 1) as m from {cut} t "
                f"left join (values {crowded}) h(l, m) on t.l = h.l)))"
            )
        return f"(select * exclude (x, l), l as {self.leaf} from {cut})"  # noqa: S608


def _refined(rows: DatabaseRows, source: str, question: Question) -> list[tuple[_Binned, Leaves]]:
    """Bins of every model and what they hold; crowded bins of unequal scores are cut again."""
    scores = [f"s{place}" for place in range(len(question.scores))]
    ends = ", ".join(f"min({score}), max({score})" for score in scores)
    known = rows.run(f"select {ends} from {source}").fetchall()[0]  # noqa: S608
    found = []
    for place, score in enumerate(scores):
        binned = _Binned(place, _position(score, *known[2 * place : 2 * place + 2]))
        ids, leaves = _leaves(rows, source, question, binned)
        for _ in range(MOST_CUTS):
            parts = parts_of_bins(leaves.positives + leaves.negatives, leaves.mixed)
            crowded = [f"({ids[at]}, {parts[at]})" for at in np.flatnonzero(parts > 1)]
            if not crowded:
                break
            binned = replace(binned, cuts=(*binned.cuts, ", ".join(crowded)))
            ids, leaves = _leaves(rows, source, question, binned)
        found.append((binned, leaves))
    return found


def _position(score: str, least: float | None, most: float | None) -> str:
    """From 0 to BINS, in the order of the scores: every step of it keeps order when it rounds."""
    if least is None or most is None or not least < most:
        return "0.0"
    low, high = (f"'{end!r}'::double / 2" for end in (least, most))
    # halves, since the range of doubles is no double
    return f"greatest(({score} / 2 - {low}) / ({high} - {low}), 0.0) * {BINS}"


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


def _leaves(
    rows: DatabaseRows, source: str, question: Question, binned: _Binned
) -> tuple[IntArray, Leaves]:
    ends = f", min({binned.score}) as low, max({binned.score}) as high"
    query = _counts(binned.leaf, binned.added_to(source), question, ends)
    found = rows.run(f"{query} order by 1").fetchnumpy()
    low, high = (np.asarray(found[name], dtype=np.float64) for name in ("low", "high"))
    leaves = Leaves(
        low=low,
        positives=np.asarray(found["p"], dtype=np.int64),
        negatives=np.asarray(found["q"], dtype=np.int64),
        mixed=low < high,
    )
    return np.asarray(found["leaf"], dtype=np.int64), leaves


def _sums(
    rows: DatabaseRows, source: str, found: Sequence[tuple[_Binned, Leaves]], question: Question
) -> dict[int, Sums]:
    """Sums of doubled placements and of their products in each class, as whole numbers."""
    placed, tables = source, []
    binned = [one for one, _ in found]
    for one, leaves in found:
        # the limit leaves nothing out, nor is the join an outer one: both tell DuckDB which side is small
        base = f"{_base(source, one, question)} limit {leaves.low.size}"
        tables.append(f"b{one.place} as materialized ({base})")
        placed = one.added_to(placed)
        placed = _ranked(placed, one, question) if question.exact else placed
    joins = " ".join(f"left join b{one.place} on {one.leaf} = b{one.place}.leaf" for one in binned)
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
    by_class = {int(y): [int(one) for one in rest] for y, *rest in rows.run(query).fetchall()}
    return {side: _read(by_class.get(side), size) for side in (0, 1)}


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
