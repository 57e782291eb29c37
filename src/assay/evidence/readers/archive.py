"""Zip archives read member by member, never extracted: sizes are counted, not believed.

The standard library's zipfile reads a whole directory before anyone can object, and knows zstd only
from Python 3.14. This reads what Inspect writes (stored, deflate, zstd) under caps.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from assay.core.errors import EvidenceError, MissingDependency

MAX_ENTRIES = 500_000
MAX_DIRECTORY = 256 * 2**20
MAX_MEMBER = 2**30
MAX_TOTAL = 2**32
FREE = 64 * 2**20
"""Bytes that a member may unpack to at any ratio."""
MAX_RATIO = 250

_PIECE = 2**18
_STORED, _DEFLATE, _ZSTD = 0, 8, 93
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_UNKNOWN = 0xFFFFFFFF


class Member(NamedTuple):
    """One entry of the directory; its sizes are claims."""

    name: str
    method: int
    flags: int
    crc: int
    packed: int
    size: int
    offset: int
    mode: int


@dataclass(slots=True)
class Archive:
    """The members of a zip file whose names ``allowed`` accepts; of two with one name the last counts."""

    path: Path
    title: str
    members: dict[str, Member]
    unpacked: int = 0

    @staticmethod
    def open(path: Path, title: str, allowed: Callable[[str], bool]) -> "Archive":
        """Read the directory, no member."""
        try:
            with path.open("rb") as stream:
                listed = _directory(stream, path.stat().st_size, title)
                members = {member.name: member for member in listed if allowed(member.name)}
        except OSError as error:
            raise EvidenceError(f"{title} cannot be read: {error.strerror}") from None
        return Archive(path, title, members)

    def read(self, name: str) -> bytes:
        """A member unpacked in memory, its length and checksum checked."""
        member = self.members[name]
        where = f"{name} in {self.title}"
        if member.flags & 1:
            raise EvidenceError(f"{where} is encrypted")
        if member.mode & 0o170000 == 0o120000:
            raise EvidenceError(f"{where} is a symbolic link; assay follows none")
        with self.path.open("rb") as stream:
            stream.seek(member.offset)
            local = stream.read(_LOCAL.size)
            if len(local) < _LOCAL.size or not local.startswith(b"PK\x03\x04"):
                raise EvidenceError(f"{where} is not where the directory of the archive says")
            *_, name_size, extra_size = _LOCAL.unpack(local)
            stream.seek(name_size + extra_size, 1)
            parts = []
            read = 0
            for part in _unpacked(stream, member, where):
                read += len(part)
                self._count(len(part), read, member, where)
                parts.append(part)
        data = b"".join(parts)
        if len(data) != member.size or zlib.crc32(data) != member.crc:
            raise EvidenceError(f"{where} is damaged: its length or checksum is not the stated one")
        return data

    def _count(self, more: int, read: int, member: Member, where: str) -> None:
        self.unpacked += more
        if read > MAX_MEMBER or self.unpacked > MAX_TOTAL:
            raise EvidenceError(
                f"{where} unpacks to more than assay reads ({MAX_MEMBER:,} bytes of one member, "
                f"{MAX_TOTAL:,} of all)"
            )
        if read > FREE and read > MAX_RATIO * max(1, member.packed):
            raise EvidenceError(
                f"{where} unpacks to more than {MAX_RATIO} times its size: a zip bomb, or no log"
            )


def _directory(stream: IO[bytes], size: int, title: str) -> Iterator[Member]:
    """The entries of the central directory, at most ``MAX_ENTRIES`` of them."""
    start, length = _directory_place(stream, size, title)
    if length > MAX_DIRECTORY or start + length > size:
        raise EvidenceError(f"{title} has a directory of {length:,} bytes; it is no log")
    stream.seek(start)
    data = stream.read(length)
    place = 0
    for count in range(MAX_ENTRIES + 1):
        if place + _ENTRY.size > len(data):
            return
        if count == MAX_ENTRIES:
            raise EvidenceError(f"{title} has more than {MAX_ENTRIES:,} entries; it is no log")
        fields = _ENTRY.unpack_from(data, place)
        if fields[0] != b"PK\x01\x02":
            raise EvidenceError(f"{title} has a damaged directory")
        name_size, extra_size, comment_size = fields[10:13]
        place += _ENTRY.size
        name = data[place : place + name_size].decode("utf-8", "replace")
        extra = data[place + name_size : place + name_size + extra_size]
        place += name_size + extra_size + comment_size
        yield _member(name, fields, extra)


def _member(name: str, fields: tuple[Any, ...], extra: bytes) -> Member:
    sizes = [fields[9], fields[8], fields[16]]  # unpacked, packed, offset: the order of zip64
    if _UNKNOWN in sizes:
        wide = _extra(extra, 1)
        for place, value in enumerate(sizes):
            if value == _UNKNOWN and len(wide) >= 8:
                sizes[place] = int.from_bytes(wide[:8], "little")
                wide = wide[8:]
    return Member(
        name=name,
        method=fields[4],
        flags=fields[3],
        crc=fields[7],
        packed=sizes[1],
        size=sizes[0],
        offset=sizes[2],
        mode=fields[15] >> 16,
    )


def _extra(extra: bytes, wanted: int) -> bytes:
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<2H", extra)
        if kind == wanted:
            return extra[4 : 4 + size]
        extra = extra[4 + size :]
    return b""


def _directory_place(stream: IO[bytes], size: int, title: str) -> tuple[int, int]:
    """Where the central directory starts and how long it is."""
    back = min(size, _END.size + 2**16)
    stream.seek(size - back)
    tail = stream.read(back)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or at + _END.size > len(tail):
        raise EvidenceError(
            f"{title} is no complete zip archive: it was cut off, or is being written"
        )
    length, start = _END.unpack_from(tail, at)[5:7]
    if _UNKNOWN not in (length, start) or at < _LOCATOR.size:
        return start, length
    mark, _, end64, _ = _LOCATOR.unpack_from(tail, at - _LOCATOR.size)
    stream.seek(end64 if mark == b"PK\x06\x07" and end64 < size else size)
    wide = stream.read(_END64.size)
    if len(wide) < _END64.size or not wide.startswith(b"PK\x06\x06"):
        raise EvidenceError(f"{title} has a damaged directory")
    length, start = _END64.unpack(wide)[8:10]
    return start, length


def _unpacked(stream: IO[bytes], member: Member, where: str) -> Iterator[bytes]:
    """The bytes of a member in pieces."""
    if member.method == _STORED:
        yield from _packed(stream, member)
    elif member.method == _DEFLATE:
        yield from _inflated(stream, member, where)
    elif member.method == _ZSTD:
        yield from _zstd(stream, member, where)
    else:
        raise EvidenceError(
            f"{where} is packed by method {member.method}; assay reads stored, deflate and zstd"
        )


def _packed(stream: IO[bytes], member: Member) -> Iterator[bytes]:
    left = member.packed
    while left > 0 and (piece := stream.read(min(_PIECE, left))):
        left -= len(piece)
        yield piece


def _inflated(stream: IO[bytes], member: Member, where: str) -> Iterator[bytes]:
    engine = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for piece in _packed(stream, member):
            rest = piece
            while rest and not engine.eof:
                yield engine.decompress(rest, _PIECE)
                rest = engine.unconsumed_tail
        yield engine.flush()
    except zlib.error:
        raise EvidenceError(f"{where} is damaged") from None


def _zstd(stream: IO[bytes], member: Member, where: str) -> Iterator[bytes]:
    """Frames one after the other: Inspect may write several."""
    zstd = _library(where)
    engine = zstd.ZstdDecompressor()
    try:
        for piece in _packed(stream, member):
            rest = piece
            while rest or not engine.needs_input:
                yield engine.decompress(rest, _PIECE)
                rest = b""
                if engine.eof:
                    rest = engine.unused_data
                    engine = zstd.ZstdDecompressor()
    except (zstd.ZstdError, EOFError):
        raise EvidenceError(f"{where} is damaged") from None


def _library(where: str) -> Any:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            from backports import zstd
        except ImportError:
            raise MissingDependency(
                f"{where} is packed by zstd, which Python reads from 3.14 on; for older ones "
                "install it with `pip install assay[inspect]`"
            ) from None
    return zstd
