"""Figures: matplotlib Axes in and out, drawn from results and never from numbers of their own.

Each figure is loaded when it is first used: reports need names of measures, and no figure.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from assay.core.extras import needs

if TYPE_CHECKING:
    from assay.plots.calibration import calibration
    from assay.plots.cliques import cliques, compact_letters
    from assay.plots.critical_difference import critical_difference
    from assay.plots.distribution import differences, distribution
    from assay.plots.figure_choice import all_figures, main_figure
    from assay.plots.forest import forest
    from assay.plots.gate_bounds import checks
    from assay.plots.learning import error_rates, learning
    from assay.plots.pairwise import pairwise_matrix
    from assay.plots.posterior import posterior, posterior_density, simplex
    from assay.plots.power import power_curve
    from assay.plots.precision_recall import precision_recall
    from assay.plots.profiles import profiles
    from assay.plots.qq import qq
    from assay.plots.rank_ladder import rank_ladder
    from assay.plots.roc import roc
    from assay.plots.scatter import scatter
    from assay.plots.sequence import sequence
    from assay.plots.simulation import simulation
    from assay.plots.style import paper, save

_HOMES: dict[str, tuple[str, ...]] = {
    "figure_choice": ("all_figures", "main_figure"),
    "calibration": ("calibration",),
    "gate_bounds": ("checks",),
    "cliques": ("cliques", "compact_letters"),
    "critical_difference": ("critical_difference",),
    "distribution": ("differences", "distribution"),
    "forest": ("forest",),
    "learning": ("error_rates", "learning"),
    "pairwise": ("pairwise_matrix",),
    "posterior": ("posterior", "posterior_density", "simplex"),
    "power": ("power_curve",),
    "precision_recall": ("precision_recall",),
    "profiles": ("profiles",),
    "qq": ("qq",),
    "rank_ladder": ("rank_ladder",),
    "roc": ("roc",),
    "scatter": ("scatter",),
    "sequence": ("sequence",),
    "simulation": ("simulation",),
    "style": ("paper", "save"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "all_figures", "calibration", "checks", "cliques", "compact_letters", "critical_difference",
    "differences", "distribution", "error_rates", "forest", "learning", "main_figure", "pairwise_matrix",
    "paper", "posterior", "posterior_density", "power_curve", "precision_recall",
    "profiles", "qq", "rank_ladder", "roc", "save", "scatter", "sequence", "simplex", "simulation",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(
            f"module 'assay.plots' has no figure {name!r}; it has {', '.join(__all__)}"
        )
    if _HOME_OF[name] != "cliques":  # which are sets of names
        needs("figures")
    found = getattr(import_module(f"assay.plots.{_HOME_OF[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """A figure such as `roc` keeps its name although the file that draws it has it too."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in _HOME_OF):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
