"""The reference cases run on the user's machine: what other programs compute, computed by assay."""

from assay.selftest.run import SelftestReport, run_selftest

__all__ = ["SelftestReport", "run_selftest"]
