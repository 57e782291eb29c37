"""Where `assay` and `python -m assay` begin: Ctrl-C is heard before the command line is loaded."""

import gc
import os
import sys

YOUNG = 100_000
"""New objects after which cycles are looked for: of results, which have none, there may be a million."""


def main() -> None:
    """Load the command line and run it.

    Its matrices are small: threads of BLAS would wait for one another longer than they work.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(YOUNG)
    try:
        from assay.cli.main import main as command_line
    except KeyboardInterrupt:
        sys.stderr.write("assay: stopped\n")
        sys.exit(130)
    command_line()


if __name__ == "__main__":
    main()
