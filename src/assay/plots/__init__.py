"""Figures: matplotlib Axes in and out, drawn from results and never from numbers of their own."""

from assay.plots.forest import forest
from assay.plots.roc import roc
from assay.plots.style import save

__all__ = ["forest", "roc", "save"]
