"""Finished studies that several tests look at, run once."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from assay.study.learners import Learner
from assay.study.run import StudyResult
from assay.study.spec import Study
from assay.study.tuning import Tuning
from tests.study import estimators


def toy(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Two overlapping clouds."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n, 3)) + 1.2 * y[:, None], np.array(["no", "yes"], dtype=object)[y]


@cache
def several_datasets() -> StudyResult:
    """Three good learners and one that raises, on eight data sets; no curves."""
    study = Study(
        name="several",
        learners={
            "tree": DecisionTreeClassifier(max_depth=2),
            "nb": GaussianNB(),
            "knn": KNeighborsClassifier(),
            "bad": estimators.Raises(),
        },
        datasets={f"toy {place}": toy(place) for place in range(8)},
        resampling={"scheme": "cv", "folds": 3},
        measures=["accuracy", "mcc"],
        seed=3,
    )
    return study.run(_place(), workers=2, progress=False)


@cache
def one_dataset() -> StudyResult:
    """Two learners on one data set, one of them tuned, with both kinds of curves."""
    study = Study(
        name="one",
        learners={
            "nb": GaussianNB(),
            "tree": Learner(DecisionTreeClassifier(), tuning=Tuning(grid={"max_depth": [1, 3]})),
        },
        datasets=["wine"],
        resampling={"scheme": "cv", "folds": 5},
        measures=["accuracy", "log_loss"],
        curves={"learning": {"points": 4}, "noise": {"on": "labels", "levels": [0.0, 0.4]}},
        seed=3,
    )
    return study.run(_place(), workers=2, progress=False)


def _place() -> Path:
    return Path(mkdtemp(prefix="assay-finished-")) / "study.db"
