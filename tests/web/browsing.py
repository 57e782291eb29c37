"""A visit in a real browser that notices every complaint, and judges accessibility by axe-core."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.support import PATIENCE
from tests.web.conftest import Served

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}
ZOOMED = {"width": 320, "height": 640}
"""What a window of 1280 pixels shows at 400 %."""


def arrived(page: Any) -> None:
    """Wait for the page itself, where one came first that waits for it, and for its scripts."""
    page.wait_for_selector("body:not(:has([data-again])) > footer", state="attached")
    page.wait_for_load_state("load")


def answered(page: Any) -> None:
    """Wait for the answer, and for the scripts that make its form respond."""
    page.wait_for_selector("#verdict")
    arrived(page)


def changed(page: Any, selector: str, before: str) -> None:
    """Wait until a part of the page says something else than before."""
    page.wait_for_function(
        "([selector, before]) => {"
        "  const part = document.querySelector(selector);"
        "  return part && part.innerText !== before;"
        "}",
        arg=[selector, before],
    )


def view_of(page: Any, view: str) -> str:
    """The path of another view of the evidence that a page shows, with all that was chosen."""
    parts = urlsplit(page.url)
    return f"{parts.path}{view}" + (f"?{parts.query}" if parts.query else "")


class Visit:
    """One tab of a browser; :meth:`close` fails if the page had anything to complain about."""

    def __init__(self, browser: Any, served: Served, *, known: bool = True, **options: Any) -> None:
        self.served = served
        self.context = browser.new_context(**{"viewport": DESKTOP, **options})
        self.context.set_default_timeout(1000 * PATIENCE)
        if known:
            cookies = [
                {"name": name, "value": value, "url": served.address, "sameSite": "Strict"}
                for name, value in served.cookies.items()
            ]
            self.context.add_cookies(cookies)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("dialog", self._alarmed)
        self.page.on("request", self._asked)

    def _heard(self, message: Any) -> None:
        # a browser itself reports every answer that is not a success; those are expected pages
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.complaints.append(f"{message.type}: {message.text}")

    def _alarmed(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.served.address, "data:", "blob:")):
            self.complaints.append(f"request to {request.url}")

    def go(self, path: str) -> Any:
        self.page.goto(f"{self.served.address}{path}")
        arrived(self.page)
        return self.page

    def follow(self, selector: str, address: str) -> Any:
        """Click what leads to another page, and wait for that one, not for this."""
        self.page.click(selector)
        self.page.wait_for_url(address)
        arrived(self.page)
        return self.page

    def example(self, name: str) -> Any:
        page = self.go("/")
        page.click(f"button[value={name}]")
        answered(page)
        return page

    def violations(self, only: str | None = None) -> list[str]:
        """What axe-core finds wrong with the page as it is now, by all rules or by one."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate(
            "only => axe.run(document, {resultTypes: ['violations'], preload: false,"
            "  ...(only && {runOnly: [only]})}).then(result => result.violations)",
            only,
        )
        return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        width = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return int(width)

    def faults(self) -> list[tuple[int, str, list[str], int]]:
        """Violations and overflow of the page at both widths, in light and in dark."""
        found = []
        for window in (DESKTOP, PHONE):
            self.page.set_viewport_size(window)
            for colour, only in (("light", None), ("dark", "color-contrast")):
                self.page.emulate_media(color_scheme=colour, reduced_motion="reduce")
                found.append((window["width"], colour, self.violations(only), self.overflow()))
        return [one for one in found if one[2:] != ([], 0)]

    def close(self) -> None:
        self.context.close()
        assert not self.complaints, self.complaints
