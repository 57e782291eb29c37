"""The doors that strange stores knock at: each answers, or ends in an ``AssayError``."""

import io
import random
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, redirect_stderr
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import AssayError
from assay.study.engines.base import Kit, Outcome
from assay.study.spec import Study
from tools.fuzz.attempts import Attempt, knock
from tools.fuzz.stores import mutant


class Inline:
    """An engine in this very process: a mutant is refused or finished, and nothing is left running."""

    slots = 1

    def __init__(self) -> None:
        self._waiting: list[Any] = []

    def start(self, kit: Kit, tasks: int) -> None:  # noqa: ARG002
        from assay.study.task_run import Workshop

        self._workshop = Workshop(kit.read)

    def submit(self, batch: Sequence[Any]) -> None:
        self._waiting += batch

    def as_completed(self, seconds: float) -> list[Outcome]:  # noqa: ARG002
        batch, self._waiting = self._waiting, []
        return [Outcome(entry=entry, record=self._workshop.perform(entry)) for entry in batch]

    def cancel(self) -> None:
        self._waiting = []

    def close(self) -> None:
        """Nothing runs."""


def door_open(path: Path) -> None:
    """Everything on an opened store that looks at a study."""
    from assay.store.store import Store

    with Store.open(path, create=False) as store:
        for name in store.studies():
            store.spec(name), store.failures(name), store.missing(name), store.done_keys(name)
            store.directions(), store.broken_keys(time_limit=5.0), store.records(name)
            entries = store.entries(name)
            for measure in store.measures(name):
                found = store.scores(name, measure)
                found.by_dataset(), found.columns(), store.scores(name, measure, part="train")
            for dataset in dict.fromkeys(one.dataset for one in entries):
                _calmly(partial(store.predictions, name, dataset))
        _calmly(store.check)


def door_export(path: Path) -> None:
    from assay.store.store import Store

    with Store.open(path, create=False) as store:
        for name in store.studies():
            store.export(path.parent / "exported", study=name)


def door_report(path: Path) -> None:
    from assay.compare.study_report import study_report
    from assay.report import render
    from assay.study.stored_study import read_study

    found = study_report(read_study(path), rng=1, margin=0.01)
    for form in ("table", "html", "json"):
        render(found, form)


def door_csv(path: Path) -> None:
    from assay.cli.report import _write_scores

    with redirect_stderr(io.StringIO()):
        _write_scores(str(path), None, path.parent / "scores.csv")


def door_compare(path: Path) -> None:
    import assay
    from assay.store.store import Store

    with Store.open(path, create=False) as store:
        for unit in (None, "fold", "dataset", "item"):
            _calmly(partial(assay.compare, store, unit=unit, rng=1, n_resamples=99))
            _calmly(partial(assay.evaluate, store, unit=unit, rng=1, n_resamples=99))


def door_page(path: Path) -> None:
    from assay.web import job_studies as work

    for one in work.listing(str(path))["studies"]:
        study = one["name"]
        _calmly(partial(work.progress, str(path), study))
        _calmly(partial(work.overview, str(path), study, None))
        _calmly(partial(work.failures, str(path), study))
        for kind in one["curves"]:
            for dataset in one["datasets"]:
                _calmly(partial(work.study_curves,
                        str(path), study, kind=kind, measure=None, dataset=dataset, on="labels",
                        level=0.95, margin=None,
                    )
                )  # fmt: skip


def door_run(study: Study) -> Callable[[Path], None]:
    def run(path: Path) -> None:
        result = study.run(path, engine=Inline(), progress=False)
        result.scores().by_dataset(), result.tuning()

    return run


def door_salvage(study: Study) -> Callable[[Path], None]:
    """What is rescued is a sound store, and what it was rescued from is as it was."""

    def rescue(path: Path) -> None:
        from assay.store.damage import DamagedStore
        from assay.store.salvage import salvage

        before, target = path.read_bytes(), path.with_name("rescued.db")
        for plan in (None, study.plan()):
            target.unlink(missing_ok=True)
            salvage(path, target, plan=plan)
            try:
                door_open(target)
            except DamagedStore as error:
                raise RuntimeError(f"rescued, and still damaged: {str(error)[-300:]}") from error
        if path.read_bytes() != before:
            raise RuntimeError("a rescue changed the damaged store")

    return rescue


def doors(study: Study) -> dict[str, Callable[[Path], None]]:
    return {
        "open": door_open, "export": door_export, "report": door_report, "csv": door_csv,
        "compare": door_compare, "page": door_page, "salvage": door_salvage(study),
        "run": door_run(study),
    }  # fmt: skip


def _calmly(work: Callable[[], object]) -> None:
    """A refusal in our own words is an answer; go on to the next question."""
    try:
        work()
    except AssayError:
        return


# What knocks


def opened(folder: Path, seed: int) -> Callable[[int], Attempt]:
    """A strange store at one door or another, by its number."""
    study = small_study()
    base = sound_store(study, folder / "sound.db")
    known = doors(study)

    def attempt(number: int) -> Attempt:
        strange = mutant(base, folder, seed, number)
        name = random.Random(f"{seed} {number} doors").choice(list(known))
        return Attempt(f"{name}: {strange.what}", knock(partial(known[name], strange.path)))

    return attempt


def small_study() -> Study:
    """Two data sets, a tuned learner, a failing one, both curves: every table has rows."""
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    from assay.study.learners import Learner
    from assay.study.tuning import Tuning

    class Fails(GaussianNB):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:  # noqa: ARG002
            raise ValueError("it broke")

    rng = np.random.default_rng(1)
    y = rng.permutation([0, 1] * 30)
    tables = {name: (rng.normal(size=(60, 2)) + y[:, None], y) for name in ("one", "two")}
    return Study(
        name="strange",
        learners={
            "nb": GaussianNB(),
            "tree": Learner(
                DecisionTreeClassifier(), tuning=Tuning(grid={"max_depth": [1, 2]}, folds=2)
            ),
            "bad": Fails(),
        },
        datasets=tables,
        resampling={"scheme": "cv", "folds": 3},
        measures=["accuracy", "auc"],
        curves={"learning": {"points": 3}, "noise": {"on": "labels", "levels": [0.0, 0.4]}},
        seed=3,
    )


def sound_store(study: Study, path: Path) -> Path:
    """What mutants are made from: one file, its log written back."""
    study.run(path, engine=Inline(), progress=False).store.close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=DELETE")
    return path
