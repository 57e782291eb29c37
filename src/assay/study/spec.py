"""What a study is: learners, data sets, splits and measures, checked before anything runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from assay.core.checks import check_count, check_text, checked
from assay.core.errors import EvidenceError, UsageError
from assay.core.file_names import path_of
from assay.core.notes import Note
from assay.evidence.reading_options import names_given
from assay.measures.registry import Measure, find_measure
from assay.store.record_types import (
    DatasetFacts,
    LearnerFacts,
    MeasureFacts,
    PlanEntry,
    StudyPlan,
    pack,
    smallest_codes,
)
from assay.store.study_reading import uncollected
from assay.study.curve_tasks import Curves, TaskVariant, as_curves
from assay.study.datasets import Dataset, resolve, resolve_all
from assay.study.feature_tables import Task
from assay.study.fingerprints import canonical, describe, digest, package_version
from assay.study.learners import ALLOWED, Learner, as_learner
from assay.study.scoring import StudyTruth, applies
from assay.study.splits import SCHEMES, Resampling, check_enough, split_notes, written_out
from assay.study.task_run import Workload

if TYPE_CHECKING:
    from assay.store.store import Store
    from assay.study.engines.base import Engine
    from assay.study.run import StudyResult

RESULT_FORMAT = 1
"""Part of every key: raised when the same task would be recorded differently."""

MOST_TASKS = 5_000_000

DEFAULT_MEASURE: dict[Task, str] = {"classification": "accuracy", "regression": "rmse"}


class Study:
    """Learners × data sets × splits, every learner on the same splits.

    ``learners`` maps names to estimators, pipelines or :class:`Learner`; ``datasets`` lists names,
    paths, frames, ``(X, y)`` pairs or :class:`Dataset`, or maps names to them; ``resampling`` is a
    scheme's name, a mapping or a :class:`Resampling`.
    """

    def __init__(
        self,
        *,
        name: str = "study",
        learners: Mapping[str, Any],
        datasets: Sequence[Any] | Mapping[str, Any],
        resampling: str | Mapping[str, Any] | Resampling = "cv",
        measures: Sequence[str | Measure | Callable[..., float]] = (),
        seed: int = 0,
        curves: Mapping[str, Any] | Curves | None = None,
        fits: int | None = None,
    ) -> None:
        if fits is not None:
            if resampling != "valid":
                raise UsageError(
                    "fits= goes with resampling='valid'; other schemes say folds and repeats"
                )
            resampling = {"scheme": resampling, "fits": fits}
        self.name = check_text(name, "the name of a study")
        self.seed = check_count(seed, "seed")
        if self.seed >= 2**63:
            raise UsageError(f"seed is a whole number below 2**63, got {self.seed}")
        self.resampling = _as_resampling(resampling).settled()
        self.curves = as_curves(curves)
        if not isinstance(learners, Mapping) or not learners:
            raise UsageError("a study needs at least one learner: learners={'tree': …}")
        self.learners = {
            check_text(str(key), "the name of a learner"): as_learner(one, str(key))
            for key, one in learners.items()
        }
        for key, learner in self.learners.items():
            if learner.tuning is not None:
                learner.tuning.checked(key)
        self.datasets = _loaded(datasets)
        self._given = _listed(measures) or (DEFAULT_MEASURE[_one_task(self.datasets)],)
        task = _one_task(self.datasets)
        self.measures = tuple(_measure_for(task, one) for one in self._given)
        self._truths = {key: StudyTruth.of(data) for key, data in self.datasets.items()}
        self._check()
        self._refuse_too_many(1)
        self._variants = {
            key: (TaskVariant(), *self.curves.variants(data, self.resampling, self.seed))
            for key, data in self.datasets.items()
        }
        self._refuse_too_many(max(map(len, self._variants.values())))

    @classmethod
    def from_toml(cls, path: str | Path, *, allow: Sequence[str] = ()) -> "Study":
        """The study a TOML file describes; estimators only from scikit-learn and ``allow``."""
        from assay.study.study_files import read_study

        allowed = (*ALLOWED, *names_given(allow, "allow"))
        return cls(**read_study(path_of(path, "a study"), allowed))

    def _check(self) -> None:
        _one_task(self.datasets)
        names = [measure.name for measure in self.measures]
        if len(set(names)) < len(names):
            raise UsageError(f"measures need different names; got {', '.join(names)}")
        for key, data in self.datasets.items():
            check_enough(data, self.resampling)
            for measure in self.measures:
                applies(measure, data, self._truths[key])
            for name, learner in self.learners.items():
                _check_kind(name, learner, data)
        for name, learner in self.learners.items():
            _check_tuned_by(name, learner, self.measures[0])

    def _refuse_too_many(self, points: int) -> None:
        """Before splits are made: more tasks than anybody runs are a slip of the pen."""
        splits = sum(self.resampling.count(data) for data in self.datasets.values())
        tasks = splits * len(self.learners) * points
        if tasks > MOST_TASKS:
            raise UsageError(
                f"the study has {tasks:,} tasks ({splits:,} splits of {len(self.datasets)} data sets, "
                f"{len(self.learners)} learners); at most {MOST_TASKS:,}: lower repeats or folds"
            )

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the reader should know about the splits."""
        return tuple(
            one for data in self.datasets.values() for one in split_notes(data, self.resampling)
        )

    def description(self) -> dict[str, Any]:
        """The study as plain values, for the store and for people."""
        return {
            "name": self.name,
            "seed": self.seed,
            "resampling": msgspec.to_builtins(self.resampling),
            "measures": [measure.name for measure in self.measures],
            "curves": msgspec.to_builtins(self.curves),
            "datasets": {key: data.source for key, data in self.datasets.items()},
            "learners": {key: learner.description(key) for key, learner in self.learners.items()},
        }

    def plan(self) -> StudyPlan:
        """Every task with its key."""
        spec = self.description()
        learners = {key: digest(facts) for key, facts in spec["learners"].items()}
        with uncollected():
            entries = self._entries(learners)
        return StudyPlan(
            study=self.name,
            spec=canonical(spec).decode(),
            seed=self.seed,
            datasets=tuple(
                _facts_of(data, self._truths[key]) for key, data in self.datasets.items()
            ),
            learners=tuple(
                LearnerFacts(
                    digest=learners[key], description=canonical(spec["learners"][key]).decode()
                )
                for key in self.learners
            ),
            measures=tuple(
                MeasureFacts(name=one.name, direction=one.direction) for one in self.measures
            ),
            entries=entries,
        )

    def _entries(self, learners: Mapping[str, str]) -> list[PlanEntry]:
        entries: list[PlanEntry] = []
        for name, data in self.datasets.items():
            cells = self.resampling.cells(data)
            for learner, described in learners.items():
                base = digest(self._determinants(data, described, self.learners[learner]))
                for one in self._variants[name]:
                    shared = base if one.how is None else digest((base, one.how))
                    entries += [
                        PlanEntry(
                            task_key(shared, repeat, fold, *one.setting),
                            name, learner, repeat, fold, *one.setting,
                        )
                        for repeat, fold in cells
                    ]  # fmt: skip
        return entries

    def _determinants(self, data: Dataset, described: str, learner: Learner) -> dict[str, Any]:
        """What the tasks of a learner on a data set have in common, as far as it matters."""
        facts: dict[str, Any] = {
            "format": RESULT_FORMAT,
            "data": data.fingerprint,
            "target": data.target,
            "task": data.task,
            "learner": described,
            "resampling": msgspec.to_builtins(self.resampling),
            "seed": self.seed,
            "scikit-learn": package_version("sklearn"),
        }
        if learner.tuning is not None and learner.tuning.measure is None:
            given = self._given[0]
            facts["tuned by"] = given if isinstance(given, str) else self._described(given)
        return facts

    @staticmethod
    def _described(measure: Any) -> Any:
        if isinstance(measure, Measure):
            return [measure.name, describe(measure.function, measure.name)]
        return describe(measure, "measure")

    def workload(self) -> Workload:
        """What workers need besides data."""
        return Workload(
            learners=self.learners,
            digests={
                key: digest(learner.description(key)) for key, learner in self.learners.items()
            },
            fingerprints={key: data.fingerprint for key, data in self.datasets.items()},
            resampling=self.resampling,
            measures=tuple(
                given if isinstance(given, str) else found
                for given, found in zip(self._given, self.measures, strict=True)
            ),
            seed=self.seed,
            curves=self.curves,
        )

    @checked
    def run(
        self,
        store: "str | Path | Store" = "study.db",
        *,
        workers: int | None = None,
        engine: "str | Engine | None" = None,
        force: bool = False,
        only: str | Sequence[str] | None = None,
        progress: bool = True,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> "StudyResult":
        """Run what is missing in the store, and return what is there then.

        ``only`` runs part of the plan: patterns of ``dataset/learner``, or of either name alone.
        ``force`` runs it again even where it is finished. Limits are seconds and megabytes per
        task; a task that breaks one is recorded as such.
        """
        from assay.study.engines.base import TaskLimits
        from assay.study.run import run

        return run(
            self,
            store,
            workers=workers,
            engine=engine,
            force=force,
            only=(only,) if isinstance(only, str) else names_given(only, "only"),
            progress=progress,
            limits=TaskLimits(seconds=time_limit, megabytes=memory_limit),
        )


def task_key(
    base: str,
    repeat: int,
    fold: int,
    train_size: int | None = None,
    noise_on: str | None = None,
    noise_level: float | None = None,
) -> str:
    """128 bits over everything that determines the result of a task."""
    return digest((base, repeat, fold, train_size, noise_on, noise_level))


def _as_resampling(given: str | Mapping[str, Any] | Resampling) -> Resampling:
    if isinstance(given, Resampling):
        return given
    if not isinstance(given, str | Mapping):
        raise UsageError(f"resampling= is a scheme, such as 'cv', or a table; got {given!r}")
    table = written_out(given)
    scheme = table.get("scheme", "cv")
    if isinstance(scheme, str) and scheme not in SCHEMES:
        known = ", ".join(SCHEMES)
        raise UsageError(f"there is no scheme {scheme!r} of splits; there are valid, {known}")
    try:
        return msgspec.convert(table, Resampling)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise UsageError(f"resampling: {error}") from None


def _listed(measures: Any) -> tuple[Any, ...]:
    """The measures of a study, of which there may be one, or none where it was left open."""
    if measures is None:
        return ()
    if isinstance(measures, str | Measure) or callable(measures):
        return (measures,)
    if not isinstance(measures, Iterable) or getattr(measures, "shape", None) == ():
        raise UsageError(f"measures= is a list of measures, such as ['accuracy']; got {measures!r}")
    return tuple(measures)


def _measure_for(task: Task, given: Any) -> Measure:
    """The measure; a function without a word takes what learners predict: numbers, or labels."""
    found = find_measure(given)
    bare = not isinstance(given, str | Measure) and found.needs == "labels"
    return replace(found, needs="values") if bare and task == "regression" else found


def _loaded(given: Sequence[Any] | Mapping[str, Any]) -> dict[str, Dataset]:
    if isinstance(given, str | Path):
        given = [given]
    if not isinstance(given, Iterable) or getattr(given, "shape", None) == ():
        raise UsageError(f"datasets= is a list of data sets, or names with them; got {given!r}")
    pairs = given.items() if isinstance(given, Mapping) else [(None, one) for one in given]
    loaded: dict[str, Dataset] = {}
    for name, source in pairs:
        found = resolve_all(source) if name is None else (_called(name, source),)
        for data in found:
            if data.name in loaded:
                raise UsageError(
                    f"two data sets are called {data.name!r}: give them as a mapping of names"
                )
            loaded[data.name] = data
    if not loaded:
        raise UsageError("a study needs at least one data set: datasets=['iris']")
    return loaded


def _called(name: Any, source: Any) -> Dataset:
    return resolve(source, name=check_text(str(name), "the name of a data set"))


def _one_task(datasets: Mapping[str, Dataset]) -> Task:
    """What all data sets ask for; no learner and no measure does both."""
    first: dict[Task, str] = {}
    for name, data in datasets.items():
        first.setdefault(data.task, name)
    if len(first) > 1:
        named = " and ".join(f"{task} ({name})" for task, name in first.items())
        raise EvidenceError(f"the data sets ask for {named}: keep the two kinds in two studies")
    return next(iter(first))


def _check_tuned_by(name: str, learner: Learner, first: Measure) -> None:
    if learner.tuning is None:
        return
    by = learner.tuning.measure
    decides = first if by is None else find_measure(by)
    if decides.direction == "unknown":
        raise UsageError(
            f"the learner {name} is tuned by {decides.name}, which does not say which way is better. Give "
            f"from_function({decides.name}, direction='lower') of assay.measures, or 'higher'"
        )


def _check_kind(name: str, learner: Learner, data: Dataset) -> None:
    from sklearn.base import is_classifier, is_regressor

    estimator = learner.estimator
    wrong = is_regressor(estimator) if data.task == "classification" else is_classifier(estimator)
    if wrong:
        kind = "regressor" if data.task == "classification" else "classifier"
        raise EvidenceError(
            f"the learner {name} is a {kind} and the data set {data.name} is a {data.task}. Take "
            f"{'classifiers' if kind == 'regressor' else 'regressors'}, or keep the two kinds in two studies"
        )


def _facts_of(data: Dataset, truth: StudyTruth) -> DatasetFacts:
    values = smallest_codes(truth.values) if truth.names else truth.values
    arrays = {"truth": values}
    if data.groups is not None:
        codes = np.unique(data.groups, return_inverse=True)[1]
        arrays["groups"] = smallest_codes(codes)
    return DatasetFacts(
        fingerprint=data.fingerprint,
        name=data.name,
        task=data.task,
        target=data.target,
        source=data.source,
        n=data.n,
        classes=truth.names,
        arrays=pack(arrays),
    )
