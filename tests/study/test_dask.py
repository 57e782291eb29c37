"""A real cluster: a scheduler and two workers started from the command line, on loopback."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from distributed import Client
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from assay.core.errors import UsageError
from assay.store.store import Store
from assay.store.study_reading import Failure
from assay.study.driver import pack_kit
from assay.study.engines import dask as engine_file
from assay.study.engines import engine_for
from assay.study.engines.base import EngineStopped, Kit, Outcome, TaskLimits
from assay.study.run import StudyResult
from assay.study.spec import Study
from tests.study import estimators
from tests.study.survival import (
    ROOT,
    begin,
    committed_fits,
    complete,
    content,
    diary_lines,
    let_go,
    query,
    write_study,
)
from tests.support import PATIENCE, lives, until

LOOPBACK = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")


class Cluster:
    """Processes of `dask scheduler` and `dask worker`, and a client to see into them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = ""
        self.processes: list[subprocess.Popen[bytes]] = []

    def command(self, *arguments: str) -> None:
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        with (self.folder / "cluster.log").open("ab") as log:
            self.processes.append(
                subprocess.Popen(
                    [sys.executable, "-m", "dask", *arguments], stdout=log, stderr=log,
                    env={**os.environ, "PYTHONPATH": path}, cwd=self.folder,
                )
            )  # fmt: skip

    def start(self, workers: int) -> None:
        facts = self.folder / "scheduler.json"
        self.command("scheduler", *LOOPBACK, "--port", "0", "--scheduler-file", str(facts))
        until(facts.exists)
        with Client(scheduler_file=str(facts), set_as_default=False) as client:  # type: ignore[no-untyped-call]
            self.address = str(client.scheduler.address)
        for _ in range(workers):
            self.command("worker", self.address, *LOOPBACK, "--nthreads", "1")
        if workers:
            with self.client() as client:
                client.wait_for_workers(workers, timeout=PATIENCE)

    def client(self) -> "Client":
        return Client(self.address, set_as_default=False)  # type: ignore[no-untyped-call]

    @property
    def url(self) -> str:
        return self.address.replace("tcp://", "dask://")

    def worker_pids(self) -> list[int]:
        with self.client() as client:
            return list(client.run(os.getpid, on_error="ignore").values())  # one may be dying

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait(timeout=PATIENCE)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    found = Cluster(tmp_path_factory.mktemp("dask"))
    try:
        found.start(workers=2)
        yield found
    finally:
        found.stop()


def task_processes(cluster: Cluster) -> list[psutil.Process]:
    """The processes that run tasks: below a worker of the cluster is its fork server, then they."""
    found = []
    for pid in cluster.worker_pids():
        with suppress(psutil.NoSuchProcess):
            for server in psutil.Process(pid).children():
                found += [one for one in server.children() if lives(one.pid)]
    return found


def study(**learners: object) -> Study:
    return Study(
        name="dask", learners=learners, datasets=["iris", "wine"], measures=["accuracy", "mcc"],
        resampling={"scheme": "cv", "folds": 4}, seed=7,
    )  # fmt: skip


def reasons(result: StudyResult) -> set[tuple[str, str, str]]:
    def facts(failure: Failure) -> tuple[str, str, str]:
        return failure.learner, failure.status, failure.reason

    return {facts(failure) for failure in result.failures}


class TestDaskEngine:
    def test_the_same_bits_as_local_with_a_worker_killed_and_a_poison_task(
        self, cluster: Cluster, tmp_path: Path
    ) -> None:
        toml = write_study(tmp_path, folds=4, hold_after=3)
        poison = '\n[learners.poison]\nestimator = "tests.study.estimators.Dies"\n'
        toml.write_text(toml.read_text() + poison)
        store, victim = tmp_path / "dask.db", cluster.worker_pids()[0]
        options = ("--engine", cluster.url, "--only", "iris/*", "--only", "wine/[df]*")
        process = begin(toml, store, *options, workers=None)
        until(lambda: len(content(store)) >= 3)
        os.kill(victim, signal.SIGKILL)
        let_go(toml)
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors
        assert "4 failed" in errors
        complete(toml, tmp_path / "local.db", *options[2:])
        assert content(store) == content(tmp_path / "local.db")
        assert len(content(store)) == 20
        lost = "SELECT status, error, attempts FROM task WHERE status != 'ok'"
        assert query(store, lost) == query(tmp_path / "local.db", lost)
        assert query(store, lost) == [
            ("lost", "the worker ended (signal SIGKILL), 3 times", 3)
        ] * 4  # fmt: skip
        assert query(store, "SELECT * FROM lease") == []
        until(lambda: len(cluster.worker_pids()) == 2)
        assert victim not in cluster.worker_pids()

    def test_limits_are_recorded_as_such(self, cluster: Cluster, tmp_path: Path) -> None:
        one = study(hangs=estimators.Hangs(), greedy=estimators.Greedy(), nb=GaussianNB())
        where = {"engine": cluster.url, "progress": False, "store": tmp_path / "s.db"}
        one.run(**where, only="iris/hangs", time_limit=0.5)  # type: ignore[arg-type]
        one.run(**where, only="iris/greedy", memory_limit=300.0)  # type: ignore[arg-type]
        result = one.run(**where, only="nb")  # type: ignore[arg-type]
        found = {(learner, status) for learner, status, _ in reasons(result)}
        assert found == {("hangs", "timeout"), ("greedy", "memory")}
        limits = {one["learner"]: one["limit_value"] for one in result.records()}
        assert limits == {"hangs": 0.5, "greedy": 300.0, "nb": None}
        assert (result.scores().by_dataset().values[:, 2] > 0.9).all()

    def test_ctrl_c_leaves_a_clean_resumable_store(self, cluster: Cluster, tmp_path: Path) -> None:
        toml, store = write_study(tmp_path, folds=4, hold_after=2), tmp_path / "study.db"
        process = begin(toml, store, "--engine", cluster.url, workers=None)
        until(lambda: content(store))
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, errors
        assert "the same command goes on" in errors
        assert query(store, "SELECT * FROM lease") == []
        until(lambda: not task_processes(cluster))  # they hear of it a moment later
        done, before = committed_fits(store), len(diary_lines(toml))
        assert 0 < len(content(store)) < 24
        let_go(toml)
        complete(toml, store, "--engine", cluster.url, workers=None)
        assert len(content(store)) == 24
        assert not set(done) & set(diary_lines(toml)[before:])

    def test_a_killed_driver_leaves_nobody_at_work(self, cluster: Cluster, tmp_path: Path) -> None:
        """The scheduler drops what a lost client asked for, and a fit hears of it."""
        toml, store = write_study(tmp_path, folds=2, seconds=600.0), tmp_path / "study.db"
        process = begin(toml, store, "--engine", cluster.url, workers=None)
        until(lambda: diary_lines(toml))  # which worker gets which task is the cluster's choice
        assert task_processes(cluster) != []
        process.kill()
        process.communicate()
        until(lambda: not task_processes(cluster))
        assert len(content(store)) < 12

    def test_nothing_listens_but_what_was_started(self, cluster: Cluster) -> None:
        def listening(pid: int) -> set[str]:
            found = psutil.Process(pid).net_connections("inet")
            return {one.laddr.ip for one in found if one.status == psutil.CONN_LISTEN}

        until(lambda: not task_processes(cluster))  # of studies that have just ended
        before = listening(os.getpid())
        with started(cluster, study(nb=GaussianNB())) as (engine, one):
            engine.submit(one.plan().entries[:2])
            outcomes: list[Outcome] = []
            while len(outcomes) < 2:
                outcomes += engine.as_completed(0.5)
            assert listening(os.getpid()) == before
            ours = [process.pid for process in task_processes(cluster)]
            assert [listening(pid) for pid in ours] == [set()]
        for pid in (*[one.pid for one in cluster.processes], *cluster.worker_pids()):
            assert listening(pid) <= {"127.0.0.1"}


class started:  # noqa: N801 - reads as a word
    """An engine at the cluster with the kit of a study."""

    def __init__(self, cluster: Cluster, one: Study) -> None:
        self.study, self.kit = one, Kit()
        pack_kit(self.kit, one)
        self.engine = engine_for(cluster.url, workers=None, limits=TaskLimits())

    def __enter__(self) -> tuple[engine_file.DaskEngine, Study]:
        self.engine.start(self.kit, 1)
        assert isinstance(self.engine, engine_file.DaskEngine)
        return self.engine, self.study

    def __exit__(self, *_: object) -> None:
        self.engine.close()
        self.kit.remove()


class TestTrouble:
    def test_other_versions_on_the_workers_are_refused(
        self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(engine_file, "_versions", lambda: {"scikit-learn": "0.1"})
        with started(cluster, study(nb=GaussianNB())) as (engine, one):
            engine.submit(one.plan().entries[:1])
            with pytest.raises(EngineStopped, match=r"other versions than the driver: .*0\.1"):
                engine.as_completed(PATIENCE)

    def test_a_batch_whose_workers_all_ended_is_suspect(self, cluster: Cluster) -> None:
        from distributed import KilledWorker

        with started(cluster, study(nb=GaussianNB())) as (engine, one):
            entries = one.plan().entries[:2]
            killed = KilledWorker("task", None, 3)  # type: ignore[arg-type]
            found = engine._judged(killed, entries)
            assert [outcome.loss for outcome in found] == ["suspect", "suspect"]
            assert engine._judged(killed, entries[:1])[0].loss == "died"

    def test_a_cluster_without_workers_and_one_that_goes_away(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(engine_file, "WORKERS_SECONDS", 0.2)
        empty = Cluster(tmp_path)
        empty.start(workers=0)
        try:
            one = study(tree=DecisionTreeClassifier())
            with pytest.raises(EngineStopped, match="has no workers; start some"):
                one.run(tmp_path / "s.db", engine=empty.url, progress=False)
            with Store.open(tmp_path / "s.db") as store:
                assert len(store.missing("dask")) == 8
            assert query(tmp_path / "s.db", "SELECT * FROM lease") == []
        finally:
            empty.stop()
        monkeypatch.setattr(engine_file, "CONNECT_SECONDS", 1.0)
        with pytest.raises(EngineStopped, match="no Dask scheduler answers at tcp://127"):
            one.run(tmp_path / "s.db", engine=empty.url, progress=False)

    def test_addresses(self) -> None:
        for wrong in ("dask://", "dask://127.0.0.1", "dask://a:b"):
            with pytest.raises(UsageError, match="as the address of a Dask scheduler"):
                engine_for(wrong, workers=None, limits=TaskLimits())
        with pytest.raises(UsageError, match="leave out the number of workers"):
            engine_for("dask://127.0.0.1:8786", workers=2, limits=TaskLimits())
