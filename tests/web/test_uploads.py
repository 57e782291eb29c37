"""Names that we make, and folders that go when the page goes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.web import uploads as desk_module
from assay.web.limits import MAX_HELD
from assay.web.uploads import Desk, safe_name


class TestSafeName:
    @pytest.mark.parametrize(
        ("given_name", "made"),
        [
            ("predictions.csv", "predictions.csv"),
            ("model.v2.csv", "model_v2.csv"),
            ("samples.jsonl.gz", "samples.jsonl.gz"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\x\\données.CSV", "données.csv"),
            ("...", "data"),
            ("", "data"),
            (".htaccess", "htaccess"),
        ],
    )
    def test_examples(self, given_name: str, made: str) -> None:
        assert safe_name(given_name, []) == made

    @given(st.text(max_size=300))
    def test_any_name_stays_in_its_folder(self, given_name: str) -> None:
        made = safe_name(given_name, [])
        assert re.fullmatch(r"[\w-]+(\.[a-z0-9]+){0,2}", made)
        assert len(made.encode()) <= 100

    @given(st.lists(st.text(max_size=5), max_size=8))
    def test_no_two_are_alike(self, names: list[str]) -> None:
        made: list[str] = []
        for name in names:
            made.append(safe_name(name, made))
        assert len(set(made)) == len(names)


class TestDesk:
    def test_only_we_may_read_it_and_it_goes(self) -> None:
        desk = Desk()
        assert desk.root.stat().st_mode & 0o777 == 0o700
        folder = desk.new_folder()
        (folder / "a.csv").write_text("truth,a\n")
        held = desk.keep_files(folder, ["a.csv"], "a")
        assert desk.get(held.key) == held
        assert held.kind == "files"
        desk.close()
        assert not desk.root.exists()

    def test_the_oldest_leaves_first(self) -> None:
        desk = Desk()
        kept = []
        for _ in range(MAX_HELD + 1):
            folder = desk.new_folder()
            (folder / "a.csv").write_text("truth,a\n")
            kept.append(desk.keep_files(folder, ["a.csv"], "a"))
        assert desk.get(kept[0].key) is None
        assert kept[0].folder is not None
        assert not kept[0].folder.exists()
        assert desk.get(kept[-1].key) is not None
        desk.close()

    def test_there_is_only_so_much_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(desk_module, "MAX_DESK", 1500)
        desk = Desk()
        kept = []
        for _ in range(3):
            folder = desk.new_folder()
            (folder / "a.csv").write_bytes(b"x" * 1000)
            kept.append(desk.keep_files(folder, ["a.csv"], "a"))
        assert [desk.get(one.key) is not None for one in kept] == [False, False, True]
        desk.close()
