"""Zip archives, honest and forged."""

import struct
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

STORED, DEFLATE, ZSTD = 0, 8, 93


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A member; whatever is not said is true of the data."""

    name: str
    data: bytes
    method: int = DEFLATE
    size: int | None = None
    crc: int | None = None
    mode: int = 0o600
    flags: int = 0
    frames: int = 1


def write_zip(path: Path, entries: Sequence[Entry]) -> Path:
    """A zip archive, with central directory and end record."""
    body, directory = bytearray(), bytearray()
    for entry in entries:
        packed = pack(entry.data, entry.method, entry.frames)
        name = entry.name.encode()
        size = len(entry.data) if entry.size is None else entry.size
        crc = zlib.crc32(entry.data) if entry.crc is None else entry.crc
        facts = (20, entry.flags, entry.method, 0, 0, crc, len(packed), size, len(name), 0)
        place = len(body)
        body += struct.pack("<4s5H3L2H", b"PK\x03\x04", *facts) + name + packed
        directory += struct.pack(
            "<4s6H3L5H2L", b"PK\x01\x02", 20, *facts, 0, 0, 0, entry.mode << 16, place
        )
        directory += name
    count = min(len(entries), 0xFFFF)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(body), 0)
    path.write_bytes(bytes(body) + bytes(directory) + end)
    return path


def pack(data: bytes, method: int, frames: int = 1) -> bytes:
    if method == DEFLATE:
        engine = zlib.compressobj(9, zlib.DEFLATED, -15)
        return engine.compress(data) + engine.flush()
    if method == ZSTD:
        zstd = import_module(
            "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        )
        step = -(-len(data) // frames) or 1
        return b"".join(zstd.compress(data[at : at + step]) for at in range(0, len(data), step))
    return data
