"""Real populations: `python -m calibration.populations`.

Five learners are trained on a part of each packaged data set; their predictions on the rest are a population whose
values are known. Samples are drawn from it, two models compared by the defaults, and the intervals that hold the
true difference are counted. Means are batched as in `calibration.tails` (some samples of every cell go through the
public function, and a difference stops the run); areas go through the public function. Options: --publish.
"""

import argparse
import json
import math
import sys
import warnings
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from assay.hypotheses.roc import delong_test
from assay.study.datasets import resolve
from calibration.tails import pair_limits, t_limits

HERE = Path(__file__).parent
RESULTS, PAGE = (
    HERE / "results" / "populations.json",
    HERE.parent / "docs" / "calibration-populations.md",
)
CLASSES = ("adult", "flights", "german_credit", "kr_vs_kp", "nhefs", "titanic")
NUMBERS = ("abalone", "health_visits", "seattle_temperature")
SIZES = (50, 200, 1000)
SAMPLES, RANKED = 1_000, 100
TRAINED = 1_200
CLIP = 1e-3
"""Trees call classes impossible; their log loss is taken with probabilities of at least this."""
LEAST = 93.5
Population = tuple[str, Any, dict[str, Any]]
Cell = dict[str, Any]


def populations() -> Iterator[Population]:
    """Name, truth and the predictions of every model."""
    import pandas as pd
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    for name in (*CLASSES, *NUMBERS):
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
        yield name, truth[rest].astype(np.float64), found


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


def mean_cells(population: Population, rng: np.random.Generator) -> Iterator[Cell]:
    """Differences of means of two models: coverage, that of t, and width over t's."""
    name, truth, predicted = population
    for measure in ("mse", "mae") if name in NUMBERS else ("brier", "log_loss"):
        for a, b in combinations(predicted, 2):
            apart = losses(measure, truth, predicted[a]) - losses(measure, truth, predicted[b])
            largest = None
            if measure == "log_loss":
                other = losses(measure, 1.0 - truth, predicted[a])
                other = np.abs(other - losses(measure, 1.0 - truth, predicted[b]))
                largest = np.maximum(np.abs(apart), other)
            for n in SIZES:
                drawn = rng.integers(0, truth.size, (SAMPLES, n))
                drawn = drawn[np.ptp(apart[drawn], axis=1) > 0.0]  # others have another interval
                rows = apart[drawn]
                bound = np.ones(len(rows)) if measure == "brier" else None
                if largest is not None:
                    bound = largest[drawn].max(axis=1)
                limits = pair_limits(rows, bound)
                cell = {"set": name, "measure": measure, "a": a, "b": b, "n": n}
                yield cell | _counted(limits, t_limits(rows), float(apart.mean()))


def _counted(limits: Any, plain: Any, truth: float) -> Cell:
    inside = [(low <= truth) & (truth <= high) for low, high in (limits, plain)]
    widths = [float((high - low).mean()) for low, high in (limits, plain)]
    return {
        "samples": len(inside[0]),
        "covered": int(inside[0].sum()),
        "t": int(inside[1].sum()),
        "low": int((limits[1] < truth).sum()),
        "high": int((limits[0] > truth).sum()),
        "width": widths[0] / widths[1] if widths[1] else 1.0,
    }


def area_cells(population: Population, rng: np.random.Generator) -> Iterator[Cell]:
    """Differences of areas under ROC curves, by the public function."""
    name, truth, predicted = population
    for a, b in combinations(predicted, 2):
        true = delong_test(truth, predicted[a], predicted[b]).effect.value or 0.0
        for n in SIZES[:2]:
            found: list[tuple[float, float]] = []
            plain: list[tuple[float, float]] = []
            while len(found) < RANKED:
                drawn = rng.integers(0, truth.size, n)
                if np.ptp(truth[drawn]) == 0.0:
                    continue
                sample = (truth[drawn], predicted[a][drawn], predicted[b][drawn])
                for variant, ends in (("t", found), ("normal", plain)):
                    interval = delong_test(*sample, variant=variant).effect.interval  # type: ignore[arg-type]
                    ends.append((-1.0, 1.0) if interval is None else (interval.low, interval.high))
            cell = {"set": name, "measure": "roc_auc", "a": a, "b": b, "n": n}
            yield cell | _counted(np.array(found).T, np.array(plain).T, true)


def measure_all() -> list[Cell]:
    found: list[Cell] = []
    rng = np.random.default_rng(23)
    for population in populations():
        found += mean_cells(population, rng)
        if population[0] in CLASSES:
            found += area_cells(population, rng)
        print(f"{population[0]}: {len(found)} cells", file=sys.stderr, flush=True)
        RESULTS.write_text(json.dumps(found) + "\n")
    return found


def page(found: list[Cell]) -> str:
    sets = len({one["set"] for one in found})
    lines = [
        "# Calibration on real populations",
        "",
        "`python -m calibration.populations`: five learners (a tree, boosting, two forests, a linear model), trained",
        f"on a part of {sets} packaged data sets. Their predictions on the rest are a population of known values.",
        "Samples of n items are drawn from it, and every pair of models is compared by the default. A cell is one pair",
        f"on one data set at one n. Asked for: coverage of at least {LEAST} %. *Short*: cells whose coverage is surely",
        "less (99.9 % Monte-Carlo bound). *Plain* is t, for areas DeLong's normal interval; width is over that of the",
        "plain interval, in cells where that covers. Samples in which nothing varies do not count.",
        "",
        "| measure | n | cells | short, plain | short | least coverage, plain | least coverage | median width | "
        "largest width | samples a cell |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for measure in ("brier", "log_loss", "mse", "mae", "roc_auc"):
        for n in SIZES:
            cells = [one for one in found if (one["measure"], one["n"]) == (measure, n)]
            if cells:
                lines.append(_row(measure, n, cells))
    lines += ["", "## Cells that are short", "", _short(found)]
    return "\n".join(lines) + "\n"


def surely_short(covered: int, samples: int) -> bool:
    share = LEAST / 100.0
    return bool(covered + 3.09 * math.sqrt(samples * share * (1.0 - share)) < share * samples)


def _row(measure: str, n: int, cells: list[Cell]) -> str:
    short = [sum(surely_short(one[k], one["samples"]) for one in cells) for k in ("t", "covered")]
    least = [min(100.0 * one[k] / one["samples"] for one in cells) for k in ("t", "covered")]
    widths = [one["width"] for one in cells if not surely_short(one["t"], one["samples"])]
    middle, most = (float(np.median(widths)), max(widths)) if widths else (1.0, 1.0)
    return (
        f"| {measure} | {n} | {len(cells)} | {short[0]} | {short[1]} | {least[0]:.1f} | {least[1]:.1f} | "
        f"{middle:.2f} | {most:.2f} | {cells[0]['samples']:,} |"
    )


def _short(found: list[Cell]) -> str:
    cells = [one for one in found if surely_short(one["covered"], one["samples"])]
    if not cells:
        return "None."
    lines = ["| data set | models | measure | n | coverage | plain |", "|---|---|---|---|---|---|"]
    for one in cells:
        shares = [100.0 * one[k] / one["samples"] for k in ("covered", "t")]
        where = f"| {one['set']} | {one['a']}, {one['b']} | {one['measure']} | {one['n']} "
        lines.append(f"{where}| {shares[0]:.1f} | {shares[1]:.1f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.populations", description=__doc__)
    parser.add_argument("--publish", action="store_true")
    warnings.filterwarnings("ignore")
    found = json.loads(RESULTS.read_text()) if parser.parse_args().publish else measure_all()
    PAGE.write_text(page(found))


if __name__ == "__main__":
    main()
