"""A driver that is killed outright: whatever it started ends, and its folders go."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from assay.study.engines.guard import MARK, Guard, mark
from tests.study.survival import ROOT, write_study
from tests.support import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


def of_run(temporary: Path) -> list[psutil.Process]:
    """Processes that have this temporary folder."""
    found = []
    for one in psutil.process_iter():
        try:
            if one.status() != psutil.STATUS_ZOMBIE and one.environ().get("TMPDIR") == str(
                temporary
            ):
                found.append(one)
        except psutil.Error:
            continue
    return found


class TestKilledDriver:
    @pytest.mark.parametrize("whole_group", [False, True])
    @pytest.mark.parametrize("importing", [True, False])
    def test_nothing_is_left_of_it(
        self, tmp_path: Path, *, whole_group: bool, importing: bool
    ) -> None:
        """Also while the fork server still imports, when there is no worker that could notice."""
        # Not under tmp_path: a socket's path has no more than 107 bytes.
        temporary = Path(tempfile.mkdtemp(prefix="guard-"))
        study = write_study(tmp_path, hold_after=0)
        command = [sys.executable, "-m", "assay", "run", str(study), "--store", "s.db"]
        driver = subprocess.Popen(
            [*command, "--allow", "tests", "--workers", "2"],
            cwd=ROOT, env={**os.environ, "TMPDIR": str(temporary)}, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        if importing:
            until(lambda: list(temporary.glob("pymp-*/listener-*")))
        else:
            until((tmp_path / "diary.txt").read_text)
        assert len(of_run(temporary)) >= 3
        os.killpg(driver.pid, signal.SIGKILL) if whole_group else driver.kill()
        driver.wait()
        killed = time.monotonic()
        until(lambda: not of_run(temporary))
        until(lambda: not list(temporary.iterdir()))
        busy = psutil.getloadavg()[0] / (psutil.cpu_count() or 1)
        assert time.monotonic() - killed < 2.0 * max(1.0, busy)
        temporary.rmdir()


def test_a_long_temporary_folder_is_no_obstacle(tmp_path: Path) -> None:
    temporary = tmp_path / ("long" * 25)
    temporary.mkdir()
    command = [sys.executable, "-m", "assay", "run", str(write_study(tmp_path, folds=2))]
    done = subprocess.run(
        [*command, "--store", str(tmp_path / "s.db"), "--allow", "tests", "--workers", "2"],
        cwd=ROOT, env={**os.environ, "TMPDIR": str(temporary)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not list(temporary.iterdir())


class TestGuard:
    def test_a_guard_that_is_dismissed_touches_nothing(self, tmp_path: Path) -> None:
        guard = Guard()
        guard.remove_later(tmp_path)
        guard.dismiss()
        assert tmp_path.is_dir()

    def test_it_waits_for_the_driver_itself_to_end(self, tmp_path: Path) -> None:
        """A guard whose pipe closes while the driver lives ends nothing."""
        guard = Guard()
        guard.remove_later(tmp_path)
        sleeper = subprocess.Popen(["sleep", "60"], env={**os.environ, MARK: mark()})
        guard.leave()
        assert sleeper.poll() is None
        assert tmp_path.is_dir()
        sleeper.kill()
        sleeper.wait()
