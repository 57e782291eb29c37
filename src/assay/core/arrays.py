"""Kinds of arrays, in one place: what signatures of the whole package speak of."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
AnyIntArray = NDArray[np.integer[Any]]
IndexArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
ComplexArray = NDArray[np.complex128]
