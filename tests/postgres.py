"""A PostgreSQL server of our own, in a temporary folder, reached by a socket in it."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from tests.support import PATIENCE, lives, until

NOBODY_ELSE = "postgres"
"""Root may not run a server; Debian's package brings this user."""


def programs() -> Path | None:
    """The folder with initdb and postgres: of the path, or where Debian has them."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).parent
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return places[-1].parent if places else None


needs_postgres = pytest.mark.skipif(
    programs() is None and not os.environ.get("ASSAY_REQUIRE_ALL"),
    reason="initdb is not installed (Debian's postgresql)",
)


class Server:
    """One server and the URLs of its databases."""

    def __init__(self, folder: Path) -> None:
        found = programs()
        if found is None:
            pytest.fail("initdb is not installed (Debian's postgresql)")
        self.folder, self.programs = folder, found
        self.process: subprocess.Popen[bytes] | None = None
        self.as_other = ["runuser", "-u", NOBODY_ELSE, "--"] if os.geteuid() == 0 else []

    def make(self) -> None:
        if self.as_other:
            os.chown(self.folder, pwd.getpwnam(NOBODY_ELSE).pw_uid, -1)
        command = [
            str(self.programs / "initdb"), "--pgdata", str(self.folder / "data"), "--no-sync",
            "--auth", "trust", "--username", "assay", "--encoding", "UTF8",
        ]  # fmt: skip
        subprocess.run([*self.as_other, *command], check=True, capture_output=True, cwd="/")

    def start(self) -> None:
        command = [
            str(self.programs / "postgres"), "-D", str(self.folder / "data"),
            "-k", str(self.folder), "-c", "listen_addresses=", "-c", "fsync=off",
        ]  # fmt: skip
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*self.as_other, *command], stdout=log, stderr=log, cwd="/"
            )
        until(self._answers)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres")).close()
        except psycopg.OperationalError:
            if self.process is None or self.process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text()[-2000:]) from None
            return False
        return True

    def url(self, database: str) -> str:
        return f"postgresql://assay@/{database}?host={self.folder}"

    def database(self, name: str) -> str:
        """The URL of a new database."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)

    def pid(self) -> int | None:
        """Of the server itself, not of the program that gave it another user."""
        try:
            return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        except (OSError, IndexError):
            return None

    def crash(self) -> None:
        """End every process of the server at once, as a power cut would."""
        pid = self.pid()
        if pid is None:
            pytest.fail("the server does not run")
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        everyone = (pid, *map(int, children))
        for one in everyone:
            with suppress(ProcessLookupError):  # the others leave when they miss the first
                os.kill(one, signal.SIGKILL)
        self._wait()
        # whoever is still leaving holds shared memory, and a new server would not start
        until(lambda: not any(map(lives, everyone)))

    def stop(self) -> None:
        pid = self.pid()
        if self.process is not None and self.process.poll() is None and pid is not None:
            os.kill(pid, signal.SIGINT)  # at once, whoever is connected
        self._wait()

    def _wait(self) -> None:
        if self.process is not None:
            self.process.wait(timeout=PATIENCE)


@contextmanager
def running_server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="assay-pg-"))  # others may look into it, unlike pytest's
    folder.chmod(0o755)
    server = Server(folder)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
