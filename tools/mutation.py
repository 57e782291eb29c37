"""Which mutants of the statistics the tests catch (``docs/inside/mutation.md``); needs cosmic-ray.

``python -m tools.mutation --seed 1 --sample 600`` draws mutants, finds out which test sees which line (once), and runs
the tests that see each mutant. What is known already is kept in ``build/mutation``, so that it can be stopped and
started: then only mutants not caught are looked at, with tests that they have not passed yet. Delete the folder
when the source has changed.

The tests are collected once. Each mutant gets a fork of that process, in which the functions of the mutated file have
the mutant's code. Nothing is written to ``src``.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from tools.mutants import Mutant, changed, drawn
from tools.seen_lines import (
    OPTIONS,
    ROOT,
    SCRATCH,
    SOURCE,
    Map,
    Session,
    in_a_fork,
    map_tests,
    own_tests,
)

BUDGETS = (1.5, 4.0)
"""Seconds of tests in the first look at a mutant and in the second."""
LONGEST = 10
"""Seconds of the processor after which a mutant counts as one that never ends."""
TESTS = [f"tests/{name}" for name in ("measures", "kernels", "hypotheses", "estimates")]
TESTS += ["tests/selftest/test_reference.py"]
TESTS += ["tests/simulate/test_batched_methods.py"]
TESTS += [f"tests/test_{name}.py" for name in ("conformance", "oracles", "numbers_at_the_edge")]
QUICK = ("tests/measures",)
"""Folders so quick that all of their tests are run where a mutant is not in a function."""
KEPT = {
    "kernels": "tests/kernels/test_kernel_numbers.py",
    "hypotheses": "tests/hypotheses/test_kept_numbers.py",
}
"""The numbers kept of a folder, which such a mutant may change too."""


def judged(session: Session, mutant: Mutant, tests: list[str]) -> str:
    """The test that catches a mutant, ``time`` where it takes too long, ``survived``, or that it is no program."""
    text = (ROOT / mutant["file"]).read_text()
    try:
        changes = session.functions.changes(text, changed(text, mutant))
    except SyntaxError:
        return "no program"

    def work() -> str:
        session.functions.implant(changes)
        session.run(tests)
        return session.failed or "survived"

    return in_a_fork(work, LONGEST) or "time"


def look(session: Session, mutant: Mutant, tests: list[str]) -> None:
    """Run those tests that the mutant has not passed before; what runs at import is judged afresh."""
    passed = mutant.setdefault("passed", [])
    left = [test for test in tests if test not in passed]
    if left:
        mutant["outcome"] = judged(session, mutant, left)
        passed += left
    elif not mutant["lines"] or (not passed and own_tests(mutant).startswith(QUICK)):
        mutant["outcome"] = judged_afresh(mutant)
    elif not passed:
        mutant["outcome"] = "unseen"


def judged_afresh(mutant: Mutant) -> str:
    """The same in a new process on a copy of the source, every example tried: what runs at import is mutated too."""
    copy, file = SCRATCH / "src", mutant["file"]
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", copy, dirs_exist_ok=True, ignore=unwanted)
    (copy.parent / file).write_text(changed((ROOT / file).read_text(), mutant))
    tests = [own_tests(mutant), *(one for one in QUICK if own_tests(mutant).startswith(one))]
    tests += [kept for folder, kept in KEPT.items() if f"/{folder}/" in file]
    command = [sys.executable, "-m", "pytest", *OPTIONS, "-x", *dict.fromkeys(tests)]
    environment = os.environ | {"PYTHONPATH": str(copy)}
    try:
        found = subprocess.run(
            command, check=False, env=environment, capture_output=True, text=True, timeout=300
        )
    except subprocess.TimeoutExpired:
        return "time"
    failed = [line for line in found.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0] if failed else "survived"


def judge(session: Session, seeds: list[int]) -> None:
    """Look at every mutant that is not caught yet, at all of them shortly before at any for long."""
    map_tests(session)
    known = Map()
    samples = [
        (place := SCRATCH / f"seed-{seed}.json", json.loads(place.read_text())) for seed in seeds
    ]
    for budget in BUDGETS:
        for place, mutants in samples:
            for number, mutant in enumerate(mutants):
                if mutant.get("outcome", "survived") in ("survived", "unseen"):
                    began = time.time()
                    look(session, mutant, known.tests(mutant, budget))
                    place.write_text(json.dumps(mutants))
                    at, before, after = mutant["changes"][0]
                    where = f"{place.stem} {number} {mutant['file']}:{at}"
                    said = f"{where} {time.time() - began:.1f} s {mutant['outcome']}"
                    print(f"\n{said}\n  - {before.strip()}\n  + {after.strip()}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--sample", type=int, default=500)
    options = parser.parse_args()
    os.chdir(ROOT)
    (SCRATCH / "map").mkdir(parents=True, exist_ok=True)
    for seed in options.seed:
        place = SCRATCH / f"seed-{seed}.json"
        if not place.exists():
            place.write_text(json.dumps(list(drawn(ROOT, SOURCE, seed, options.sample))))
    pytest.main([*OPTIONS, *TESTS], plugins=[Session(lambda session: judge(session, options.seed))])


if __name__ == "__main__":
    main()
