"""The doors that strange stores knock at: each answers, or ends in an ``AssayError``.

    python -m tools.fuzz.store_doors --mutants 2000 --seed 1

Anything else is a finding, printed once by type and place; `--only 17` tries one mutant again.
"""

import argparse
import io
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing, redirect_stderr
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import AssayError
from assay.study.engines.base import Kit, Outcome
from assay.study.spec import Study
from tools.fuzz.stores import mutants

SECONDS, WAITED = 20, 300
"""Of the processor and on the clock: a door that takes longer has hung."""


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


# Judging


class Slow(BaseException):
    """A door did not answer in time."""


def knock(door: Callable[[Path], None], path: Path) -> str | None:
    """None where a door answers or refuses in our words; else the finding by type and place."""
    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, _too_slow)
    signal.alarm(WAITED)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            door(path)
    except AssayError as error:
        return None if str(error).strip() else "an error without words"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return _signature(error)
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def _too_slow(_number: int, _frame: Any) -> None:
    raise Slow


def _signature(error: BaseException) -> str:
    ours = [
        frame for frame in traceback.extract_tb(error.__traceback__)
        if f"{os.sep}assay{os.sep}" in frame.filename
    ]  # fmt: skip
    place = (
        f"{Path(ours[-1].filename).name}:{ours[-1].lineno} {ours[-1].name}" if ours else "elsewhere"
    )
    words = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__} at {place}: {words[:100]}"


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


def main() -> None:
    given = _asked()
    study = small_study()
    seen: dict[str, int] = {}
    knocks, slowest = 0, (0.0, "")
    with tempfile.TemporaryDirectory(prefix="assay-fuzz-") as place:
        folder = Path(place)
        base = sound_store(study, folder / "sound.db")
        known = {name: one for name, one in doors(study).items() if given.door in (None, name)}
        for number, mutant in enumerate(mutants([base], folder, given.seed, given.mutants)):
            if given.only not in (None, number):
                continue
            kept = _copied(mutant.path, folder)
            names = random.Random(f"{given.seed} {number} doors").sample(
                list(known), min(given.each, len(known))
            )
            for name in names:
                begun = time.monotonic()
                found = knock(known[name], _copied(kept, folder, "tried.db"))
                knocks += 1
                slowest = max(slowest, (time.monotonic() - begun, f"{name} {mutant.what}"))
                if found:
                    seen[found] = seen.get(found, 0) + 1
                if found and seen[found] == 1:
                    sys.stdout.write(f"{name}: {mutant.what}\n    {found}\n")
                    sys.stdout.flush()
            if number % 100 == 99:
                sys.stdout.write(f"{number + 1} mutants, {knocks} knocks, {len(seen)} findings\n")
                sys.stdout.flush()
    sys.stdout.write(
        f"{given.mutants} mutants, {knocks} knocks, {len(seen)} distinct findings; slowest "
        f"{slowest[0]:.1f} s ({slowest[1]})\n"
    )


def _asked() -> argparse.Namespace:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--mutants", type=int, default=500)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--each", type=int, default=8, help="doors that a mutant knocks at")
    asked.add_argument("--door", help="one door only")
    asked.add_argument("--only", type=int, help="the number of one mutant")
    return asked.parse_args()


def _copied(path: Path, folder: Path, name: str = "kept.db") -> Path:
    target = folder / name
    for old in folder.glob(f"{name}*"):
        old.unlink()
    shutil.copy(path, target)
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        shutil.copy(log, target.with_name(f"{target.name}-wal"))
    return target


if __name__ == "__main__":
    main()
