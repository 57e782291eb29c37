"""Honest statistics for the questions people ask about machine-learning models.

The verbs are `read`, `evaluate` and `compare`; every method of the catalogue is a function of the
same name (`assay.mcnemar`, `assay.wilson`, …). Nothing heavy is loaded before it is used.
"""

import sys
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from assay._version import __version__

if TYPE_CHECKING:
    from assay import plots
    from assay.compare.board import board
    from assay.compare.compare import compare
    from assay.compare.gate import gate
    from assay.compare.judge import judge
    from assay.compare.learning_curves import compare_curves
    from assay.compare.study_report import study_report
    from assay.core.board_results import Board
    from assay.core.errors import AssayError, EvidenceError, NotApplicable, UsageError
    from assay.core.gate_results import Gate
    from assay.core.judge_results import JudgeReport
    from assay.core.methods import catalogue
    from assay.core.plan_results import Plan
    from assay.core.questions import AmbiguousEvidence
    from assay.core.results import (
        Comparison,
        Comparisons,
        Estimate,
        Evaluation,
        FamilyOutcome,
        Interval,
        Posterior,
        Simulation,
        TestOutcome,
        Verdict,
    )
    from assay.core.study_results import CurveComparison, StudyReport
    from assay.core.wire import from_json, to_json
    from assay.estimates.evaluate import evaluate
    from assay.evidence.predictions import Predictions
    from assay.evidence.reading import Reading, look, read
    from assay.measures.registry import Measure, measures
    from assay.plan.plan import plan
    from assay.report import render
    from assay.simulate.simulate import simulate
    from assay.store.store import Store
    from assay.study.learners import Learner
    from assay.study.spec import Study
    from assay.study.stored_study import read_study
    from assay.study.tuning import Tuning

_HOMES: dict[str, tuple[str, ...]] = {
    "assay.compare.board": ("board",),
    "assay.compare.compare": ("compare",),
    "assay.compare.learning_curves": ("compare_curves",),
    "assay.compare.gate": ("gate",),
    "assay.compare.judge": ("judge",),
    "assay.compare.study_report": ("study_report",),
    "assay.core.board_results": ("Board",),
    "assay.core.errors": ("AssayError", "EvidenceError", "NotApplicable", "UsageError"),
    "assay.core.gate_results": ("Gate",),
    "assay.core.judge_results": ("JudgeReport",),
    "assay.core.methods": ("catalogue",),
    "assay.core.plan_results": ("Plan",),
    "assay.core.questions": ("AmbiguousEvidence",),
    "assay.core.results": (
        "Comparison", "Comparisons", "Estimate", "Evaluation", "FamilyOutcome",
        "Interval", "Posterior", "Simulation", "TestOutcome", "Verdict",
    ),
    "assay.core.study_results": ("CurveComparison", "StudyReport"),
    "assay.core.wire": ("from_json", "to_json"),
    "assay.estimates.evaluate": ("evaluate",),
    "assay.evidence.predictions": ("Predictions",),
    "assay.evidence.reading": ("Reading", "look", "read"),
    "assay.measures.registry": ("Measure", "measures"),
    "assay.plan.plan": ("plan",),
    "assay.report": ("render",),
    "assay.simulate.simulate": ("simulate",),
    "assay.store.store": ("Store",),
    "assay.study.stored_study": ("read_study",),
    "assay.study.learners": ("Learner",),
    "assay.study.spec": ("Study",),
    "assay.study.tuning": ("Tuning",),
}  # fmt: skip
_RENDERERS = {
    "line": "as_line", "text": "as_text", "html": "as_html_fragment", "page": "as_page", "markdown": "as_markdown",
    "latex": "as_latex", "frame": "as_frame", "save": "save", "plot": "plot", "reading": "as_reading",
}  # fmt: skip
"""What results do by themselves, and the function of `assay.report` that does it."""
_VERBS = {
    "board", "compare", "compare_curves", "evaluate", "gate", "judge", "look", "plan", "read", "simulate",
    "study_report",
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AmbiguousEvidence", "AssayError", "Board", "Comparison", "Comparisons", "CurveComparison",
    "Estimate", "Evaluation", "EvidenceError", "FamilyOutcome", "Gate", "Interval", "JudgeReport", "Learner",
    "Measure", "NotApplicable", "Plan", "Posterior", "Predictions", "Reading", "Simulation",
    "Store", "Study", "StudyReport", "TestOutcome", "Tuning", "UsageError", "Verdict",
    "__version__", "board", "catalogue", "compare", "compare_curves", "evaluate", "from_json", "gate",
    "judge", "look", "measures", "plan", "plots", "read", "read_study", "render", "simulate",
    "study_report", "to_json",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Public names and methods, loaded on first use."""
    if name == "plots":
        found: Any = import_module("assay.plots")
    elif name in _HOME_OF:
        found = getattr(import_module(_HOME_OF[name]), name)
        if callable(found) and name in _VERBS:
            from assay.report.verb_help import described_verb

            found = described_verb(found)
    elif name.startswith("_"):
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    else:
        from assay.core.methods import near_methods, record_of

        record = record_of(name)
        if record is None:
            raise AttributeError(
                f"module 'assay' has no attribute or method {name!r}{near_methods(name)}"
            )
        from assay.report.method_help import described

        found = described(record)
    globals()[name] = found
    return found


def _show_results() -> None:
    """Let results show themselves; what draws them is loaded when one is shown."""
    from assay.core.result_outputs import renderers

    for what, name in _RENDERERS.items():
        renderers.setdefault(what, partial(_shown_by, name))


def _shown_by(name: str, *given: Any, **options: Any) -> Any:
    return getattr(import_module("assay.report"), name)(*given, **options)


def __dir__() -> list[str]:
    from assay.core.methods import catalogue

    return sorted({*__all__, *catalogue()})


class _Package(ModuleType):
    """A verb such as `compare` keeps its name although a folder of the package has it too."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in _HOME_OF):
            super().__setattr__(name, value)


_show_results()
sys.modules[__name__].__class__ = _Package
