"""Scores ranked on a cluster: group-bys, running sums and joins of a lazy frame; see `placing.py`.

Whole numbers are summed in limbs of twelve bits, because a cluster has no wider integers than 64
bits and sums of fractions would depend on the order of adding.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.evidence.cells import class_text
from assay.evidence.engines import MAX_LEVELS, Facts
from assay.evidence.lazy import LazyRows
from assay.evidence.placing import (
    BINS,
    HEAVY,
    MOST_PARTS,
    Leaves,
    Placed,
    Question,
    Sums,
    placed_from,
)

if TYPE_CHECKING:
    import narwhals as nw

    Frame = nw.LazyFrame[Any]

LIMBS = 3
BASE = 2**12
"""Doubled placements are below BASE**LIMBS, so there may be 34 thousand million items."""


def place_lazily(rows: LazyRows, question: Question) -> Placed:
    """The areas of the models, from sums made on the cluster; only bins and sums come back."""
    import narwhals as nw

    source = _source(rows, question)
    leaves = _leaves(source)
    if not question.exact and len(leaves) == 1:
        sums = leaves[0].sums()
        return placed_from(sums[1], sums[0], leaves, exact=False)
    value: dict[str, nw.Expr] = {}
    for place, found in enumerate(leaves):
        tables = _placements if question.exact else _tied
        own = tables(source, place, int(found.positives.sum()))
        key = _score(place) if question.exact else _leaf(place)
        source = source.join(own, on=key, how="inner")
        below, above = nw.col(f"below{place}"), nw.col(f"above{place}")
        value[f"v{place}"] = nw.when(nw.col("y") == 1).then(below).otherwise(above)
    by_class = _sums(source.select("y", "c", **value), len(leaves))
    return placed_from(by_class[1], by_class[0], leaves, exact=question.exact)


def leaves_lazily(rows: LazyRows, question: Question) -> list[Leaves]:
    """The items of each class by bins of the scores of each model."""
    return _leaves(_source(rows, question))


def _source(rows: LazyRows, question: Question) -> "Frame":
    """Rows as y (1 is positive), c (how many items), the scores s0, s1, … and their leaves."""
    import narwhals as nw

    facts = rows.facts(question.scores)
    levels = rows.levels([question.truth], MAX_LEVELS)[question.truth] or ()
    positive = [v for v in levels if v is not None and class_text(v) == question.positive]
    is_positive = rows.raw(question.truth).is_in(positive)
    count = question.count
    source = rows.frame.select(
        y=nw.when(is_positive).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64),
        c=(nw.lit(1) if count is None else rows.number(count).floor()).cast(nw.Int64),
        **{_score(place): rows.number(name) + 0.0 for place, name in enumerate(question.scores)},
    ).filter(nw.col("c") > 0)
    total = rows.size(count)
    for place, name in enumerate(question.scores):
        source = _with_leaves(source, place, facts[name], total)
    return source


def _with_leaves(source: "Frame", place: int, facts: Facts, total: int) -> "Frame":
    """With the bin of each score: bins of equal width, heavy ones cut into more parts."""
    import narwhals as nw

    position = nw.lit(0.0)
    if facts.low < facts.high:  # halves, since the range of doubles is no double
        low, high = facts.low / 2, facts.high / 2
        position = (nw.col(_score(place)) / 2 - low) / (high - low) * BINS
    source = source.with_columns(x=position)
    source = source.with_columns(k=_at_most(nw.col("x").floor(), nw.lit(BINS - 1.0)))
    share = nw.col("items") * (float(BINS) / max(1, total))
    parts = nw.when(share > HEAVY).then(_at_most(share.floor(), nw.lit(float(MOST_PARTS))))
    bins = source.group_by("k").agg(items=nw.col("c").sum())
    bins = bins.select(nw.col("k"), m=parts.otherwise(nw.lit(1.0)))
    source = source.join(bins, on="k", how="inner")
    k, m = nw.col("k"), nw.col("m")
    part = _at_most(((nw.col("x") - k) * m).floor(), m - 1.0)
    leaf = (k * float(MOST_PARTS) + part).cast(nw.Int64)
    return source.with_columns(leaf.alias(_leaf(place))).drop("x", "k", "m")


def _counted(source: "Frame", keys: Sequence[str], score: str) -> "Frame":
    """Items of each class by some columns, and the ends of their scores."""
    import narwhals as nw

    y, c = nw.col("y"), nw.col("c")
    rows = source.with_columns(p=y * c, q=(1 - y) * c, of=nw.col(score))
    sums = [nw.col(name).sum().alias(name) for name in ("p", "q")]
    return rows.group_by(*keys).agg(*sums, low=nw.col("of").min(), high=nw.col("of").max())


def _leaves(source: "Frame") -> list[Leaves]:
    size = sum(name.startswith("l") for name in source.collect_schema().names())
    found = []
    for place in range(size):
        counted = _counted(source, [_leaf(place)], _score(place)).sort(_leaf(place)).collect()
        columns = list(zip(*counted.select("p", "q", "low", "high").rows(), strict=True))
        p, q, low, high = columns or ((), (), (), ())
        ends = np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)
        found.append(
            Leaves(
                low=ends[0],
                positives=np.array(p, dtype=np.int64),
                negatives=np.array(q, dtype=np.int64),
                mixed=ends[0] < ends[1],
            )
        )
    return found


def _tied(source: "Frame", place: int, positives: int) -> "Frame":
    """Doubled placements of the items of each leaf, as if its scores were equal."""
    import narwhals as nw

    leaf = _leaf(place)
    upto = [nw.col(name).cum_sum().over(order_by=leaf).alias(f"{name}_upto") for name in "pq"]
    return (
        _counted(source, [leaf], _score(place))
        .with_columns(*upto)
        .select(
            leaf,
            (2 * nw.col("q_upto") - nw.col("q")).alias(f"below{place}"),
            (2 * positives - 2 * nw.col("p_upto") + nw.col("p")).alias(f"above{place}"),
        )
    )


def _placements(source: "Frame", place: int, positives: int) -> "Frame":
    """Doubled placements of the items of each distinct score."""
    import narwhals as nw

    leaf, score = _leaf(place), _score(place)
    before = [
        (nw.col(name).cum_sum().over(order_by=leaf) - nw.col(name)).alias(f"{name}_before")
        for name in "pq"
    ]
    leaves = _counted(source, [leaf], score).with_columns(*before).drop("p", "q", "low", "high")
    within = [
        nw.col(name).cum_sum().over(leaf, order_by=score).alias(f"{name}_upto") for name in "pq"
    ]
    own = _counted(source, [leaf, score], score).with_columns(*within).join(leaves, on=leaf)
    below = 2 * (nw.col("q_before") + nw.col("q_upto")) - nw.col("q")
    above = 2 * positives - 2 * (nw.col("p_before") + nw.col("p_upto")) + nw.col("p")
    return own.select(score, below.alias(f"below{place}"), above.alias(f"above{place}"))


def _sums(source: "Frame", size: int) -> dict[int, Sums]:
    """Sums of doubled placements and of their products in each class, put together from limbs."""
    import narwhals as nw

    limbs = {
        (i, step): nw.col(f"v{i}") // BASE**step % BASE
        for i in range(size)
        for step in range(LIMBS)
    }
    c = nw.col("c")
    terms: dict[str, nw.Expr] = {"items": c}
    terms |= {f"s_{i}_{step}": c * limb for (i, step), limb in limbs.items()}
    terms |= {
        f"p_{i}_{j}_{one}_{other}": c * limbs[i, one] * limbs[j, other]
        for i in range(size)
        for j in range(i, size)
        for one in range(LIMBS)
        for other in range(LIMBS)
    }
    totals = [nw.col(name).sum().alias(name) for name in terms]
    found = source.select("y", **terms).group_by("y").agg(*totals).select("y", *terms).collect()
    by_class = {int(y): dict(zip(terms, map(int, rest), strict=True)) for y, *rest in found.rows()}
    return {side: _read(by_class.get(side, dict.fromkeys(terms, 0)), size) for side in (0, 1)}


def _read(totals: Mapping[str, int], size: int) -> Sums:
    def product(i: int, j: int) -> int:
        i, j = min(i, j), max(i, j)
        return sum(
            totals[f"p_{i}_{j}_{one}_{other}"] * BASE ** (one + other)
            for one in range(LIMBS)
            for other in range(LIMBS)
        )

    return Sums(
        items=totals["items"],
        placed=tuple(
            sum(totals[f"s_{i}_{step}"] * BASE**step for step in range(LIMBS)) for i in range(size)
        ),
        products=tuple(tuple(product(i, j) for j in range(size)) for i in range(size)),
    )


def _at_most(value: "nw.Expr", limit: "nw.Expr") -> "nw.Expr":
    import narwhals as nw

    return nw.when(value > limit).then(limit).otherwise(value)


def _score(place: int) -> str:
    return f"s{place}"


def _leaf(place: int) -> str:
    return f"l{place}"
