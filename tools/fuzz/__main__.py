"""Strange inputs through every door, for as long as one likes.

    python -m tools.fuzz --inputs 20000 --seed 1
    python -m tools.fuzz --seed 1 --only 4711        # one input again, with its traceback

Inputs are tried in a worker that is forked once and used for thousands of them. A worker that dies, hangs
outside Python or outgrows its memory is a finding like any other, and the next one goes on behind it.
"""

import argparse
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tools.fuzz import (
    arguments,
    commands,
    logs,
    numbers,
    objects,
    pages,
    store_doors,
    tables,
    verbs,
)
from tools.fuzz.attempts import WAITED, Attempt

MEMORY = 6 * 2**30
"""Bytes of addresses; an input of some kilobytes needs less."""
MEMORY_DISK = Path("/dev/shm")
"""Where files cost nothing; deleting them on a disk takes longer than all the rest."""
USED_FOR = 12_000
"""Inputs that one worker tries, so that what leaks is given back."""
DOORS: dict[str, Callable[[Path, int], Callable[[int], Attempt]]] = {
    "numbers": numbers.opened,
    "arguments": arguments.opened,
    "logs": logs.opened,
    "verbs": verbs.opened,
    "tables": tables.opened,
    "objects": objects.opened,
    "commands": commands.opened,
    "pages": pages.opened,
    "stores": store_doors.opened,
}
SHARES = {
    "numbers": 70, "arguments": 30, "logs": 64, "verbs": 20, "tables": 7, "objects": 5, "commands": 2, "pages": 1,
    "stores": 1,
}  # fmt: skip
"""Of two hundred inputs: the quick doors have the most."""
TURNS = [
    door
    for place in range(200)
    for door, share in SHARES.items()
    if place * share // 200 < (place + 1) * share // 200
]


class Tried(NamedTuple):
    """An input by its number, its door, and what came of it."""

    number: int
    door: str
    what: str
    found: str | None
    seconds: float


def door_of(number: int) -> str:
    return TURNS[number % len(TURNS)]


def run(seed: int, numbers_tried: range, only_door: str | None = None) -> Iterator[Tried]:
    """Every input of the range through its door, whatever becomes of the workers."""
    wanted = [one for one in numbers_tried if only_door in (None, door_of(one))]
    at = 0
    while at < len(wanted):
        batch = wanted[at : at + USED_FOR]
        for tried in _by_worker(seed, batch):
            yield tried
            at += 1


def _by_worker(seed: int, batch: list[int]) -> Iterator[Tried]:
    """A batch, up to its end or to the input that the worker did not survive."""
    memory = MEMORY_DISK if MEMORY_DISK.is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="assay-fuzz-", dir=memory))
    reading, writing = os.pipe()
    sys.stdout.flush()
    worker = os.fork()
    if worker == 0:
        os.close(reading)
        _work(folder, seed, batch, writing)
    os.close(writing)
    try:
        done = 0
        for tried in _heard(reading):
            yield tried
            done += 1
        if done < len(batch):
            lost = batch[done]
            yield Tried(lost, door_of(lost), "?", "the worker died or hung", 0.0)
    finally:
        os.close(reading)
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)
        shutil.rmtree(folder, ignore_errors=True)


def _heard(reading: int) -> Iterator[Tried]:
    """What a worker tells, until it ends or has been silent for too long."""
    rest = b""
    while select.select([reading], [], [], WAITED + 60)[0]:
        told = os.read(reading, 1 << 16)
        if not told:
            return
        *lines, rest = (rest + told).split(b"\n")
        yield from (Tried(*json.loads(line)) for line in lines)


def _work(folder: Path, seed: int, batch: list[int], writing: int) -> None:
    """The life of a worker; it never returns."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    tempfile.tempdir = str(folder)
    opened: dict[str, Callable[[int], Attempt]] = {}
    try:
        for number in batch:
            door = door_of(number)
            if door not in opened:
                (folder / door).mkdir()
                opened[door] = DOORS[door](folder / door, seed)
            begun = time.monotonic()
            attempt = opened[door](number)
            seconds = time.monotonic() - begun
            line = json.dumps([number, door, attempt.what[:300], attempt.found, seconds])
            os.write(writing, line.encode() + b"\n")
    except BaseException:  # noqa: BLE001 - a fault of the fuzzer itself
        traceback.print_exc()
    finally:
        os._exit(0)


def told(seed: int, tried: Iterator[Tried]) -> bool:
    """Print every distinct finding once and a line now and then; whether there was none."""
    seen: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    slowest, begun = Tried(0, "", "", None, 0.0), time.monotonic()
    for one in tried:
        counts[one.door] += 1
        slowest = max(slowest, one, key=lambda each: each.seconds)
        if one.found:
            kind = f"{one.door}: {one.found.splitlines()[0]}"
            seen[kind] += 1
            if seen[kind] == 1:
                _line(f"{one.number} {one.what}\n    {one.door}: {one.found}")
        if counts.total() % 2_000 == 0:
            _line(_summary(seed, counts, seen, begun))
    _line(_summary(seed, counts, seen, begun))
    _line(f"slowest {slowest.seconds:.1f} s: {slowest.number} {slowest.door} {slowest.what}")
    return not seen


def _summary(seed: int, counts: Counter[str], seen: Counter[str], begun: float) -> str:
    by_door = ", ".join(f"{door} {count:,}" for door, count in counts.items())
    pace = counts.total() / (time.monotonic() - begun)
    return (
        f"seed {seed}: {counts.total():,} inputs ({by_door}), {seen.total():,} findings of "
        f"{len(seen)} kinds, {pace:.0f} a second"
    )


def _line(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--inputs", type=int, default=2_000)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--first", type=int, default=0, help="the number to begin with")
    asked.add_argument("--door", choices=DOORS, help="one door only")
    asked.add_argument("--only", type=int, help="the number of one input")
    given: Any = asked.parse_args()
    first, count = (given.first, given.inputs) if given.only is None else (given.only, 1)
    if not told(given.seed, run(given.seed, range(first, first + count), given.door)):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
