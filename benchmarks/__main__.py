"""`make bench`: assay beside its peers on the same data, in one process, as ratios in a table.

    python -m benchmarks [--quick] [--write] [bootstraps permutations curves models whole growth coldstart]
    python -m benchmarks reduce | files | study      # each in a process of its own

--quick takes under three minutes; --write puts the tables into benchmarks/RESULTS.md.
"""

import argparse
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.race import Clock, Outcome

HERE = Path(__file__).parent
RACES = ("bootstraps", "permutations", "curves", "models", "whole")
APART = ("reduce", "files", "study")


def main() -> int:
    """Run what is named, or all; the exit code says whether results disagreed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("suites", nargs="*", choices=(*RACES, "growth", "coldstart", *APART, []))
    parser.add_argument("--quick", action="store_true", help="fewer sizes, under three minutes")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md")
    given = parser.parse_args()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # before numpy is imported: one thread for all
    from benchmarks import report
    from benchmarks.race import FULL, QUICK

    chosen = given.suites or (*RACES, "growth", "coldstart")
    clock = QUICK if given.quick else FULL
    print(report.machine(), flush=True)
    outcomes = []
    for outcome in _outcomes([name for name in RACES if name in chosen], clock):
        outcomes.append(outcome)
        print(report.line(outcome), flush=True)
    curves: list[Any] = []
    if "growth" in chosen:
        growth = import_module("benchmarks.growth")
        rounds = 2 if given.quick else 3
        curves = [growth.measured(one, rounds) for one in growth.growths()]
        print("\n".join(growth.table(curves)), flush=True)
        if given.write:
            growth.draw(curves)
    starts = import_module("benchmarks.coldstart").rows() if "coldstart" in chosen else []
    print("\n".join(report.cold(starts)), flush=True)
    if given.write:
        report.write(HERE / "RESULTS.md", outcomes, curves, starts, quick=given.quick)
    for name in APART:
        if name in chosen:
            subprocess.run([sys.executable, HERE / f"{name}.py"], check=True)
    return int(any(one.agreement is not None and not one.agreement[0] for one in outcomes))


def _outcomes(suites: list[str], clock: "Clock") -> "Iterator[Outcome]":
    from benchmarks.race import run_race

    for name in suites:
        for race in import_module(f"benchmarks.{name}").races(clock):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield run_race(race, clock)


if __name__ == "__main__":
    sys.exit(main())
