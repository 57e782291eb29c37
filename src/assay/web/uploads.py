"""What visitors brought: files under names that we make, in a folder that only we may read."""

import secrets
import shutil
import tempfile
import unicodedata
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from starlette.datastructures import UploadFile

from assay.core.sqlite_files import is_sqlite
from assay.web.limits import MAX_DESK, MAX_HELD

Kind = Literal["files", "study", "store"]
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One set of evidence. ``folder`` and ``names`` are ours; ``facts`` are of the study it is from."""

    key: str
    kind: Kind
    title: str
    folder: Path | None = None
    names: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)

    def source(self) -> dict[str, Any]:
        """Where a job finds it."""
        folder = None if self.folder is None else str(self.folder)
        return {"kind": self.kind, "folder": folder, "names": list(self.names), **self.facts}


class Desk:
    """Evidence by a key that cannot be guessed; all of it is removed when the page closes."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="assay-page-"))  # mode 0700
        self._held: OrderedDict[str, Held] = OrderedDict()

    def get(self, key: str) -> Held | None:
        return self._held.get(key)

    def recent(self) -> list[Held]:
        return list(reversed(self._held.values()))

    def new_folder(self) -> Path:
        """An empty folder for one upload."""
        return Path(tempfile.mkdtemp(dir=self.root))

    def keep_files(self, folder: Path, names: list[str], title: str) -> Held:
        kind: Kind = "store" if len(names) == 1 and is_sqlite(folder / names[0]) else "files"
        return self._keep(kind=kind, title=title, folder=folder, names=tuple(names))

    def keep_study(self, title: str, facts: dict[str, Any]) -> Held:
        same = (one for one in self._held.values() if one.kind == "study" and one.facts == facts)
        return next(same, None) or self._keep(kind="study", title=title, facts=facts)

    def _keep(self, **of: Any) -> Held:
        held = Held(key=secrets.token_urlsafe(9), **of)
        self._held[held.key] = held
        while len(self._held) > MAX_HELD or (len(self._held) > 1 and self._bytes() > MAX_DESK):
            _, oldest = self._held.popitem(last=False)
            if oldest.folder is not None:
                shutil.rmtree(oldest.folder, ignore_errors=True)
        return held

    def _bytes(self) -> int:
        folders = [one.folder for one in self._held.values() if one.folder is not None]
        return sum(path.stat().st_size for folder in folders for path in folder.iterdir())

    def close(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)


def save(upload: UploadFile, path: Path) -> None:
    """The bytes of an upload, under a name that we made."""
    with path.open("wb") as file:
        shutil.copyfileobj(upload.file, file)


def safe_name(given: str, taken: list[str]) -> str:
    """A file name made from what a visitor called a file: letters, digits, ``-``, ``_``, one suffix.

    Nothing of it can leave a folder, name a device or hide: separators, dots in front and
    characters without a sign become underscores.
    """
    last = unicodedata.normalize("NFC", given).replace("\\", "/").rsplit("/", 1)[-1]
    parts = last.strip(". ").split(".")
    count = min(2 if parts[-1].lower() in ("gz", "zst") else 1, len(parts) - 1)
    stem, suffixes = "_".join(parts[: len(parts) - count]), parts[len(parts) - count :]
    ending = "".join(f".{part}" for part in suffixes if part.isascii() and part.isalnum())
    plain = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in stem)
    plain = plain.encode()[:_LONGEST_NAME].decode(errors="ignore").strip("_-") or "data"
    ending = ending[:12].lower()
    name, number = f"{plain}{ending}", 2
    while name in taken:
        name, number = f"{plain}-{number}{ending}", number + 1
    return name
