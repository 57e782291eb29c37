"""Whether a notebook is what shows results."""

import sys
from typing import Any


def notebook() -> Any:
    """The shell of the notebook that runs this, None elsewhere; nothing is imported for it."""
    found = sys.modules.get("IPython")
    shell = None if found is None else found.get_ipython()
    return shell if getattr(shell, "kernel", None) is not None else None
