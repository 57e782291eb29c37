"""Tests collected once and run in forks, and the lines of the source that each of them sees."""

import gc
import json
import os
import resource
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from coverage import Coverage

ROOT = Path(__file__).parents[1]
SCRATCH = ROOT / "build" / "mutation"
OPTIONS = ["-q", "--no-header", "--tb=no", "-pno:cacheprovider", "-pno:assay", "-pno:xdist"]
FEW = 8
"""Examples of a property in a first run."""
SETTINGS = "_hypothesis_internal_use_settings"


class Session:
    """Hooks of a pytest that collects, and then does ``work`` in place of running everything."""

    def __init__(self, work: Callable[["Session"], None]) -> None:
        self.work = work
        self.items: dict[str, Any] = {}
        self.failed = ""
        self.seconds: dict[str, float] = {}

    def pytest_runtestloop(self, session: Any) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        gc.freeze()
        self.work(self)
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed = report.nodeid
        elif report.when == "call" and report.passed:
            self.seconds[report.nodeid] = report.duration

    def run(self, tests: list[str], *, thorough: bool) -> None:
        """Run tests one after another until one fails."""
        chosen = [self.items[test] for test in tests if test in self.items]
        for item, following in zip(chosen, [*chosen, None][1:], strict=True):
            sparing(item, thorough=thorough)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return


def sparing(item: Any, *, thorough: bool) -> None:
    """A failure need not be made small; unless thorough, a few examples of a property are enough."""
    from hypothesis import Phase, settings  # pytest wants to be loaded before it

    function = getattr(item.function, "__func__", item.function)
    given = getattr(function, SETTINGS, None)
    if given is not None:
        most = given.max_examples if thorough else min(FEW, given.max_examples)
        phases = (Phase.explicit, Phase.generate)
        setattr(function, SETTINGS, settings(given, max_examples=most, phases=phases))


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


def map_tests(session: Session, source: list[Path]) -> None:
    """Which test sees which line, file by file; a file that has not changed since keeps its map."""
    files = defaultdict(list)
    for name in session.items:
        files[name.split("::")[0]].append(name)
    for file, tests in files.items():
        place = SCRATCH / "map" / f"{file.replace('/', '+')}.json"
        if not place.exists() or place.stat().st_mtime < (ROOT / file).stat().st_mtime:
            began = time.time()
            found = in_a_fork(lambda tests=tests: lines_of(session, tests, source), 1800)
            place.write_text(json.dumps(found))
            print(f"\n{file}: {len(tests)} tests, {time.time() - began:.0f} s", flush=True)


def lines_of(session: Session, tests: list[str], source: list[Path]) -> dict[str, Any]:
    coverage = Coverage(source=[str(folder) for folder in source], data_file=None)
    coverage.start()
    for test in tests:
        coverage.switch_context(test)
        session.run([test], thorough=False)
        session.failed = ""
    coverage.stop()
    data = coverage.get_data()
    names = {name: Path(name).relative_to(ROOT).as_posix() for name in data.measured_files()}
    lines = {short: data.contexts_by_lineno(name) for name, short in names.items()}
    return {"seconds": session.seconds, "lines": lines}


class Map:
    """The tests that see a line, and their seconds."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.seen: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for place in sorted((SCRATCH / "map").glob("*.json")):
            found = json.loads(place.read_text()) or {"seconds": {}, "lines": {}}
            self.seconds |= found["seconds"]
            for name, lines in found["lines"].items():
                for line, tests in lines.items():
                    self.seen[name][int(line)] |= found["seconds"].keys() & tests

    def tests(self, mutant: dict[str, Any], budget: float) -> list[str]:
        """Quick ones before slow ones, as many as the budget allows."""
        seen = self.seen[mutant["file"]]
        found = set().union(*(seen.get(line, set()) for line in mutant["lines"]))
        chosen, spent = [], 0.0
        for test in sorted(found, key=lambda test: self.seconds[test]):
            spent += self.seconds[test] + 0.005
            if spent < budget or not chosen:
                chosen.append(test)
        return chosen
