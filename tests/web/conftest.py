"""The page, served for real on a free port, and ways to visit it."""

import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from assay.web.app import create_app
from assay.web.security import Session
from assay.web.serve import allowed_hosts
from tests.support import PATIENCE, needs, until

needs_chromium = needs("chromium", "chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A page that runs: where, and its secrets."""

    address: str
    session: Session
    folder: Path

    @property
    def cookies(self) -> dict[str, str]:
        return {self.session.cookie_name: self.session.cookie}

    def client(self, **more: Any) -> httpx.Client:
        """A visitor that the page knows, behaving as a browser does."""
        headers = {"origin": self.address, "sec-fetch-site": "same-origin", "accept": "text/html"}
        options: dict[str, Any] = {"cookies": self.cookies, "headers": headers, "timeout": PATIENCE}
        return httpx.Client(base_url=self.address, **{**options, **more})

    def drop(
        self, client: httpx.Client, content: bytes | str, name: str = "data.csv"
    ) -> httpx.Response:
        return client.post(
            "/drop", data={"csrf": self.session.csrf}, files={"files": (name, content)}
        )

    def dropped(self, client: httpx.Client, content: bytes | str, name: str = "data.csv") -> str:
        """The address of what was made of a file."""
        response = self.drop(client, content, name)
        assert response.status_code == 303, response.text
        return response.headers["location"]

    def json(self, client: httpx.Client, address: str) -> httpx.Response:
        """A page's facts, waited for."""
        return self._done(client, address, accept="application/json")

    def page(self, client: httpx.Client, address: str) -> httpx.Response:
        """A page as a browser has it, waited for."""
        return self._done(client, address)

    def _done(self, client: httpx.Client, address: str, **headers: str) -> httpx.Response:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            response = client.get(address, headers=headers)
            if response.status_code != 202:
                return response
            time.sleep(0.1)
        raise AssertionError(f"{address} is not done")


def _leave_server_of_processes() -> None:
    """Let the next process be born by a new server: a study of an earlier test has left one that imported other things.

    It is not waited for, as multiprocessing does: it ends with the last process that another page keeps ready.
    """
    server: Any = forkserver._forkserver
    if server._forkserver_pid is not None:
        os.close(server._forkserver_alive_fd)
        server._forkserver_pid = server._forkserver_alive_fd = server._forkserver_address = None


def serving(folder: Path, **options: Any) -> Iterator[Served]:
    """Serve the page in a thread until the test is over."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    session = Session(hosts=allowed_hosts("127.0.0.1", port), cookie_name=f"assay-{port}")
    _leave_server_of_processes()
    app = create_app(session, **options)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws="none",
        timeout_graceful_shutdown=1,
        timeout_keep_alive=int(PATIENCE),  # no request meets a connection that is being closed
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until(lambda: server.started)
    yield Served(address=f"http://127.0.0.1:{port}", session=session, folder=folder)
    server.should_exit = True
    thread.join(PATIENCE)
    listening.close()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from serving(tmp_path_factory.mktemp("page"))


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with served.client() as visitor:
        yield visitor


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield chromium
        chromium.close()
