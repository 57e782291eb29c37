"""`assay serve` from the command line."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from assay.cli.main import main
from assay.cli.serve import command
from tests.support import PATIENCE


def test_beyond_this_machine_only_if_meant() -> None:
    found = CliRunner().invoke(command, ["--host", "192.0.2.1"])
    assert found.exit_code != 0
    assert "--i-know" in str(found.exception)


def test_a_store_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", str(tmp_path / "none.db"), "--no-browser"])
    assert ended.value.code == 4
    assert "there is no store" in capsys.readouterr().err


def test_it_serves_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "assay", "serve", "--port", "0", "--no-browser"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            address = re.search(r"http://127\.0\.0\.1:\d+/open\?token=[\w-]{40,}", said)
            assert address is not None
            response = httpx.get(address[0], timeout=PATIENCE)
            assert "HttpOnly" in response.headers["set-cookie"]
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert list(tmp_path.glob("assay-page-*")) == []
