"""What is known of a method or a measure stands on its record: nobody else asks for it by name.

A condition such as ``method == "mcnemar"`` is a fact that a new method of the same kind would not have. The
table of `compare/choose.py` names methods and measures, and so do data and the worlds that simulate them.
"""

import ast
from collections.abc import Callable, Iterator
from functools import cache, wraps
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
    ("measures/labels.py", "jaccard"): "its own family",
    ("measures/labels.py", "recall"): "its own family",
    ("measures/calibration.py", "mce"): "its own family",
    ("plan/pilot.py", "average_precision"): "the formula of its spread, as `choose` has a test for it",
    ("plots/simulation.py", "mse"): "the word of a question, not the measure",
    ("report/formula_names.py", "accuracy"): "results that carry a name, not a record",
    ("report/published_items.py", "mean_score"): "the name of a published column",
    ("report/simulation_view.py", "mse"): "the word of a question, not the measure",
    ("report/other_methods.py", "probability_of_improvement"): "a scale that goes by its own name",
    ("simulate/error_rates.py", "no_information_rate"): "its null is estimated from the sample",
    ("simulate/simulate.py", "mse"): "the word of a question, not the measure",
    ("study/splits.py", "bootstrap"): "a way to split, not the method",
    ("web/job_curves.py", "precision"): "the beginning of the name of a curve",
}  # fmt: skip
"""Names that stay in conditions, and why."""


HELD: dict[str, dict[str, tuple[str, ...]]] = {
    "which test a plan is for, and the test that answers each question of a plan": {
        "plan/algorithm_questions.py": ("iman_davenport", "wilcoxon", "wilcoxon_pairs"),
        "plan/fold_questions.py": ("cautious_resampled_t", "corrected_resampled_t"),
        "plan/item_questions.py": (
            "binomial", "cluster_difference", "delong", "delong_independent", "delong_test", "mcnemar",
            "mean_t", "one_sample_t", "paired_t", "proportion", "two_proportions_z", "two_sample_t",
        ),
        "plan/labels.py": ("judged_difference", "judged_mean"),
        "plan/pilot.py": ("measure_against",),
        "plan/test_choice.py": (
            "binomial", "cautious_resampled_t", "cluster_difference", "corrected_resampled_t", "delong",
            "delong_independent", "delong_test", "mcnemar", "mean_t", "one_sample_t", "paired_t", "proportion",
            "two_proportions_z", "two_sample_t", "wilcoxon",
        ),
    },
    "a result that is the method's, although not its function made it": {
        "compare/board.py": ("rank_sets",),
        "compare/board_votes.py": ("bradley_terry",),
        "estimates/default_intervals.py": ("auc_newcombe",),
        "estimates/mean_scores.py": ("mean_t",),
        "hypotheses/auc_families.py": ("simultaneous_bootstrap",),
        "hypotheses/independent_labels.py": ("independent_bootstrap",),
        "hypotheses/independent_outcomes.py": ("odds_ratio", "score_difference"),
        "hypotheses/least_p.py": ("score_difference",),
        "hypotheses/measure_level.py": ("measure_against",),
        "hypotheses/paired_labels.py": ("paired_bootstrap",),
        "hypotheses/simultaneous_labels.py": ("simultaneous_bootstrap",),
        "report/board_view.py": ("rank_sets", "winner_score"),
        "report/methods_paragraph.py": ("winner_score",),
        "simulate/error_rates.py": ("mean_t", "no_information_rate"),
        "simulate/estimator_errors.py": ("mean_t",),
    },
    "data: examples that are shown, and what other programs call methods": {
        "core/methods.py": ("one_sample_t", "paired_t", "two_sample_t"),
        "simulate/lecture_figures.py": ("binomial", "dagostino", "one_sample_t", "paired_t", "proportion"),
    },
    "how its arguments are made": {
        "evidence/arguments_from_items.py": (
            "auc_newcombe", "auc_score", "cluster_auc", "cluster_difference", "cluster_mean", "delong",
            "delong_test",
        ),
        "evidence/arguments_from_scores.py": ("hotelling_one_sample",),
    },
    "the same word for something else: a way to split, a variant, a scale, a critical value": {
        "compare/score_procedures.py": ("probability_of_improvement",),
        "core/methods.py": ("bootstrap",),
        "evidence/names.py": ("friedman",),
        "hypotheses/omnibus_answers.py": ("bootstrap",),
        "hypotheses/multiplicity.py": ("nemenyi",),
        "hypotheses/one_model.py": ("wald",),
        "hypotheses/kruskal_wallis.py": ("friedman",),
        "kernels/sign_flip_distribution.py": ("binomial",),
        "kernels/sign_flip_tests.py": ("binomial",),
        "measures/labels.py": ("proportion",),
        "measures/registry.py": ("proportion",),
        "report/effect_scales.py": (
            "epsilon_squared", "eta_squared", "omega_squared", "probability_of_improvement",
        ),
        "report/lectures.py": ("bootstrap",),
        "report/other_methods.py": ("probability_of_improvement",),
        "study/splits.py": ("bootstrap",),
        "study/stored_study.py": ("bootstrap",),
        "web/study_offers.py": ("bootstrap",),
    },
}  # fmt: skip
"""Files that hold the id of a method which is not their own, and why."""


Place = tuple[str, int, str]


def listed(found: Callable[[], Iterator[Place]]) -> Callable[[], list[Place]]:
    """Read all files once, whoever asks."""
    return cache(wraps(found)(lambda: list(found())))


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string of the code; text that only stands there, such as a docstring, is left out."""
    idle = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in idle:
            yield node.lineno, node.value.partition(" (")[0]


@listed
def held() -> Iterator[Place]:
    """Ids of methods outside the files that the methods are in."""
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        home = f"assay.{place.removesuffix('.py').replace('/', '.')}"
        if not place.startswith(TABLES):
            for line, name in strings(ast.parse(path.read_text("utf-8"))):
                if name in METHODS and METHODS[name].function.__module__ != home:
                    yield place, line, name


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


@listed
def culprits() -> Iterator[Place]:
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


def test_ids_of_methods_stand_in_their_own_files() -> None:
    allowed = {(file, name) for files in HELD.values() for file in files for name in files[file]}
    found = [(file, line, name) for file, line, name in held() if (file, name) not in allowed]
    told = "\n".join(f"src/assay/{file}:{line} holds {name!r}" for file, line, name in found)
    assert not found, (
        f"{told}\nPut the fact on the method's record and ask the record (`record_of`)."
    )
    gone = allowed - {(file, name) for file, _, name in held()}
    assert not gone, f"no longer there, take it out of HELD: {sorted(gone)}"


def test_a_planted_id_is_seen() -> None:
    tree = ast.parse('"""mcnemar"""\nTABLE = {"paired_t": 1, "delong_test (t)": 2}')
    assert [name for _, name in strings(tree)] == ["paired_t", "delong_test"]


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
