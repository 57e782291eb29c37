"""Kill a running study again and again, and show that nothing is lost and nothing done twice.

The suite uses a few kills; `python -m tests.study.survival 50` does the full number.
"""

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg

from assay.store.store import Store
from assay.study.learners import seed_at
from tests.support import PATIENCE, until

ROOT = Path(__file__).parent.parent.parent
COUNT = "SELECT key FROM task"
STUDY = """
name = "survival"
seed = 7
measures = ["accuracy", "mcc"]
datasets = ["iris", "wine"]

[resampling]
scheme = "cv"
folds = {folds}

[learners.diary]
estimator = "tests.study.estimators.Diary"
params = {{ diary = "{diary}", seconds = {seconds}, held = "{held}" }}

[learners.tree]
estimator = "sklearn.tree.DecisionTreeClassifier"

[learners.forest]
estimator = "sklearn.ensemble.RandomForestClassifier"
params = {{ n_estimators = 5 }}
"""


def write_study(
    folder: Path, *, folds: int = 10, seconds: float = 0.05, hold_after: int | None = None
) -> Path:
    """A study; with ``hold_after`` it waits after so many fits of the diary, until :func:`let_go`."""
    diary, held = folder / "diary.txt", folder / "held.txt"
    diary.touch()
    if hold_after is not None:
        held.write_text(str(hold_after))
    path = folder / "study.toml"
    path.write_text(STUDY.format(folds=folds, diary=diary, seconds=seconds, held=held))
    return path


def let_go(study: Path) -> None:
    """Let fits end that were held."""
    (study.parent / "held.txt").rename(study.parent / "gone.txt")


def begin(
    study: Path, store: Path | str, *options: str, workers: int | None = 2
) -> "subprocess.Popen[str]":
    """A driver in a session of its own, so that it can be killed with its workers or without."""
    command = [
        sys.executable, "-m", "assay", "run", str(study), "--store", str(store), "--allow", "tests",
        *options,
    ]  # fmt: skip
    if workers is not None:
        command += ["--workers", str(workers)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def complete(study: Path, store: Path | str, *options: str, workers: int | None = 2) -> None:
    process = begin(study, store, *options, workers=workers)
    _, errors = process.communicate(timeout=PATIENCE)
    if process.returncode != 0:
        raise RuntimeError(errors)


def query(store: Path | str, sql: str) -> list[tuple[Any, ...]]:
    """Rows of a SQLite file or of a PostgreSQL database; none before its tables are there."""
    if isinstance(store, str):
        with psycopg.connect(store) as server:
            with contextlib.suppress(psycopg.errors.UndefinedTable):
                return server.execute(sql.encode()).fetchall()
            return []
    if not store.exists():
        return []
    with contextlib.closing(sqlite3.connect(store, timeout=60)) as connection:
        try:
            return connection.execute(sql).fetchall()
        except sqlite3.OperationalError:  # killed before the tables were there
            return []


def remove(store: Path | str) -> None:
    if isinstance(store, str):
        with psycopg.connect(store) as server:
            server.execute("DROP SCHEMA public CASCADE").execute("CREATE SCHEMA public")
        return
    for part in store.parent.glob(f"{store.name}*"):
        part.unlink()


def content(store: Path | str) -> dict[str, tuple[Any, ...]]:
    """Everything recorded, times aside, by key."""
    records = query(
        store,
        "SELECT key, status, seed, n_train, n_test, complexity_name, complexity, details, error, "
        "prediction.data FROM task JOIN prediction ON prediction.task_id = task.id",
    )
    scores = query(
        store,
        "SELECT task.key, measure.name, part, value FROM score JOIN task ON task.id = task_id "
        "JOIN measure ON measure.id = measure_id ORDER BY 1, 2, 3",
    )
    return {
        record[0]: (*record[1:], tuple(one for one in scores if one[0] == record[0]))
        for record in records
    }


def diary_lines(study: Path) -> list[str]:
    return [line.split()[0] for line in (study.parent / "diary.txt").read_text().splitlines()]


def diary_pids(study: Path) -> set[str]:
    """The processes that began fits."""
    return {line.split()[1] for line in (study.parent / "diary.txt").read_text().splitlines()}


def committed_fits(store: Path | str) -> list[str]:
    """What the diary calls the fits that are committed."""
    rows = query(
        store,
        "SELECT task.seed FROM task JOIN learner ON learner.id = learner_id "
        "WHERE learner.description LIKE '%Diary%'",
    )
    return [str(seed_at(seed, "random_state")) for (seed,) in rows]


def kill_once(study: Path, store: Path | str, rng: random.Random, *, with_workers: bool) -> None:
    """Start, kill at a random moment, and check that committed fits were not begun again."""
    before, begun = committed_fits(store), diary_lines(study)
    process = begin(study, store)
    if rng.random() < 0.8:  # in the middle of the work, else while it starts
        wait_for(store, len(query(store, COUNT)) + rng.randint(1, 12), process)
        time.sleep(rng.uniform(0.0, 0.3))
    else:
        time.sleep(rng.uniform(0.3, 3.0))
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL) if with_workers else process.kill()
    process.communicate()
    again = set(before) & set(diary_lines(study)[len(begun) :])
    if again:
        raise RuntimeError(f"{len(again)} committed tasks ran again")


def wait_for(store: Path | str, records: int, process: "subprocess.Popen[str]") -> None:
    until(lambda: len(query(store, COUNT)) >= records or process.poll() is not None)


def survive(
    folder: Path, kills: int, *, seed: int = 1, folds: int = 10, store: Path | str | None = None
) -> dict[str, int]:
    """Kill so many times, finish, and compare with an undisturbed run on SQLite."""
    rng = random.Random(seed)  # noqa: S311
    study, store = write_study(folder, folds=folds), store or folder / "killed.db"
    stages = []
    for number in range(kills):
        kill_once(study, store, rng, with_workers=number % 2 == 0)
        stages.append(len(query(store, COUNT)))
        if stages[-1] == 6 * folds:  # finished early: begin anew
            if content(store) != content(_undisturbed(folder, study)):
                raise RuntimeError("the store differs from that of an undisturbed run")
            remove(store)
    before, begun = committed_fits(store), diary_lines(study)
    complete(study, store)
    if set(before) & set(diary_lines(study)[len(begun) :]):
        raise RuntimeError("committed tasks ran again")
    if content(store) != content(_undisturbed(folder, study)):
        raise RuntimeError("the store differs from that of an undisturbed run")
    with Store.open(store) as opened:
        opened.check()
    if query(store, "SELECT key FROM lease"):
        raise RuntimeError("tasks are still reserved")
    grown = sum(after > before for before, after in pairwise([0, *stages]))
    return {"kills": kills, "records": len(content(store)), "kills that found it working": grown}


def _undisturbed(folder: Path, study: Path) -> Path:
    store = folder / "undisturbed.db"
    if not store.exists():
        complete(study, store)
    return store


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    with tempfile.TemporaryDirectory() as place:
        sys.stdout.write(f"{survive(Path(place), count, folds=40)}\n")
