"""Same seed, same bytes: over the order of rows, the form of a table, engines, threads and hash seeds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.same_bytes import DESIGNS, FORMS, ORDERS, answers
from tests.support import PATIENCE

ROOT = Path(__file__).parents[1]


def test_one_answer_for_every_form_and_order(tmp_path: Path) -> None:
    found: dict[str, dict[str, tuple[str, str]]] = {}
    met = 0
    for (design, form, order), text in answers(tmp_path):
        found.setdefault(design, {}).setdefault(text, (form, order))
        met += 1
    assert met == len(DESIGNS) * len(FORMS) * len(ORDERS)
    assert {design: list(kinds.values()) for design, kinds in found.items() if len(kinds) > 1} == {}


@pytest.mark.parametrize(("threads", "hash_seed"), [("1", "0"), ("4", "123")])
def test_one_answer_for_other_threads_and_hash_seeds(
    threads: str, hash_seed: str, tmp_path: Path
) -> None:
    here = {
        " | ".join(key): text for key, text in answers(tmp_path, forms=("arrays", "CSV", "Dask"))
    }
    told = {
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "PYTHONHASHSEED": hash_seed,
    }
    ran = subprocess.run(
        [sys.executable, "-m", "tests.same_bytes", "arrays", "CSV", "Dask"],
        env={**os.environ, **told, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert json.loads(ran.stdout) == here
