"""Simulation over replicates: 100,000 samples of 200 items for each of the common methods.

python benchmarks/simulate.py
"""

import sys
import time

import assay

REPLICATES, ITEMS, LIMIT = 100_000, 200, 10.0
METHODS = (
    "mcnemar",
    "one_sample_t",
    "paired_t",
    "two_sample_t",
    "wilcoxon",
    "wilson",
    "delong",
    "delong_test",
)


def main() -> int:
    """Print the seconds of each method; the exit code counts those above the limit."""
    late = 0
    for method in METHODS:
        start = time.perf_counter()
        found = assay.simulate(method, n=ITEMS, replicates=REPLICATES, rng=1)
        seconds = time.perf_counter() - start
        late += seconds > LIMIT
        cell = found.cells[0]
        print(f"{method:<14}{seconds:6.2f} s   {cell.quantity} {cell.value:.4f}")
    return late


if __name__ == "__main__":
    sys.exit(main())
