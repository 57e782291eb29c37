"""Running a study: which of its tasks are to be done, and what is there when they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.study_results import TuningSummary
from assay.evidence.curve_scores import CurveKind, CurveScores
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.evidence.study_evidence import StudyEvidence
from assay.store.record_types import Part, PlanEntry
from assay.store.store import Store
from assay.store.study_reading import Failure, StoredScores
from assay.study.curve_tasks import curve_scores
from assay.study.datasets import Dataset
from assay.study.driver import Driver
from assay.study.engines import engine_for
from assay.study.engines.base import Engine, TaskLimits
from assay.study.noise import NoiseOn
from assay.study.progress import progress_view
from assay.study.scoring import InnerScorer, StudyTruth, score
from assay.study.spec import Study
from assay.study.stored_study import read_study, tuning_of


def run(
    study: Study,
    location: "str | Path | Store",
    *,
    workers: int | None,
    engine: "str | Engine | None",
    force: bool,
    only: Sequence[str] | None,
    progress: bool,
    limits: TaskLimits,
) -> "StudyResult":
    """Bring the store to where the study is finished, or as far as ``only`` says."""
    plan = study.plan()
    store = Store.open(location)
    store.plan(plan)
    chosen = _matching(plan.entries, only)
    if force or store.unfinished_keys(study.name):
        store.scores(study.name, study.measures[0].name)  # damage is refused before work begins
    if force:
        store.forget({entry.key for entry in chosen})
    else:
        _forget_broken(store, chosen, limits)
    left = store.unfinished_keys(study.name)
    todo = list({entry.key: entry for entry in chosen if entry.key in left}.values())
    total = len({entry.key for entry in chosen})
    view = progress_view(
        show=progress,
        total=total,
        done=total - len(todo),
        measure=study.measures[0].name,
    )
    with view, store.reached(view.say):
        if todo:
            machine = engine_for(engine, workers=workers, limits=limits)
            Driver(study, store, plan, machine, limits, view).run(todo)
        _fill_scores(study, store)
    return StudyResult(study=study, store=store)


def _matching(entries: Sequence[PlanEntry], only: Sequence[str] | None) -> list[PlanEntry]:
    if not only:
        return list(entries)

    def matches(entry: PlanEntry) -> bool:
        names = (f"{entry.dataset}/{entry.learner}", entry.dataset, entry.learner)
        return any(fnmatchcase(name, pattern) for pattern in only for name in names)

    found = [entry for entry in entries if matches(entry)]
    if not found:
        raise UsageError(
            f"nothing of the study matches {' or '.join(map(repr, only))}; patterns are of "
            "dataset/learner or of either name, such as 'iris/*' or 'tree'"
        )
    return found


def _forget_broken(store: Store, chosen: Sequence[PlanEntry], limits: TaskLimits) -> None:
    """Let tasks run again that broke a smaller limit than today's."""
    broken = store.broken_keys(time_limit=limits.seconds, memory_limit=limits.megabytes)
    again = broken & {entry.key for entry in chosen} if broken else broken
    if again:
        store.forget(again)


def _fill_scores(study: Study, store: Store) -> None:
    """Score measures that were added after tasks had ended, from their predictions."""
    truths = {data.fingerprint: StudyTruth.of(data) for data in study.datasets.values()}
    sizes = {key: (truth.values.size, len(truth.names)) for key, truth in truths.items()}
    for measure in study.measures:
        values = {}
        for number, fingerprint, arrays in store.unscored(study.name, measure.name, sizes):
            truth = truths[fingerprint]
            actual = truth.values[arrays.pop("rows")]
            values[number] = score(measure, actual, arrays, truth.names)
        if values:
            store.add_scores("test", measure.name, values)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyResult:
    """A study and the store that holds what came of it."""

    study: Study
    store: Store

    @property
    def name(self) -> str:
        return self.study.name

    @property
    def notes(self) -> tuple[Note, ...]:
        return self.study.notes

    def scores(self, measure: str | None = None, *, part: Part = "test") -> StoredScores:
        """Scores of every task; of the first measure unless said."""
        return self.store.scores(self.name, measure or self.study.measures[0].name, part=part)

    @property
    def failures(self) -> tuple[Failure, ...]:
        return self.store.failures(self.name)

    @property
    def missing(self) -> tuple[PlanEntry, ...]:
        return self.store.missing(self.name)

    def as_evidence(
        self,
        *,
        unit: str | None = None,
        measure: str | None = None,
        models: str | Sequence[str] | None = None,
        task: str | Sequence[str] | None = None,
    ) -> "Scores | Predictions":
        """What `assay.compare` and `assay.evaluate` see: scores over splits or data sets."""
        return self.store.as_evidence(
            study=self.name, unit=unit, measure=measure, models=models, task=task
        )

    def predictions(self, dataset: str, *, learners: Sequence[str] | None = None) -> Predictions:
        """What the learners predicted on a data set, as evidence for `assay.compare`."""
        return self.store.predictions(self.name, dataset, learners=learners)

    def records(self) -> list[dict[str, Any]]:
        """One mapping per task: times, complexity, versions, warnings, the choice of tuning."""
        return self.store.records(self.name)

    def curve(
        self,
        kind: CurveKind,
        *,
        measure: str | None = None,
        dataset: str | None = None,
        on: NoiseOn = "labels",
    ) -> CurveScores:
        """A learning or noise curve of any recorded quantity, for `compare_curves`.

        ``measure`` is a measure of the study (the first unless said), seconds such as
        ``fit_cpu``, ``complexity`` or one by name; ``on`` says which noise.
        """
        known = {one.name: one for one in self.study.measures}
        name = measure or self.study.measures[0].name
        return curve_scores(
            self.store, self.name, kind, measure=known.get(name, name), dataset=dataset, on=on
        )

    def tuning(self) -> tuple[TuningSummary, ...]:
        """For every tuned learner and data set: honest score, optimism, which settings won."""
        return tuning_of(self.store, self.name)

    def as_study(self) -> StudyEvidence:
        """Everything the report of a study is made from."""
        return read_study(self.store, self.name)

    def refit(self, dataset: str, learner: str) -> Any:
        """The learner fitted (and tuned) on all data of a data set: the model to use.

        It has seen more data than any model that was scored, so the study's score is, if anything,
        too low for it; nothing is left to measure it on.
        """
        study = self.study
        for name, known in ((dataset, study.datasets), (learner, study.learners)):
            if name not in known:
                raise UsageError(f"the study has no {name!r}; it has {', '.join(known)}")
        data: Dataset = study.datasets[dataset]
        chosen = study.learners[learner]
        decides = study.measures[0]
        if chosen.tuning is not None and chosen.tuning.measure is not None:
            from assay.measures.registry import find_measure

            decides = find_measure(chosen.tuning.measure)
        scorer = InnerScorer(decides, StudyTruth.of(data))
        built = chosen.build(data, study.resampling, study.seed, scorer)
        if chosen.tuning is not None and data.groups is not None:
            return built.estimator.fit(data.X, data.y, groups=data.groups)
        return built.estimator.fit(data.X, data.y)
