"""Over- and under-sampling inside the training part: an estimator that balances before it fits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone

from assay.core.arrays import IndexArray
from assay.study.preparation import taken
from assay.study.splits import Balance


class Balanced(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Fits its estimator on a sample with equal class sizes; predicts on whatever comes."""

    def __init__(
        self, estimator: Any, balance: Balance = "over", random_state: int | None = None
    ) -> None:
        self.estimator = estimator
        self.balance = balance
        self.random_state = random_state

    def fit(self, X: Any, y: NDArray[Any]) -> "Balanced":
        rows = balanced_rows(y, self.balance, self.random_state or 0)
        self.estimator_ = clone(self.estimator).fit(taken(X, rows), y[rows])
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.estimator_.predict(X)

    def __getattr__(self, name: str) -> Any:
        """Probabilities and decision values exist where the estimator has them."""
        if name in ("predict_proba", "decision_function"):
            fitted = self.__dict__.get("estimator_", self.__dict__.get("estimator"))
            return getattr(fitted, name)
        raise AttributeError(name)


def balanced_rows(y: NDArray[Any], balance: Balance, seed: int) -> IndexArray:
    """Rows with every class as large as the largest (over) or the smallest (under)."""
    rng = np.random.default_rng(seed)
    codes = np.unique(y, return_inverse=True)[1]
    counts = np.bincount(codes)
    size = int(counts.max() if balance == "over" else counts.min())
    parts = []
    for code, count in enumerate(counts.tolist()):
        members = np.flatnonzero(codes == code)
        if balance == "under":
            parts.append(rng.choice(members, size=size, replace=False))
        else:
            parts += [members, rng.choice(members, size=size - count, replace=True)]
    return np.sort(np.concatenate(parts))
