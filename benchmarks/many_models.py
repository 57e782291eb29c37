"""How long the methods for many models take: python benchmarks/many_models.py

Best of several runs, in milliseconds, after import. One BLAS thread is fairest on a busy machine:
OPENBLAS_NUM_THREADS=1.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from assay.hypotheses.many_models import cochran_q, friedman, iman_davenport
from assay.hypotheses.multiplicity import adjust, bergmann_hommel, shaffer
from assay.hypotheses.posthoc import friedman_posthoc, nemenyi, wilcoxon_pairs


def milliseconds(run: Callable[[], Any], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return 1000 * best


def main() -> None:
    rng = np.random.default_rng(1)
    small, large = rng.normal(size=(100, 10)), rng.normal(size=(1000, 100))
    decimals = np.round(0.8 + 0.05 * small, 3)
    right = (rng.random((100_000, 5)) < 0.8).astype(int)
    p36, p4950 = rng.random(36) ** 3, rng.random(4950) ** 3
    tasks: list[tuple[str, Callable[[], Any], int]] = [
        ("Friedman, 100 x 10", lambda: friedman(small), 9),
        ("Nemenyi all pairs, 100 x 10", lambda: nemenyi(small), 9),
        ("Friedman and Nemenyi, 100 x 10", lambda: (friedman(small), nemenyi(small)), 9),
        ("Wilcoxon all pairs, Holm, 100 x 10, no ties", lambda: wilcoxon_pairs(small), 9),
        ("Wilcoxon all pairs, Holm, 100 x 10, three decimals", lambda: wilcoxon_pairs(decimals), 5),
        ("Friedman, 1,000 x 100", lambda: friedman(large), 3),
        ("Iman-Davenport, 1,000 x 100", lambda: iman_davenport(large), 3),
        ("z of mean ranks, Holm, 1,000 x 100", lambda: friedman_posthoc(large), 3),
        ("Nemenyi all pairs, 1,000 x 100", lambda: nemenyi(large), 3),
        ("Wilcoxon all pairs, Holm, 1,000 x 100", lambda: wilcoxon_pairs(large), 1),
        ("Cochran's Q, 100,000 x 5", lambda: cochran_q(right), 3),
        ("Holm, 4,950 p-values", lambda: adjust(p4950), 5),
        ("Hommel, 4,950 p-values", lambda: adjust(p4950, method="hommel"), 1),
        ("Shaffer, 100 models", lambda: shaffer(p4950), 3),
        ("Bergmann-Hommel, 9 models", lambda: bergmann_hommel(p36), 3),
    ]
    for name, run, repeats in tasks:
        print(f"{name:<52} {milliseconds(run, repeats):10.2f} ms")


if __name__ == "__main__":
    main()
