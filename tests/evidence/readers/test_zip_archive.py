"""Archives made to hurt: bombs, forged sizes, names that climb, links, and too many entries."""

import struct
import time
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import EvidenceError
from assay.evidence.readers import zip_archive
from assay.evidence.readers.zip_archive import Archive
from tests.evidence.readers.zips import DEFLATE, STORED, ZSTD, Entry, pack, write_zip


def everything(_: str) -> bool:
    return True


def opened(path: Path) -> Archive:
    return Archive.open(path, path.name, everything)


class TestReading:
    @given(
        data=st.binary(max_size=5000),
        method=st.sampled_from([STORED, DEFLATE, ZSTD]),
        frames=st.integers(1, 4),
    )
    def test_round_trip(
        self, tmp_path_factory: pytest.TempPathFactory, data: bytes, method: int, frames: int
    ) -> None:
        path = tmp_path_factory.mktemp("zip") / "a.zip"
        write_zip(path, [Entry(name="x", data=data, method=method, frames=frames)])
        assert opened(path).read("x") == data

    @pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    def test_agrees_with_the_standard_library(self, tmp_path: Path, method: int) -> None:
        path = tmp_path / "a.zip"
        data = bytes(range(256)) * 5000
        with zipfile.ZipFile(path, "w", method) as whole:
            whole.writestr("a/b.json", data)
            with whole.open("wide", "w", force_zip64=True) as stream:
                stream.write(data)
            whole.comment = b"a comment at the end"
        assert opened(path).read("a/b.json") == data
        assert opened(path).read("wide") == data

    def test_of_two_members_with_one_name_the_last_counts(self, tmp_path: Path) -> None:
        entries = [Entry(name="x", data=b"old"), Entry(name="x", data=b"new")]
        assert opened(write_zip(tmp_path / "a.zip", entries)).read("x") == b"new"

    def test_only_allowed_names_are_kept(self, tmp_path: Path) -> None:
        entries = [
            Entry(name=name, data=b"1") for name in ("header.json", "../header.json", "/etc/x")
        ]
        path = write_zip(tmp_path / "a.zip", entries)
        assert list(Archive.open(path, "a", "header.json".__eq__).members) == ["header.json"]


class TestBombs:
    @pytest.mark.parametrize("method", [DEFLATE, ZSTD])
    def test_a_thousand_to_one(self, tmp_path: Path, method: int) -> None:
        path = write_zip(tmp_path / "a.zip", [Entry(name="x", data=bytes(2**28), method=method)])
        assert path.stat().st_size < 2**20
        tracemalloc.start()
        with pytest.raises(EvidenceError, match="more than 250 times its size: a zip bomb"):
            opened(path).read("x")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2 * zip_archive.FREE

    @pytest.mark.parametrize("method", [DEFLATE, ZSTD])
    def test_nothing_is_unpacked_beyond_what_was_claimed(self, tmp_path: Path, method: int) -> None:
        bomb = Entry(name="x", data=bytes(2**28), size=10, crc=0, method=method)
        whole = opened(write_zip(tmp_path / "a.zip", [bomb]))
        tracemalloc.start()
        with pytest.raises(EvidenceError, match="length or checksum is not the stated one"):
            whole.read("x")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2**20

    @pytest.mark.parametrize("size", [0, 1, 2**25])
    def test_a_forged_size_is_found_out(self, tmp_path: Path, size: int) -> None:
        path = write_zip(tmp_path / "a.zip", [Entry(name="x", data=b"hello", size=size)])
        with pytest.raises(EvidenceError, match="length or checksum is not the stated one"):
            opened(path).read("x")

    def test_a_packed_length_beyond_the_archive_is_not_reserved(self, tmp_path: Path) -> None:
        """Found by `make fuzz`: one byte of the directory asked for gigabytes of memory."""
        path = write_zip(tmp_path / "a.zip", [Entry(name="a", data=b"{}")])
        data = bytearray(path.read_bytes())
        at = data.index(b"PK\x01\x02") + 20
        data[at : at + 4] = (2**32 - 2).to_bytes(4, "little")
        path.write_bytes(data)
        with pytest.raises(EvidenceError, match="longer than the archive"):
            opened(path).read("a")

    def test_one_large_member_and_many_members_are_capped(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(zip_archive, "MAX_MEMBER", 1000)
        monkeypatch.setattr(zip_archive, "MAX_TOTAL", 1500)
        entries = [Entry(name=str(n), data=bytes(900), method=STORED) for n in range(2)]
        whole = opened(write_zip(tmp_path / "a.zip", [*entries, Entry(name="x", data=bytes(1001))]))
        whole.read("0")
        with pytest.raises(EvidenceError, match="more than assay reads"):
            whole.read("1")
        with pytest.raises(EvidenceError, match="more than assay reads"):
            opened(tmp_path / "a.zip").read("x")

    def test_a_nested_archive_is_only_bytes(self, tmp_path: Path) -> None:
        inner = write_zip(tmp_path / "inner.zip", [Entry(name="x", data=bytes(2**20))]).read_bytes()
        path = write_zip(tmp_path / "a.zip", [Entry(name="inner.zip", data=inner)])
        assert opened(path).read("inner.zip") == inner

    def test_a_million_entries(self, tmp_path: Path) -> None:
        name = b"samples/1_epoch_1.json"
        entry = struct.pack(
            "<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, len(name), 0, 0, 0, 0, 0, 0
        )
        directory = (entry + name) * 1_000_000
        end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, len(directory), 0, 0)
        path = tmp_path / "a.zip"
        path.write_bytes(directory + end)
        begun = time.process_time()
        with pytest.raises(
            EvidenceError, match="not a log: it has a directory of 68,000,000 bytes"
        ):
            opened(path)
        assert time.process_time() - begun < 20

    def test_a_huge_directory_is_not_read(self, tmp_path: Path) -> None:
        path = tmp_path / "a.zip"
        end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, 0xFFFFFF00, 0, 0)
        path.write_bytes(b"PK\x03\x04" + end)
        with pytest.raises(EvidenceError, match="not a complete zip archive"):
            opened(path)


class TestHostileMembers:
    def test_links_are_not_followed(self, tmp_path: Path) -> None:
        path = write_zip(tmp_path / "a.zip", [Entry(name="x", data=b"/etc/passwd", mode=0o120777)])
        with pytest.raises(EvidenceError, match="symbolic link"):
            opened(path).read("x")

    def test_names_that_climb_are_names_only(self, tmp_path: Path) -> None:
        names = ["../../evil", "/etc/passwd", "C:\\evil", "a/../../b", "nul\0byte", ""]
        path = write_zip(tmp_path / "a.zip", [Entry(name=name, data=b"1") for name in names])
        before = sorted(tmp_path.rglob("*"))
        whole = opened(path)
        for name in names:
            assert whole.read(name) == b"1"
        assert sorted(tmp_path.rglob("*")) == before

    def test_encrypted(self, tmp_path: Path) -> None:
        path = write_zip(tmp_path / "a.zip", [Entry(name="x", data=b"1", flags=1)])
        with pytest.raises(EvidenceError, match="encrypted"):
            opened(path).read("x")

    def test_another_method(self, tmp_path: Path) -> None:
        path = write_zip(tmp_path / "a.zip", [Entry(name="x", data=b"1", method=12)])
        with pytest.raises(EvidenceError, match="packed by method 12; assay reads stored, deflate"):
            opened(path).read("x")


class TestDamage:
    @pytest.mark.parametrize("method", [DEFLATE, ZSTD])
    def test_bytes_that_do_not_unpack(self, tmp_path: Path, method: int) -> None:
        path = write_zip(tmp_path / "a.zip", [Entry(name="x", data=b"hello" * 99, method=method)])
        packed = pack(b"hello" * 99, method)
        damaged = path.read_bytes().replace(packed, b"\xff" * len(packed))
        path.write_bytes(damaged)
        with pytest.raises(EvidenceError, match="damaged"):
            opened(path).read("x")

    def test_a_wrong_checksum(self, tmp_path: Path) -> None:
        wrong = zlib.crc32(b"hello") ^ 1
        path = write_zip(tmp_path / "a.zip", [Entry(name="x", data=b"hello", crc=wrong)])
        with pytest.raises(EvidenceError, match="checksum"):
            opened(path).read("x")

    @pytest.mark.parametrize("kept", [0, 4, 50])
    def test_an_archive_cut_short(self, tmp_path: Path, kept: int) -> None:
        path = write_zip(tmp_path / "a.zip", [Entry(name="x", data=b"hello" * 99)])
        path.write_bytes(path.read_bytes()[:kept])
        with pytest.raises(EvidenceError, match="not a complete zip archive"):
            opened(path)

    def test_a_member_that_is_not_there(self, tmp_path: Path) -> None:
        path = write_zip(tmp_path / "a.zip", [Entry(name="x", data=b"hello", method=STORED)])
        data = path.read_bytes()
        path.write_bytes(data.replace(b"PK\x03\x04", b"XXXX"))
        with pytest.raises(EvidenceError, match="not where the directory"):
            opened(path).read("x")

    @given(data=st.binary(max_size=300))
    def test_rubbish_raises_our_error_only(
        self, tmp_path_factory: pytest.TempPathFactory, data: bytes
    ) -> None:
        path = tmp_path_factory.mktemp("zip") / "a.zip"
        tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(data), 0, 0)
        path.write_bytes(data + tail)
        try:
            whole = opened(path)
            for name in whole.members:
                whole.read(name)
        except EvidenceError:
            pass
