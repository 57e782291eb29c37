"""The server around the page: a socket on this machine, an address that opens once."""

import socket
import sys
import threading
import webbrowser
from pathlib import Path

import click
import uvicorn

from assay.core.driver_guard import DriverGuard
from assay.core.errors import EvidenceError, UsageError
from assay.study.engines.local import available_processors
from assay.web.app import create_app
from assay.web.security import Session
from assay.web.uploads import Desk

HTTP = 80
"""The port that browsers leave out of the Host header."""
KEEP_ALIVE = 30
MOST_CONNECTIONS = 400


def serve(
    *,
    store: str | None,
    spec: Path | None,
    studies: Path,
    host: str,
    port: int,
    browser: bool,
    guard: DriverGuard,
) -> None:
    """Serve until interrupted; ``guard`` tidies up where a signal ends the page before it can do so itself."""
    if store is not None and "://" not in store:
        if not Path(store).is_file():
            raise EvidenceError(f"there is no store {store}: `assay run study.toml` makes one")
        store = str(Path(store).resolve())
    listening = _socket(host, port)
    bound = listening.getsockname()[1]
    session = Session(hosts=allowed_hosts(host, bound), cookie_name=f"assay-{bound}")
    desk = Desk()
    guard.remove_later(desk.root)
    app = create_app(
        session,
        desk=desk,
        store=store,
        spec=None if spec is None else spec.resolve(),
        studies=studies.resolve(),
        slots=available_processors(),
    )
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{bound}/open?token={session.token}"
    click.echo(
        f"The page is at {address}\n(this address opens it once; Ctrl-C closes it)", err=True
    )
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            ws="none",
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=2,
            limit_concurrency=MOST_CONNECTIONS,
        )
    )
    if browser and sys.stderr.isatty():
        threading.Timer(0.5, webbrowser.open, [address]).start()
    server.run(sockets=[listening])
    guard.dismiss()


def allowed_hosts(host: str, port: int) -> frozenset[str]:
    """What the Host header may say: names of this machine, each with the port."""
    names = {"127.0.0.1", "localhost", "[::1]"}
    if host in ("0.0.0.0", "::"):  # noqa: S104 (asked for with --i-know)
        own = socket.gethostname()
        names |= {own.lower(), *(str(info[4][0]) for info in socket.getaddrinfo(own, None))}
    elif host not in ("127.0.0.1", "localhost", "::1"):
        names.add(f"[{host}]" if ":" in host else host.lower())
    with_port = {f"{name}:{port}" for name in names}
    return frozenset(with_port | names if port == HTTP else with_port)


def _socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # who is quick waits, and is not refused
    except OSError as error:
        listening.close()
        raise UsageError(
            f"cannot listen on {host}:{port} ({error.strerror}): give another --port, or 0 for a free one"
        ) from None
    return listening
