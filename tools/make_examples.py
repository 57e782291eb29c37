"""Make the examples of the local page again: python tools/make_examples.py

All from data that comes with assay and learners of scikit-learn; nothing is fetched. The quiz is
simulated, and its title says so.
"""

import csv
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from assay.cli.demo import _write_predictions
from assay.study.spec import Study

HOME = Path(__file__).parent.parent / "src" / "assay" / "web" / "examples"
SEED = 7
LEARNERS: dict[str, Any] = {
    "forest": RandomForestClassifier(n_estimators=100, random_state=SEED),
    "boosting": HistGradientBoostingClassifier(max_iter=50, random_state=SEED),
    "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=SEED),
    "bayes": GaussianNB(),
    "neighbours": KNeighborsClassifier(),
    "majority": DummyClassifier(),
}
DATASETS = (
    "iris", "wine", "breast_cancer", "digits", "phishing", "glass", "image_segments", "anes_vote",
    "zoo", "solar_flare", "german_credit", "kr_vs_kp",
)  # fmt: skip


def write(name: str, columns: Mapping[str, Sequence[Any]]) -> None:
    with (HOME / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def study(name: str, learners: Sequence[str], datasets: Sequence[str], **more: Any) -> Any:
    kept = {key: LEARNERS[key] for key in learners}
    with tempfile.TemporaryDirectory() as folder:
        made = Study(name=name, datasets=list(datasets), learners=kept, seed=SEED, **more)
        return made.run(Path(folder) / "study.db", workers=1, progress=False).scores("accuracy")


def folds() -> None:
    resampling = {"scheme": "cv", "folds": 10, "repeats": 3}
    found = study("folds", ("forest", "tree", "bayes"), ("phishing",), resampling=resampling)
    write(
        "folds.csv",
        {
            "model": [entry.learner for entry in found.entries],
            "repeat": [entry.repeat + 1 for entry in found.entries],
            "fold": [entry.fold + 1 for entry in found.entries],
            "n_train": [int(n) for n in found.n_train],
            "n_test": [int(n) for n in found.n_test],
            "accuracy": [f"{value:.6f}" for value in found.values],
        },
    )


def datasets() -> None:
    resampling = {"scheme": "cv", "folds": 10}
    table = study("datasets", list(LEARNERS), DATASETS, resampling=resampling).by_dataset()
    columns = {
        model: [f"{v:.4f}" for v in table.values[:, place]]
        for place, model in enumerate(table.models)
    }
    write("datasets.csv", {"dataset": table.names or (), **columns})


def quiz() -> None:
    """Answers to five questions on each passage; how hard a passage is they share."""
    rng = np.random.default_rng(SEED)
    passages, each = 120, 5
    hard = np.repeat(rng.normal(0.0, 1.2, passages), each)
    item = rng.normal(0.0, 0.8, hard.size)
    right = {
        name: (skill + hard + item + rng.logistic(0.0, 0.6, hard.size) > 0).astype(int)
        for name, skill in (("assistant_new", 1.05), ("assistant_old", 0.8))
    }
    write(
        "quiz.csv",
        {
            "id": [f"question-{place + 1}" for place in range(hard.size)],
            "cluster": [f"passage-{place // each + 1}" for place in range(hard.size)],
            "truth": ["right"] * hard.size,
            **{
                name: ["right" if good else "wrong" for good in values]
                for name, values in right.items()
            },
        },
    )


def main() -> None:
    HOME.mkdir(parents=True, exist_ok=True)
    _write_predictions(HOME / "tumours.csv", SEED)
    quiz()
    folds()
    datasets()


if __name__ == "__main__":
    main()
