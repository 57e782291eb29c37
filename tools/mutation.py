"""Which mutants of the statistics the tests catch (``docs/inside/mutation.md``); needs cosmic-ray and coverage.

``python -m tools.mutation --seed 1 --sample 600`` draws mutants, finds out which test sees which line (once), runs the
tests that see each mutant, and repeats those not caught in a fresh process, with every example. What is known
already is kept in ``build/mutation``, so that it can be stopped and started; ``--again`` repeats those not caught.

The tests are collected once. Each mutant gets a fork of that process, in which the functions of the mutated file have
the mutant's code. Nothing is written to ``src``.
"""

import argparse
import gc
import json
import os
import shutil
import subprocess
import sys
import time
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from tools.mutants import Mutant, changed, drawn
from tools.seen_lines import OPTIONS, ROOT, SCRATCH, Map, Session, in_a_fork, map_tests

SOURCE = [ROOT / "src" / "assay" / name for name in ("measures", "kernels", "hypotheses")]
TESTS = [f"tests/{name}" for name in ("measures", "kernels", "hypotheses", "estimates")]
TESTS += ["tests/selftest/test_reference.py", "tests/test_conformance.py", "tests/test_oracles.py"]


def codes(text: str, path: str) -> list[CodeType]:
    """The code of a file and of everything defined in it, in order."""
    found = [compile(text, path, "exec", dont_inherit=True)]
    for code in found:
        found += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    return found


def implant(mutant: Mutant) -> None:
    """Give the functions of the mutated file the mutant's code, and let caches forget what they know."""
    path = ROOT / mutant["file"]
    text = path.read_text()
    pairs = zip(codes(text, str(path)), codes(changed(text, mutant), str(path)), strict=True)
    other = {before: after for before, after in pairs if before != after}
    gc.unfreeze()
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and one.__code__ in other:
            one.__code__ = other[one.__code__]
        elif isinstance(one, _lru_cache_wrapper):
            one.cache_clear()


def judged(session: Session, mutant: Mutant, tests: list[str]) -> str:
    """The test that catches a mutant, ``time`` where it takes too long, or ``survived``."""

    def work() -> str:
        implant(mutant)
        session.run(tests, thorough=False)
        return session.failed or "survived"

    return in_a_fork(work, 40) or "time"


def judged_afresh(mutant: Mutant, tests: list[str]) -> str:
    """The same in a new process on a copy of the source, every example tried: what runs at import is mutated too."""
    copy, file = SCRATCH / "src", mutant["file"]
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", copy, dirs_exist_ok=True, ignore=unwanted)
    (copy.parent / file).write_text(changed((ROOT / file).read_text(), mutant))
    own = file.replace("src/assay/", "tests/").replace(Path(file).name, f"test_{Path(file).name}")
    chosen = tests or [own if (ROOT / own).exists() else str(Path(own).parent)]
    command = [sys.executable, "-m", "pytest", *OPTIONS, "-x", *chosen]
    environment = os.environ | {"PYTHONPATH": str(copy)}
    try:
        found = subprocess.run(
            command, check=False, env=environment, capture_output=True, text=True, timeout=1800
        )
    except subprocess.TimeoutExpired:
        return "time"
    failed = [line for line in found.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0] if failed else "survived" if tests else "unseen"


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--again", action="store_true", help="only those not caught")
    options = parser.parse_args()
    os.chdir(ROOT)
    (SCRATCH / "map").mkdir(parents=True, exist_ok=True)
    place = SCRATCH / f"seed-{options.seed}.json"
    if not place.exists():
        files = [path for folder in SOURCE for path in sorted(folder.glob("*.py"))]
        place.write_text(json.dumps(list(drawn(ROOT, files, options.seed, options.sample))))

    def work(session: Session) -> None:
        map_tests(session, SOURCE)
        known, mutants = Map(), json.loads(place.read_text())
        for again in (True,) if options.again else (False, True):
            for number, mutant in enumerate(mutants):
                if mutant.get("outcome") in ((None, "survived", "unseen") if again else (None,)):
                    began = time.time()
                    tests = known.tests(mutant, 60.0 if again else 5.0)
                    if again:
                        mutant["outcome"] = judged_afresh(mutant, tests)
                    else:
                        mutant["outcome"] = judged(session, mutant, tests) if tests else "unseen"
                    place.write_text(json.dumps(mutants))
                    at, before, after = mutant["changes"][0]
                    said = f"{number} {time.time() - began:.1f} s {mutant['file']}:{at} {mutant['outcome']}"
                    print(f"\n{said}\n  - {before.strip()}\n  + {after.strip()}", flush=True)

    pytest.main([*OPTIONS, *TESTS], plugins=[Session(work)])


if __name__ == "__main__":
    main()
