"""Settings shared by all tests."""

from hypothesis import settings

# Shared machines stall for longer than Hypothesis' deadline; slowness is judged by benchmarks.
settings.register_profile("assay", deadline=None)
settings.load_profile("assay")
