"""Settings shared by all tests."""

from typing import Any

from hypothesis import settings

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
