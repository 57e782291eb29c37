"""In a browser: what a judge, a strange address and curves of many models show first."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.web.browsing import Visit
from tests.web.conftest import Served, needs_chromium
from tests.web.test_boards import as_file
from tests.web.test_judges import GRADES

pytestmark = needs_chromium
MANY = 8


@pytest.fixture
def tab(browser: Any, served: Served) -> Iterator[Visit]:
    visit = Visit(browser, served)
    yield visit
    visit.close()


def dropped(served: Served, table: dict[str, Any]) -> str:
    with served.client() as client:
        return served.dropped(client, as_file(table), "table.csv")


def scores() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 120)
    return {"truth": truth} | {
        f"m{k}_score": 1 / (1 + np.exp(rng.normal(0, 1 + k, 120) - 2 * truth)) for k in range(MANY)
    }


def test_a_judge_is_answered_first(tab: Visit) -> None:
    address = dropped(tab.served, GRADES)
    page = tab.go(f"{address}/judge?people=human&judge=gpt&chosen=random")
    page.wait_for_selector("h1#verdict")
    assert len(page.inner_text("h1").split()) <= 12
    drawn, form = (
        page.locator(one).bounding_box()
        for one in (".verdict svg >> visible=true", "form.question")
    )
    assert drawn["y"] + drawn["height"] < form["y"]
    assert tab.faults() == []


@pytest.mark.parametrize("path", ["", "/curves"])
def test_what_makes_no_sense_is_said(tab: Visit, path: str) -> None:
    address = dropped(tab.served, scores())
    page = tab.go(f"{address}{path}?positive=1&level=7&xyzzy=1")
    page.wait_for_selector(".trouble")
    assert "got 7" in page.inner_text(".trouble")
    assert "xyzzy" in page.inner_text(".strangers")
    assert (tab.violations(), tab.overflow()) == ([], 0)


def test_of_many_curves_the_chosen_one_has_the_colour(tab: Visit) -> None:
    address = dropped(tab.served, scores())
    page = tab.go(f"{address}/curves?positive=1")
    page.wait_for_selector("#roc svg path[stroke-width='3']", state="attached")
    strokes: Callable[[], list[str]] = lambda: page.eval_on_selector_all(  # noqa: E731
        "#roc svg path[stroke-width='3']", "all => all.map((one) => one.getAttribute('stroke'))"
    )
    assert len(strokes()) == 1
    before = page.inner_html("#roc")
    page.select_option("#field-model", f"m{MANY - 1}")
    page.wait_for_function(
        "before => document.querySelector('#roc').innerHTML !== before", arg=before
    )
    assert len(strokes()) == 1
    assert tab.violations() == []
