"""What running a study costs beside the fits themselves: python benchmarks/study.py [--peer]

Six learners on the data sets of the suite, 10-fold cross-validation, two workers. CPU beyond the
fits and predictions is ours and the engine's; wall time is compared with half of them. With --peer,
scikit-learn's cross_validate does the same work.
"""

import resource
import sys
import tempfile
import time
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

from assay.study.catalogues import suite
from assay.study.spec import Study

WORKERS = 2


def learners(task: str) -> dict[str, Any]:
    from sklearn import ensemble, linear_model, neighbors, neural_network, svm
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    kind = "Classifier" if task == "classification" else "Regressor"
    linear = (
        linear_model.LogisticRegression(max_iter=300)
        if task == "classification"
        else linear_model.Ridge()
    )
    machine = svm.SVC() if task == "classification" else svm.SVR()
    return {
        "forest": getattr(ensemble, f"RandomForest{kind}")(n_estimators=120),
        "boosting": getattr(ensemble, f"HistGradientBoosting{kind}")(max_iter=60),
        "linear": make_pipeline(StandardScaler(), linear),
        "machine": make_pipeline(StandardScaler(), machine),
        "neighbours": make_pipeline(StandardScaler(), getattr(neighbors, f"KNeighbors{kind}")()),
        "network": make_pipeline(
            StandardScaler(),
            getattr(neural_network, f"MLP{kind}")(hidden_layer_sizes=(30,), max_iter=120),
        ),
    }


def studies() -> list[Study]:
    found = []
    for task in ("classification", "regression"):
        names = [name for name, listed in suite().items() if listed.task == task]
        found.append(
            Study(
                name=task,
                learners=learners(task),
                datasets=names,
                resampling={"scheme": "cv", "folds": 10},
                seed=7,
            )
        )
    return found


def processor_seconds() -> float:
    """Of this process, of the workers that have ended and of the server they come from."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)


def ours(one: Study, store: Path) -> dict[str, float]:
    wall = time.perf_counter()
    result = one.run(store, workers=WORKERS, progress=False)
    wall = time.perf_counter() - wall
    records = result.records()
    parts = ("fit", "predict", "train_predict")
    return {
        "tasks": len(records),
        "failed": len(result.failures),
        "fit cpu": sum(record["fit_cpu"] or 0 for record in records),
        "work cpu": sum(record[f"{part}_cpu"] or 0 for record in records for part in parts),
        "work wall": sum(record[f"{part}_wall"] or 0 for record in records for part in parts),
        "wall": wall,
    }


def peer(every: list[Study]) -> tuple[float, float]:
    """Wall and processor seconds of cross_validate on the same learners, data sets and splits."""
    from joblib.externals.loky import get_reusable_executor  # type: ignore[import-untyped]

    begun, before = time.perf_counter(), processor_seconds()
    for one in every:
        validated(one)
    wall = time.perf_counter() - begun
    get_reusable_executor().shutdown(wait=True)  # so that its workers are counted
    return wall, processor_seconds() - before


def validated(one: Study) -> None:
    import warnings

    from sklearn.model_selection import cross_validate

    from assay.study.splits import make_splits

    for data in one.datasets.values():
        splits = list(make_splits(data, one.resampling, one.seed).values())
        for learner in one.learners.values():
            model = learner.build(data, one.resampling, 7, None).estimator
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                cross_validate(
                    model, data.X, data.y, cv=splits, n_jobs=WORKERS, return_train_score=True
                )


def main() -> None:
    every = studies()
    total: dict[str, float] = {}
    before = processor_seconds()
    with tempfile.TemporaryDirectory() as folder:
        for one in every:
            for name, value in ours(one, Path(folder) / "study.db").items():
                total[name] = total.get(name, 0.0) + value
    # waits for the server that workers are forked from, so that it is counted
    forkserver._forkserver._stop()  # type: ignore[attr-defined]
    spent = processor_seconds() - before
    overhead = spent - total["work cpu"]
    print(
        f"{sum(len(one.datasets) for one in every)} data sets, {total['tasks']:.0f} tasks,", end=" "
    )
    print(f"{total['failed']:.0f} failed; {total['fit cpu']:.1f} s of CPU inside fits")
    print(
        f"CPU of engine and assay: {overhead:.1f} s, {overhead / total['fit cpu']:.1%} of the fits"
    )
    ideal = total["work wall"] / WORKERS
    print(f"wall {total['wall']:.1f} s, {total['wall'] / ideal:.3f} of (fit + predict) / {WORKERS}")
    if "--peer" in sys.argv:
        wall, cpu = peer(every)
        print(
            f"cross_validate, n_jobs={WORKERS}: wall {wall:.1f} s, {wall / ideal:.3f} of it; "
            f"CPU {cpu:.1f} s where assay took {spent:.1f} s, {spent / cpu:.3f} of it"
        )


if __name__ == "__main__":
    main()
