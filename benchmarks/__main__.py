"""`make bench`: assay beside its peers on the same data, in one process, as ratios in a table.

    python -m benchmarks [--quick] [--write] [bootstraps permutations curves models whole growth coldstart]
    python -m benchmarks reduce | files | study | scale | large      # each in a process of its own, minutes

--quick takes under three minutes; --write runs all of the first line and puts the tables into
benchmarks/RESULTS.md, with what the scripts of the second line printed when they were run last (kept in
benchmarks/results/): `--write files scale` runs these two again as well.
"""

import argparse
import os
import sys
import time
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.race import Clock, Outcome

HERE = Path(__file__).parent
RACES = ("bootstraps", "permutations", "curves", "models", "whole")
ALONE = ("growth", "coldstart")


def main() -> int:
    """Run what is named, or all; the exit code says whether results disagreed."""
    from benchmarks import stored

    apart = stored.there()
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("suites", nargs="*", choices=(*RACES, *ALONE, *apart, []))
    parser.add_argument("--quick", action="store_true", help="fewer sizes, under three minutes")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md")
    given = parser.parse_args()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # before numpy is imported: one thread for all
    from benchmarks import report
    from benchmarks.race import FULL, QUICK

    named = [name for name in given.suites if name not in apart]
    if given.write and named:
        parser.error(f"--write writes the whole page: do not name {', '.join(named)}")
    chosen = given.suites if given.suites and not given.write else (*given.suites, *RACES, *ALONE)
    clock = QUICK if given.quick else FULL
    started = time.monotonic()
    machine = report.machine()
    print(machine, flush=True)
    failed = max([stored.run(name, machine) for name in apart if name in chosen], default=0)
    outcomes: dict[str, list[Outcome]] = {}
    for suite, outcome in _outcomes([name for name in RACES if name in chosen], clock):
        outcomes.setdefault(suite, []).append(outcome)
        print(report.line(outcome), flush=True)
    curves = _grown(clock, draw=given.write) if "growth" in chosen else []
    starts = import_module("benchmarks.coldstart").rows() if "coldstart" in chosen else []
    print("\n".join(report.cold(starts)), flush=True)
    minutes = (time.monotonic() - started) / 60.0
    print(f"{minutes:.1f} minutes")
    if given.write:
        page = report.Page(
            outcomes=outcomes, curves=curves, starts=starts, minutes=minutes, quick=given.quick
        )
        report.write(HERE / "RESULTS.md", page)
    every = [one for suite in outcomes.values() for one in suite]
    return int(failed or any(one.agreement is not None and not one.agreement[0] for one in every))


def _grown(clock: "Clock", *, draw: bool) -> list[Any]:
    growth = import_module("benchmarks.growth")
    curves = [growth.measured(one, clock.rounds) for one in growth.growths(quick=clock.quick)]
    print("\n".join(growth.table(curves)), flush=True)
    if draw:
        growth.draw(curves)
    return curves


def _outcomes(suites: list[str], clock: "Clock") -> "Iterator[tuple[str, Outcome]]":
    from benchmarks.race import run_race

    for name in suites:
        for race in import_module(f"benchmarks.{name}").races(clock):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield name, run_race(race, clock)


if __name__ == "__main__":
    sys.exit(main())
