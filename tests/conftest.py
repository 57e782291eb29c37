"""Settings shared by all tests."""

import gc
import os
import signal
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# A shell that starts the tests in the background has them ignore Ctrl-C, which some of them press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Shared machines stall for longer than Hypothesis' deadline; slowness is judged by benchmarks.
# A run tries the same examples as the one before it; ASSAY_EXPLORE=1 tries others every time.
settings.register_profile(
    "assay",
    deadline=None,
    derandomize=not os.environ.get("ASSAY_EXPLORE"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("assay")

REFERENCE = "tests/selftest/test_reference.py::test_reference["


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Tests that are collected stay: looking through them for garbage, again and again, took half of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # libraries look for what leaked when Python ends
    gc.collect()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many of the reference cases agree."""
    count = {
        outcome: sum(
            report.nodeid.startswith(REFERENCE) and getattr(report, "when", "call") != "teardown"
            for report in terminalreporter.stats.get(outcome, [])
        )
        for outcome in ("passed", "failed", "error", "skipped")
    }
    if total := sum(count.values()):
        rest = f", {count['skipped']} not yet offered" if count["skipped"] else ""
        terminalreporter.write_line(f"reference cases: {count['passed']} of {total} agree{rest}")


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small CSV files are asked by the engine too, as larger ones are."""
    monkeypatch.setattr("assay.evidence.readers.formats.HEAD", 0)
