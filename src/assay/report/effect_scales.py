"""Effects that are not differences in the measure: what they are called, and which have no sign."""

from assay.core.results import TestOutcome
from assay.plots.measure_labels import measure_label

SCALES = {
    "kendall_w": "Kendall's W",
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
UNSIGNED = frozenset(SCALES) - {"sign_balance", "pseudo_median"}


def scale_of(outcome: TestOutcome) -> str:
    """What the effect of a test is a number of, where it is not the measure that was asked for."""
    name = outcome.effect.measure
    return SCALES.get(name, measure_label(name).replace("_", " "))
