"""Command lines nobody meant: sound ones with words taken away, changed and added, and files made strange.

A command answers or refuses: its exit code is one of those that are documented, a refusal has words, and what is
printed as JSON is JSON.
"""

import io
import json
import random
import shlex
import shutil
from collections.abc import Callable, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click

from assay.cli.main import EXIT_DEFECT, cli, main
from tools.fuzz import scenes
from tools.fuzz.attempts import Attempt, Wrong, knock
from tools.fuzz.store_doors import Inline

COMMANDS = tuple(
    map(
        shlex.split,
        (
            "look items.csv --truth truth",
            "look old.csv new.csv --id id",
            "evaluate items.csv --truth truth --measure f1 --measure accuracy",
            "evaluate scored.csv --truth truth --positive 1 --measure roc_auc --format json",
            "evaluate judged.csv --judge gpt --truth human --correct",
            "compare items.csv --truth truth --margin 0.05 --slice region --format json",
            "compare items.csv --truth truth --cluster region --details",
            "compare items.csv --truth truth --weight weight --explain",
            "compare old.csv new.csv --id id --truth truth --sequential",
            "compare old.csv new.csv --id id --truth truth",
            "compare folds.csv --unit fold --folds 5 --measure accuracy --format latex",
            "compare scores.csv --measure accuracy --format html",
            "compare study.db --measure accuracy --unit fold --task one",
            "board scores.csv --measure accuracy --aggregate win_rate --sets marginal",
            "board scores.csv --measure accuracy --ledger kept.json --best 2 --margin 0.01",
            "board scores.csv --measure accuracy --cost a=1,b=2,c=3 --format csv",
            "board votes.csv --votes --badge a",
            "judge judged.csv --judge gpt --truth human --correct --bias length",
            "gate old.csv new.csv --id id --truth truth --margin 0.05 --junit out.xml --summary out.md",
            "gate old.csv new.csv --config gate.toml --details",
            "gate new.csv --truth truth --at-least accuracy=0.5",
            "gate items.csv --truth truth --baseline a --candidate b --margin 0.1 --aa --trials 2",
            "plan --measure accuracy --n 100 --difference 0.05 --baseline 0.8",
            "plan --measure accuracy --pilot items.csv --truth truth --difference 0.05 --power 0.8",
            "plan --pilot judged.csv --judge gpt --truth human --correct --next 5",
            "simulate mcnemar --n 20 --effect 0,0.1 --replicates 20",
            "simulate --coverage wilson wald --n 10 --p 0.1:0.5:0.2 --replicates 20",
            "publish items.csv --truth truth --for hub --benchmark o/b --task-id t --models a",
            "publish items.csv --truth truth --for every-eval-ever --benchmark o/b --organisation L "
            "--relationship other --question id",
            "report study.db --margin 0.01",
            "report study.db --format csv",
            "report study.db --salvage rescued.db",
            "run study.toml --store new.db --only iris/nb",
            "run study.toml --store study.db --repair repaired.db --only iris/nb",
            "methods --choose --have predictions --goal estimate --models 1",
            "methods wilson",
            "datasets iris",
            "lectures",
            "completion bash",
            "man",
            "test METHOD items.csv --truth truth",
            "test METHOD scores.csv",
            "test METHOD",
            "test METHOD",
            "test METHOD",
        ),
    )
)
NEVER = frozenset({"demo", "serve", "selftest"})
"""Verbs that read nothing, or do not end."""
CODES = {0, 2, 4}
OF_A_GATE = {1, 3}

WORDS = (
    "", " ", "x", "a", "b", "c", "truth", "id", "region", "weight", "human", "gpt", "a,b", "a,,b", "a=1", "a=", "=",
    "a=b=c", "\udcff", "é\u202e", "x" * 5_000, "accuracy", "f1", "roc_auc", "rmse", "log_loss", "accuracy=0.1",
    "f1=nan", "kappa", "item", "fold", "dataset", "seed", "0", "1", "0.5", "-1", "[", "%", "{}", "\n", "a\nb",
    "*", "strata:region", "probability:weight", "random", "accuracy=-0.1", "0.1:0.5:0.1", "1,2", "1:2:0",
    "1:1e9:1e-9", "none", "bca", "majority", "chance", "--", "-", "o/b",
)  # fmt: skip
INTS = ("0", "1", "2", "3", "5", "10", "-1", "100", "99999999999999999999", "x", "", "1.5", "1e3")
FLOATS = (
    "0",
    "0.5",
    "0.05",
    "0.95",
    "1",
    "-0.1",
    "2",
    "1e-320",
    "1e308",
    "nan",
    "inf",
    "-inf",
    "x",
    "",
    "0,5",
)
LISTS = (
    "1,2,3", "0.1,0.2,0.4,0.3", "1", "", "1,", "nan,1", "1e308,-1e308,1e308", "a,b", "1,2;3,4", "1,2;3",
    "0,0;0,0", "5,5,5,5", "0,1,0,1,1,0", "inf,1", "a=1,b=2", "1 2 3", "3,1;0,4", "0.5,0.5,0.5", "10,20;30,40",
    "-1,2", "1e-320,1", "9" * 400,
)  # fmt: skip
FILES = (
    "items.csv", "old.csv", "new.csv", "scores.csv", "folds.csv", "votes.csv", "judged.csv", "scored.csv",
    "gate.toml", "kept.json", "study.toml", "study.db", "missing.csv", ".", "", "folder", "no/such.csv",
)  # fmt: skip
WRITTEN = (
    "out.html", "out.md", "out.tex", "out.json", "out.csv", "out.txt", "out", ".", "no/such.md", "out.xyz", "folder",
)  # fmt: skip


def opened(folder: Path, seed: int) -> Callable[[int], Attempt]:
    """A strange command in a folder with strange files, by its number."""
    sound, here = folder / "sound", folder / "here"
    scenes.set_out(sound)
    with chdir(sound):
        run(shlex.split("board scores.csv --measure accuracy --models a,b --ledger kept.json"))

    def attempt(number: int) -> Attempt:
        rng = random.Random(f"{seed} {number}")
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(sound, here)
        words = typed(rng)
        what = _strange_file(here, words, rng) if rng.random() < 0.6 else "sound files"
        with chdir(here):
            return Attempt(f"{shlex.join(words)} ({what})", knock(lambda: run(words)))

    return attempt


def _strange_file(folder: Path, words: Sequence[str], rng: random.Random) -> str:
    named = [folder / word for word in words if word in FILES and (folder / word).is_file()]
    return scenes.made_strange(rng.choice(named), rng) if named else "no file"


# What is typed


def typed(rng: random.Random) -> list[str]:
    """A sound command with words taken away, changed and added."""
    words = list(rng.choice(COMMANDS))
    if words[:2] == ["test", "METHOD"]:
        words[1] = rng.choice(_methods())
    options = _options(*words[:2] if words[0] == "test" else words[:1])
    if len(words) == 2 and words[0] == "test":  # the evidence typed
        for option in options:
            if not isinstance(option.type, click.Choice | click.Path) and rng.random() < 0.5:
                words += _given(option, rng)
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        words += _given(rng.choice(options), rng) if options else []
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        if len(words) == 1:
            break
        place = rng.randrange(1, len(words))
        way = rng.choice(("set", "set", "drop", "twice"))
        if way == "set":
            words[place] = rng.choice((*WORDS, *FILES, *FLOATS))
        elif way == "drop":
            del words[place]
        else:
            words.insert(place, words[place])
    if any("--resamples" in option.opts for option in options) and rng.random() < 0.9:
        words += ["--resamples", "100"]
    return words


def _given(option: click.Parameter, rng: random.Random) -> list[str]:
    name = rng.choice(option.opts)
    if not isinstance(option, click.Option):
        return [rng.choice(FILES)]
    if option.is_flag:
        return [rng.choice((name, *option.secondary_opts))]
    kinds: tuple[tuple[type[Any], Sequence[str]], ...] = (
        (click.Choice, (*map(str, getattr(option.type, "choices", ())), "x")),
        (type(click.INT), INTS),
        (type(click.FLOAT), FLOATS),
        (click.Path, WRITTEN if "out" in name or "s" in name[-1:] else (*WRITTEN, *FILES)),
        (type(click.STRING), WORDS),
    )
    values = next(
        (known for kind, known in kinds if isinstance(option.type, kind)), (*LISTS, *WORDS)
    )
    return [name, *(rng.choice(values) for _ in range(max(option.nargs, 1)))]


@cache
def _methods() -> tuple[str, ...]:
    return tuple(_command("test").list_commands(click.Context(cli)))  # type: ignore[attr-defined]


def _command(verb: str) -> click.Command:
    found = cli.get_command(click.Context(cli), verb)
    assert found is not None
    return found


@cache
def _options(verb: str, method: str | None = None) -> tuple[click.Parameter, ...]:
    found = _command(verb)
    if method is not None:
        found = found.get_command(click.Context(found), method)  # type: ignore[attr-defined]
    return tuple(one for one in found.params if not _takes_long(one))


def _takes_long(option: click.Parameter) -> bool:
    """Figures and clusters take longer than all the rest; figures are drawn from results."""
    return bool({"--figure", "--figures", "--replicates", "--engine"} & set(option.opts))


# What becomes of it


def run(words: Sequence[str]) -> int:
    """The exit code of a command in this process; what it may not do is raised."""
    out, err = (
        io.TextIOWrapper(io.BytesIO(), "utf-8", errors) for errors in ("strict", "backslashreplace")
    )
    code: Any = 0
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch("assay.study.run.engine_for", lambda *_, **__: Inline()),
    ):
        try:
            main(list(words))
        except SystemExit as end:
            code = end.code or 0
    printed, said = (one.detach().getvalue().decode() for one in _flushed(out, err))  # type: ignore[attr-defined]
    if code == EXIT_DEFECT:
        raise Wrong(_defect(said))
    if code not in CODES | (OF_A_GATE if words[0] == "gate" else set()):
        raise Wrong(f"exit code {code}: {said[-200:]}")
    if code in (2, 4) and len(said.strip()) < 10:
        raise Wrong(f"a mute refusal: {said!r}")
    if code == 0 and printed and _form(words) == "json":
        json.loads(printed, parse_constant=_no_number)
    return int(code)


def _form(words: Sequence[str]) -> str | None:
    """The form that was asked for last."""
    places = [place for place, word in enumerate(words[:-1]) if word == "--format"]
    return words[places[-1] + 1] if places else None


def _flushed(*texts: io.TextIOWrapper) -> Sequence[io.TextIOWrapper]:
    for one in texts:
        one.flush()
    return texts


def _no_number(word: str) -> Any:
    raise Wrong(f"{word} is no JSON")


def _defect(said: str) -> str:
    """The place in our sources and the error, from the traceback that a defect prints."""
    lines = said.splitlines()
    ours = [
        line.strip() for line in lines if "/assay/" in line and line.strip().startswith("File ")
    ]
    last = next((one for one in reversed(lines[:-1]) if one and not one.startswith(" ")), "")
    place = ours[-1].rpartition("/")[2] if ours else "?"
    return f"{place}: {last[:200]}\n{said[-1500:]}"
