"""Files: which names can be theirs, and writing them whole or not at all."""

import errno
import os
import shutil
from contextlib import suppress
from os import PathLike
from pathlib import Path
from threading import get_ident

from assay.core.errors import UsageError

_SHOWN = 40


def path_of(name: str | Path, what: str = "a file") -> Path:
    """The path of a name; one that is too long, holds a NUL or half a character is refused in words."""
    if not isinstance(name, str | PathLike):
        raise UsageError(f"{what} is a path, got {type(name).__name__}")
    path = Path(name)
    try:
        str(name).encode()
        path.lstat()
    except ValueError:
        pass
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            return path  # whether it is there, and may be read, its reader asks
    else:
        return path
    text = repr(str(name))
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…'"
    raise UsageError(f"{shown} cannot be the name of {what}")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file; where the disk is full, what was there before stays as it was."""
    data = content.encode() if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".assay-{os.getpid()}-{get_ident()}.part")
    try:
        if target.exists() and not (target.is_file() and os.access(target, os.W_OK)):
            target.write_bytes(
                data
            )  # a device or a pipe; a folder and a file that is locked refuse
            return
        beside.write_bytes(data)
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
