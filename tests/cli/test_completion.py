"""Completion and the manual page: what shells and man make of them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli.main import VERBS, cli
from assay.cli.man import page
from tests.support import PATIENCE

ROOT = Path(__file__).parents[2]


def assay(*words: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "assay", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    return done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_reads_it(shell: str, tmp_path: Path) -> None:
    script = assay("completion", shell)
    assert "_ASSAY_COMPLETE" in script
    path = tmp_path / "completion"
    path.write_text(script, encoding="utf-8")
    found = shutil.which(shell)
    if found is not None:
        subprocess.run([found, "-n", str(path)], check=True, timeout=PATIENCE)


def test_bash_completes_verbs_and_options(tmp_path: Path) -> None:
    """What bash calls when the key is pressed, asked of the command itself."""
    told = {"_ASSAY_COMPLETE": "bash_complete", "COMP_WORDS": "assay ga", "COMP_CWORD": "1"}
    script = tmp_path / "assay"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m assay "$@"\n')
    script.chmod(0o755)
    assert "gate" in assay(**told)
    options = {**told, "COMP_WORDS": "assay gate --at", "COMP_CWORD": "2"}
    assert {"plain,--at-least", "plain,--at-most"} <= set(assay(**options).split())


class TestManualPage:
    def test_the_one_that_is_installed_is_todays(self) -> None:
        kept = (ROOT / "docs" / "assay.1").read_text(encoding="utf-8")
        assert kept == page(), "run `assay man > docs/assay.1`"

    def test_every_verb_and_option_is_in_it(self) -> None:
        text = page().replace("\\-", "-")
        for verb in VERBS:
            assert f"\n.B {verb}\n" in text
            command = cli.get_command(None, verb)  # type: ignore[arg-type]
            assert command is not None
            for parameter in command.params:
                for option in parameter.opts:
                    assert not option.startswith("--") or option in text, (verb, option)

    def test_man_has_nothing_to_say_against_it(self, tmp_path: Path) -> None:
        if shutil.which("groff") is None:
            pytest.skip("groff is not installed")
        path = tmp_path / "assay.1"
        path.write_text(page(), encoding="utf-8")
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-k", "-wall", "-rLL=100n", str(path)],
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
        assert "stopped by Ctrl-C" in done.stdout
        assert not done.stderr
