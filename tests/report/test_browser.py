"""The page in a real browser: its policy blocks nothing of its own, and no name comes alive."""

import re
import subprocess
from pathlib import Path

from assay.report import render
from tests.report import examples
from tests.support import PATIENCE, needs

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--enable-logging=stderr", "--dump-dom",
]  # fmt: skip

needs_chromium = needs("chromium", "chromium")


def console(page: Path, profile: Path) -> list[str]:
    """What the browser has to say about a page."""
    run = subprocess.run(
        ["chromium", *FLAGS, f"--user-data-dir={profile}", page.as_uri()],
        capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    assert "</html>" in run.stdout
    return re.findall(r"CONSOLE.*", run.stderr)


@needs_chromium
def test_the_browser_has_no_complaint(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(render(examples.hostile(), "html"), encoding="utf-8")
    assert console(page, tmp_path / "profile") == []


@needs_chromium
def test_a_complaint_would_be_heard(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    text = render(examples.two_models(), "html").replace("<h1>", '<h1 style="color: red">')
    page.write_text(text, encoding="utf-8")
    (complaint,) = console(page, tmp_path / "profile")
    assert "Content Security Policy" in complaint
