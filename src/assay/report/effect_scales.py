"""Effects that are not differences in the measure: what they are called, and which have no sign."""

from assay.core.results import TestOutcome
from assay.plots.measure_labels import measure_label

SCALES = {
    "kendall_w": "Kendall's W",
    "cramers_v": "Cramér's V",
    "sd_ratio": "ratio of standard deviations",
    "gg_epsilon": "Greenhouse–Geisser ε",
    "a_squared": "A²",
    "d_z": "Cohen's d of the differences",
    "shift": "shift (A − B)",
    "slope": "slope of judge errors",
    "shapiro_w": "W",
    "sign_balance": "balance of signs",
    "pseudo_median": "pseudo-median",
    "multivariate_eta_squared": "multivariate η²",
    "mahalanobis_squared": "squared Mahalanobis distance",
    "probability_of_improvement": "probability",
    "violation_ratio": "violation ratio",
    "eta_squared": "η²",
    "partial_eta_squared": "partial η²",
    "omega_squared": "ω²",
    "epsilon_squared": "ε²",
    "rank_epsilon_squared": "ε² of ranks",
}
"""Effects that are not differences in the measure, as they are called."""
UNSIGNED = frozenset(SCALES) - {"sign_balance", "pseudo_median", "d_z", "shift", "slope"}
OF_ALL = frozenset(
    {"kendall_w", "eta_squared", "partial_eta_squared", "rank_epsilon_squared"}
    | {"multivariate_eta_squared"}
)
"""Effects of tests whose null is that all models are equal."""


def scale_of(outcome: TestOutcome) -> str:
    """What the effect of a test is a number of, where it is not the measure that was asked for."""
    name = outcome.effect.measure
    return SCALES.get(name, measure_label(name).replace("_", " "))
