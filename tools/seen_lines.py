"""Tests collected once and run in forks, and the lines of the source that each of them sees."""

import ast
import builtins
import gc
import json
import os
import resource
import signal
import time
from collections import defaultdict
from collections.abc import Callable
from functools import _lru_cache_wrapper, cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).parents[1]
SOURCE = [
    path
    for name in ("measures", "kernels", "hypotheses")
    for path in sorted((ROOT / "src" / "assay" / name).glob("*.py"))
]
SCRATCH = ROOT / "build" / "mutation"
OPTIONS = ["-q", "--no-header", "--tb=no", "-pno:cacheprovider", "-pno:assay", "-pno:xdist"]
FEW = 8
"""Examples of a property."""
SLOW = 2.0
"""Seconds of the processor after which a test is not waited for."""
SETTINGS = "_hypothesis_internal_use_settings"

Changes = list[tuple[FunctionType, CodeType]]
Stretch = tuple[str, int, int]
"""A file, a first line, a last line."""


class Session:
    """Hooks of a pytest that collects, and then does ``work`` in place of running everything."""

    def __init__(self, work: Callable[["Session"], None]) -> None:
        self.work = work
        self.items: dict[str, Any] = {}
        self.functions: Functions
        self.failed = ""
        self.seconds: dict[str, float] = {}

    def pytest_runtestloop(self, session: Any) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.functions = Functions()
        gc.freeze()
        self.work(self)
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed = report.nodeid
        elif report.when == "call" and report.passed:
            self.seconds[report.nodeid] = report.duration

    def run(self, tests: list[str]) -> None:
        """Run tests one after another until one fails."""
        chosen = [self.items[test] for test in tests if test in self.items]
        for item, following in zip(chosen, [*chosen, None][1:], strict=True):
            sparing(item)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return


def sparing(item: Any) -> None:
    """A few examples of a property are enough, and a failure need not be made small."""
    from hypothesis import Phase, settings  # pytest wants to be loaded before it

    function = getattr(item.function, "__func__", item.function)
    given = getattr(function, SETTINGS, None)
    if given is not None:
        most = min(FEW, given.max_examples)
        phases = (Phase.explicit, Phase.generate)
        setattr(function, SETTINGS, settings(given, max_examples=most, phases=phases))


class Functions:
    """The functions of the source, to be given other code, and the caches that remember their answers."""

    def __init__(self) -> None:
        for path in SOURCE:
            import_module(f"assay.{path.parent.name}.{path.stem}".removesuffix(".__init__"))
        self.having: dict[CodeType, list[FunctionType]] = defaultdict(list)
        self.caches = []
        folders = tuple({f"{path.parent}{os.sep}" for path in SOURCE})
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(folders):
                self.having[one.__code__].append(one)
            elif isinstance(one, _lru_cache_wrapper):
                self.caches.append(one)

    def changes(self, before: str, after: str | ast.Module) -> Changes:
        """The functions of a file with the code they have in another version of it."""
        pairs = zip(codes(before), codes(after), strict=True)
        return [(one, new) for old, new in pairs if old != new for one in self.having[old]]

    def implant(self, changes: Changes) -> None:
        """Give functions other code, and let caches forget what they know."""
        for function, code in changes:
            function.__code__ = code
        for one in self.caches:
            one.cache_clear()


@cache
def codes(source: str | ast.Module) -> list[CodeType]:
    """The code of a file and of everything defined in it, in order."""
    found = [compile(source, "source", "exec", dont_inherit=True)]
    for code in found:
        found += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    return found


def in_a_fork(work: Callable[[], Any], seconds: float) -> Any:
    """What ``work`` gives in a process of its own; None where that dies or needs more of the processor."""
    result = SCRATCH / f"result-{os.getpid()}.json"
    result.unlink(missing_ok=True)
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        try:
            result.write_text(json.dumps(work()))
        except Exception as error:  # noqa: BLE001 (a fault of ours is no catch of theirs)
            result.write_text(json.dumps(f"driver: {error!r}"))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    return json.loads(result.read_text()) if result.exists() else None


class Probes(ast.NodeTransformer):
    """Puts before each statement of a function a call that notes the statement's lines."""

    def __init__(self, file: str, noted: list[Stretch]) -> None:
        self.file, self.noted, self.is_inside = file, noted, False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outside, self.is_inside = self.is_inside, True
        self.generic_visit(node)
        self.is_inside = outside
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if self.is_inside and isinstance(block, list):
                setattr(node, name, [each for one in block for each in (self.probe(one), one)])
        return super().generic_visit(node)

    def probe(self, statement: ast.stmt) -> ast.stmt:
        """The lines of a statement, or those of its head."""
        parts = [*getattr(statement, "body", []), *getattr(statement, "cases", [])]
        inner = min(
            (one.lineno for part in parts for one in ast.walk(part) if hasattr(one, "lineno")),
            default=0,
        )
        last = inner - 1 if inner else statement.end_lineno or 0
        self.noted.append((self.file, statement.lineno, max(last, statement.lineno)))
        call = ast.parse(f"__seen__({len(self.noted) - 1})").body[0]
        return ast.copy_location(call, statement)


def probed(session: Session) -> tuple[list[Stretch], Changes]:
    """Every stretch of lines that a probe notes, and the functions with the probes in them."""
    noted: list[Stretch] = []
    changes: Changes = []
    for path in SOURCE:
        text = path.read_text()
        tree = Probes(path.relative_to(ROOT).as_posix(), noted).visit(ast.parse(text))
        changes += session.functions.changes(text, ast.fix_missing_locations(tree))
    return noted, changes


def map_tests(session: Session) -> None:
    """Which test sees which line, file by file; a test that was mapped before keeps its lines."""
    files = defaultdict(list)
    for name in session.items:
        files[name.split("::")[0]].append(name)
    noted, changes = probed(session)

    def work(tests: list[str]) -> dict[str, Any]:
        session.functions.implant(changes)
        seen = tests_seeing(session, tests)
        stretches = [[*noted[number], names] for number, names in seen.items()]
        return {"seconds": session.seconds, "seen": stretches}

    for file, tests in files.items():
        place = SCRATCH / "map" / f"{file.replace('/', '+')}.json"
        known = (
            json.loads(place.read_text())
            if place.exists()
            else {"seconds": {}, "seen": [], "tried": []}
        )
        fresh = [test for test in tests if test.split("[")[0] not in known["tried"]]
        if fresh:
            began = time.time()
            found = in_a_fork(lambda fresh=fresh: work(fresh), 1800) or {"seconds": {}, "seen": []}
            known["seconds"] |= found["seconds"]
            known["seen"] += found["seen"]
            known["tried"] += sorted({test.split("[")[0] for test in fresh})
            place.write_text(json.dumps(known))
            print(f"\n{file}: {len(fresh)} tests, {time.time() - began:.0f} s", flush=True)


def tests_seeing(session: Session, tests: list[str]) -> dict[int, list[str]]:
    """For each probe, the tests that pass it."""
    seen: set[int] = set()
    builtins.__seen__ = seen.add  # type: ignore[attr-defined]
    found = defaultdict(list)
    signal.signal(signal.SIGPROF, _too_slow)
    for test in tests:
        seen.clear()
        signal.setitimer(signal.ITIMER_PROF, SLOW)
        session.run([test])
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        session.failed = ""
        for number in seen:
            found[number].append(test)
    return found


def _too_slow(*_: Any) -> None:
    raise TimeoutError


class Map:
    """The tests that see a line, and their seconds."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.seen: dict[tuple[str, int], set[str]] = defaultdict(set)
        for place in sorted((SCRATCH / "map").glob("*.json")):
            found = json.loads(place.read_text())
            self.seconds |= found["seconds"]
            for file, first, last, tests in found["seen"]:
                for line in range(first, last + 1):
                    self.seen[file, line] |= found["seconds"].keys() & tests

    def tests(self, mutant: dict[str, Any], budget: float) -> list[str]:
        """As many as the budget allows: the file's own, the reference cases, others; quick ones first."""
        found: set[str] = set()
        for line in mutant["lines"]:
            found |= self.seen[mutant["file"], line]
        folders = (
            "tests/kernels",
            "tests/measures",
            "tests/hypotheses",
            "tests/estimates",
            "tests/",
        )
        order = (own_tests(mutant), "tests/selftest", *folders)

        def rank(test: str) -> tuple[int, float]:
            return next(
                at for at, start in enumerate(order) if test.startswith(start)
            ), self.seconds[test]

        chosen: list[str] = []
        spent = 0.0
        for test in sorted(found, key=rank):
            spent += self.seconds[test] + 0.003
            if spent < budget or not chosen:
                chosen.append(test)
        return chosen


def own_tests(mutant: dict[str, Any]) -> str:
    """The file of tests of the mutated file, or their folder where it has none."""
    file = Path(mutant["file"].replace("src/assay/", "tests/"))
    own = file.with_name(f"test_{file.name}")
    return (own if (ROOT / own).exists() else own.parent).as_posix()
