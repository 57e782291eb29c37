"""Names that can be names of files: an operating system refuses some before it looks."""

import errno
from os import PathLike
from pathlib import Path

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
