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


BASH = """source {script}
for typed in "assay ga" "assay gate --at"; do
  COMP_WORDS=($typed); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=()
  $(complete -p assay | grep -oE '_[a-z_]+completion') assay
  printf '%s\\n' "${{COMPREPLY[@]}}"
done
"""
FISH = """source {script}
complete -C "assay ga"
complete -C "assay gate --at"
"""
ZSH = """autoload -U compinit && compinit -u -d {folder}/dump
source {script}
# outside of its editor zsh shows nothing: say what would be offered
_describe() {{ print -l -- ${{(P)3}} }}
compadd() {{ print -l -- ${{@[-1]}} }}
for typed in "assay ga" "assay gate --at"; do words=(${{=typed}}); CURRENT=$#words; ${{_comps[assay]}}; done
"""


@pytest.mark.parametrize(
    ("shell", "script"), [("bash", BASH), ("fish", FISH), ("zsh", ZSH)], ids=["bash", "fish", "zsh"]
)
def test_the_shell_offers_verbs_and_options(shell: str, script: str, tmp_path: Path) -> None:
    """Sourced as its first line says, and asked for what the key would bring."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed; .ci/run installs it")
    (tmp_path / "completion").write_text(assay("completion", shell), encoding="utf-8")
    command = tmp_path / "assay"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m assay "$@"\n')
    command.chmod(0o755)
    asking = tmp_path / "ask"
    asking.write_text(script.format(script=tmp_path / "completion", folder=tmp_path))
    done = subprocess.run(
        [shell, str(asking)],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    offered = {line.split("\t")[0].split(":")[0] for line in done.stdout.splitlines()}
    assert offered >= {"gate", "--at-least", "--at-most"}, done.stderr


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("assay compare --measure roc", {"roc_auc"}),
        ("assay plan --measure acc", {"accuracy"}),
        ("assay methods mcn", {"mcnemar"}),
        ("assay test mcn", {"mcnemar"}),
    ],
)
def test_names_of_measures_and_methods_are_offered(typed: str, offered: set[str]) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    said = assay(_ASSAY_COMPLETE="bash_complete", **words).splitlines()
    names = {line.partition(",")[2] for line in said}
    assert names >= offered
    assert all(name.startswith(typed.split()[-1]) for name in names)


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
