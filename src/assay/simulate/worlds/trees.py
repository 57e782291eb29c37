"""Many small trees grown side by side, level by level: the tree of scikit-learn with one random feature.

At each node one feature is drawn; the threshold is the best by Gini's impurity that leaves `LEAF`
items on either side (the first of equals), half-way between two training items. A node is a leaf if
it is pure or too small to split; it says the majority, class 0 on a draw.
"""

from typing import NamedTuple

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IntArray

Generator = np.random.Generator
LEAF = 5


class Items(NamedTuple):
    """The items that trees meet: features (items, d), labels, and order within each feature.

    ``place`` (d, items) is a number for each item by which items of one sample sort as by the
    feature; ``at`` (d, numbers) is the item with that number.
    """

    features: FloatArray
    truth: IntArray
    place: IntArray
    at: IntArray


class NodeCuts(NamedTuple):
    """How the nodes of one level are cut, and the items of those nodes in order of their feature."""

    feature: IntArray
    threshold: FloatArray
    owner: IntArray
    item: IntArray
    goes_left: BoolArray


def items_of(features: FloatArray, truth: IntArray) -> Items:
    """Items of samples (samples, n, d), numbered one sample after the other."""
    samples, n, d = features.shape
    order = np.argsort(features, axis=1)
    start = n * np.arange(samples)[:, None]
    place = np.empty((d, samples * n), dtype=np.int64)
    at = np.empty((d, samples * n), dtype=np.int64)
    for feature in range(d):
        at[feature] = (order[:, :, feature] + start).ravel()
        place[feature, at[feature]] = np.arange(samples * n)
    return Items(features.reshape(samples * n, d), truth.reshape(-1), place, at)


def grow_and_say(
    items: Items, train: tuple[IntArray, IntArray], test: tuple[IntArray, IntArray], rng: Generator
) -> IntArray:
    """What is said of each test item by its own tree; ``train`` and ``test`` are (tree, item) pairs.

    Trees are numbered from 0, and each has training items, all from one sample.
    """
    owner, item = train
    node, asked = test
    said = np.zeros(asked.size, dtype=np.int64)
    waiting = np.arange(asked.size)
    count = int(owner.max()) + 1
    while count:
        sizes = np.bincount(owner, minlength=count)
        ones = np.bincount(owner, weights=items.truth[item], minlength=count)
        splits = (sizes >= 2 * LEAF) & (ones > 0) & (ones < sizes)
        ends = ~splits[node]
        said[waiting[ends]] = (2.0 * ones > sizes)[node[ends]]
        waiting, node = waiting[~ends], node[~ends]
        number = np.cumsum(splits) - 1
        kept = splits[owner]
        owner, item, node = number[owner[kept]], item[kept], number[node]
        count = int(splits.sum())
        if not count or not waiting.size:
            break
        cut = _cut(items, owner, item, rng.integers(items.place.shape[0], size=count))
        owner, item = 2 * cut.owner + ~cut.goes_left, cut.item
        value = items.features[asked[waiting], cut.feature[node]]
        node = 2 * node + (value > cut.threshold[node])
        count *= 2
    return said


def _cut(items: Items, owner: IntArray, item: IntArray, feature: IntArray) -> NodeCuts:
    """The best cut of every node on its feature."""
    total = items.truth.size
    keys = owner * total + items.place[feature[owner], item]
    keys.sort()
    owner, place = np.divmod(keys, total)
    item = items.at[feature[owner], place]
    sizes = np.bincount(owner)
    start = np.cumsum(sizes) - sizes
    upto = np.cumsum(items.truth[item])
    before = np.append(0, upto)[start]
    ones = np.append(0, upto)[start + sizes] - before
    left = (np.arange(owner.size) - start[owner] + 1).astype(np.float64)
    right = sizes[owner] - left
    ones_left = upto - before[owner]
    ones_right = ones[owner] - ones_left
    # minus the weighted impurity, up to what a node's cuts share
    worth = np.full(owner.size, -np.inf)
    able = (left >= LEAF) & (right >= LEAF)
    worth[able] = (ones_left[able] ** 2 + (left - ones_left)[able] ** 2) / left[able] + (
        ones_right[able] ** 2 + (right - ones_right)[able] ** 2
    ) / right[able]
    best = np.maximum.reduceat(worth, start)
    # sums of squares over counts of the same node differ by far more than rounding, or not at all
    top = worth >= best[owner] - 1e-9 * np.abs(best[owner])
    last = np.minimum.reduceat(np.where(top, np.arange(owner.size), owner.size), start)
    values = items.features
    threshold = (values[item[last], feature] + values[item[last + 1], feature]) / 2.0
    return NodeCuts(feature, threshold, owner, item, np.arange(owner.size) <= last[owner])
