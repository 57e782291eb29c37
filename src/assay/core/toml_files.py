"""TOML files of people: read once, after a look at their kind, size and depth."""

import re
import tomllib
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError, UsageError
from assay.core.file_names import path_of

MOST_BYTES, MOST_DEPTH = 2**20, 100
"""Of a file and of the names of its keys: the time that a key takes to read grows as its depth squared."""

_BARE = re.compile(r"\s*[\w\"'-]+\s*")


def read_toml(path: Path, kind: str) -> tuple[dict[str, Any], str]:
    """The tables of a file of some kind ("study"), and its text."""
    text = _text(path, kind)
    try:
        return tomllib.loads(text), text
    except (ValueError, RecursionError) as error:  # also of numbers and tables without end
        raise UsageError(f"{path} is not TOML: {error}") from None


def _text(path: Path, kind: str) -> str:
    try:
        text = _checked(path, kind).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise EvidenceError(f"there is no file {path}") from None
    except OSError as error:
        raise EvidenceError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise EvidenceError(f"{path} is not text in UTF-8") from None
    depth = 0
    for part in text.split("."):
        depth = depth + 1 if len(part) <= 64 and _BARE.fullmatch(part) else 0
        if depth > MOST_DEPTH:
            raise UsageError(
                f"{path}: a key has more than {MOST_DEPTH} parts; keys have up to four"
            )
    return text


def _checked(path: Path, kind: str) -> Path:
    """The path, where it may be the name of a small file: a pipe waits for its writer, a device never ends."""
    path_of(path)
    if path.exists() and not path.is_file() and not path.is_dir():
        raise EvidenceError(f"{path} is a pipe or a device; a {kind} file is a file")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise EvidenceError(
            f"{path} has {size / 2**20:.1f} MB; a {kind} file has at most 1, and names data in files of "
            "their own"
        )
    return path
