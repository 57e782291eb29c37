"""Settings shared by all tests."""

import signal
from typing import Any

from hypothesis import settings

# A shell that starts the tests in the background has them ignore Ctrl-C, which some of them press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Shared machines stall for longer than Hypothesis' deadline; slowness is judged by benchmarks.
settings.register_profile("assay", deadline=None)
settings.load_profile("assay")

REFERENCE = "tests/selftest/test_reference.py::test_reference["


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
