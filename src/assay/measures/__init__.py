"""What counts as good: measures with their direction and range, and the curves behind them."""

from assay.measures.calibration import Binning, calibration_curve, calibration_error
from assay.measures.costs import (
    cost_accuracy_identity,
    mean_cost,
    total_cost,
    weighted_accuracy,
)
from assay.measures.curves import (
    operating_point,
    precision_recall_curve,
    roc_crossings,
    roc_curve,
    roc_hull,
)
from assay.measures.custom import from_function
from assay.measures.labels import accuracy_misleads, averaged, f_beta, weighted_kappa
from assay.measures.probabilities import brier, log_loss
from assay.measures.ranking import auc_notes, many_class_auc, partial_auc, sensitivity_at
from assay.measures.registry import Measure, find_measure, measures, parametrised
from assay.measures.values import pass_all, pass_all_k, pass_at, pass_at_k

__all__ = [
    "Binning",
    "Measure",
    "accuracy_misleads",
    "auc_notes",
    "averaged",
    "brier",
    "calibration_curve",
    "calibration_error",
    "cost_accuracy_identity",
    "f_beta",
    "find_measure",
    "from_function",
    "log_loss",
    "many_class_auc",
    "mean_cost",
    "measures",
    "operating_point",
    "parametrised",
    "partial_auc",
    "pass_all",
    "pass_all_k",
    "pass_at",
    "pass_at_k",
    "precision_recall_curve",
    "roc_crossings",
    "roc_curve",
    "roc_hull",
    "sensitivity_at",
    "total_cost",
    "weighted_accuracy",
    "weighted_kappa",
]
