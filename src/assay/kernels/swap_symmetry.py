"""One orientation for A against B and B against A, so that swapping them mirrors every draw."""

from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IndexArray


def oriented(values: FloatArray, *companions: FloatArray) -> tuple[IndexArray, int]:
    """An order of signed values that forgets how they came, and the sign they are to be read with.

    ``values[order] * sign`` is the same for ``values`` in any order and for ``-values``. Companions
    belong to the values and have no sign. The sign is 0 where the values are their own mirror
    image: then an answer has to be made symmetric.
    """
    orders = [np.lexsort((*companions[::-1], sign * values)) for sign in (1.0, -1.0)]
    forward, backward = (
        np.stack([sign * values[order], *(one[order] for one in companions)], axis=1).ravel()
        for sign, order in zip((1.0, -1.0), orders, strict=True)
    )
    differs = np.flatnonzero(forward != backward)
    if differs.size == 0:
        return orders[0], 0
    first = differs[0]
    return (orders[0], 1) if forward[first] < backward[first] else (orders[1], -1)


def mirrored(left: Any, right: Any, sign: int) -> tuple[Any, Any]:
    """What was found left and right of zero, in the orientation of the caller."""
    if sign == 0:
        middle = (left + right) / 2.0
        return middle, middle
    return (left, right) if sign > 0 else (right, left)
