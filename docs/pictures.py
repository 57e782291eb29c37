"""Draws the pictures of docs/plots.md: ``python docs/pictures.py``.

The data are made here, from fixed seeds, so that the pictures change only when the figures do.
"""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import assay
from assay import plots
from assay.compare.learning_curves import compare_curves
from assay.core.results import Curve
from assay.estimates.roc_bands import roc_band
from assay.estimates.runs import performance_profile
from assay.evidence.curve_scores import CurveScores
from assay.hypotheses.assumptions import qq_points
from assay.hypotheses.bayes import bayes_correlated_t, bayes_sign, bayes_signed_rank_pairs
from assay.hypotheses.friedman_posthoc import (
    bonferroni_dunn,
    nemenyi,
    nemenyi_from_ranks,
    wilcoxon_pairs,
)
from assay.measures.curves import roc_curve, roc_hull
from assay.plan.plan import plan
from assay.plots.style import styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOLDER = Path(__file__).parent / "pictures"
NAMES = ("forest", "boosting", "ridge", "tree", "knn", "svm", "net", "bayes", "rocket", "lda")
DEMSAR = {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}
KINDS = dict(
    zip(NAMES, ("trees", "trees", "linear", "trees", "other", "linear", "other", "other", "other",
                "linear"), strict=True)
)  # fmt: skip
COLOURS = 80
SEEN = 40
"""Of 255: smaller differences of a dot are not seen."""


def scores(k: int, n: int, seed: int = 0) -> dict[str, list[float]]:
    """Models on n data sets, each a little worse than the one before it."""
    rng = np.random.default_rng(seed)
    values = 0.85 - 0.05 * np.linspace(0, 1, k) + rng.normal(0, 0.02, (n, k))
    values += rng.normal(0, 0.03, (n, 1))
    names = [
        name if k <= len(NAMES) else f"{name}-{i}" for i in range(k) for name in [NAMES[i % 10]]
    ]
    return {name: values[:, place].tolist() for place, name in enumerate(names)}


def labelled(strengths: tuple[float, ...]) -> tuple[Any, list[Any]]:
    """The truth of 400 items, and probabilities from models of those strengths."""
    rng = np.random.default_rng(5)
    truth = (rng.random(400) < 0.35).astype(int)
    raw = [strength * (2 * truth - 1) + rng.normal(0, 1, 400) for strength in strengths]
    return truth, [1 / (1 + np.exp(-1.3 * one)) for one in raw]


def watched() -> Any:
    """Two models looked at after every item."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 2000)
    said = {
        name: np.where(rng.random(2000) < share, truth, 1 - truth)
        for name, share in (("forest", 0.86), ("ridge", 0.8))
    }
    return assay.compare({"truth": truth, **said}, sequential=True, margin=0.02)


def noisy(name: str, first: float, slope: float) -> Curve:
    level = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.4])
    mean = first - slope * level**1.5
    columns = {"level": level, "mean": mean, "low": mean - 0.012, "high": mean + 0.012}
    return made("noise", name, columns, measure="accuracy", level=0.95)


def rejections(name: str, gap: float) -> Curve:
    """A rate that nears the nominal level as items grow, with the interval of 10,000 runs."""
    items = np.array([20.0, 50.0, 100.0, 200.0, 500.0, 1000.0])
    rate = 0.05 + gap / items
    half = 1.96 * np.sqrt(rate * (1 - rate) / 10_000)
    columns = {"items": items, "rate": rate, "low": rate - half, "high": rate + half}
    return made("errors", name, columns, nominal=0.05, level=0.95)


def made(kind: str, name: str, columns: dict[str, Any], **details: Any) -> Curve:
    return Curve(
        name=kind,
        model=name,
        columns=tuple((column, tuple(values.tolist())) for column, values in columns.items()),
        details=tuple(details.items()),
    )


def compared(k: int, n: int) -> assay.Comparison:
    return assay.compare(scores(k, n), unit="dataset", measure="accuracy", margin=0.01, rng=1)


def receiver() -> "Axes":
    truth, (strong,) = labelled((1.0,))
    hull = roc_hull(roc_curve(truth, strong, model="forest"))
    return plots.roc([roc_band(truth, strong, model="forest"), hull])


def of_probabilities(figure: Callable[..., "Axes"], *strengths: float) -> "Axes":
    """A figure of the probabilities of models of those strengths."""
    truth, found = labelled(strengths)
    return figure(truth, dict(zip(("forest", "ridge", "tree"), found, strict=False)))


def gated() -> "Axes":
    """A candidate that is better in some measures and undecided in one."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    said = {
        name: np.where(rng.random(400) < share, truth, 1 - truth)
        for name, share in (("old", 0.80), ("new", 0.84))
    }
    margins = {"accuracy": 0.02, "f1": 0.03, "recall": 0.05}
    return plots.checks(assay.gate({"truth": truth, **said}, baseline="old", margin=margins))


def learned() -> "Axes":
    """Three learners on twelve splits, compared at six sizes."""
    rng = np.random.default_rng(4)
    sizes = np.array([30.0, 60.0, 120.0, 250.0, 500.0, 1000.0])
    laws = ((0.95, 0.35, 0.5), (0.86, 0.14, 0.9), (0.88, 0.33, 0.4))
    means = np.stack([top - loss * (sizes / 30) ** -rate for top, loss, rate in laws], axis=1)
    values = means[:, None, :] + rng.normal(0, 0.015, (6, 12, 1)) + rng.normal(0, 0.012, (6, 12, 3))
    found = CurveScores(
        kind="learning", dataset="wine", measure="accuracy", models=("forest", "ridge", "tree"),
        at=sizes, values=values, n_train=np.full(12, 1000.0), n_test=np.full(12, 300.0),
        direction="higher", low=0.0, high=1.0,
    )  # fmt: skip
    return plots.learning(compare_curves(found))


def profiled() -> "Axes":
    rng = np.random.default_rng(2)
    means = {"dqn": 0.8, "ppo": 0.74, "a2c": 0.62}
    runs = {name: {t: rng.normal(m, 0.08, 10) for t in range(5)} for name, m in means.items()}
    return plots.profiles(
        [
            performance_profile(found, model=name, rng=1, n_resamples=999)
            for name, found in runs.items()
        ]
    )


def pairs() -> "Axes":
    table = scores(4, 20)
    found = bayes_signed_rank_pairs(
        np.array(list(table.values())).T, models=list(table), rope=0.01, rng=1, n_resamples=5000
    )
    return plots.posterior(found)


def folds() -> "Axes":
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.83, 0.02, 10), rng.normal(0.815, 0.02, 10)
    return plots.posterior_density(bayes_correlated_t(a, b, rope=0.01, folds=10))


def signs() -> "Axes":
    table = scores(4, 30)
    return plots.simplex(bayes_sign(table["forest"], table["boosting"], rope=0.01))


def holm() -> "Axes":
    table = scores(10, 25, seed=4)
    return plots.critical_difference(wilcoxon_pairs(table), ranks=nemenyi(table))


def answers(models: int, items: int) -> assay.Board:
    """Right and wrong answers to items of different difficulty."""
    rng = np.random.default_rng(4)
    chances = rng.normal(0.8, 0.6, models)[None, :] - rng.normal(0.0, 1.5, items)[:, None]
    right = (rng.random((items, models)) < 1.0 / (1.0 + np.exp(-chances))).astype(int)
    names = NAMES if models == len(NAMES) else tuple(f"model {place}" for place in range(models))
    return assay.board(dict(zip(names, right.T, strict=True)), correct=True)


PICTURES: dict[str, Callable[[], "Axes"]] = {
    "rank_ladder": lambda: plots.rank_ladder(answers(10, 400)),
    "rank_ladder_200": lambda: plots.rank_ladder(answers(200, 2000)),
    "critical_difference_demsar": lambda: plots.critical_difference(
        nemenyi_from_ranks(DEMSAR, 14, level=0.9)
    ),
    "critical_difference_3": lambda: plots.critical_difference(nemenyi(scores(3, 12))),
    "critical_difference_10": lambda: plots.critical_difference(nemenyi(scores(10, 30))),
    "critical_difference_40": lambda: plots.critical_difference(nemenyi(scores(40, 100))),
    "critical_difference_letters": holm,
    "critical_difference_groups": lambda: plots.critical_difference(
        nemenyi(scores(10, 30)), groups=KINDS
    ),
    "critical_difference_control": lambda: plots.critical_difference(
        bonferroni_dunn(scores(10, 30), control="ridge")
    ),
    "pairwise_matrix_3": lambda: plots.pairwise_matrix(compared(3, 20)),
    "pairwise_matrix_10": lambda: plots.pairwise_matrix(compared(10, 25)),
    "pairwise_matrix_40": lambda: plots.pairwise_matrix(compared(40, 100)),
    "forest": lambda: plots.forest(compared(4, 20)),
    "checks": gated,
    "roc": receiver,
    "roc_two": lambda: of_probabilities(plots.roc, 1.0, 0.5),
    "precision_recall": lambda: of_probabilities(plots.precision_recall, 1.0, 0.6, 0.3),
    "calibration": lambda: of_probabilities(plots.calibration, 0.9),
    "calibration_three": lambda: of_probabilities(plots.calibration, 1.0, 0.6, 0.3),
    "learning": learned,
    "noise": lambda: plots.learning([noisy("forest", 0.93, 0.9), noisy("ridge", 0.87, 0.35)]),
    "error_rates": lambda: plots.error_rates(
        [rejections("t over folds", 2.4), rejections("score test", -0.2), rejections("exact", -0.6)]
    ),
    "sequence": lambda: plots.sequence(watched()),
    "power_curve": lambda: plots.power_curve(
        plan("accuracy", discordant=0.1, difference=0.02, power=0.8)
    ),
    "simulation": lambda: plots.simulation(
        assay.simulate(
            ["wald", "wilson", "clopper_pearson"],
            question="coverage",
            n=30,
            p=[round(0.02 + 0.005 * place, 3) for place in range(193)],
        )
    ),
    "qq": lambda: plots.qq(qq_points(np.random.default_rng(8).standard_t(3, 60))),
    "posterior": pairs,
    "posterior_density": folds,
    "simplex": signs,
    "profiles": profiled,
    "distribution": lambda: plots.distribution(scores(6, 25), measure="accuracy"),
    "violin": lambda: plots.distribution(scores(6, 25), kind="violin", measure="accuracy"),
    "differences": lambda: plots.differences(scores(6, 25), baseline="tree", measure="accuracy"),
    "scatter": lambda: plots.scatter(scores(6, 40), "forest", "knn", measure="accuracy"),
}


def small(axes: "Axes", dots_per_inch: int) -> bytes:
    """The picture in a few colours, which is a third of the file."""
    from PIL import Image

    drawn, stream = BytesIO(), BytesIO()
    figure = axes.get_figure(root=True)
    with styled():
        figure.savefig(drawn, format="png", dpi=dots_per_inch)  # type: ignore[union-attr]
    image = Image.open(drawn).convert("RGB")
    few = image.quantize(COLOURS, dither=Image.Dither.NONE, kmeans=2)
    few.save(stream, "png", optimize=True)
    return stream.getvalue()


def keep(path: Path, made: bytes) -> None:
    """Write a picture, unless the one that is there looks the same: other versions of tools give other bytes."""
    from PIL import Image, ImageChops

    if path.exists():
        old, new = (Image.open(BytesIO(one)).convert("RGB") for one in (path.read_bytes(), made))
        if old.size == new.size:
            seen = (
                ImageChops.difference(old, new).convert("L").point(lambda one: 255 * (one > SEEN))
            )
            if seen.getbbox() is None:
                return
    path.write_bytes(made)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, make in PICTURES.items():
        coarse = name in ("pairwise_matrix_40", "rank_ladder_200")  # ten inches wide or high
        keep(FOLDER / f"{name}.png", small(make(), 82 if coarse else 130))
