"""What is known of a method or a measure stands on its record: nobody else asks for it by name.

A condition such as ``method == "mcnemar"`` is a fact that a new method of the same kind would not have. The
table of `compare/choose.py` names methods and measures, and so do data and the worlds that simulate them.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.core.methods import catalogue
from assay.measures.registry import measures

ROOT = Path(__file__).parent.parent / "src" / "assay"
TABLES = ("compare/choose.py", "simulate/worlds/", "selftest/", "reference/", "evidence/readers/")
"""Where names are the subject: the table of choices, known truths, reference cases, words in files."""
METHODS = {name: one for name, one in catalogue().items() if one.gives != "adjustment"}
MEASURES = frozenset(measures())
ALLOWED: dict[tuple[str, str], str] = {
    ("compare/comparison_result.py", "average_precision"): "which curve its area is of",
    ("compare/design.py", "accuracy"): "right and wrong answers as they were logged",
    ("compare/design.py", "mean_loss"): "the only measure that does not own its direction",
    ("compare/item_procedures.py", "log_loss"): "the hint how to clip it",
    ("core/measure_names.py", "log_loss"): "a part of names that other programs write",
    ("estimates/default_intervals.py", "average_precision"): "an interval of its own",
    ("estimates/default_intervals.py", "ece"): "a family of measures with an interval of its own",
    ("estimates/default_intervals.py", "log_loss"): "the hint how to clip it",
    ("estimates/default_intervals.py", "max_error"): "an interval of its own",
    ("estimates/evaluate.py", "accuracy"): "estimates that carry a name, not a record",
    ("estimates/evaluate.py", "roc_auc"): "estimates that carry a name, not a record",
    ("estimates/measure_needs.py", "accuracy"): "right and wrong answers as they were logged",
    ("evidence/arguments_from_items.py", "cluster_auc"): "how its arguments are made",
    ("evidence/arguments_from_scores.py", "hotelling_one_sample"): "how its arguments are made",
    ("hypotheses/least_p.py", "score_difference"): "the interval that belongs to the pooled variant",
    ("hypotheses/multiplicity.py", "nemenyi"): "a critical value by its name",
    ("hypotheses/one_model.py", "wald"): "the name of a variant",
    ("hypotheses/pair_families.py", "wilcoxon_pairs"): "exact, so that a width of zero is no flaw",
    ("measures/labels.py", "jaccard"): "its own family",
    ("measures/labels.py", "recall"): "its own family",
    ("measures/probabilities.py", "mce"): "its own family",
    ("plan/pilot.py", "average_precision"): "the formula of its spread, as `choose` has a test for it",
    ("plots/precision_recall.py", "average_precision"): "the figure is of it",
    ("plots/simulation.py", "mse"): "the word of a question, not the measure",
    ("report/formula_names.py", "accuracy"): "results that carry a name, not a record",
    ("report/published_items.py", "mean_score"): "the name of a published column",
    ("report/simulation_view.py", "mse"): "the word of a question, not the measure",
    ("report/tables.py", "probability_of_improvement"): "a scale that goes by its own name",
    ("simulate/error_rates.py", "no_information_rate"): "its null is estimated from the sample",
    ("simulate/simulate.py", "mse"): "the word of a question, not the measure",
    ("study/splits.py", "bootstrap"): "a way to split, not the method",
    ("web/job_curves.py", "precision"): "the beginning of the name of a curve",
}  # fmt: skip
"""Names that stay in conditions, and why."""


def asked_by_name(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Strings that something is compared with: ``== "x"``, ``in ("x", …)``, ``.startswith("x")``, ``case "x"``."""
    for node in ast.walk(tree):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            sides = [node.value]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "startswith":
            sides = node.args
        for side in sides:
            listed = side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side]
            for one in listed:
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    yield one.lineno, one.value.partition(" (")[0]


def culprits() -> Iterator[tuple[str, int, str]]:
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        if place.startswith(TABLES):
            continue
        home = f"assay.{place.removesuffix('.py').replace('/', '.')}"
        for line, name in asked_by_name(ast.parse(path.read_text("utf-8"))):
            elsewhere = name in METHODS and METHODS[name].function.__module__ != home
            if elsewhere or name in MEASURES:
                yield place, line, name


def test_facts_of_methods_and_measures_are_asked_of_their_records() -> None:
    found = [one for one in culprits() if (one[0], one[2]) not in ALLOWED]
    told = "\n".join(f"src/assay/{place}:{line} asks for {name!r}" for place, line, name in found)
    assert not found, (
        f"{told}\nPut what is asked on the record (`@method(…)` in core/methods.py, `Measure` in "
        "measures/registry.py) and ask the record; or enter it in ALLOWED with the reason."
    )


def test_what_is_allowed_is_still_there() -> None:
    gone = set(ALLOWED) - {(place, name) for place, _, name in culprits()}
    assert not gone, f"no longer asked by name, take it out of ALLOWED: {sorted(gone)}"


@pytest.mark.parametrize(
    "line",
    [
        'x = method == "mcnemar"',
        'x = name in ("accuracy", "error_rate")',
        'x = name.startswith("wilcoxon")',
        'x = outcome.method != "delong_test (t)"',
        'match x:\n    case "paired_t":\n        pass',
    ],
)
def test_a_planted_name_is_seen(line: str) -> None:
    assert {name for _, name in asked_by_name(ast.parse(line))} & (set(METHODS) | MEASURES)
