"""The file `run-….wandb` of a run of W&B, which is all that an offline run leaves behind.

Records of protocol buffers in a log of blocks, as LevelDB writes its own: of each record only the name of the run,
its configuration, its summary and what it logged are looked at.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.evidence.readers.tracked_run import TrackedRun, numbers

MAGIC = b":W&B"
_START = 7
_BLOCK = 2**15
_HEAD = struct.Struct("<IHB")
"""Of a piece: its checksum, its size, and whether it is whole (1), the first (2), a middle (3) or the last (4)."""
_LARGEST = 2**28
_HISTORY, _SUMMARY, _CONFIG, _RUN, _EXIT = 2, 3, 5, 17, 18
"""Fields of a record; the last three are read for what a run is, and whether it ended."""
_RUN_CONFIG, _DISPLAY_NAME = 4, 8
_KEY, _NESTED_KEY, _VALUE = 1, 2, 16


def run_of(path: Path) -> TrackedRun:
    """The run in one file; without the record of its end it did not finish."""
    given: dict[str, Any] = {}
    history: dict[str, Any] = {}
    summary: dict[str, Any] = {}
    name, finished = path.parent.name, False
    for record in _records(path):
        for field, body in _fields(record, path):
            if field == _HISTORY:
                history |= _items(body, path)
            elif field == _SUMMARY:
                summary |= _items(body, path)
            elif field == _CONFIG:
                given |= _items(body, path)
            elif field == _EXIT:
                finished = not any(number == 1 and code for number, code in _fields(body, path))
            elif field == _RUN and isinstance(body, bytes):
                told = dict(_fields(body, path))
                given |= _items(told.get(_RUN_CONFIG, b""), path)
                name = _text(told.get(_DISPLAY_NAME, b"")) or name
    return TrackedRun(name, given, numbers(history | summary), finished)


def _records(path: Path) -> Iterator[bytes]:
    if path.stat().st_size > _LARGEST:
        raise EvidenceError(f"{path} is larger than {_LARGEST:,} bytes")
    data = path.read_bytes()
    place, parts = _START, b""
    while place + _HEAD.size <= len(data):
        left = _BLOCK - place % _BLOCK
        if left < _HEAD.size:  # no piece begins in so small a rest of a block
            place += left
            continue
        _, size, kind = _HEAD.unpack_from(data, place)
        body = data[place + _HEAD.size : place + _HEAD.size + size]
        place += _HEAD.size + size
        if kind not in (1, 2, 3, 4) or len(body) < size:
            return  # a run that was cut off in the middle of a record
        parts = body if kind in (1, 2) else parts + body
        if kind in (1, 4):
            yield parts


def _fields(message: bytes | int, path: Path) -> Iterator[tuple[int, bytes | int]]:
    """Numbers and bodies of the fields of a message."""
    data, place = message if isinstance(message, bytes) else b"", 0
    while place < len(data):
        tag, place = _whole(data, place, path)
        kind = tag & 7
        if kind == 0:
            value, place = _whole(data, place, path)
            yield tag >> 3, value
            continue
        size, place = (
            _whole(data, place, path) if kind == 2 else ({1: 8, 5: 4}.get(kind, -1), place)
        )
        if size < 0 or place + size > len(data):
            raise EvidenceError(f"{path} cannot be read as a run of W&B")
        yield tag >> 3, data[place : place + size]
        place += size


def _whole(data: bytes, place: int, path: Path) -> tuple[int, int]:
    """A number in groups of seven bits, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            break
        value |= (data[place] & 127) << shift
        place += 1
        if data[place - 1] < 128:
            return value, place
    raise EvidenceError(f"{path} cannot be read as a run of W&B")


def _items(message: bytes | int, path: Path) -> dict[str, Any]:
    """Names and values of a list of updates; a nested name is joined by points."""
    found = {}
    for number, update in _fields(message, path):
        if number != 1 or not isinstance(update, bytes):
            continue
        parts = list(_fields(update, path))
        names = [_text(body) for field, body in parts if field in (_KEY, _NESTED_KEY)]
        value = next((body for field, body in parts if field == _VALUE), b"")
        name = ".".join(filter(None, names))
        if name and isinstance(value, bytes):
            try:
                found[name] = msgspec.json.decode(value)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                found.pop(name, None)  # NaN, or what is no plain value
    return found


def _text(body: bytes | int) -> str:
    return body.decode("utf-8", "replace") if isinstance(body, bytes) else ""
