"""What the readers of evaluation logs share: items with scores, lines, and JSON that is not trusted."""

import gzip
import hashlib
import json
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeVar

import msgspec

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.core.sqlite_files import MAGIC, is_sqlite
from assay.evidence.cells import id_text, number_of, quoted, shortened

MAX_LINE = 64 * 2**20
"""Bytes of one JSON line."""
MAX_DOCUMENT = 2**31
"""Bytes of one JSON document."""
MAX_UNPACKED = 2**33
"""Bytes that a compressed file of lines may unpack to."""

_LOWER = re.compile(
    r"perplexity|bits_per_byte|brier|(?:^|[^a-z])(?:ter|wer|cer|r?mse|mae|loss|error)(?:[^a-z]|$)"
)
_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_NO_NUMBERS = {"", "nan", "none", "null", "n/a"}

Value = TypeVar("Value")
Shape = Literal["scores", "weighted", "pairs", "attempts"]


class Item(NamedTuple):
    """One answer of a model: its score, or why there is none."""

    id: str
    score: float | None
    repeat: int = 1
    content: str = ""
    """A hash of the question and its right answer, after a word for the kind of hash."""
    prompt: str = ""
    """A hash of what the model saw."""
    cluster: str | None = None
    why: str = ""
    truth: str | None = None
    answer: str | None = None
    task: str = ""
    """The task it belongs to, where several are read together."""
    weight: float | None = None
    """What it counts for in the mean, where that is not 1 for all."""


class Wanted(NamedTuple):
    """What of a log was asked for."""

    metric: str | None = None
    cluster: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogRun:
    """The scores of one model on one task.

    ``shape`` says how to read the items: by their scores, by their scores with weights, as pairs of a
    truth and an answer, or as attempts to be counted. ``measure`` is the measure that fits, where it
    is not the mean score.
    """

    path: Path
    title: str
    harness: str
    model: str
    task: str
    metric: str
    items: tuple[Item, ...]
    higher: bool = True
    shape: Shape = "scores"
    measure: str | None = None
    notes: tuple[Note, ...] = ()
    pooled: tuple["LogRun", ...] = ()
    """The runs on single tasks that were put together."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Log:
    """A run of one model on one task that was found and is read when wanted."""

    path: Path
    title: str
    model: str
    task: str
    read: Callable[[Wanted], LogRun]
    groups: tuple[str, ...] = ()
    """Names that stand for this task and others."""


def number_or_word(value: Any) -> tuple[float | None, str]:
    """The score in a cell (True, "True", "yes", 0.5, "0.5"), or None and why; text raises."""
    if value is None or value is msgspec.UNSET:
        return None, "no score was logged"
    text = value.strip().lower() if isinstance(value, str) else None
    if text in _WORDS:
        return _WORDS[text], ""
    if text in _NO_NUMBERS:
        return None, f"the score is {value!r}"
    number = number_of(value)
    if number is None:
        raise ValueError(f"{shortened(value)} is no score")
    if math.isnan(number):
        return None, "the score is NaN"
    return (number, "") if math.isfinite(number) else (None, "the score is infinite")


def higher_by_name(metric: str) -> bool:
    """Whether more of a metric is better, judged by its name alone."""
    return _LOWER.search(metric.lower()) is None


def choose(asked: str | None, available: Sequence[str], title: str) -> str:
    """The metric asked for, by its whole name or a part of it, or the only one there is."""
    if not available:
        raise EvidenceError(f"{title} holds no scores of items")
    if asked is None and len(available) == 1:
        return available[0]
    if asked in available:
        return str(asked)
    parts = [name for name in available if asked in name.replace("/", ",").split(",")]
    if len(parts) == 1:
        return parts[0]
    if parts:
        raise EvidenceError(f"metric {asked!r} of {title} could be {quoted(parts, 30)}; say which")
    raise EvidenceError(f"{title} has no metric {asked!r}; it has {quoted(available, 30)}")


def chosen_metric(
    asked: str | None, available: Sequence[str], title: str, *, scored: Sequence[str] = ()
) -> tuple[str, tuple[Note, ...]]:
    """The metric asked for, or the first that a log lists (of ``scored``, if given), and that is said."""
    if asked is not None or len(available) < 2:
        return choose(asked, available, title), ()
    metric = (scored or available)[0]
    others = [name for name in available if name != metric]
    return metric, (note("metric-taken", title=title, metric=metric, others=quoted(others, 8)),)


def digest(*parts: Any) -> str:
    """A short hash of texts and other plain values."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def fingerprint(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def cluster_of(facts: Any, key: str) -> str | None:
    """The value of ``key`` (``passage`` or ``passage.id``) as text, None where there is none."""
    value = facts
    for part in [key] if isinstance(facts, Mapping) and key in facts else key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    if value is None or isinstance(value, str | int | float | bool):
        return None if value is None or value == "" else id_text(value)
    return digest(value)


def decoded(data: bytes, decoder: "msgspec.json.Decoder[Value]", where: str) -> Value:
    """JSON as a typed value; what the decoder skips is never built. Errors name the place.

    NaN and Infinity, which harnesses write and JSON does not have, go through the standard library.
    Of a key that occurs twice the last value counts, as in the harnesses themselves.
    """
    try:
        return decoder.decode(data)
    except RecursionError:
        raise EvidenceError(f"{where} is nested too deeply") from None
    except msgspec.ValidationError as error:
        refused = str(error)
    except (msgspec.DecodeError, UnicodeDecodeError):
        refused = ""
    try:
        loose = json.loads(data)
    except RecursionError:
        raise EvidenceError(f"{where} is nested too deeply") from None
    except UnicodeDecodeError:
        raise EvidenceError(f"{where} is not UTF-8 text") from None
    except ValueError as error:
        raise EvidenceError(f"{where} is no JSON: {error}") from None
    if refused and "out of range" not in refused:
        raise EvidenceError(f"{where} is not as expected: {refused}")
    try:
        return msgspec.convert(loose, decoder.type)
    except (msgspec.ValidationError, RecursionError) as error:
        raise EvidenceError(f"{where} is not as expected: {error}") from None


def document(path: Path, title: str, decoder: "msgspec.json.Decoder[Value]") -> Value:
    """A whole file as one JSON value."""
    if path.stat().st_size > MAX_DOCUMENT:
        raise EvidenceError(f"{title} is larger than {MAX_DOCUMENT:,} bytes")
    return decoded(path.read_bytes().removeprefix(b"\xef\xbb\xbf"), decoder, title)


def json_lines(path: Path, title: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, perhaps packed by gzip, with their numbers; empty ones are skipped."""
    read = 0
    try:
        with opened(path) as stream:
            number = 0
            while line := stream.readline(MAX_LINE + 1):
                number += 1
                read += len(line)
                if len(line) > MAX_LINE:
                    raise EvidenceError(
                        f"line {number} of {title} is longer than {MAX_LINE:,} bytes"
                    )
                if read > MAX_UNPACKED:
                    raise EvidenceError(f"{title} unpacks to more than {MAX_UNPACKED:,} bytes")
                line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if line.strip():
                    yield number, line
    except (OSError, EOFError, zlib.error) as error:
        raise EvidenceError(f"{title} cannot be read: {error}") from None


def opened(path: Path) -> IO[bytes]:
    """A file for reading, unpacked where it is packed by gzip."""
    stream = path.open("rb")
    packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    if not packed:
        return stream
    stream.close()
    return gzip.open(path)  # type: ignore[return-value]


def head_of(path: Path, size: int = 2**16) -> bytes:
    """The first bytes of a file, unpacked; empty where it cannot be read."""
    try:
        if is_sqlite(path):
            return MAGIC
        with opened(path) as stream:
            return stream.read(size).removeprefix(b"\xef\xbb\xbf")
    except (OSError, EOFError, zlib.error):
        return b""


def refuse_twice(items: Iterable[tuple[str, str]], title: str) -> None:
    """Refuse an item that was scored twice, where repeats are no part of the format."""
    seen: dict[str, str] = {}
    for item, place in items:
        if item in seen:
            raise EvidenceError(
                f"{title} scores item {item!r} twice ({seen[item]}, {place}): were two runs written "
                "to one file?"
            )
        seen[item] = place
