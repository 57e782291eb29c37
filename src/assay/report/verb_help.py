"""What `help(assay.compare)` says of the verbs: every argument in a line, and what comes back."""

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

WIDTH = 88

ARGUMENTS: dict[str, tuple[str, str]] = {
    "aa": ("int", "Try the gate this often on equal models, and on one that is worse by the margin."),
    "again": ("str", "The judge's second run on the same items, for drift."),
    "against": ("float or 'chance'", "The level that one model is compared with."),
    "aggregate": ("str", "What is averaged: mean, mean_rank, win_rate, borda, iqm, skill_score, elo …"),
    "algorithms": ("bool", "Plan two learning algorithms on one data set, by their fits."),
    "alternative": ("str", "Side of the alternative hypothesis: two-sided, greater or less."),
    "among": ("int", "How many models are compared with one another."),
    "at_least": ("mapping", "Measures and the levels that the candidate must reach."),
    "at_most": ("mapping", "Measures and the levels that the candidate must not exceed."),
    "baseline": ("str", "The model that the others are compared with; all pairs without one."),
    "best": ("int", "Which models may be among the first so many."),
    "better_by": ("float or mapping", "The gain that the candidate must show."),
    "bias": ("str or list", "Columns that may sway the judge: length, format, family."),
    "bound": ("float", "The largest difference possible on one item."),
    "candidate": ("str", "The model that is to replace the baseline."),
    "cluster_size": ("float", "Items in a cluster."),
    "config": ("path", "A TOML file with these terms."),
    "correlation": ("float", "Correlation of the two models' scores."),
    "cost": ("mapping or str", "Each model's cost, for the front of score against cost."),
    "cv": ("int or splitter", "How estimators are trained and tested."),
    "difference": ("float", "The difference that is to be detected."),
    "discordant": ("float", "Share of items on which exactly one of the two models is right."),
    "each": ("float", "Share of its repeats that every item must get right."),
    "effect": ("float or list", "How false the null hypothesis is; 0 is true."),
    "evidence": ("path, frame, mapping or arrays", "What `assay.read` takes: files, frames, names with arrays."),
    "fits": ("int", "How often each estimator is trained: 10, 25, 50, 100 or 500."),
    "folds": ("int", "K of K-fold cross-validation."),
    "half_width": ("float", "Half the width of the interval that is planned."),
    "holm": ("bool", "Correct over all demands by Holm's procedure."),
    "icc": ("float", "Intraclass correlation of items in a cluster."),
    "interval": ("str", "'default', or a bootstrap interval: percentile, basic, bca or normal."),
    "judge": ("str", "The judge's column, or several with commas."),
    "ledger": ("path", "A file that keeps the board, so that models can be added later."),
    "level": ("float", "Confidence level; ``alpha`` is one minus it."),
    "looks": ("int", "Test so often while the sample grows, and stop at the first rejection."),
    "lower_is_better": ("bool", "The direction of scores whose measure does not tell it."),
    "margin": ("float", "The smallest difference that matters; needed for *equivalent*."),
    "max_loss": ("float", "The largest loss that an item can have."),
    "measure": ("str, Measure or function", "A name such as 'f1', or your function of (truth, prediction)."),
    "measures": ("str, Measure, function or list", "Names such as 'f1'; without them what fits the evidence."),
    "method": ("str", "The test to plan for; that of `compare` unless given."),
    "methods": ("str or list", "Methods of the catalogue, by name."),
    "missing": ("str", "Missing scores: 'refuse', 'complete' or 'skillings-mack'; items: 'complete' or 'wrong'."),
    "more": ("evidence", "Further sources, joined by item id."),
    "n": ("int", "Number of units: items, folds, seeds or data sets."),
    "n_resamples": ("int", "Number of resamples."),
    "observed": ("bool", "Judge levels by the observed value, without its bounds."),
    "on_undecided": ("str", "What an undecided gate does: 'fail', 'warn' or 'pass'."),
    "options": ("mapping", "Options of the methods, such as {'variant': 'exact'}."),
    "paired": ("bool", "Whether both models are tested on the same items."),
    "parameters": ("float or list", "Parameters of the world, such as p=0.05."),
    "pilot": ("evidence", "Data of a first study, from which the rest is estimated."),
    "power": ("float", "Probability of detecting the difference."),
    "prevalence": ("float", "Share of positives."),
    "progress": ("function", "Called with the share that is done."),
    "question": ("str", "'error', 'coverage' or 'mse'."),
    "reading": ("options of `assay.read`", "truth, id, models, ignore, positive, weight, cluster, repeat, where, "
                "correct, losses, threshold, folds, percent …"),
    "repeats_per_item": ("float", "Answers to each item."),
    "replicates": ("int", "Samples drawn; all outcomes are listed where they are few."),
    "rng": ("int or Generator", "Seed or generator; ``seed`` is taken too."),
    "scores": ("CurveScores", "Scores by training size or noise level: ``result.curve('learning')``."),
    "sd": ("float", "Standard deviation of the differences, or of each model's scores."),
    "sd_within": ("float", "Standard deviation of answers to one item."),
    "sequential": ("bool", "A verdict that may be looked at after every item."),
    "sets": ("str", "Sets of ranks that hold all together ('joint') or each alone ('marginal')."),
    "slice": ("str", "A column whose values are looked at one by one."),
    "slice_margin": ("float", "The margin inside each slice."),
    "sources": ("path, frame, mapping or arrays", "One or several; several are joined by item id."),
    "study": ("StudyEvidence", "What `Study.run` or `assay.read_study` gives."),
    "suite": ("str", "The column of tasks of a suite."),
    "swap": ("str", "A pairwise judge's verdicts with the answers in the other order."),
    "tasks_as": ("str", "Whether the tasks are 'fixed' or a 'sample'."),
    "test_share": ("float", "Share of the items that each split tests."),
    "truth": ("str", "The column with the truth; with a judge, people's grades."),
    "unit": ("str", "What one value belongs to: 'item', 'fold', 'seed' or 'dataset'."),
    "variant": ("str", "Which form of the method."),
    "votes": ("bool", "The evidence are paired comparisons."),
    "weights": ("str or mapping", "How tasks count: 'tasks', 'items', 'groups' or a weight each."),
    "world": ("str or World", "Where the samples come from; see `assay simulate --worlds`."),
}  # fmt: skip
"""Arguments by name: the type in words and what it is; one vocabulary over all verbs."""
OF_ONE: dict[tuple[str, str], tuple[str, str]] = {
    ("plan", "baseline"): ("float", "The value of the measure that the first model has."),
    ("plan", "against"): ("float", "The level that one model is compared with."),
    ("look", "options"): ARGUMENTS["reading"],
    ("read", "options"): ARGUMENTS["reading"],
}
"""Where a verb means something of its own by the same name."""
GIVES = {
    "Board": "``rows`` with rank, set of ranks and score; ``sentence``, ``plot()``, ``to_frame()``.",
    "Comparison": "``verdict`` (or ``verdicts`` of all pairs), ``estimates``, ``sentence``, ``plot()``, "
    "``to_frame()``; of several measures or slices `Comparisons`, whose ``parts`` are these.",
    "CurveComparison": "``curves`` with their bands, ``tests`` at every point, ``levelling``.",
    "Evaluation": "``estimates``, each with its ``value`` and ``interval``; ``plot()``, ``to_frame()``.",
    "Gate": "``word`` (passed, failed, undecided), ``checks``, ``sentence``.",
    "JudgeReport": "``estimates`` of agreement, ``biases``, ``sentence``, ``plot()``.",
    "Plan": "``n``, ``power``, ``difference``, the ``curve`` and the ``assumptions``.",
    "Predictions": "Predictions, or scores where the sources hold scores, as every verb takes them.",
    "Reading": "``shape``, ``columns`` with role and reason, ``models``, open ``questions``; ``evidence()``.",
    "Simulation": "``cells`` with their rates and Monte-Carlo intervals; ``plot()``, ``to_frame()``.",
    "StudyReport": "``comparisons``, ``scores``, ``curves``, ``gaps``, ``sentence``.",
}


def described_verb(function: Callable[..., Any]) -> Callable[..., Any]:
    """The verb, with the sections of its help text and a signature that can be read."""
    own = inspect.signature(function)
    verb, told = function.__name__, inspect.getdoc(function) or ""
    if "Parameters\n---" in told:
        return function
    first, mark, examples = told.partition("\n\nExamples\n")
    gives = str(own.return_annotation).partition(" | ")[0].rpartition(".")[2].strip("'>")
    parts = [first, _section("Parameters", _parameters(verb, own))]
    parts.append(_section("Returns", [gives, *indented(GIVES[gives])]))
    function.__doc__ = "\n\n".join(parts) + mark + examples
    bare = [one.replace(annotation=one.empty) for one in own.parameters.values()]
    shown = own.replace(parameters=bare, return_annotation=own.empty)
    function.__signature__ = shown  # type: ignore[attr-defined]
    return function


def _about(verb: str, name: str) -> tuple[str, str]:
    return OF_ONE.get((verb, name), ARGUMENTS[name])


def _parameters(verb: str, signature: inspect.Signature) -> list[str]:
    lines = []
    stars: dict[Any, str] = {
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    for one in signature.parameters.values():
        kind, text = _about(verb, one.name)
        default = "" if one.default is one.empty else f", default {one.default!r}"
        default = ", optional" if one.default is None else default
        lines += [f"{stars.get(one.kind, '')}{one.name} : {kind}{default}", *indented(text)]
    return lines


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([title, "-" * len(title), *lines])


def indented(text: str) -> list[str]:
    """A paragraph of a docstring below the word that it explains."""
    return textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")
