"""`make bench`: every benchmark in turn, each in a process of its own with one BLAS thread."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    """Run the scripts of this folder, or those named; the exit code counts the failures."""
    chosen = sys.argv[1:] or sorted(p.stem for p in HERE.glob("*.py") if not p.stem.startswith("_"))
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    failures = 0
    for name in chosen:
        print(f"\n== {name}", flush=True)
        done = subprocess.run([sys.executable, HERE / f"{name}.py"], env=environment, check=False)
        failures += done.returncode != 0
    return failures


if __name__ == "__main__":
    sys.exit(main())
