"""Zip archives read member by member, never extracted: sizes are counted, not believed.

The standard library reads the directory, under a cap, and knows zstd only from Python 3.14. Members are
unpacked here: stored, deflate or zstd, as Inspect writes them, perhaps in several frames.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from assay.core.errors import EvidenceError
from assay.evidence.readers.formats import zstd_module

MAX_DIRECTORY = 40 * 2**20
"""Bytes of the list of members, some 500,000 of them."""
MAX_MEMBER = 2**30
MAX_TOTAL = 2**32
FREE = 64 * 2**20
"""Bytes that a member may unpack to at any ratio."""
MAX_RATIO = 250

_PIECE = 2**18
_LOCAL = struct.Struct("<4s22x2H")
_LINK = 0o120000


class _Capped(io.FileIO):
    """A file of which nobody reads more than a directory may have at once: zipfile reads it whole."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_DIRECTORY:
            raise EvidenceError(f"it has a directory of {size:,} bytes")
        return super().read(size)  # type: ignore[return-value]


def directory_of(path: Path, title: str) -> list[zipfile.ZipInfo]:
    """The members that an archive lists; none is opened."""
    try:
        with _Capped(path) as stream, zipfile.ZipFile(stream) as archive:
            return archive.infolist()
    except EvidenceError as error:
        raise EvidenceError(f"{title} is no log: {error}") from None
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error):
        raise EvidenceError(
            f"{title} is no complete zip archive: it was cut off, is damaged, or is being written"
        ) from None
    except OSError as error:
        raise EvidenceError(f"{title} cannot be read: {error.strerror}") from None


@dataclass(slots=True)
class Archive:
    """The members of a zip file whose names ``allowed`` accepts; of two with one name the last counts."""

    path: Path
    title: str
    members: dict[str, zipfile.ZipInfo]
    unpacked: int = 0

    @staticmethod
    def open(path: Path, title: str, allowed: Callable[[str], bool]) -> "Archive":
        """Read the directory, no member."""
        listed = directory_of(path, title)
        return Archive(
            path, title, {m.orig_filename: m for m in listed if allowed(m.orig_filename)}
        )

    def read(self, name: str) -> bytes:
        """A member unpacked in memory, its length and checksum checked."""
        member = self.members[name]
        where = f"{name} in {self.title}"
        if member.flag_bits & 1:
            raise EvidenceError(f"{where} is encrypted")
        if (member.external_attr >> 16) & 0o170000 == _LINK:
            raise EvidenceError(f"{where} is a symbolic link; assay follows none")
        parts = []
        read = 0
        with self.path.open("rb") as stream:
            stream.seek(max(member.header_offset, 0))
            local = stream.read(_LOCAL.size)
            if len(local) < _LOCAL.size or not local.startswith(b"PK\x03\x04"):
                raise EvidenceError(f"{where} is not where the directory of the archive says")
            stream.seek(sum(_LOCAL.unpack(local)[1:]), 1)
            for part in _unpacked(stream, member, where):
                read += len(part)
                self._count(len(part), read, member, where)
                parts.append(part)
        data = b"".join(parts)
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise EvidenceError(f"{where} is damaged: its length or checksum is not the stated one")
        return data

    def _count(self, more: int, read: int, member: zipfile.ZipInfo, where: str) -> None:
        self.unpacked += more
        if read > MAX_MEMBER or self.unpacked > MAX_TOTAL:
            raise EvidenceError(
                f"{where} unpacks to more than assay reads ({MAX_MEMBER:,} bytes of one member, "
                f"{MAX_TOTAL:,} of all)"
            )
        if read > FREE and read > MAX_RATIO * max(1, member.compress_size):
            raise EvidenceError(
                f"{where} unpacks to more than {MAX_RATIO} times its size: a zip bomb, or no log"
            )


def _unpacked(stream: IO[bytes], member: zipfile.ZipInfo, where: str) -> Iterator[bytes]:
    """The bytes of a member in pieces."""
    unpack = _UNPACK.get(member.compress_type)
    if unpack is None:
        raise EvidenceError(
            f"{where} is packed by method {member.compress_type}; assay reads stored, deflate and zstd"
        )
    try:
        yield from unpack(_pieces(stream, member.compress_size))
    except (zlib.error, EOFError):
        raise EvidenceError(f"{where} is damaged") from None


def _pieces(stream: IO[bytes], left: int) -> Iterator[bytes]:
    while left > 0 and (piece := stream.read(min(_PIECE, left))):
        left -= len(piece)
        yield piece


def _inflated(pieces: Iterator[bytes]) -> Iterator[bytes]:
    engine = zlib.decompressobj(-zlib.MAX_WBITS)
    for piece in pieces:
        rest = piece
        while rest and not engine.eof:
            yield engine.decompress(rest, _PIECE)
            rest = engine.unconsumed_tail
    yield engine.flush()


def _zstd(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Frames one after the other: Inspect may write several."""
    zstd = zstd_module()
    engine = zstd.ZstdDecompressor()
    try:
        for piece in pieces:
            rest = piece
            while rest or not engine.needs_input:
                yield engine.decompress(rest, _PIECE)
                rest = engine.unused_data if engine.eof else b""
                engine = zstd.ZstdDecompressor() if engine.eof else engine
    except zstd.ZstdError:
        raise EOFError from None


_UNPACK: dict[int, Callable[[Iterator[bytes]], Iterator[bytes]]] = {
    zipfile.ZIP_STORED: lambda pieces: pieces,
    zipfile.ZIP_DEFLATED: _inflated,
    93: _zstd,
}
