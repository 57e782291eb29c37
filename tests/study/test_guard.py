"""A driver that is killed outright: whatever it started ends, and its folders go."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from assay.core.driver_guard import MARK, DriverGuard, mark
from tests.study.killed_drivers import SECONDS, killed, of_run
from tests.study.survival import ROOT, write_study
from tests.support import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


class TestKilledDriver:
    @pytest.mark.parametrize("whole_group", [False, True])
    @pytest.mark.parametrize("importing", [True, False])
    def test_nothing_is_left_of_it(
        self, tmp_path: Path, *, whole_group: bool, importing: bool
    ) -> None:
        """Also while the fork server still imports, when there is no worker that could notice."""
        diary = tmp_path / "diary.txt"

        def ready(temporary: Path) -> object:
            return list(temporary.glob("pymp-*/listener-*")) if importing else diary.read_text()

        left = killed(write_study(tmp_path, hold_after=0), ready, whole_group=whole_group)
        busy = psutil.getloadavg()[0] / (psutil.cpu_count() or 1)
        assert left.processes >= 3
        assert left.seconds < SECONDS * max(1.0, busy)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_of_a_page(tmp_path: Path, number: signal.Signals) -> None:
    """Neither processes of jobs nor the folders of uploads and of the fork server."""
    temporary = Path(tempfile.mkdtemp(prefix="guard-"))
    said = tmp_path / "said.txt"
    with said.open("w") as stream:
        page = subprocess.Popen(
            [sys.executable, "-m", "assay", "serve", "--port", "0", "--no-browser"],
            cwd=tmp_path, env={**os.environ, "TMPDIR": str(temporary)}, stderr=stream,
        )  # fmt: skip
    until(lambda: "http://" in said.read_text() and len(list(temporary.iterdir())) == 2)
    page.send_signal(number)
    page.wait()
    until(lambda: not of_run(temporary) and not list(temporary.iterdir()))
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
        guard = DriverGuard()
        guard.remove_later(tmp_path)
        guard.dismiss()
        assert tmp_path.is_dir()

    def test_it_waits_for_the_driver_itself_to_end(self, tmp_path: Path) -> None:
        """A guard whose pipe closes while the driver lives ends nothing."""
        guard = DriverGuard()
        guard.remove_later(tmp_path)
        sleeper = subprocess.Popen(["sleep", "60"], env={**os.environ, MARK: mark()})
        guard.leave()
        assert sleeper.poll() is None
        assert tmp_path.is_dir()
        sleeper.kill()
        sleeper.wait()
