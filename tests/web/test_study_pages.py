"""Pages of a study that runs: nothing out of date is shown, however slow the machine is."""

import html
import io
import math
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.web import jobs, limits
from assay.web.study_processes import StudyProcesses
from tests.support import until
from tests.web.conftest import Served, serving
from tests.web.test_jobs import Clock
from tests.web.test_journeys import run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time by which answers go out of date."""
    found = Clock()
    monkeypatch.setattr(jobs, "time", found)
    return found


@pytest.fixture
def half_done(tmp_path: Path) -> Iterator[Served]:
    yield from serving(tmp_path, store=str(run(tmp_path, only=["iris"])))


def test_an_answer_from_before_the_end_of_a_run_is_none_after_it(
    half_done: Served, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with half_done.client() as client:
        monkeypatch.setattr(StudyProcesses, "alive", lambda *_: True)
        before = half_done.json(client, "/stores/main/0.json").json()
        run(half_done.folder)
        clock.now += 0.1  # too little for an answer to go out of date
        monkeypatch.setattr(StudyProcesses, "alive", lambda *_: False)
        monkeypatch.setattr(StudyProcesses, "ended", lambda *_: clock.now)
        after = half_done.json(client, "/stores/main/0.json").json()
    assert (before["running"], after["running"]) == (True, False)
    assert 0 < before["study"]["done"] < after["study"]["done"] == after["study"]["total"]
    assert len(after["table"]["names"]) == 2


def test_the_end_of_a_run_is_when_it_was_first_seen() -> None:
    runs = StudyProcesses()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        runs._running["here"] = (process, io.BytesIO())
        assert runs.alive("here")
        assert runs.ended("here") == -math.inf
    seen = time.monotonic()
    assert not runs.alive("here")
    ended = runs.ended("here")
    assert ended >= seen
    assert not runs.alive("here")
    assert runs.ended("here") == ended


def test_a_page_that_is_long_in_coming_comes(
    half_done: Served, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a browser does: look whether the work is done, then ask for the page, which takes long."""
    monkeypatch.setattr(limits, "PATIENCE", 0.0)
    with half_done.client() as client:

        def at_work(address: str) -> bool:
            response = client.get(address, headers={"accept": "application/json"})
            return response.status_code == 202 or response.json().get("state") in (
                "waiting",
                "running",
            )

        for _ in range(6):
            page = client.get("/stores/main/0")
            waiting = re.search(r'data-again="([^"]+)"', page.text)
            if waiting is None:
                break
            again = html.unescape(waiting[1])
            until(lambda: not at_work(again))  # noqa: B023
            clock.now += 5.0
    assert page.status_code == 200
    assert "not finished" in page.text


def test_a_study_that_has_grown_is_evidence_anew(half_done: Served, clock: Clock) -> None:
    with half_done.client() as client:
        form = {"csrf": half_done.session.csrf, "by": "fold", "dataset": "iris"}

        def seen() -> tuple[str, str, int]:
            address = client.post("/stores/main/0/compare", data=form).headers["location"]
            report = client.get("/stores/main/0/report.md").text
            curves = half_done.json(client, "/stores/main/0/curves.json?dataset=wine").json()
            return address, report, len(curves["curves"])

        before = seen()
        run(half_done.folder)
        clock.now += 2.0
        after = seen()
    assert all(old != new for old, new in zip(before, after, strict=True))


@pytest.fixture
def finished(tmp_path: Path) -> Iterator[Served]:
    yield from serving(tmp_path, store=str(run(tmp_path)))


def test_a_finished_study_states_its_verdict(finished: Served) -> None:
    with finished.client() as client:
        page = finished.page(client, "/stores/main/0").text
        told = re.search(r'id="study-verdict" hx-get="([^"]+)"', page)
        assert told is not None
        found = finished.page(client, html.unescape(told[1])).text
        report = finished.page(client, "/stores/main/0/report.html").text
    headline = re.search(r'<h2 id="verdict"><bdi>([^<]+)</bdi></h2>', found)
    assert headline is not None
    assert len(headline[1].split()) <= 12
    assert f"<h1>{headline[1]}</h1>" in report
    assert found.index('id="study-verdict"') < found.index('class="strip"')
    assert 'class="zero"' in found


def test_one_that_is_not_finished_states_none(half_done: Served) -> None:
    with half_done.client() as client:
        page = half_done.page(client, "/stores/main/0").text
    assert 'id="study-verdict"' not in page


def test_what_a_study_cannot_be_asked_is_said(finished: Served) -> None:
    with finished.client() as client:
        page = finished.page(client, "/stores/main/0?level=7").text
    assert "Give a number from 0.5 to 0.9999; got 7." in page
