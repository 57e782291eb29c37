"""Studies started in a real browser: watched, stopped, resumed, and alive after the page was killed."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.store.store import Store
from assay.web.security import Session
from tests.support import until
from tests.web.browsing import PHONE, Visit, answered, arrived
from tests.web.conftest import Served, needs_chromium, serving
from tests.web.test_new_study import PEOPLE

pytestmark = needs_chromium


@pytest.fixture
def page_of(tmp_path: Path) -> Iterator[Served]:
    yield from serving(tmp_path, studies=tmp_path / "studies")


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Visit]]:
    opened: list[Visit] = []

    def begin(where: Served, **options: Any) -> Visit:
        opened.append(Visit(browser, where, **options))
        return opened[-1]

    yield begin
    for one in opened:
        one.close()


def choose(page: Any, *learners: str, **fields: str) -> None:
    """Fill in the form of a study on iris."""
    page.check("input[name=dataset][value=iris]")
    for name in learners:
        page.check(f"input[name=learner][value={name}]")
    for name, text in fields.items():
        page.fill(f"#field-{name}", text)


def begun(page: Any) -> None:
    """Start, and wait until the page of the study says that something is done."""
    page.click("button[value=start]")
    page.wait_for_selector("#state")
    page.wait_for_function("() => Number(document.querySelector('#done')?.innerText) > 0")


def said(page: Any, state: str) -> None:
    page.wait_for_function(
        "state => document.querySelector('#state')?.innerText.toLowerCase() === state", arg=state
    )


def count(page: Any) -> tuple[int, int]:
    """Tasks done, and all of them."""
    done, total = re.findall(r"\d+", page.inner_text(".verdict .lead"))[:2]
    return int(done), int(total)


class TestStudy:
    def test_chosen_watched_stopped_resumed_compared(
        self, page_of: Served, visit: Callable[..., Visit], tmp_path: Path
    ) -> None:
        path = tmp_path / "people.csv"
        path.write_text(PEOPLE)
        tab = visit(page_of)
        page = tab.go("/")
        tab.follow("text=Start a study", "**/studies/new")
        choose(page, "tree", "forest", folds="10", repeats="2")
        page.set_input_files("#field-file", path)  # nothing that was chosen is lost
        page.wait_for_selector(".own")
        arrived(page)
        assert page.is_checked("input[name=dataset][value=iris]")
        assert page.is_checked("input[name=learner][value=forest]")
        assert page.is_checked(".own input[value=id]")  # a column of ids is left out
        assert tab.violations() == []
        begun(page)
        assert page.inner_text("#state").lower() == "running"
        page.click("text=Stop it")
        page.wait_for_selector("form[action$=resume]")
        said(page, "not finished")
        done, total = count(page)
        assert 0 < done < total == 80
        assert tab.violations() == []
        page.click("text=Continue")
        page.wait_for_selector("form[action$=stop]")
        said(page, "finished")
        page.wait_for_selector("form[action$=stop]", state="detached")
        arrived(page)
        assert count(page) == (80, 80)
        page.select_option("#by", "fold")
        page.select_option("#dataset", "people")
        page.click("button:has-text('Compare')")
        answered(page)
        assert "10 folds × 2 repeats" in page.inner_text(".read .sentence")

    def test_what_is_wrong_stands_beside_its_field(
        self, page_of: Served, visit: Callable[..., Visit]
    ) -> None:
        tab = visit(page_of, viewport=PHONE)
        page = tab.go("/studies/new")
        choose(page, folds="ten")
        page.click("button[value=start]")
        page.wait_for_selector("#wrong-folds")
        assert page.get_attribute("#field-folds", "aria-describedby") == "wrong-folds"
        assert "at least one learner" in page.inner_text("#field-learner .wrong")
        assert page.is_checked("input[name=dataset][value=iris]")
        assert page.input_value("#field-folds") == "ten"
        assert (tab.violations(), tab.overflow()) == ([], 0)

    def test_without_script(self, page_of: Served, visit: Callable[..., Visit]) -> None:
        page = visit(page_of, java_script_enabled=False).go("/studies/new")
        page.set_input_files(
            "#field-file", {"name": "p.csv", "mimeType": "text/csv", "buffer": PEOPLE.encode()}
        )
        page.click("button[value=add]")
        page.wait_for_selector(".own")
        choose(page, "tree", folds="2")
        page.click("button[value=start]")
        page.wait_for_selector("#state")
        until(lambda: (page.reload(), page.inner_text("#state").lower())[1] == "finished")
        assert count(page) == (4, 4)


def served_by(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """`assay serve` in a folder, in a process of its own, and the address that opens it."""
    said = folder / "said.txt"
    with said.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "assay", "serve", "--port", "0", "--no-browser"],
            cwd=folder, stderr=stream,
        )  # fmt: skip
    until(lambda: "http://" in said.read_text())
    return process, re.findall(r"http://\S+", said.read_text())[0]


class TestKilled:
    def test_a_page_that_was_killed_leaves_a_study_that_goes_on(
        self, browser: Any, visit: Callable[..., Visit], tmp_path: Path
    ) -> None:
        process, address = served_by(tmp_path)
        page = self.opened(visit, address, tmp_path)
        page.goto(address.split("/open")[0] + "/studies/new")
        choose(page, "tree", "forest", folds="10", repeats="2")
        begun(page)
        page.goto("about:blank")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process, address = served_by(tmp_path)
        try:
            page = self.opened(visit, address, tmp_path)
            page.goto(address.split("/open")[0] + "/studies")
            page.click("table a:has-text('study')")
            page.wait_for_selector("#state")
            if page.locator("form[action$=resume]").count():  # it may be done already
                page.click("text=Continue")
            said(page, "finished")
            assert count(page) == (40, 40)
        finally:
            page.goto("about:blank")
            process.terminate()
            process.wait()
        with Store.open(tmp_path / "assay-studies" / "study" / "study.db", create=False) as store:
            assert len(store.records("study")) == 40  # nothing twice

    @staticmethod
    def opened(visit: Callable[..., Visit], address: str, folder: Path) -> Any:
        root = address.split("/open", maxsplit=1)[0]
        session = Session(hosts=frozenset(), cookie_name="none")
        tab = visit(Served(address=root, session=session, folder=folder), known=False)
        page = tab.page
        page.goto(address)
        page.wait_for_selector("#drop")
        return page
