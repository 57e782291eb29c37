"""`assay serve`: the local page."""

from pathlib import Path

import click

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command("serve")
@click.argument("store", required=False, metavar="[STORE]")
@click.option(
    "--study",
    "spec",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The study file (TOML) that the page may go on with.",
)
@click.option(
    "--studies",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("assay-studies"),
    show_default=True,
    help="Folder of the studies that are started from the page.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8123,
    show_default=True,
    help="Port; 0 takes a free one.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--no-browser", is_flag=True, help="Print the address, open no browser.")
@click.option(
    "--i-know", is_flag=True, help="Listen beyond this machine, unencrypted, and mean it."
)
def command(
    store: str | None,
    spec: Path | None,
    studies: Path,
    port: int,
    host: str,
    no_browser: bool,
    i_know: bool,
) -> None:
    """Open a local page: drop a file, see the verdict, explore.

    STORE holds studies (`assay run`), which the page lists and follows. The page listens on this
    machine only and opens with the address printed here, which works once.

    \b
    assay serve
    assay serve study.db --study study.toml --port 8200 --no-browser
    """
    from multiprocessing.util import get_temp_dir

    from assay.core.driver_guard import DriverGuard
    from assay.core.errors import UsageError
    from assay.web.jobs import begin

    if host not in LOOPBACK and not i_know:
        raise UsageError(
            f"--host {host} lets other machines reach the page, and nothing is encrypted: add "
            "--i-know if that is what you want"
        )
    if host not in LOOPBACK:
        click.echo(
            f"assay: warning: the page can be reached from other machines at {host}, unencrypted; "
            "whoever reads the network can read it",
            err=True,
        )
    guard = DriverGuard()  # before anything that may outlive us
    guard.remove_later(get_temp_dir())
    begin()  # what answers need is imported beside what the page needs
    from assay.web.serve import serve

    serve(
        store=store,
        spec=spec,
        studies=studies,
        host=host,
        port=port,
        browser=not no_browser,
        guard=guard,
    )
