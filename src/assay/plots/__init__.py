"""Figures: matplotlib Axes in and out, drawn from results and never from numbers of their own."""

from assay.plots.calibration import calibration
from assay.plots.cliques import cliques, compact_letters
from assay.plots.critical_difference import critical_difference
from assay.plots.distribution import differences, distribution
from assay.plots.forest import forest
from assay.plots.learning import error_rates, learning
from assay.plots.pairwise import pairwise_matrix
from assay.plots.posterior import posterior, posterior_density, simplex
from assay.plots.power import power_curve
from assay.plots.precision_recall import precision_recall
from assay.plots.profiles import profiles
from assay.plots.qq import qq
from assay.plots.roc import roc
from assay.plots.scatter import scatter
from assay.plots.sequence import sequence
from assay.plots.simulation import simulation
from assay.plots.style import save

__all__ = [
    "calibration", "cliques", "compact_letters", "critical_difference", "differences",
    "distribution", "error_rates", "forest", "learning", "pairwise_matrix", "posterior",
    "posterior_density", "power_curve", "precision_recall", "profiles", "qq", "roc", "save",
    "scatter", "sequence", "simplex", "simulation",
]  # fmt: skip
