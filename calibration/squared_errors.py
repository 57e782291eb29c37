"""Squared errors of two models without a known end: coverage of the default, its width and its power beside t's."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.special import stdtrit

import assay
from assay.kernels.skewness import lean_of, wider_limits
from assay.kernels.unseen_values import unseen_p, unseen_square
from calibration.designs.cells import Found, Job, Table
from calibration.designs.means import Disagreement

Generator = np.random.Generator
Shape = tuple[int, int]
SIZES = (20, 50, 200, 1000)
BATCH, GOAL, NUMBERS, CHECKED = 5_000, 20_000, 1_000_000, 3
SQUARES = "squares"


def rare(share: float, times: float, rng: Generator, shape: Shape) -> tuple[Any, Any]:
    """Squared errors of a model, and of one with a share of errors so many times as large: equal means."""
    usual = 1.0 - share + share * times**2
    sizes = np.where(rng.random(shape) < share, times**2, 1.0)
    return usual * rng.standard_normal(shape) ** 2, sizes * rng.standard_normal(shape) ** 2


def fixed(share: float, times: float, rng: Generator, shape: Shape) -> tuple[Any, Any]:
    """The same where rare errors are all of one size."""
    usual = 1.0 - share + share * times**2
    errors = np.where(rng.random(shape) < share, times, rng.standard_normal(shape))
    return usual * rng.standard_normal(shape) ** 2, errors**2


def common(share: float, times: float, rng: Generator, shape: Shape) -> tuple[Any, Any]:
    """The same where the usual errors of both models correlate by .6."""
    usual = 1.0 - share + share * times**2
    shared, a, b = rng.standard_normal((3, *shape))
    errors = [0.6**0.5 * shared + 0.4**0.5 * own for own in (a, b)]
    return usual * errors[0] ** 2, errors[1] ** 2 * np.where(rng.random(shape) < share, times**2, 1)


def scaled(
    draw: Callable[[Generator, Shape], Any],
    ratio: float,
    rng: Generator,
    shape: Shape,
) -> tuple[Any, Any]:
    """Squared errors of two models whose mean squares have this ratio, without rare ones."""
    return ratio * draw(rng, shape) ** 2, draw(rng, shape) ** 2


def normal(rng: Generator, shape: Shape) -> Any:
    return rng.standard_normal(shape)


def laplace(rng: Generator, shape: Shape) -> Any:
    return rng.laplace(size=shape)


def student(rng: Generator, shape: Shape) -> Any:
    return rng.standard_t(5, shape)


WORLDS: dict[str, tuple[Callable[..., Any], float]] = {
    "3 % ten times as large, equal means": (partial(rare, 0.03, 10.0), 0.0),
    "5 % ten times as large, equal means": (partial(rare, 0.05, 10.0), 0.0),
    "10 % five times as large, equal means": (partial(rare, 0.1, 5.0), 0.0),
    "3 % of size 8, equal means": (partial(fixed, 0.03, 8.0), 0.0),
    "3 % ten times as large, correlated, equal means": (partial(common, 0.03, 10.0), 0.0),
    "5 % 3.5 times as large, equal means": (partial(rare, 0.05, 3.5), 0.0),
    "2 % 5.4 times as large, equal means": (partial(rare, 0.02, 5.4), 0.0),
    "2 % six times as large, equal means": (partial(rare, 0.02, 6.0), 0.0),
    "2 % ten times as large, equal means": (partial(rare, 0.02, 10.0), 0.0),
    "1 % ten times as large, equal means": (partial(rare, 0.01, 10.0), 0.0),
    "normal errors, exchangeable": (partial(scaled, normal, 1.0), 0.0),
    "normal errors, mean squares 1.5 to 1": (partial(scaled, normal, 1.5), 0.5),
    "Laplace errors, mean squares 1.5 to 1": (partial(scaled, laplace, 1.5), 1.0),
    "t errors with 5 df, mean squares 1.5 to 1": (partial(scaled, student, 1.5), 5.0 / 6.0),
}
"""Worlds of squared errors of two models, and the true difference of their means."""


def square_jobs() -> list[Job]:
    return [
        Job(
            name=f"squares {name} n={n}",
            world=SQUARES,
            run=partial(measured, name, n),
            batch=BATCH,
            goal=GOAL,
        )
        for n, name in product(SIZES, WORLDS)
    ]


def measured(name: str, n: int, rng: Generator, replicates: int) -> list[Found]:
    """How often the intervals of t, and of `compare`, hold the true difference and exclude 0."""
    draw, truth = WORLDS[name]
    counts: dict[str, float] = {"n": 0.0}
    step = max(1, NUMBERS // n)
    for start in range(0, replicates, step):
        a, b = draw(rng, (min(step, replicates - start), n))
        counts["n"] += len(a)
        for kind, (low, high) in (("t", t_limits(a - b)), ("ours", limits(a, b, checked=CHECKED))):
            for fact, found in (
                ("covered", (low <= truth) & (truth <= high)),
                ("differs", (low > 0.0) | (high < 0.0)),
                ("width", high - low),
            ):
                counts[f"{kind} {fact}"] = counts.get(f"{kind} {fact}", 0.0) + float(found.sum())
    table = Table(procedure=name, answers="compare", world=SQUARES, unit="item", parameters=("n",))
    return [Found(table=table, at=(n,), replicates=replicates, counts=counts)]


def t_limits(rows: Any) -> tuple[Any, Any]:
    n = rows.shape[1]
    reach = -stdtrit(n - 1.0, 0.025) * rows.std(1, ddof=1) / n**0.5
    return rows.mean(1) - reach, rows.mean(1) + reach


def limits(a: Any, b: Any, *, checked: int) -> tuple[Any, Any]:
    """The ends of the default 95 % interval of each row; some rows also go through `compare`."""
    rows, n = a - b, a.shape[1]
    mean, spread = rows.mean(1), rows.std(1, ddof=1)
    error = spread / n**0.5
    low, high = wider_limits(mean, error, -stdtrit(n - 1.0, 0.025), lean_of(rows))
    largest = np.where(mean > 0.0, unseen_square(b, a, spread), unseen_square(a, b, spread))
    t = np.abs(mean) / error
    away = (low > 0.0) | (high < 0.0)  # 0 is inside the others
    kept = np.zeros(len(rows), bool)
    kept[away] = unseen_p(t[away], (t + largest / error)[away], n, "two-sided") > 0.05
    low, high = (
        np.where(kept, np.minimum(low, 0.0), low),
        np.where(kept, np.maximum(high, 0.0), high),
    )
    for row in range(min(checked, len(rows))):
        _check_public(a[row], b[row], (low[row], high[row]))
    return low, high


def _check_public(a: Any, b: Any, ours: tuple[Any, Any]) -> None:
    table = {"truth": np.zeros(a.size), "a:value": np.sqrt(a), "b:value": np.sqrt(b)}
    found = assay.compare(table, measure="mse").verdict.outcome.effect.interval
    if found is None or not np.allclose(ours, (found.low, found.high), rtol=1e-6, atol=1e-9):
        raise Disagreement(f"{ours!r} in calibration, {found!r} from assay")


def square_page(found: Sequence[Found]) -> str:
    """A row for each world, a column for each n: coverage, t's, width over t's and how often 0 is excluded."""
    mine = {(one.table.procedure, one.at[0]): one for one in found if one.table.world == SQUARES}
    lines = [
        "| squared errors | " + " | ".join(f"n = {n}" for n in SIZES) + " | samples |",
        "|" + "---|" * (len(SIZES) + 2),
    ]
    for name in WORLDS:
        cells = [mine.get((name, n)) for n in SIZES]
        fewest = min((int(one.counts["n"]) for one in cells if one is not None), default=0)
        entries = ["" if one is None else _entry(one) for one in cells]
        lines.append(f"| {name} | " + " | ".join(entries) + f" | {fewest:,} |")
    return "\n".join(lines)


def _entry(one: Found) -> str:
    counts = one.counts
    share = {key: 100 * value / counts["n"] for key, value in counts.items()}
    width = counts["ours width"] / counts["t width"]
    return (
        f"{share['ours covered']:.1f} (t {share['t covered']:.1f}), × {width:.2f}, "
        f"{share['ours differs']:.0f} (t {share['t differs']:.0f})"
    )
