"""One kernel of Jupyter for the tests of a module: cells are run in it, and what they show is given back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import nbclient
from nbformat import v4

new_cell: Any = v4.new_code_cell  # without types
new_notebook: Any = v4.new_notebook


class Kernel:
    """Runs cells one after the other in one kernel, as a person would."""

    def __init__(self, client: nbclient.NotebookClient) -> None:
        self.client = client

    def run(self, *cells: str) -> list[list[dict[str, Any]]]:
        """What each cell shows."""
        shown = []
        for source in cells:
            self.client.nb.cells.append(new_cell(source))
            done = self.client.execute_cell(self.client.nb.cells[-1], len(self.client.nb.cells) - 1)
            shown.append(done.outputs)
        return shown

    def cleared(self) -> None:
        """Forget what cells named; `%reset` forgets too what processes are started by."""
        kept = "('get_ipython', 'In', 'Out', 'exit', 'quit', 'open')"
        self.run(
            f"for _ in [_ for _ in dir() if _[0] != '_' and _ not in {kept}]: del globals()[_]"
        )


@contextmanager
def started() -> Iterator[Kernel]:
    client = nbclient.NotebookClient(new_notebook(), timeout=300, kernel_name="python3")
    with client.setup_kernel():
        yield Kernel(client)


def kinds(outputs: list[dict[str, Any]]) -> list[str]:
    """What kinds of things were shown beside the value of the cell."""
    return [next(iter(one["data"])) for one in outputs if one["output_type"] == "display_data"]
