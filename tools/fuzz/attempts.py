"""A strange input at a door is answered or refused in our words, within seconds; anything else is a finding."""

import os
import signal
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from assay.core.errors import AssayError

SECONDS, WAITED = 20, 300
"""Of the processor and on the clock: a door that takes longer has hung."""


class Attempt(NamedTuple):
    """What came, and what was wrong with the answer: a line that names the place, then the way to it."""

    what: str
    found: str | None


class Slow(BaseException):
    """A door did not answer in time."""


class Wrong(Exception):
    """An answer that contradicts itself, or another way to it."""


def knock(door: Callable[[], object], seconds: float | None = None) -> str | None:
    """None where a door answers or refuses in our words; else the finding by type and place."""
    late = False

    def too_slow(_number: int, _frame: Any) -> None:
        nonlocal late
        late = True
        raise Slow

    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, too_slow)
    signal.alarm(WAITED)
    signal.setitimer(signal.ITIMER_PROF, seconds or SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            door()
    except AssayError as error:
        return _said(error)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not late:
            raise
        return f"{Slow.__name__} {signature(error)}" if late else signature(error)
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def _said(error: AssayError) -> str | None:
    """A refusal is an answer where it can be read."""
    try:
        printable(str(error))
    except UnicodeError as unreadable:
        return signature(unreadable)
    return None if len(str(error).strip()) > 10 else f"a mute error: {error!r}"


def signature(error: BaseException) -> str:
    """Type, place and words in the first line, then the traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [one for one in frames if f"{os.sep}assay{os.sep}" in one.filename] or list(frames)
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno} {ours[-1].name}"
    words = (str(error).splitlines() or [""])[0]
    way = "".join(traceback.format_list(frames[-8:]))
    return f"{type(error).__name__} at {place}: {words[:200]}\n{way}"


def printable(text: str) -> None:
    """Raise where a text holds what no file can."""
    text.encode()
