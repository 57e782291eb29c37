"""One task from beginning to end: fit, predict, measure; whatever happens becomes a record."""

import hashlib
import platform
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay._version import __version__
from assay.core.arrays import IndexArray
from assay.measures.registry import Measure, find_measure
from assay.store.record_types import PlanEntry, Record, Times, pack
from assay.study.curve_tasks import Curves, TrainingPart, training_part
from assay.study.datasets import Dataset
from assay.study.fingerprints import package_version
from assay.study.learners import Built, Learner
from assay.study.preparation import taken
from assay.study.scoring import InnerScorer, StudyTruth, predict, score
from assay.study.splits import Resampling, make_splits, split_seed
from assay.study.tuning import tuned

MOST_WARNINGS = 20
Fetch = Callable[[str], bytes]
"""How a process gets a part of the study by its name: from a folder, or over a network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What every task of a study needs besides its data; travels to each worker once."""

    learners: Mapping[str, Learner]
    digests: Mapping[str, str]
    """Of the descriptions of the learners."""
    fingerprints: Mapping[str, str]
    """Of the data sets."""
    resampling: Resampling
    measures: tuple[str | Measure, ...]
    seed: int
    curves: Curves


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Material:
    """A data set with its splits, made once per process."""

    data: Dataset
    truth: StudyTruth
    splits: Mapping[tuple[int, int], tuple[IndexArray, IndexArray]]
    split_seed: int


class Workshop:
    """A place where tasks are done: one per worker process, the same on every engine."""

    def __init__(self, fetch: Fetch) -> None:
        import pickle

        # the bytes were written by the driver of this very run, for its own workers
        self._load: Callable[[str], Any] = lambda name: pickle.loads(fetch(name))  # noqa: S301
        self.workload: Workload = self._load("study")
        self.measures = tuple(find_measure(one) for one in self.workload.measures)
        self.material = lru_cache(maxsize=64)(self._material)

    @staticmethod
    def warm_up() -> None:
        """Load what tasks will load, so that the first of them is not charged for it."""
        from importlib import import_module

        for part in ("model_selection", "pipeline", "compose", "impute", "preprocessing"):
            import_module(f"sklearn.{part}")

    def _material(self, name: str) -> Material:
        data: Dataset = self._load(f"data-{name}")
        resampling = self.workload.resampling.settled()
        return Material(
            data=data,
            truth=StudyTruth.of(data),
            splits=make_splits(data, resampling, self.workload.seed),
            split_seed=split_seed(data, resampling, self.workload.seed),
        )

    def perform(self, entry: PlanEntry) -> Record:
        """The record of a task; an error is recorded, not raised."""
        facts: dict[str, Any] = {
            "key": entry.key,
            "dataset": self.workload.fingerprints[entry.dataset],
            "learner": self.workload.digests[entry.learner],
            "environment": environment(),
            "seed": 0,
        }
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                material = self.material(entry.dataset)
                facts["seed"] = task_seed(material.split_seed, entry)
                facts.update(self._outcome(entry, material, facts["seed"]))
            except MemoryError:
                facts.update(status="memory", error=traceback.format_exc())
            except (Exception, SystemExit):  # noqa: BLE001 - learners fail in every way there is
                facts.update(status="failed", error=traceback.format_exc())
        told = dict.fromkeys(f"{one.category.__name__}: {one.message}" for one in caught)
        more = facts.pop("remarks", ())
        facts["warnings"] = (*more, *list(told)[:MOST_WARNINGS])
        return Record(**facts)

    def _outcome(self, entry: PlanEntry, material: Material, seed: int) -> dict[str, Any]:
        data, truth = material.data, material.truth
        train, test = material.splits[entry.repeat, entry.fold]
        part = training_part(entry, data, train, material.split_seed, self.workload.curves)
        learner = self.workload.learners[entry.learner]
        scorer = InnerScorer(self._deciding(learner), truth)
        built = learner.build(data, self.workload.resampling.settled(), seed, scorer)
        fitted, fit_time = timed(lambda: _fit(built, data, part))
        answers, predict_time = timed(lambda: predict(fitted, taken(data.X, test), truth))
        needs = {measure.needs for measure in self.measures}
        seen, seen_time = timed(lambda: predict(fitted, taken(data.X, part.rows), truth, needs))
        scores = self._scores(truth, test, answers)
        lacking = [name for name, value in scores.items() if value is None]
        return {
            "status": "ok",
            "n_train": int(part.rows.size),
            "n_test": int(test.size),
            "scores": scores,
            "train_scores": self._scores(truth, part.rows, seen),
            "times": Times(
                fit_wall=fit_time[0], fit_cpu=fit_time[1],
                predict_wall=predict_time[0], predict_cpu=predict_time[1],
                train_predict_wall=seen_time[0], train_predict_cpu=seen_time[1],
            ),
            "complexity": built.complexity(),
            "tuned": None
            if learner.tuning is None
            else tuned(fitted, built.prefix, scorer.measure.name, scorer.sign),
            "noise_rate": part.noise_rate,
            "arrays": pack({"rows": test.astype(np.uint32), **answers}),
            "remarks": tuple(f"{name} is undefined here" for name in lacking),
        }  # fmt: skip

    def _deciding(self, learner: Learner) -> Measure:
        """The measure an inner search goes by."""
        chosen = learner.tuning.measure if learner.tuning is not None else None
        return self.measures[0] if chosen is None else find_measure(chosen)

    def _scores(
        self, truth: StudyTruth, rows: IndexArray, answers: dict[str, NDArray[Any]]
    ) -> dict[str, float | None]:
        actual = truth.values[rows]
        return {one.name: score(one, actual, answers, truth.names) for one in self.measures}


def _fit(built: Built, data: Dataset, part: TrainingPart) -> Any:
    if built.learner.tuning is not None and data.groups is not None:
        return built.estimator.fit(part.X, part.y, groups=data.groups[part.rows])
    return built.estimator.fit(part.X, part.y)


def timed(work: Callable[[], Any]) -> tuple[Any, tuple[float, float]]:
    """A result, and the seconds it took on the clock and of the processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, (time.perf_counter() - wall, time.process_time() - cpu)


def task_seed(base: int, entry: PlanEntry) -> int:
    """The seed of one split, the same for every learner on it."""
    text = f"{base}|{entry.repeat}|{entry.fold}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=4).digest(), "little") >> 1


@lru_cache(maxsize=1)
def environment() -> dict[str, str]:
    """Where and with what a task ran."""
    packages = {"numpy": "numpy", "scipy": "scipy", "scikit-learn": "sklearn"}
    return {
        "host": platform.node(),
        "platform": f"{platform.system()} {platform.machine()}",
        "python": sys.version.split()[0],
        "assay": __version__,
        **{name: package_version(module) or "" for name, module in packages.items()},
    }
