"""Commands typed without a process of their own: a start of Python costs more than most answers.

What belongs to the process itself (Ctrl-C, pipes, terminals, rights, what is imported) is tested in real ones.
"""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, nullcontext
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

from assay.__main__ import main


def typed(
    *words: str,
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
    answers: str = "",
) -> "CompletedProcess[str]":
    """What `assay WORDS` writes and returns; a warning is an error here, as everywhere in the tests."""
    streams = {"stdout": _stream(), "stderr": _stream()}
    with (
        mock.patch.dict(os.environ, environment or {}),
        chdir(cwd) if cwd else nullcontext(),
        _replaced(["assay", *words], answers, streams),
    ):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return CompletedProcess(list(words), code, *(_written(one) for one in streams.values()))


@contextmanager
def _replaced(
    arguments: list[str], answers: str, streams: dict[str, io.TextIOWrapper]
) -> Iterator[None]:
    """Give the command its arguments and streams, and take back what it sets for a whole process."""
    with (
        mock.patch.dict(os.environ),
        mock.patch.object(sys, "argv", arguments),
        mock.patch.object(sys, "unraisablehook", sys.unraisablehook),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(answers.encode()))),
        mock.patch.object(sys, "stdout", streams["stdout"]),
        mock.patch.object(sys, "stderr", streams["stderr"]),
    ):
        yield


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    bytes_written: bytes = stream.buffer.getvalue()  # type: ignore[attr-defined]
    return bytes_written.decode("utf-8").replace(os.linesep, "\n")
