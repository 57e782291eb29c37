"""Scores ranked in SQL, by DuckDB or on a cluster: two passes over the rows for each model.

The first counts the items of each class by bin, the second places every item. See `score_ranks.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from assay.core.arrays import IntArray
from assay.core.errors import NotApplicable
from assay.evidence.cell_text import class_text
from assay.evidence.rows_sql import SqlRows
from assay.evidence.score_ranks import (
    BINS,
    MOST_CUTS,
    MOST_PARTS,
    Leaves,
    Placed,
    RankedColumns,
    Sums,
    parts_of_bins,
    placed_from,
)

if TYPE_CHECKING:
    from assay.evidence.predictions import Predictions


def place(evidence: "Predictions", models: tuple[str, ...]) -> Placed:
    """The areas of the models, from sums made where the rows are; only bins and sums come back."""
    return placed_in(_rows(evidence), _question(evidence, models))


def placed_in(rows: SqlRows, question: RankedColumns) -> Placed:
    source = _source(rows, question)
    found = _refined(rows, source, question)
    leaves = [leaves for _, leaves in found]
    if question.exact or len(leaves) > 1:
        by_class = _sums(rows, source, found, question)
    else:
        by_class = leaves[0].sums()
    return placed_from(by_class[1], by_class[0], leaves, exact=question.exact)


def leaves(evidence: "Predictions", model: str) -> Leaves:
    """The items of each class by bins of the scores of one model."""
    rows, question = _rows(evidence), _question(evidence, (model,))
    ((_, found),) = _refined(rows, _source(rows, question), question)
    return found


def _rows(evidence: "Predictions") -> SqlRows:
    if not isinstance(evidence.rows, SqlRows):
        raise TypeError("scores in memory are ranked there")
    return evidence.rows


def _question(evidence: "Predictions", models: tuple[str, ...]) -> RankedColumns:
    if evidence.weighted or evidence.clusters is not None:
        what = "importance weights" if evidence.weighted else "clusters"
        raise NotApplicable(
            f"scores={evidence.scores!r} ranks independent, unweighted items, and these have {what}: "
            "use scores='memory'"
        )
    evidence.check_positive()
    positive = str(evidence.positive)
    own = [evidence.columns_of[model] for model in models]
    return RankedColumns(
        truth=evidence.roles["truth"],
        positive=positive,
        scores=tuple(of.scores or of.probabilities[positive] for of in own),
        count=evidence.roles.get("count"),
        exact=evidence.scores == "exact",
    )


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

    def added_to(self, source: str, columns: Sequence[str]) -> str:
        """Some columns of a source, and the leaf: whole numbers in the order of the scores.

        ``x`` is where in its leaf a score lies; parts are powers of two, so nothing is rounded.
        """
        kept = ", ".join(columns)
        cut = (
            f"(select {kept}, l, k - l as x "  # noqa: S608
            f"from (select *, cast(least(floor(k), {BINS - 1}) as bigint) as l "
            f"from (select {kept}, {self.position} as k from {source})))"
        )
        for crowded in self.cuts:
            cut = (
                f"(select {kept}, l * {MOST_PARTS} + part as l, x * m - part as x "  # noqa: S608
                "from (select *, cast(least(floor(x * m), m - 1) as bigint) as part from (select t.*, coalesce(h.m, 1) "
                f"as m from {cut} t left join (values {crowded}) h(l, m) on t.l = h.l)))"
            )
        return f"(select {kept}, l as {self.leaf} from {cut})"  # noqa: S608


def _refined(rows: SqlRows, source: str, question: RankedColumns) -> list[tuple[_Binned, Leaves]]:
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
    low, high = (f"cast('{end!r}' as double) / 2" for end in (least, most))
    # halves, since the range of doubles is no double
    return f"greatest(({score} / 2 - {low}) / ({high} - {low}), 0.0) * {BINS}"


def _source(rows: SqlRows, question: RankedColumns) -> str:
    """Rows as y (1 is positive), c (how many items) and the scores s0, s1, …; −0 becomes 0."""
    raw = rows.raw(question.truth)
    text = f"cast({raw} as string)"
    found = rows.ask(f"distinct {raw} as class", f"{text} as text")
    positive = [
        rows.dialect.literal(t) for value, t in found if class_text(value) == question.positive
    ]
    terms = [f"cast({text} in ({', '.join(positive)}) as int) as y" if positive else "0 as y"]
    if question.count is not None:
        terms.append(f"cast(floor({rows.number(question.count)}) as bigint) as c")
    terms += [
        f"{rows.number(name)} + 0.0 as s{place}" for place, name in enumerate(question.scores)
    ]
    kept = "" if question.count is None else " where c > 0"
    return f"(select * from (select {', '.join(terms)} from {rows.table}){kept})"  # noqa: S608


def _columns(question: RankedColumns) -> list[str]:
    scores = [f"s{place}" for place in range(len(question.scores))]
    return ["y", *scores] if question.count is None else ["y", "c", *scores]


def _items(question: RankedColumns, kept: str = "true") -> str:
    """The number of items, of some rows only."""
    if question.count is None:
        return "count(*)" if kept == "true" else f"count(if({kept}, 1, null))"
    return f"sum(if({kept}, c, 0))"


def _counts(binned: _Binned, source: str, question: RankedColumns, more: str = "") -> str:
    positives, negatives = (_items(question, f"y = {side}") for side in (1, 0))
    binned_rows = binned.added_to(source, _columns(question))
    return (
        f"select {binned.leaf} as leaf, cast({positives} as bigint) as p, "  # noqa: S608
        f"cast({negatives} as bigint) as q{more} from {binned_rows} group by 1"
    )


def _leaves(
    rows: SqlRows, source: str, question: RankedColumns, binned: _Binned
) -> tuple[IntArray, Leaves]:
    ends = f", min({binned.score}) as low, max({binned.score}) as high"
    query = _counts(binned, source, question, ends)
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
    rows: SqlRows, source: str, found: Sequence[tuple[_Binned, Leaves]], question: RankedColumns
) -> dict[int, Sums]:
    """Sums of doubled placements and of their products in each class, as whole numbers."""
    placed, tables, columns = source, [], _columns(question)
    binned = [one for one, _ in found]
    for one, leaves in found:
        # the limit leaves nothing out, nor is the join an outer one: both tell DuckDB which side is small
        base = f"{_base(source, one, question)} limit {leaves.low.size}"
        tables.append(f"b{one.place} as {rows.dialect.kept}({base})")
        placed = one.added_to(placed, columns)
        columns = [*columns, one.leaf]
        if question.exact:
            placed = _ranked(placed, one, question, rows.dialect.before)
            columns += [f"t{one.place}", f"q{one.place}"]
    joins = " ".join(f"left join b{one.place} on {one.leaf} = b{one.place}.leaf" for one in binned)
    wide = [
        f"cast({_value(one, question)} as {rows.dialect.wide}) as v{one.place}" for one in binned
    ]
    amount = "1" if question.count is None else "c"
    size = len(binned)
    terms = [f"sum({amount})", *(f"sum({amount} * v{i})" for i in range(size))]
    terms += [f"sum({amount} * v{i} * v{j})" for i in range(size) for j in range(i, size)]
    query = (
        f"with {', '.join(tables)} select y, {', '.join(terms)} "  # noqa: S608
        f"from (select y, {amount} as c, {', '.join(wide)} from {placed} t {joins}) group by y"
    )
    by_class = {int(y): [int(one) for one in rest] for y, *rest in rows.run(query).fetchall()}
    return {side: _read(by_class.get(side), size) for side in (0, 1)}


def _base(source: str, binned: _Binned, question: RankedColumns) -> str:
    """Of each leaf: negatives in those below it, positives in those above, and its own."""
    return (
        "select leaf, p, q, cast(sum(q) over (order by leaf) as bigint) - q as below, "  # noqa: S608
        f"cast(sum(p) over (order by leaf desc) as bigint) - p as above from ({_counts(binned, source, question)})"
    )


def _ranked(source: str, binned: _Binned, question: RankedColumns, before: str) -> str:
    """With twice the midrank of each item in its leaf: among all items, and among negatives."""
    leaf, score = binned.leaf, binned.score
    terms = []
    for name, kept in (("t", "true"), ("q", "y = 0")):
        items = _items(question, kept)
        smaller = before.format(items=items, leaf=leaf, score=score)
        upto = f"{items} over (partition by {leaf} order by {score})"
        terms.append(f"cast({upto} + coalesce({smaller}, 0) as bigint) as {name}{binned.place}")
    return f"(select *, {', '.join(terms)} from {source})"  # noqa: S608


def _value(binned: _Binned, question: RankedColumns) -> str:
    """Twice the number of items of the other class on the right side."""
    base = f"b{binned.place}"
    if not question.exact:
        return f"if(y = 1, 2 * {base}.below + {base}.q, 2 * {base}.above + {base}.p)"
    ranks, negatives = f"t{binned.place}", f"q{binned.place}"
    return f"if(y = 1, 2 * {base}.below + {negatives}, 2 * {base}.above + 2 * {base}.p - ({ranks} - {negatives}))"


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
