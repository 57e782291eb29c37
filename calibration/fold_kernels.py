"""Learners of `calibration.fold_worlds` in C, many times as fast: neighbours, stumps, trees, small nets.

`fold_kernels.c` is compiled when a process first asks for it. Where there is no compiler, or weights are
not 0 and 1, `said_by` has no answer and the plain learner is asked; both say the same, which tests hold.
"""

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import BoolArray, FloatArray

SOURCE = Path(__file__).with_suffix(".c")
FLAGS = (
    "-O3", "-march=native", "-fassociative-math", "-freciprocal-math", "-fno-signed-zeros", "-fno-math-errno",
    "-fno-trapping-math", "-ffinite-math-only", "-shared", "-fPIC",
)  # fmt: skip
"""What lets loops be vectorised; not -ffast-math, which changes how the whole process rounds."""
LOOKED = {1: 8, 5: 22}
"""Nearest items among which those trained on are sought; where they are too few, all items are."""


@cache
def library(source: Path = SOURCE) -> ctypes.CDLL | None:
    """What a file of C defines (the learners), if there is a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    with TemporaryDirectory() as folder:
        made = Path(folder) / f"{source.stem}.so"
        subprocess.run([compiler, *FLAGS, str(source), "-o", str(made), "-lm"], check=True)
        return ctypes.CDLL(str(made))


def said_by(
    learner: str, view: FloatArray, target: FloatArray, weights: FloatArray, tested: BoolArray
) -> FloatArray | None:
    """What a learner says of the items each fit is tested on, (fits, n), else 0; None where it is not compiled."""
    called = _CALLS.get(learner)
    compiled = library() if called is not None else None
    train = weights > 0.0
    if called is None or compiled is None or not np.array_equal(train, weights):
        return None
    said = np.zeros(weights.shape)
    called(compiled, view, target, _Masks(train, tested, said))
    return said


class _Masks:
    """What each fit trains on and is tested on, and the place for what it says."""

    def __init__(self, train: BoolArray, tested: BoolArray, said: FloatArray) -> None:
        self.train, self.tested = (
            np.ascontiguousarray(one, dtype=np.uint8) for one in (train, tested)
        )
        self.said = said
        self.fits, self.n = said.shape


def at(array: NDArray[Any]) -> ctypes.c_void_p:
    """Where an array begins."""
    if not array.flags.c_contiguous:
        raise ValueError("an array in C has its rows one after the other")
    return ctypes.c_void_p(array.ctypes.data)


def _nearest(
    count: int, compiled: ctypes.CDLL, view: FloatArray, target: FloatArray, masks: _Masks
) -> None:
    from scipy.spatial import cKDTree

    if masks.fits == 1 and masks.train.sum() >= count and not (masks.train & masks.tested).any():
        inside, outside = masks.train[0] > 0, masks.tested[0] > 0
        near = cKDTree(view[inside]).query(view[outside], [*range(1, count + 1)])[1]
        masks.said[0, outside] = target[inside][near].mean(axis=1)
        return
    looked = min(LOOKED[count], len(view) - 1)
    view = np.ascontiguousarray(view)
    around = np.asarray(cKDTree(view).query(view, looked + 1)[1])
    near = np.ascontiguousarray(around[:, 1:], dtype=np.int32)
    compiled.nearest(
        masks.n, view.shape[1], masks.fits, at(view), at(target), at(masks.train), at(masks.tested),
        at(near), looked, count, at(masks.said),
    )  # fmt: skip


def _stump(compiled: ctypes.CDLL, view: FloatArray, target: FloatArray, masks: _Masks) -> None:
    order = np.argsort(view.T, axis=1).astype(np.int32)
    compiled.stump(
        masks.n, view.shape[1], masks.fits, at(target), at(masks.train), at(masks.tested), at(order),
        at(masks.said),
    )  # fmt: skip


def _tree(compiled: ctypes.CDLL, view: FloatArray, target: FloatArray, masks: _Masks) -> None:
    points = np.ascontiguousarray(view.T, dtype=np.float32)
    order = np.argsort(points, axis=1).astype(np.int32)
    seed = ctypes.c_uint64(int.from_bytes(view[0].tobytes()[:8], "little"))
    compiled.tree(
        masks.n, len(points), masks.fits, at(points), at(target), at(masks.train), at(masks.tested),
        at(order), seed, at(masks.said),
    )  # fmt: skip


def _net(compiled: ctypes.CDLL, view: FloatArray, target: FloatArray, masks: _Masks) -> None:
    from calibration.fold_worlds import PACE, STEPS, beginning

    begun = beginning(view, target, masks.train.astype(np.float64))
    table, aim = (np.ascontiguousarray(one.T) for one in (begun.table, begun.aim))
    compiled.net(
        masks.n, masks.fits, at(table), at(aim), at(masks.train), at(masks.tested), at(begun.inner),
        at(begun.outer), STEPS, ctypes.c_float(PACE), at(masks.said),
    )  # fmt: skip
    masks.said *= begun.spread[:, None]
    masks.said += np.where(masks.tested, begun.middle[:, None], 0.0)


_CALLS: dict[str, Callable[[ctypes.CDLL, FloatArray, FloatArray, _Masks], None]] = {
    "1-NN": partial(_nearest, 1),
    "5-NN": partial(_nearest, 5),
    "stump": _stump,
    "tree": _tree,
    "net": _net,
}
