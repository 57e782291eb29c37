"""Studies that were started from the page: a folder each, which outlives the page."""

import re
import shutil
import unicodedata
from pathlib import Path

from assay.web.uploads import safe_name

FILE, STORE, DATA = "study.toml", "study.db", "data"
RESERVED = ("main",)
"""Keys of stores that no folder may have."""


class StudyFolder:
    """Every study as ``root/name``: its file, its data, its store; `assay run` goes on with it too."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def known(self) -> dict[str, Path]:
        """Studies by name, the last one first; what was cut off before it had a store is none."""
        if not self.root.is_dir():
            return {}
        found = [
            path
            for path in self.root.iterdir()
            if (path / FILE).is_file() and (path / STORE).is_file() and _ours(path.name)
        ]
        found.sort(key=lambda path: (path / FILE).stat().st_mtime, reverse=True)
        return {path.name: path for path in found}

    def new(self, title: str) -> Path:
        """An empty folder for a study of this title, which only we may read."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        taken = [*RESERVED, *(path.name for path in self.root.iterdir())]
        plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
        folder = self.root / safe_name(re.sub(r"[^\w-]+", "-", plain) or "study", taken)
        folder.mkdir(mode=0o700)
        (folder / DATA).mkdir()
        return folder

    def drop(self, folder: Path) -> None:
        """Remove a folder that came to nothing."""
        shutil.rmtree(folder, ignore_errors=True)


def _ours(name: str) -> bool:
    return name.isascii() and name not in RESERVED and safe_name(name, []) == name
