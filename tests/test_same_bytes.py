"""Same seed, same bytes: over the order of rows, the form of a table, engines, threads and hash seeds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.same_bytes import DESIGNS, FORMS, ORDERS
from tests.support import PATIENCE

ROOT = Path(__file__).parents[1]
REFERENCE = ("4", "0")


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    """One answer to each design, from the first of the processes."""
    found = _answers(*REFERENCE)
    met = [one for kinds in found.values() for places in kinds.values() for one in places]
    assert len(DESIGNS) == 10
    assert len(met) == len(DESIGNS) * len(FORMS) * len(ORDERS) + 4
    assert _different(found) == {}
    return {design: next(iter(kinds)) for design, kinds in found.items()}


@pytest.mark.parametrize("hash_seed", ["0", "123"])
@pytest.mark.parametrize("threads", ["1", "4"])
def test_one_answer_for_every_form_order_thread_and_hash_seed(
    threads: str, hash_seed: str, expected: dict[str, str]
) -> None:
    if (threads, hash_seed) == REFERENCE:
        return  # that is where the others are expected to agree
    found = _answers(threads, hash_seed)
    assert _different(found) == {}
    assert {design: next(iter(kinds)) for design, kinds in found.items()} == expected


def _answers(threads: str, hash_seed: str) -> dict[str, dict[str, list[str]]]:
    """The answers of another process, whose engines have so many threads."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")
    told = {**dict.fromkeys(names, threads), "PYTHONHASHSEED": hash_seed}
    ran = subprocess.run(
        [sys.executable, "-m", "tests.same_bytes", threads],
        env={**os.environ, **told, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    found: dict[str, dict[str, list[str]]] = json.loads(ran.stdout)
    return found


def _different(found: dict[str, dict[str, list[str]]]) -> dict[str, list[str]]:
    """Designs with more than one answer, and where each came from."""
    return {
        design: [places[0] for places in kinds.values()]
        for design, kinds in found.items()
        if len(kinds) > 1
    }
