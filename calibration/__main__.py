"""`python -m calibration`: measure what is missing, then write the table, the pictures and the data.

Options: --only PREFIX (jobs whose name begins so), --batches N (at most N batches of each job),
--workers N, --publish (write from what there is, measure nothing).
"""

import argparse
import sys
import tomllib
from pathlib import Path

from calibration.designs.grid_run import calibrate, jobs_of

HERE = Path(__file__).parent
RESULTS = HERE / "results"


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration", description=__doc__)
    parser.add_argument("--only", default="", help="jobs whose name begins so")
    parser.add_argument("--batches", type=int, help="at most so many batches of each job")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--publish", action="store_true", help="measure nothing")
    chosen = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    grid = tomllib.loads((HERE / "grid.toml").read_text())
    if not chosen.publish:
        calibrate(
            jobs_of(grid),
            RESULTS,
            workers=chosen.workers,
            only=chosen.only,
            at_most=chosen.batches,
            report=lambda line: print(line, file=sys.stderr, flush=True),
        )
    from calibration.publish import publish

    publish(RESULTS, grid)


if __name__ == "__main__":
    main()
