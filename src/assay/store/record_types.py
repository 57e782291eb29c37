"""What the store keeps: the plan of a study, the record of a task, and predictions as bytes."""

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.core.errors import EvidenceError

Status = Literal["ok", "failed", "timeout", "memory", "lost"]
Part = Literal["test", "train"]

CODEC = "assay-arrays/1"
"""MessagePack map of name -> [dtype, shape, little-endian bytes]; see docs/inside/store.md."""
LOST = "unreadable"
"""Begins what stands in a rescued store for a data set, learner or environment that was not readable."""
_NUMBERS = re.compile(r"[<|](b1|[iu][1248]|f[48])")
"""NumPy's names of the types that arrays of a store have."""


class PlanEntry(NamedTuple):
    """One cell of a study's plan: which task stands for which learner, data set and split."""

    key: str
    dataset: str
    learner: str
    repeat: int
    fold: int
    train_size: int | None = None
    noise_on: str | None = None
    noise_level: float | None = None

    @property
    def plain(self) -> bool:
        """All training data as they are: no point of a learning or noise curve besides."""
        return self.train_size is None and self.noise_on is None


class DatasetFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A data set as the store knows it: its fingerprint and its truth, not its features."""

    fingerprint: str
    name: str
    task: str
    target: str
    source: str
    n: int
    classes: tuple[str, ...]
    arrays: bytes
    """``truth`` (class codes or numbers) and, where items come in groups, ``groups``."""

    def row(self) -> dict[str, Any]:
        """As the table of data sets has it."""
        classes = msgspec.json.encode(self.classes).decode()
        return {**msgspec.structs.asdict(self), "classes": classes}


class LearnerFacts(msgspec.Struct, frozen=True, kw_only=True):
    digest: str
    description: str
    """Canonical JSON: class, package, version and every parameter."""


class MeasureFacts(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    direction: str


class StudyPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a study intends to run."""

    study: str
    spec: str
    """The study as canonical JSON, for people and reports."""
    seed: int
    datasets: tuple[DatasetFacts, ...]
    learners: tuple[LearnerFacts, ...]
    measures: tuple[MeasureFacts, ...]
    entries: list[PlanEntry]

    def by_key(self) -> dict[str, tuple[DatasetFacts, LearnerFacts]]:
        """The data set and the learner of every task."""
        datasets = {one.name: one for one in self.datasets}
        names = dict.fromkeys(entry.learner for entry in self.entries)
        learners = dict(zip(names, self.learners, strict=False))  # both in the study's order
        return {one.key: (datasets[one.dataset], learners[one.learner]) for one in self.entries}

    def digest(self) -> str:
        """The same for the same plan, so that an unchanged one is not written again."""
        state = hashlib.blake2b(self.spec.encode(), digest_size=16)
        state.update(msgspec.json.encode([self.datasets, self.learners, self.measures]))
        state.update(msgspec.msgpack.encode(self.entries))
        return state.hexdigest()


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds, on the clock (wall) and of the processor (cpu)."""

    fit_wall: float
    fit_cpu: float
    predict_wall: float
    predict_cpu: float
    train_predict_wall: float = 0.0
    train_predict_cpu: float = 0.0


class Tuned(msgspec.Struct, frozen=True, kw_only=True):
    """What the inner search chose, and the score that made it choose."""

    params: dict[str, Any]
    score: float | None
    measure: str
    candidates: int


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one task, complete or failed."""

    key: str
    status: Status
    dataset: str
    """Fingerprint."""
    learner: str
    """Digest of the learner's description."""
    seed: int
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    n_train: int | None = None
    n_test: int | None = None
    scores: dict[str, float | None] = msgspec.field(default_factory=dict)
    train_scores: dict[str, float | None] = msgspec.field(default_factory=dict)
    times: Times | None = None
    complexity: dict[str, float] = msgspec.field(default_factory=dict)
    """By name; the first is the one shown."""
    tuned: Tuned | None = None
    noise_rate: float | None = None
    """On a noise curve: the share of labels or feature values that really changed."""
    warnings: tuple[str, ...] = ()
    error: str | None = None
    limit: float | None = None
    """The limit that was exceeded: seconds or megabytes."""
    attempts: int = 1
    arrays: bytes | None = None
    """Per-item predictions, by :func:`pack`."""


def pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Named arrays of numbers as bytes."""
    form = {}
    for name, array in arrays.items():
        plain = np.ascontiguousarray(array)
        plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
        form[name] = (plain.dtype.str, plain.shape, plain.tobytes())
    return msgspec.msgpack.encode(form)


def unpack(data: bytes, codec: str = CODEC) -> dict[str, NDArray[Any]]:
    """The arrays that :func:`pack` wrote."""
    if codec != CODEC:
        raise EvidenceError(f"predictions are written in {codec}; this assay reads {CODEC}")
    try:
        form = msgspec.msgpack.decode(data, type=dict[str, tuple[str, list[int], bytes]])
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise EvidenceError(f"not arrays of {CODEC}: {error}") from None
    return {name: _array(name, *parts) for name, parts in form.items()}


def _array(name: str, kind: str, shape: Sequence[int], content: bytes) -> NDArray[Any]:
    """An array, if type and shape are what its bytes hold; nothing but numbers is made of them."""
    if not _NUMBERS.fullmatch(kind):
        raise EvidenceError(f"{name} has the type {kind[:20]!r}, which is none of ours")
    dtype = np.dtype(kind)
    sound = len(shape) <= 2 and all(0 <= size < 2**31 for size in shape)
    if not sound or len(content) != math.prod(shape) * dtype.itemsize:
        raise EvidenceError(f"{name} has {len(content)} bytes, not those of {list(shape)[:4]}")
    return np.frombuffer(content, dtype=dtype).reshape(shape)


def smallest_codes(codes: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers of at least 0 in the smallest type that holds them."""
    top = int(codes.max(initial=0))
    kind = np.uint8 if top < 2**8 else np.uint16 if top < 2**16 else np.uint32
    return codes.astype(kind)


def chunks(values: Sequence[str], size: int = 500) -> list[Sequence[str]]:
    """Lists short enough for one SQL statement."""
    return [values[start : start + size] for start in range(0, len(values), size)]
