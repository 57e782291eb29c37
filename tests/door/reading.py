"""Runs a case in this process and says, as a fair referee, what is wrong with what came out."""

import contextlib
import io
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from scipy import stats

from tests.door.case import Case, Goodness, Pairs, Remedy, Scene

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
AFFIXES = re.compile(
    r"^(pred|prediction|is_correct|correct|p|score)_|_(pred|prediction|correct|loss|score|accuracy)$"
)
FORMAT = ("--format", "json", "--resamples", "999")  # what is certain is so with few replicates
REFUSALS = (2, 4)
GATE_ANSWERS = (0, 1, 3)


class Expected(Protocol):
    """What a case and a remedy both say."""

    @property
    def models(self) -> tuple[str, ...] | None: ...
    @property
    def unit(self) -> str | None: ...
    @property
    def order(self) -> Pairs: ...
    @property
    def same(self) -> Pairs: ...
    @property
    def n(self) -> int | None: ...


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str
    folder: Path = Path()

    @property
    def named(self) -> set[str]:
        """The options that the message names."""
        return set(OPTION.findall(self.err)) - {"--no-input"}

    def refused(self, verb: str) -> bool:
        return self.code not in (GATE_ANSWERS if verb == "gate" else (0,))


@dataclass
class Corpus:
    """The files on disk, and every command that was run on them, once."""

    folder: Path
    made: dict[int, tuple[Path, Goodness]] = field(default_factory=dict)
    ran: dict[tuple[str, ...], Ran] = field(default_factory=dict)

    def place(self, scene: Scene) -> tuple[Path, Goodness]:
        if id(scene) not in self.made:
            folder = self.folder / str(len(self.made))
            folder.mkdir()
            self.made[id(scene)] = folder, scene.make(folder)
        return self.made[id(scene)]

    def look(self, case: Case) -> Ran:
        key = ("look", *case.files, str(id(case.scene)))
        if key not in self.ran:
            self.ran[key] = run(("look", *case.files), self.place(case.scene)[0])
        return self.ran[key]

    def run(self, case: Case, *more: str) -> Ran:
        command = (case.verb, *case.files, *case.options, *more, *FORMAT)
        key = (case.id, *command)
        if key not in self.ran:
            self.ran[key] = run(command, self.place(case.scene)[0])
        return self.ran[key]


def run(command: Sequence[str], folder: Path) -> Ran:
    """The command line in this process, in that folder, without a terminal."""
    from assay.cli.main import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(command))
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return Ran(code, out.getvalue(), err.getvalue(), folder)


@cache
def options_of(verb: str) -> frozenset[str]:
    """The options that `assay VERB --help` lists."""
    return frozenset(OPTION.findall(run([verb, "--help"], Path.cwd()).out))


@cache
def options_of_all() -> frozenset[str]:
    from assay.cli.main import VERBS

    return frozenset().union(*(options_of(verb) for verb in VERBS))


def faults(case: Case, expected: Expected, ran: Ran) -> list[str]:
    """What is wrong with an answer."""
    try:
        found = json.loads(ran.out)
    except ValueError:
        return [f"no JSON: {ran.out[:80]!r}"]
    shown = found["comparisons"][0] if found.get("comparisons") else found
    evidence = shown["evidence"]
    wrong = [
        *_models_wrong(expected.models, evidence["models"], case.files),
        *_differs("unit", expected.unit, evidence["unit"]),
        *_differs("n", expected.n, evidence["n"]),
    ]
    if case.verb == "evaluate":
        return wrong + _estimates_wrong(case.estimates, found["estimates"])
    if case.verb == "gate":
        return wrong + ([] if ran.code == case.exit else [f"gate ended with {ran.code}"])
    return wrong + order_wrong(expected.order, expected.same, shown["verdicts"])


def decided(case: Case, ran: Ran) -> list[str]:
    """The verdicts that were given where there may be none; a neutral answer asks beside it."""
    if case.verb != "compare":
        return [f"{case.verb} answered"]
    settling = {fact[0] for remedy in case.remedies for fact in told(remedy.options)}
    if settling and not settling & {*OPTION.findall(ran.out), *ran.named}:
        return [f"answered without a question: {ran.err.strip()[-200:]}"]
    found = json.loads(ran.out)
    shown = found["comparisons"] if found.get("comparisons") else [found]
    return [
        f"decided: {verdict['a']} {verdict['word']} than {verdict['b']}"
        for one in shown
        for verdict in one["verdicts"]
        if verdict["word"] in ("better", "worse", "equivalent")
    ]


def refusal_wrong(case: Case, ran: Ran) -> list[str]:
    """What is wrong with a refusal: it ends with 2 or 4 and names an option that there is."""
    wrong = []
    if ran.code not in REFUSALS:
        wrong.append(f"exit {ran.code}")
    if "Traceback" in ran.err:
        wrong.append("a traceback")
    commands = re.findall(r"`assay (test [^`]*)`", ran.err)
    wrong += [f"`{one}` fails" for one in commands if run(shlex.split(one), ran.folder).code]
    if strange := ran.named - options_of_all() - {o for c in commands for o in OPTION.findall(c)}:
        wrong.append(f"names {', '.join(sorted(strange))}, which no command has")
    known = options_of(case.verb) if case.remedies else options_of_all()
    if not ran.named & known:
        wrong.append("names no option to add")
    return [f"{fault}: {ran.err.strip()[-200:]}" for fault in wrong]


def followed(corpus: Corpus, case: Case) -> list[str]:
    """A person who knows the data answers what is asked, with one remedy or the other."""
    tries = [_follow(corpus, case, remedy) for remedy in case.remedies]
    return [] if not all(tries) else min(tries, key=len)


def _follow(corpus: Corpus, case: Case, remedy: Remedy) -> list[str]:
    facts = [
        *told(remedy.options),
        *(fact for fact in told(case.knows) if fact not in told(remedy.options)),
    ]
    ran = corpus.run(case)
    given: list[tuple[str, ...]] = []
    while ran.refused(case.verb):
        fresh = [fact for fact in facts if fact[0] in ran.named and fact not in given]
        if not fresh:
            return [
                f"after {given or 'nothing'} it names {sorted(ran.named)}, of no help: {ran.err.strip()[-160:]}"
            ]
        given += fresh
        ran = corpus.run(case, *(word for fact in given for word in fact))
    return faults(case, remedy, ran)


def told(options: Sequence[str]) -> list[tuple[str, ...]]:
    """Options with their values, one by one."""
    starts = [place for place, word in enumerate(options) if word.startswith("--")]
    return [tuple(options[start:end]) for start, end in pairwise([*starts, len(options)])]


def order_wrong(order: Pairs, same: Pairs, verdicts: Sequence[Mapping[str, Any]]) -> list[str]:
    words: dict[tuple[str, str], str] = {}
    turned = {"better": "worse", "worse": "better"}
    for verdict in verdicts:
        a, b, word = plain(verdict["a"]), plain(verdict["b"]), verdict["word"]
        words[a, b], words[b, a] = word, turned.get(word, word)
    found = {(a, b): words.get((plain(a), plain(b)), "not compared") for a, b in (*order, *same)}
    return [
        f"{a} is {word} against {b}"
        for (a, b), word in found.items()
        if ((a, b) in order and word != "better") or ((a, b) in same and word != "undecided")
    ]


def plain(name: str) -> str:
    """A model's name without what says what its column holds: gpt_pred and pred_gpt are gpt."""
    return AFFIXES.sub("", name) or name


def _differs(what: str, expected: object, found: object) -> list[str]:
    return [f"{what} {found}"] if expected and found != expected else []


def _models_wrong(
    expected: tuple[str, ...] | None, found: Sequence[str], files: Sequence[str]
) -> list[str]:
    if expected is None:
        return [f"models {list(found)}"] if len(found) > 1 else []
    if expected == ("prediction",):  # a model without a name is called after its file
        return (
            []
            if len(found) == 1 and found[0] in ("prediction", Path(files[0]).stem)
            else [f"models {list(found)}"]
        )
    if expected and sorted(map(plain, expected)) != sorted(map(plain, found)):
        return [f"models {list(found)}"]
    return []


def _estimates_wrong(
    expected: Mapping[str, float], found: Sequence[Mapping[str, Any]]
) -> list[str]:
    wrong = []
    for model, value in expected.items():
        mine = [one for one in found if len(expected) == 1 or plain(one["model"]) == plain(model)]
        if not any(one["value"] is not None and abs(one["value"] - value) < 1e-9 for one in mine):
            wrong.append(
                f"{model} is not {value}: {[(one['measure'], one['value']) for one in mine]}"
            )
        wrong += [f"a loss of {one['value']}" for one in mine if "loss" in one["measure"]]
    return wrong


def p_value(good: Any, bad: Any, corrected: float = 0.0) -> float:
    """How surely the first is better, by methods of SciPy alone: the larger of two p-values.

    ``corrected`` is the size of a test part over that of a training part (Nadeau and Bengio).
    """
    difference = np.asarray(good, dtype=float) - np.asarray(bad, dtype=float)
    if set(np.unique(difference)) <= {-1.0, 0.0, 1.0}:
        won, lost = int((difference > 0).sum()), int((difference < 0).sum())
        return float(stats.binomtest(won, won + lost, alternative="greater").pvalue)
    n = len(difference)
    t = difference.mean() / np.sqrt(difference.var(ddof=1) * (1 / n + corrected))
    by_t = float(stats.t.sf(t, n - 1))
    if corrected:
        return by_t
    return max(
        by_t, float(stats.wilcoxon(difference, alternative="greater", method="approx").pvalue)
    )
