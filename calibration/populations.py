"""Real populations: `python -m calibration.populations`.

Five learners are trained on a part of each packaged data set; their predictions on the rest are a population whose
values are known. Samples are drawn from it, two models compared by the defaults, and the intervals that hold the
true difference are counted. All pairs of models are compared on the same samples, many at a time; some samples of
every cell go through the public function, and a difference stops the run. Resumable. Options: --publish, --only
KIND, --items N.
"""

import argparse
import json
import math
import sys
import warnings
from functools import lru_cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

from assay.study.datasets import resolve
from calibration.population_cells import (
    CHECKED,
    SAMPLES,
    Cell,
    Population,
    cell_of,
    plus,
    samples,
)
from calibration.population_labels import f1_cells, label_cells
from calibration.population_rankings import area_cells, precision_cells
from calibration.squared_errors import limits as square_limits
from calibration.tails import pair_limits, t_limits

HERE = Path(__file__).parent
RESULTS, PAGE = (
    HERE / "results" / "populations.json",
    HERE.parent / "docs" / "calibration-populations.md",
)
CLASSES = ("adult", "flights", "german_credit", "kr_vs_kp", "nhefs", "titanic")
NUMBERS = ("abalone", "health_visits", "seattle_temperature")
SIZES = (50, 200, 1000)
TRAINED = 1_200
CLIP = 1e-3
"""Trees call classes impossible; their log loss is taken with probabilities of at least this."""
LEAST, LEAST_OF_FEW, FEW = 93.5, 92.0, 10.0
"""Coverage in percent that is asked for, and where the expected minority count is below ten."""
MOST_SHORT = 0.03
MEASURES = ("accuracy", "f1", "roc_auc", "average_precision", "brier", "log_loss", "mae", "mse")

WHY = (
    "Squared errors of numbers of visits have no known end. A few people of the population carry most of their mean, "
    "and samples hold too few of them. `--max-loss` tells where losses end. F1 of 50 items rests on few answers, as "
    "its note says. Average precision rests on the few items near the top; fewer than 60 of a class have a note."
)


def population_of(name: str) -> Population:
    """Name, truth and the predictions of every model."""
    import pandas as pd
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    data = resolve(name)
    table, truth = pd.DataFrame(data.X), np.asarray(data.y)
    order = np.random.default_rng(1).permutation(truth.size)
    trained = min(TRAINED, truth.size // 2)
    fitted, rest = order[:trained], order[trained:]
    if name in CLASSES:
        truth = (truth == np.unique(truth)[1]).astype(np.float64)
    prepared = make_column_transformer(
        (
            make_pipeline(SimpleImputer(), StandardScaler()),
            make_column_selector(dtype_include=np.number),
        ),
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_exclude=np.number),
        ),
    )
    found = {}
    for model, learner in _learners(numbers=name in NUMBERS).items():
        fit = make_pipeline(prepared, learner).fit(table.iloc[fitted], truth[fitted])
        asked = table.iloc[rest]
        found[model] = fit.predict(asked) if name in NUMBERS else fit.predict_proba(asked)[:, 1]
    return name, truth[rest].astype(np.float64), found


def _learners(*, numbers: bool) -> dict[str, Any]:
    from sklearn import ensemble, linear_model, tree

    kind = "Regressor" if numbers else "Classifier"
    linear = linear_model.Ridge() if numbers else linear_model.LogisticRegression(max_iter=500)
    boosting = getattr(ensemble, f"HistGradientBoosting{kind}")
    forest, trees = getattr(ensemble, f"RandomForest{kind}"), 60 if numbers else 100
    return {
        "tree": getattr(tree, f"DecisionTree{kind}")(min_samples_leaf=5, random_state=3),
        "boosting": boosting(random_state=3, max_iter=60),
        "forest": forest(trees, random_state=3),
        "other forest": forest(trees, random_state=4),
        "linear": linear,
    }


def losses(measure: str, truth: Any, predicted: Any) -> Any:
    if measure == "mae":
        return np.abs(predicted - truth)
    if measure in ("brier", "mse"):
        return (predicted - truth) ** 2
    chance = np.clip(predicted, CLIP, 1.0 - CLIP)
    return -np.log(np.where(truth == 1.0, chance, 1.0 - chance))


def mean_cells(population: Population, n: int, rng: np.random.Generator) -> list[Cell]:
    """Differences of means of all pairs of models: coverage, that of t, and width over t's."""
    name, truth, predicted = population
    measures = ("mse", "mae") if name in NUMBERS else ("brier", "log_loss")
    lost = {(m, model): losses(m, truth, own) for m in measures for model, own in predicted.items()}
    other = {model: losses("log_loss", 1.0 - truth, own) for model, own in predicted.items()}
    pairs = [(m, a, b) for m in measures for a, b in combinations(predicted, 2)]
    counts: dict[tuple[str, ...], Cell] = {pair: {} for pair in pairs}
    for first, drawn in samples(truth.size, n, rng):
        for measure, a, b in pairs:
            one, two = lost[measure, a], lost[measure, b]
            apart = one - two
            rows = apart[drawn]
            varied = np.ptp(rows, axis=1) > 0.0  # others have another interval
            kept, rows, checked = drawn[varied], rows[varied], CHECKED if first else 0
            if not len(rows):
                continue
            if measure == "mse":
                limits = square_limits(one[kept], two[kept], checked=checked)
            else:
                bound = np.ones(len(rows)) if measure == "brier" else None
                if measure == "log_loss":
                    most = np.maximum(np.abs(apart), np.abs(other[a] - other[b]))
                    bound = most[kept].max(axis=1)
                limits = pair_limits(rows, bound, checked=checked)
            plus(counts[measure, a, b], limits, t_limits(rows), float(apart.mean()))
    return [cell_of(name, pair, n, own) for pair, own in counts.items() if own]


KINDS = {
    "areas": (("roc_auc",), area_cells, CLASSES),
    "labels": (("accuracy",), label_cells, CLASSES),
    "f1": (("f1",), f1_cells, CLASSES),
    "precisions": (("average_precision",), precision_cells, CLASSES),
    "means": (("mse", "mae", "brier", "log_loss"), mean_cells, (*CLASSES, *NUMBERS)),
}
"""What is measured together of one population at one n, and of which."""


def measure_all(only: str = "", items: int = max(SIZES)) -> list[Cell]:
    """What has fewer samples than asked for is measured anew, from a seed that follows from its name."""
    kept: list[Cell] = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    had: dict[tuple[Any, ...], int] = {}
    for one in kept:
        key = one["set"], one["measure"], one["n"]
        had[key] = max(had.get(key, 0), one["samples"])
    trained = lru_cache(maxsize=None)(population_of)
    for (kind, (measures, cells, sets)), n in product(KINDS.items(), SIZES):
        for name in sets if n <= items and kind.startswith(only) else ():
            if any(had.get((name, measure, n), 0) > SAMPLES / 2 for measure in measures):
                continue
            found = _measured(f"{kind} {name} {n}", cells, trained(name), n)
            kept = [one for one in kept
                    if (one["set"], one["n"]) != (name, n) or one["measure"] not in measures]  # fmt: skip
            kept += found
            RESULTS.write_text(json.dumps(kept) + "\n")
            least = min(one["covered"] / one["samples"] for one in found)
            print(f"{kind} of {name}, n = {n}: {least:.4f}", file=sys.stderr, flush=True)
    return kept


def _measured(called: str, cells: Any, population: Population, n: int) -> list[Cell]:
    """Where some cell is surely short, all are measured again from a fresh seed, and keep both."""
    found: list[Cell] = cells(population, n, np.random.default_rng(list(called.encode())))
    if not any(surely_short(one["covered"], one["samples"]) for one in found):
        return found
    again = cells(population, n, np.random.default_rng(list(f"{called} again".encode())))
    return [
        one | {"again": [two["covered"], two["samples"]]}
        for one, two in zip(found, again, strict=True)
    ]


def page(found: list[Cell]) -> str:
    sets = len({one["set"] for one in found})
    lines = [
        "# Calibration on real populations",
        "",
        "`python -m calibration.populations`: five learners (a tree, boosting, two forests, a linear model), trained",
        f"on a part of {sets} packaged data sets. Their predictions on the rest are a population of known values.",
        "Samples of n items are drawn from it, and every pair of models is compared by the default. A cell is one pair",
        f"on one data set at one n. Asked for: coverage of at least {LEAST} %, of few answers {LEAST_OF_FEW:g} %. Few:",
        "of accuracy, only the worse model is expected to be right on fewer than ten items. Of F1, fewer than ten",
        "right or wrong answers to a class are expected of a model. *Short*: cells with surely",
        "less (99.9 % Monte-Carlo bound). *Plain* is t, for areas DeLong's normal interval, accuracy Wald's, F1",
        "and average precision that of the delta method. Width is over that of the plain interval, in cells where that",
        "covers. Samples in which nothing varies or the measure is undefined do not count. Pairs of models on one data",
        "set are compared on the same samples.",
        "",
        "| measure | n | cells | short, plain | short | least coverage, plain | least coverage | median width | "
        "largest width | samples a cell |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for measure in MEASURES:
        for n in SIZES:
            cells = [one for one in found if (one["measure"], one["n"]) == (measure, n)]
            if cells:
                lines.append(_row(measure, n, cells))
    lines += ["", "## Cells that are short", "", _short(found)]
    return "\n".join(lines) + "\n"


def surely_short(covered: int, samples: int, least: float = LEAST) -> bool:
    share = least / 100.0
    return bool(covered + 3.09 * math.sqrt(samples * share * (1.0 - share)) < share * samples)


def is_short(one: Cell) -> bool:
    few = one.get("minority", FEW) < FEW
    return surely_short(one["covered"], one["samples"], LEAST_OF_FEW if few else LEAST)


def _row(measure: str, n: int, cells: list[Cell]) -> str:
    plain = sum(surely_short(one["t"], one["samples"]) for one in cells)
    short = sum(is_short(one) for one in cells)
    least = [min(100.0 * one[k] / one["samples"] for one in cells) for k in ("t", "covered")]
    widths = [one["width"] for one in cells if not surely_short(one["t"], one["samples"])]
    middle, most = (float(np.median(widths)), max(widths)) if widths else (1.0, 1.0)
    return (
        f"| {measure} | {n} | {len(cells)} | {plain} | {short} | {least[0]:.1f} | {least[1]:.1f} | "
        f"{middle:.2f} | {most:.2f} | {min(one['samples'] for one in cells):,} |"
    )


def _short(found: list[Cell]) -> str:
    cells = [one for one in found if is_short(one)]
    told = f"{len(cells)} of {len(found)} cells ({len(cells) / len(found):.1%}; at most {MOST_SHORT:.0%} may)."
    if not cells:
        return told
    lines = [
        told, WHY, "",
        "| data set | models | measure | n | coverage | with a fresh seed | plain |", "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for one in cells:
        shares = [100.0 * one[k] / one["samples"] for k in ("covered", "t")]
        fresh = one.get("again")
        again = f"{100.0 * fresh[0] / fresh[1]:.1f}" if fresh else ""
        where = f"| {one['set']} | {one['a']}, {one['b']} | {one['measure']} | {one['n']} "
        lines.append(f"{where}| {shares[0]:.1f} | {again} | {shares[1]:.1f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.populations", description=__doc__)
    parser.add_argument("--publish", action="store_true")
    parser.add_argument("--only", default="", help="areas, means or labels")
    parser.add_argument("--items", type=int, default=max(SIZES), help="samples of at most so many")
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore")
    found = (
        json.loads(RESULTS.read_text())
        if chosen.publish
        else measure_all(chosen.only, chosen.items)
    )
    PAGE.write_text(page(found))


if __name__ == "__main__":
    main()
