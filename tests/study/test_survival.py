"""A study survives its driver, its workers, a colleague on the same store and Ctrl-C."""

import os
import signal
from collections import Counter
from pathlib import Path

from tests.study.survival import (
    begin,
    committed_fits,
    complete,
    content,
    diary_lines,
    diary_pids,
    let_go,
    query,
    survive,
    wait_for,
    write_study,
)
from tests.support import PATIENCE, until


class TestKilled:
    def test_a_killed_and_resumed_study_equals_an_undisturbed_one(self, tmp_path: Path) -> None:
        """Killed with its workers and alone, at random moments; no committed task runs again."""
        found = survive(tmp_path, kills=2, folds=6)
        assert found["records"] == 36
        assert found["kills that found it working"] >= 1


class TestTwoProcesses:
    def test_they_share_the_work_without_duplicates(self, tmp_path: Path) -> None:
        study, store = write_study(tmp_path, folds=6, hold_after=0), tmp_path / "shared.db"
        both = [begin(study, store, workers=1) for _ in range(2)]
        until(lambda: len(diary_pids(study)) == 2)
        let_go(study)
        for process in both:
            _, errors = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, errors
        assert len(content(store)) == 36
        assert set(Counter(diary_lines(study)).values()) == {1}
        assert query(store, "SELECT * FROM lease") == []


class TestInterrupt:
    def test_ctrl_c_leaves_a_clean_resumable_store(self, tmp_path: Path) -> None:
        study, store = write_study(tmp_path, folds=6, hold_after=2), tmp_path / "study.db"
        process = begin(study, store)
        wait_for(store, 1, process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to workers as well
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, errors
        assert "the same command goes on" in errors
        assert 0 < len(content(store)) < 36
        assert query(store, "SELECT * FROM lease") == []
        done, before = committed_fits(store), len(diary_lines(study))
        let_go(study)
        complete(study, store)
        assert len(content(store)) == 36
        assert not set(done) & set(diary_lines(study)[before:])
