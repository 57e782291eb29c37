"""Figures and progress in a notebook, tried in a kernel of Jupyter; elsewhere nothing is shown."""

import json
from collections.abc import Iterator

import pytest

from assay.core.notebooks import notebook
from assay.plots import qq
from assay.plots.notebook_figures import _drawn
from tests.notebook_kernel import Kernel, kinds, started

SETUP = "import assay\nfrom assay.plots import qq, save\nfrom assay.core.progress import steps\nimport time"


def test_nothing_is_kept_where_there_is_no_notebook() -> None:
    qq([0.1, 0.4, 0.2, 0.9])
    assert notebook() is None
    assert _drawn == []


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with started() as one:
        one.run(SETUP)
        yield one


class TestKernel:
    def test_figures_stand_below_their_cell(self, kernel: Kernel) -> None:
        drawn, titled, saved, none = kernel.run(
            "axes = qq([0.1, 0.4, 0.2, 0.9])",
            "for k in range(2):\n    axes = qq([0.1, 0.4, 0.2, 0.9])",
            "assay.mean_t([0.1, 0.4, 0.2]).to_html();",
            "1 + 1",
        )
        assert kinds(drawn) == ["image/png"]
        assert drawn[0]["metadata"]["image/png"]["width"] < 700
        assert len(kinds(titled)) == 2
        assert kinds(saved) == kinds(none) == []

    def test_long_work_shows_how_far_it_is(self, kernel: Kernel) -> None:
        (shown,) = kernel.run("for _ in steps('resampling', range(30)):\n    time.sleep(0.15)")
        assert kinds(shown) == ["text/plain"]
        assert shown[0]["data"]["text/plain"] == "", "it is gone in the end"

    def test_short_work_shows_nothing(self, kernel: Kernel) -> None:
        (shown,) = kernel.run("for _ in steps('resampling', range(3)):\n    time.sleep(0.01)")
        assert shown == []

    def test_results_are_short_with_a_fold(self, kernel: Kernel) -> None:
        (shown,) = kernel.run("assay.mcnemar(50, 10, 4, 36)")
        html = shown[0]["data"]["text/html"]
        assert html.count("<details") == 1
        assert len(json.dumps(html.split("<details")[0])) < 4000

    def test_the_slider_is_a_widget(self, kernel: Kernel) -> None:
        (shown,) = kernel.run(
            "from assay.report.margin_slider import margin_slider\n"
            "y = [0, 1] * 50\n"
            "margin_slider({'truth': y, 'a': y, 'b': [1, *y[1:]]}, largest=0.2)"
        )
        assert any(
            "application/vnd.jupyter.widget-view+json" in one.get("data", {}) for one in shown
        )
