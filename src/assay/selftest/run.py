"""Every reference case through its adapter, and how far the answers are from the reference."""

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Literal

from assay.core.errors import AssayError, UsageError
from assay.core.progress import steps
from assay.reference import Case, cases, names
from assay.selftest.tolerance import NOISE, leaves, relative_error
from assay.selftest.values import Adapter, Looser, Unoffered

_GROUPS = (
    "averages", "outcomes", "ranks", "families", "variances", "effects", "scoring", "curves",
    "resampling", "several_sizes", "fold_procedures", "plans", "textbook", "judgements", "edges",
)  # fmt: skip
"""The modules that hold adapters; a new group of reference files adds one word."""

_INFORMATION = ("undefined", "R_behaviour", "reason", "error")
"""Keys of ``expected`` that say something about the case and are no values."""

Status = Literal["agrees", "differs", "not offered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCheck:
    """One reference case: whether all its values agree, and the worst of them."""

    id: str
    status: Status
    error: float
    """The largest relative error."""
    worst: str
    """The value that has it, or why the case was not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCheck:
    """All cases of one reference file, such as ``ttest__paired_t``."""

    name: str
    source: str
    cases: int
    agreeing: int
    not_offered: int
    error: float
    worst_case: str | None
    differing: tuple[CaseCheck, ...]
    unoffered: tuple[tuple[str, str], ...]
    """Values that assay does not give, each with the reason."""

    @property
    def family(self) -> str:
        return self.name.split("__", maxsplit=1)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelftestReport:
    """What the self-test found: one entry per reference file, and the time it took."""

    functions: tuple[FunctionCheck, ...]
    seconds: float

    @property
    def cases(self) -> int:
        return sum(one.cases for one in self.functions)

    @property
    def agreeing(self) -> int:
        return sum(one.agreeing for one in self.functions)

    @property
    def not_offered(self) -> int:
        return sum(one.not_offered for one in self.functions)

    @property
    def passed(self) -> bool:
        """Whether every case that assay offers agrees."""
        return self.agreeing + self.not_offered == self.cases


def run_selftest(families: Sequence[str] | None = None) -> SelftestReport:
    """Run the reference cases of some families or files (all by default)."""
    begin = time.perf_counter()
    checks = tuple(map(_check_file, steps("checking", _chosen(families))))
    return SelftestReport(functions=checks, seconds=time.perf_counter() - begin)


def check_case(name: str, case: Case) -> CaseCheck:
    """One case of a reference file held against what assay computes."""
    adapters, unoffered, loose = _adapters()
    left_out, looser = unoffered.get(name, {}), loose.get(name, {})
    if "*" in left_out:
        return CaseCheck(id=case.id, status="not offered", error=0.0, worst=left_out["*"])
    adapter = adapters.get(name) or adapters[f"{name}#{case.id}"]
    computed, trouble = _computed(adapter, case)
    if computed is None:
        return _refused(case, trouble)
    if "undefined" not in left_out and not _is_silent(computed, case.expected):
        return CaseCheck(id=case.id, status="differs", error=math.inf, worst="undefined")
    values = dict(leaves(computed))
    error, worst = 0.0, ""
    for path, expected in _expected(case):
        if path in left_out or (path not in values and case.expected.get("undefined")):
            continue
        noise = 0.0 if path.rsplit(".", 1)[-1].startswith("p") else NOISE
        found = relative_error(values.get(path), expected, noise) if path in values else math.inf
        if found >= error and found > looser.get(path, -1.0):
            error, worst = found, path
    status: Status = "agrees" if error <= case.rtol else "differs"
    return CaseCheck(id=case.id, status=status, error=error, worst=worst)


def _computed(adapter: Adapter, case: Case) -> tuple[dict[str, Any] | None, str]:
    try:
        return adapter(case.input), ""
    except AssayError as error:
        return None, str(error)


def _refused(case: Case, trouble: str) -> CaseCheck:
    """An error is an answer where the statistic does not exist, and a failure elsewhere."""
    if case.expected.get("undefined"):
        return CaseCheck(id=case.id, status="agrees", error=0.0, worst="undefined")
    return CaseCheck(id=case.id, status="differs", error=math.inf, worst=f"error: {trouble}")


def _is_silent(computed: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether no p-value (or where there is none, no other value) claims what does not exist."""
    parts = [name for name, value in expected.items() if isinstance(value, dict)]
    if not all(_is_silent(computed[name], expected[name]) for name in parts if name in computed):
        return False
    if not expected.get("undefined"):
        return True
    claims = [name for name in computed if name not in expected]
    if "p_value" in claims:
        claims = ["p_value"]
    return all(computed[name] is None for name in claims)


def _expected(case: Case) -> Iterable[tuple[str, Any]]:
    kept = {name: value for name, value in case.expected.items() if name not in _INFORMATION}
    for path, value in leaves(kept):
        *parents, last = path.split(".")
        if last not in _INFORMATION and "R_behaviour" not in parents:
            yield path, value


def _check_file(name: str) -> FunctionCheck:
    found = list(cases(name))
    checks = [check_case(name, case) for case in found]
    run = [check for check in checks if check.status != "not offered"]
    worst = max(run, key=lambda check: check.error, default=None)
    return FunctionCheck(
        name=name,
        source=found[0].source if found else "",
        cases=len(checks),
        agreeing=sum(check.status == "agrees" for check in checks),
        not_offered=len(checks) - len(run),
        error=worst.error if worst else 0.0,
        worst_case=worst.id if worst else None,
        differing=tuple(check for check in checks if check.status == "differs"),
        unoffered=tuple(_adapters()[1].get(name, {}).items()),
    )


def _chosen(families: Sequence[str] | None) -> list[str]:
    """The reference files of the families asked for; a file may be named in full."""
    known = list(names())
    if not families:
        return known
    chosen = [name for name in known if name in families or name.split("__")[0] in families]
    for asked in families:
        if not any(asked in (name, name.split("__")[0]) for name in known):
            groups = ", ".join(dict.fromkeys(name.split("__")[0] for name in known))
            raise UsageError(f"no family of reference cases {asked!r}; there are {groups}")
    return chosen


@cache
def _adapters() -> tuple[dict[str, Adapter], dict[str, Unoffered], dict[str, Looser]]:
    adapters: dict[str, Adapter] = {}
    unoffered: dict[str, Unoffered] = {}
    looser: dict[str, Looser] = {}
    for group in _GROUPS:
        module = import_module(f"assay.selftest.{group}")
        adapters |= module.ADAPTERS
        unoffered |= getattr(module, "UNOFFERED", {})
        looser |= getattr(module, "LOOSER", {})
    return adapters, unoffered, looser
