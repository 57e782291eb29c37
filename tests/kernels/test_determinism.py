"""Same seed, same bytes: whatever the chunks in which weights are looked at, and the threads."""

import hashlib
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import assay
from assay.estimates import resampling_cells
from assay.estimates.bootstrap import bootstrap, replicate
from assay.evidence.predictions import Predictions
from assay.kernels import auc
from assay.kernels.resampling import multinomial_blocks
from assay.measures.registry import find_measure

N = 700


def columns(kind: str, seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(N) < 0.4).astype(int)
    if kind == "labels":
        return {
            "truth": truth,
            **{m: np.where(rng.random(N) < 0.2, 1 - truth, truth) for m in "ab"},
        }
    if kind == "scores":
        return {"truth": truth, **{f"{m}:score": truth + rng.normal(size=N) for m in "ab"}}
    value = rng.normal(size=N)
    return {"truth": value, **{m: value + rng.normal(size=N) for m in "ab"}}


MEASURES = {
    "f1": "labels",
    "mcc": "labels",
    "roc_auc": "scores",
    "average_precision": "scores",
    "partial_auc[0.2]": "scores",
    "r2": "values",
    "rmse": "values",
}


def read(kind: str, **extra: Any) -> Predictions:
    roles: dict[str, Any] = {name: name for name in extra}
    found = assay.read({**columns(kind), **extra}, truth="truth", **roles)
    assert isinstance(found, Predictions)
    return found


def bytes_of(given: Predictions, measure: str, **options: Any) -> bytes:
    found = replicate(given, find_measure(measure), n_resamples=60, rng=3, **options)
    return found.replicates.tobytes()


class TestChunks:
    @pytest.mark.parametrize("measure", MEASURES)
    @pytest.mark.parametrize("design", ["plain", "stratified", "clusters", "weights"])
    def test_do_not_change_a_byte(
        self, measure: str, design: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kind = MEASURES[measure]
        if design == "stratified" and kind == "values":
            return  # truth has no classes there
        rng = np.random.default_rng(5)
        designs: dict[str, dict[str, Any]] = {
            "clusters": {"cluster": rng.integers(0, 50, N)},
            "weights": {"weight": rng.integers(1, 4, N) / 2.0},
        }
        extra = designs.get(design, {})
        given = read(kind, **extra)
        options = {"stratified": True} if design == "stratified" else {}
        whole = bytes_of(given, measure, **options)
        for cells in (N, 5 * N + 1, 2**22):
            monkeypatch.setattr(auc, "BLOCK_CELLS", cells)
            monkeypatch.setattr(resampling_cells, "STACK", cells)
            assert bytes_of(given, measure, **options) == whole

    def test_blocks_have_streams_of_their_own(self) -> None:
        counts = np.array([3, 900, 97])
        blocks = list(multinomial_blocks(counts, 100_000, 7))
        again = list(multinomial_blocks(counts, 100_000, 7))
        assert len(blocks) > 1
        last = [draws for _, draws in again][-1]
        assert np.array_equal(blocks[-1][1], last)
        assert not np.array_equal(blocks[0][1][:5], blocks[1][1][:5])


SCRIPT = """
import sys, hashlib
sys.path.insert(0, ".")
from tests.kernels.test_determinism import fingerprint
print(fingerprint())
"""


def fingerprint() -> str:
    """A digest of everything random or summed: replicates, exact laws, tests."""
    found = hashlib.sha256()
    for measure, kind in MEASURES.items():
        found.update(bytes_of(read(kind), measure))
    for measure in ("rmse", "mae"):
        given = read("values")
        found.update(bootstrap(given.select("a"), measure=measure).to_json().encode())
        found.update(
            assay.paired_measure_permutation(given, measure=measure, rng=1).to_json().encode()
        )
    scored = columns("scores")
    found.update(
        assay.delong_test(scored["truth"], scored["a:score"], scored["b:score"]).to_json().encode()
    )
    return found.hexdigest()


class TestThreads:
    def test_do_not_change_a_byte(self) -> None:
        digests = set()
        for threads in ("1", "2"):
            names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
            environment = {**os.environ, **dict.fromkeys(names, threads)}
            done = subprocess.run(
                [sys.executable, "-c", SCRIPT],
                capture_output=True, text=True, check=True, env=environment,
            )  # fmt: skip
            digests.add(done.stdout.strip())
        assert len(digests) == 1


def peak(run: Callable[[], Any]) -> float:
    """MiB at the highest."""
    run()  # imports and caches
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


class TestMemory:
    @pytest.mark.parametrize("measure", ["roc_auc", "average_precision", "partial_auc[0.1]"])
    def test_is_bounded_by_chunks_whatever_the_number_of_resamples(self, measure: str) -> None:
        rng = np.random.default_rng(6)
        truth = (rng.random(3000) < 0.3).astype(int)
        given = assay.read(
            {"truth": truth, "a:score": truth + rng.normal(size=3000)}, truth="truth"
        )
        few, many = (
            peak(lambda size=size: bootstrap(given, measure=measure, n_resamples=size, rng=1))  # type: ignore[misc]
            for size in (200, 2000)
        )
        # all weights at once would be 3000 x 2000 bytes at the least, 5.7 MiB more
        assert many - few < 1.0

    def test_of_many_models(self) -> None:
        rng = np.random.default_rng(7)
        truth = rng.integers(0, 2, 400)
        models = {f"m{k}": np.where(rng.random(400) < 0.2, 1 - truth, truth) for k in range(12)}
        given = {"truth": truth, **models}
        found = peak(
            lambda: assay.simultaneous_bootstrap(given, measure="f1", n_resamples=4000, rng=1)
        )
        # 12 replicates and 66 differences of each resample are 2.4 MiB, its cells 12 MiB at once
        assert found < 12.0

    def test_of_the_exact_law(self) -> None:
        values = np.random.default_rng(8).normal(size=200_000)
        given = assay.read({"truth": values, "a": values * 0.9}, truth="truth")
        assert peak(lambda: bootstrap(given, measure="mse")) < 14.0  # nine copies of the values
