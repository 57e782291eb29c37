"""Figures and progress in a notebook, tried in a kernel of Jupyter; elsewhere nothing is shown."""

import json
from typing import Any

import pytest

from assay.core.notebooks import notebook
from assay.plots import qq
from assay.plots.notebook_figures import _drawn

SETUP = "import assay\nfrom assay.plots import qq, save\nfrom assay.core.progress import steps\nimport time"


def test_nothing_is_kept_where_there_is_no_notebook() -> None:
    qq([0.1, 0.4, 0.2, 0.9])
    assert notebook() is None
    assert _drawn == []


@pytest.fixture(scope="module")
def kernel() -> Any:
    """Runs cells and gives what they show, by kind."""
    nbclient = pytest.importorskip("nbclient", reason="a kernel of Jupyter is not installed")
    pytest.importorskip("ipykernel")
    v4 = pytest.importorskip("nbformat").v4

    def run(*cells: str) -> list[list[dict[str, Any]]]:
        made = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in (SETUP, *cells)])
        nbclient.NotebookClient(made, timeout=120, kernel_name="python3").execute()
        return [cell.outputs for cell in made.cells[1:]]

    return run


def kinds(outputs: list[dict[str, Any]]) -> list[str]:
    return [next(iter(one["data"])) for one in outputs if one["output_type"] == "display_data"]


class TestKernel:
    def test_figures_stand_below_their_cell(self, kernel: Any) -> None:
        drawn, titled, saved, none = kernel(
            "axes = qq([0.1, 0.4, 0.2, 0.9])",
            "for k in range(2):\n    axes = qq([0.1, 0.4, 0.2, 0.9])",
            "assay.mean_t([0.1, 0.4, 0.2]).to_html();",
            "1 + 1",
        )
        assert kinds(drawn) == ["image/png"]
        assert drawn[0]["metadata"]["image/png"]["width"] < 700
        assert len(kinds(titled)) == 2
        assert kinds(saved) == kinds(none) == []

    def test_long_work_shows_how_far_it_is(self, kernel: Any) -> None:
        (shown,) = kernel("for _ in steps('resampling', range(30)):\n    time.sleep(0.15)")
        assert kinds(shown) == ["text/plain"]
        assert shown[0]["data"]["text/plain"] == "", "it is gone in the end"

    def test_short_work_shows_nothing(self, kernel: Any) -> None:
        (shown,) = kernel("for _ in steps('resampling', range(3)):\n    time.sleep(0.01)")
        assert shown == []

    def test_results_are_short_with_a_fold(self, kernel: Any) -> None:
        (shown,) = kernel("assay.mcnemar(50, 10, 4, 36)")
        html = shown[0]["data"]["text/html"]
        assert html.count("<details") == 1
        assert len(json.dumps(html.split("<details")[0])) < 4000
