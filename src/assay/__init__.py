"""Honest statistics for the questions people ask about machine-learning models."""

from assay._version import __version__

__all__ = ["__version__"]
