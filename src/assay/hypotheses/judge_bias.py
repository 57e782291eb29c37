"""What sways a judge: its errors against a property of the item or the answer (T19)."""

from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import as_values
from assay.core.errors import EvidenceError, UsageError
from assay.core.methods import method
from assay.core.notes import note
from assay.core.results import TestOutcome
from assay.estimates.method_question import MethodQuestion


@method(
    question="Does a judge err in one direction as a property of the answer (length, format) grows?",
    takes="pairs",
    gives="test",
    unit="item",
    assumes=("independent items",),
    reference="MacKinnon & White (1985), Journal of Econometrics 29: 305-325",
    requirement="T19",
    same_as="R: lmtest::coeftest(lm(errors ~ covariate), vcov = sandwich::vcovHC(type = 'HC3'))",
    formula="t = slope/standard_error (HC3, n - 2 degrees of freedom)",
    name="regression of judge errors (HC3)",
    title="regression of judge errors (HC3)",
    exempt={
        "swap": "errors are explained by the covariate, not the other way round",
        "shift": "a constant added to an item changes its error and its covariate alike",
        "degenerate": "equal columns lie on a line without spread about it",
    },
)
def judge_bias(
    errors: Any, covariate: Any = None, *, level: float = 0.95, alternative: str = "two-sided"
) -> TestOutcome:
    """The slope of the judge's errors (judge minus people) in a covariate, with a robust standard error.

    The effect is in grades per unit of the covariate; of a yes-or-no covariate it is the
    difference of mean errors.
    """
    if covariate is None:
        raise UsageError(
            "judge_bias needs the errors of the judge and a covariate of the same items"
        )
    y, x = as_values(errors, "errors"), as_values(covariate, "covariate")
    asked = MethodQuestion.of("judge_bias", level=level, alternative=alternative)
    if y.size != x.size or y.size < 4:
        raise EvidenceError(
            f"errors and covariate need the same four items or more; got {y.size} and {x.size}"
        )
    slope, error = _robust_slope(y, x)
    df = y.size - 2
    flat = error <= 1e-12 * max(abs(slope), 1e-300) or error == 0.0
    details = (("slope", slope), ("standard_error", error), ("df", df), ("n", y.size))
    if flat:
        remedy = "label more items"
        why = note("zero-variance", what="residuals", method="judge_bias", remedy=remedy)
        return asked.unanswered(asked.estimate("slope", slope, y.size), why, details=details)
    return asked.t_test("slope", slope, error, df, y.size, details=details)


def _robust_slope(y: FloatArray, x: FloatArray) -> tuple[float, float]:
    """The slope of y in x by least squares, and its standard error by HC3."""
    off = x - x.mean()
    spread = float(off @ off)
    if spread <= 0.0:
        raise EvidenceError("the covariate is the same on all items: it explains nothing")
    centred = y - y.mean()  # digits that all errors share would round in the products
    slope = float(off @ centred) / spread
    residuals = centred - slope * off
    leverage = np.minimum(1.0 / y.size + off**2 / spread, 1.0 - 1e-9)
    return slope, float(np.sqrt(np.sum((off * residuals / (1.0 - leverage)) ** 2))) / spread
