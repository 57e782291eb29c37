"""Zip archives read member by member, never extracted, and never unpacked beyond what they claim.

The standard library reads the directory, under a cap, and knows zstd only from Python 3.14. Members are
unpacked here: stored, deflate or zstd, as Inspect writes them, perhaps in several frames.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import EvidenceError
from assay.evidence.readers.file_tables import ZIP, zstd_module

MAX_DIRECTORY = 40 * 2**20
"""Bytes of the list of members, some 500,000 of them."""
MAX_MEMBER = 2**30
MAX_TOTAL = 2**32
FREE = 64 * 2**20
"""Bytes that a member may unpack to at any ratio."""
MAX_RATIO = 250

_LOCAL = struct.Struct("<4s22x2H")
_LINK = 0o120000


class _Capped(io.FileIO):
    """A file of which nobody reads more than a directory may have at once: zipfile reads it whole."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_DIRECTORY:
            raise EvidenceError(f"it has a directory of {size:,} bytes")
        return super().read(size)


def directory_of(path: Path, title: str) -> list[zipfile.ZipInfo]:
    """The members that an archive lists; none is opened."""
    try:
        with _Capped(path) as stream, zipfile.ZipFile(stream) as archive:
            return archive.infolist()
    except EvidenceError as error:
        raise EvidenceError(f"{title} is not a log: {error}") from None
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error):
        raise EvidenceError(
            f"{title} is not a complete zip archive: it was cut off, is damaged, or is being written"
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
        members = {member.orig_filename: member for member in listed}
        return Archive(path, title, {name: members[name] for name in members if allowed(name)})

    def read(self, name: str) -> bytes:
        """A member unpacked in memory, no further than to its stated length, which is checked."""
        member = self.members[name]
        where = f"{name} in {self.title}"
        unpack = _UNPACK.get(member.compress_type)
        if unpack is None:
            raise EvidenceError(
                f"{where} is packed by method {member.compress_type}; assay reads stored, deflate and zstd"
            )
        self._check_claims(member, where)
        with self.path.open("rb") as stream:
            stream.seek(max(member.header_offset, 0))
            local = stream.read(_LOCAL.size)
            if len(local) < _LOCAL.size or not local.startswith(ZIP):
                raise EvidenceError(f"{where} is not where the directory of the archive says")
            stream.seek(sum(_LOCAL.unpack(local)[1:]), 1)
            packed = stream.read(member.compress_size)
        data = unpack(packed, member.file_size + 1, where)
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise EvidenceError(f"{where} is damaged: its length or checksum is not the stated one")
        return data

    def _check_claims(self, member: zipfile.ZipInfo, where: str) -> None:
        """Refuse what a member claims to be; one that claims less than it is will be found out."""
        if member.flag_bits & 1:
            raise EvidenceError(f"{where} is encrypted")
        if (member.external_attr >> 16) & 0o170000 == _LINK:
            raise EvidenceError(f"{where} is a symbolic link, which assay does not follow")
        if member.compress_size > self.path.stat().st_size:
            raise EvidenceError(f"{where} is damaged: it claims to be longer than the archive")
        self.unpacked += member.file_size
        if member.file_size > MAX_MEMBER or self.unpacked > MAX_TOTAL:
            raise EvidenceError(
                f"{where} unpacks to more than assay reads ({MAX_MEMBER:,} bytes of one member, {MAX_TOTAL:,} of all)"
            )
        if member.file_size > max(FREE, MAX_RATIO * member.compress_size):
            raise EvidenceError(
                f"{where} unpacks to more than {MAX_RATIO} times its size: a zip bomb, or no log"
            )


def _inflated(packed: bytes, size: int, where: str) -> bytes:
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, size)
    except zlib.error:
        raise EvidenceError(f"{where} is damaged") from None


def _zstd(packed: bytes, size: int, where: str) -> bytes:
    """Frames one after the other: Inspect may write several."""
    zstd = zstd_module()
    data = b""
    try:
        while packed and len(data) < size:
            engine = zstd.ZstdDecompressor()
            data += engine.decompress(packed, size - len(data))
            packed = engine.unused_data if engine.eof else b""
    except (zstd.ZstdError, EOFError):
        raise EvidenceError(f"{where} is damaged") from None
    return data


_UNPACK: dict[int, Callable[[bytes, int, str], bytes]] = {
    zipfile.ZIP_STORED: lambda packed, _, __: packed,
    zipfile.ZIP_DEFLATED: _inflated,
    93: _zstd,
}
