"""Skewed and heavy-tailed losses: coverage of the defaults, and their width beside t's."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.special import expit, stdtrit

from assay.estimates.default_intervals import estimate
from assay.evidence.argument_checks import as_predictions
from assay.evidence.reading import read
from assay.hypotheses.paired_scores import paired_t
from assay.kernels.skewness import lean_of, wider_limits
from assay.kernels.unseen_values import allowed, unseen_reach
from calibration.designs.cells import Found, Job, Table
from calibration.designs.means import Disagreement

Generator = np.random.Generator
SIZES = (20, 50, 200, 1000)
BATCH, GOAL, NUMBERS, CHECKED = 5_000, 20_000, 2_000_000, 3
TAILS = "tails"


def _calibrated(rng: Generator, shape: tuple[int, int], spread: float) -> tuple[Any, Any]:
    logits = spread * rng.standard_normal(shape)
    return logits, rng.random(shape) < expit(logits)


def overconfident(rng: Generator, shape: tuple[int, int]) -> Any:
    """Log loss of a calibrated model less that of one whose logits are 2.5 times too large."""
    return foreseen(rng, shape)[0]


def foreseen(rng: Generator, shape: tuple[int, int]) -> tuple[Any, Any]:
    """The same from probabilities, of which the largest difference is known, whichever class is true."""
    logits, truth = _calibrated(rng, shape, 1.5)
    cases = [
        np.logaddexp(0.0, -side * logits) - np.logaddexp(0.0, -side * 2.5 * logits)
        for side in (1.0, -1.0)
    ]
    return np.where(truth, *cases), np.maximum(*map(np.abs, cases)).max(axis=1)


def rivals(noise: float, rng: Generator, shape: tuple[int, int]) -> tuple[Any, Any]:
    """Log losses of two exchangeable models of probabilities."""
    (logits, truth), (a, b) = _calibrated(rng, shape, 1.5), noise * rng.standard_normal((2, *shape))
    cases = [
        np.logaddexp(0.0, -side * (logits + a)) - np.logaddexp(0.0, -side * (logits + b))
        for side in (1.0, -1.0)
    ]
    return np.where(truth, *cases), np.maximum(*map(np.abs, cases)).max(axis=1)


def alike(noise: float, rng: Generator, shape: tuple[int, int]) -> Any:
    """Brier scores of two exchangeable models."""
    (logits, truth), (a, b) = _calibrated(rng, shape, 1.5), noise * rng.standard_normal((2, *shape))
    return (expit(logits + a) - truth) ** 2 - (expit(logits + b) - truth) ** 2


def disputed(share: float, rng: Generator, shape: tuple[int, int]) -> Any:
    """Brier scores of a tree and of boosting: nearly alike but on a share of the items."""
    near = 0.04 * rng.standard_normal(shape)
    far = np.clip(rng.normal(0.75, 0.15, shape), 0.0, 1.0)
    apart = rng.random(shape) < share
    return np.where(apart, np.where(rng.random(shape) < 0.8, far, -0.5 * far), near)


def capped(share: float, most: float, rng: Generator, shape: tuple[int, int]) -> Any:
    """Squared errors of a model, less those of one better by a third but for rare large ones; told their end."""
    large = (1.0 - 0.64 * (1.0 - share)) / share
    sizes = np.where(rng.random(shape) < share, large, 0.64)
    errors = rng.standard_normal((2, *shape)) ** 2
    return np.minimum(errors[0], most) - np.minimum(errors[1] * sizes, most)


def apart(
    draw: Callable[[Generator, tuple[int, int]], Any], rng: Generator, shape: tuple[int, int]
) -> Any:
    """Exchangeable models: the difference of two losses of one kind."""
    return draw(rng, shape) - draw(rng, shape)


def lognormal(rng: Generator, shape: tuple[int, int]) -> Any:
    return np.exp(rng.standard_normal(shape))


def student(rng: Generator, shape: tuple[int, int]) -> Any:
    return rng.standard_t(3, shape)


def normal(rng: Generator, shape: tuple[int, int]) -> Any:
    return rng.standard_normal(shape)


def brier(rng: Generator, shape: tuple[int, int]) -> Any:
    """Brier scores of one calibrated model, two classes."""
    logits, truth = _calibrated(rng, shape, 2.5)
    return (expit(logits) - truth) ** 2


def log_loss(rng: Generator, shape: tuple[int, int]) -> Any:
    logits, truth = _calibrated(rng, shape, 2.5)
    return np.logaddexp(0.0, -np.where(truth, 1.0, -1.0) * logits)


BRIER = 1.0
PAIRS: dict[str, tuple[Callable[..., Any], float | None]] = {
    "log loss, calibrated against overconfident": (foreseen, None),
    "log loss, exchangeable models": (partial(rivals, 0.5), None),
    "Brier, 2 % of the items in dispute": (partial(disputed, 0.02), BRIER),
    "Brier, 5 % of the items in dispute": (partial(disputed, 0.05), BRIER),
    "Brier, 20 % of the items in dispute": (partial(disputed, 0.2), BRIER),
    "Brier, exchangeable models": (partial(alike, 1.0), BRIER),
    "Brier, exchangeable models nearly alike": (partial(alike, 0.3), BRIER),
    "squared errors, 2 % large, at most 100 told": (partial(capped, 0.02, 100.0), 100.0),
    "numbers, normal": (normal, None),
    "numbers, t with 3 df, exchangeable": (partial(apart, student), None),
    "numbers, log-normal, exchangeable": (partial(apart, lognormal), None),
    "numbers, calibrated against overconfident": (overconfident, None),
}
"""Worlds of differences, and the largest that is known; of probabilities the draw itself tells it."""
ONES: dict[str, tuple[Callable[..., Any], tuple[float, float]]] = {
    "Brier of one model": (brier, (0.0, 2.0)),
    "log loss of one model": (log_loss, (0.0, np.inf)),
    "log-normal losses of one model": (lognormal, (0.0, np.inf)),
    "normal numbers": (normal, (-np.inf, np.inf)),
}


def tail_jobs() -> list[Job]:
    jobs = [
        Job(
            name=f"tails {name} n={n}",
            world=TAILS,
            run=partial(pairs, name, n),
            batch=BATCH,
            goal=GOAL,
        )
        for name, n in product(PAIRS, SIZES)
    ]
    return jobs + [
        Job(
            name=f"tails {name} n={n}",
            world=TAILS,
            run=partial(ones, name, n),
            batch=BATCH,
            goal=GOAL,
        )
        for name, n in product(ONES, SIZES)
    ]


def mean_of(draw: Callable[..., Any]) -> float:
    """The true mean, from 40 million numbers, known to about a thousandth of a standard deviation."""
    rng = np.random.default_rng(20)
    return float(np.mean([_rows(draw(rng, (1000, 2000)))[0].mean() for _ in range(20)]))


def _rows(drawn: Any) -> tuple[Any, Any]:
    """Rows of values and, where the draw tells it, the largest possible of each row."""
    return drawn if isinstance(drawn, tuple) else (drawn, None)


def _known(name: str) -> float:
    draw = (PAIRS | ONES)[name][0]
    if name not in _MEANS:
        equal = "equal means" in name or "exchangeable" in name or "normal" in name.split(", ")[-1:]
        _MEANS[name] = (
            np.exp(0.5) if draw is lognormal else 0.0 if equal or draw is normal else mean_of(draw)
        )
    return _MEANS[name]


_MEANS: dict[str, float] = {}


def pairs(name: str, n: int, rng: Generator, replicates: int) -> list[Found]:
    draw, known = PAIRS[name]

    def limits(rows: Any, told: Any) -> tuple[Any, Any]:
        largest = told if told is not None else known
        return pair_limits(rows, None if largest is None else largest + np.zeros(len(rows)))

    return [_counted(name, n, rng, replicates, draw, limits, "compare")]


def ones(name: str, n: int, rng: Generator, replicates: int) -> list[Found]:
    draw, ends = ONES[name]
    return [
        _counted(name, n, rng, replicates, draw, lambda rows, _: one_limits(rows, ends), "evaluate")
    ]


def _counted(
    name: str, n: int, rng: Generator, replicates: int, draw: Any, limits: Any, answers: str
) -> Found:
    truth, counts = (
        _known(name),
        dict.fromkeys(("n", "coverage@0.05", "t@0.05", "low", "high", "width", "t_width"), 0.0),
    )
    step = max(1, NUMBERS // n)
    for start in range(0, replicates, step):
        rows, told = _rows(draw(rng, (min(step, replicates - start), n)))
        mean, error = rows.mean(1), rows.std(1, ddof=1) / n**0.5
        reach = -stdtrit(n - 1.0, 0.025) * error
        low, high = limits(rows, told)
        counts["n"] += len(rows)
        counts["coverage@0.05"] += ((low <= truth) & (truth <= high)).sum()
        counts["t@0.05"] += (np.abs(mean - truth) <= reach).sum()
        counts["low"] += (low > truth).sum()
        counts["high"] += (high < truth).sum()
        counts["width"] += (high - low).sum()
        counts["t_width"] += 2.0 * reach.sum()
    table = Table(procedure=name, answers=answers, world=TAILS, unit="item", parameters=("n",))
    return Found(
        table=table, at=(n,), replicates=replicates, counts={k: float(v) for k, v in counts.items()}
    )


def t_limits(rows: Any) -> tuple[Any, Any]:
    """The ends of the plain t interval of each row."""
    n = rows.shape[1]
    reach = -stdtrit(n - 1.0, 0.025) * rows.std(1, ddof=1) / n**0.5
    return rows.mean(1) - reach, rows.mean(1) + reach


def pair_limits(
    rows: Any, largest: Any, *, checked: int = CHECKED, level: float = 0.95
) -> tuple[Any, Any]:
    """The ends of the default interval of each row of differences, whose largest may be known.

    The first ``checked`` rows also go through `paired_t`.
    """
    n = rows.shape[1]
    mean, error = rows.mean(1), rows.std(1, ddof=1) / n**0.5
    lean = lean_of(rows, bounded=largest is not None)
    low, high = wider_limits(mean, error, -stdtrit(n - 1.0, (1.0 - level) / 2.0), lean)
    if largest is not None:
        missing = allowed(1.0 - level, "two-sided")
        low = np.minimum(low, mean - error * unseen_reach(missing, (mean + largest) / error, n))
        high = np.maximum(high, mean + error * unseen_reach(missing, (largest - mean) / error, n))
    for row in range(min(checked, len(rows))):
        bound = None if largest is None else float(largest[row])
        found = paired_t(rows[row], variant="skewed", bound=bound, level=level).effect.interval
        _same((low[row], high[row]), found)
    return low, high


def one_limits(rows: Any, ends: tuple[float, float]) -> tuple[Any, Any]:
    """The ends of the default interval of each row of losses, of which some ends of the range are known."""
    n = rows.shape[1]
    mean, error = rows.mean(1), rows.std(1, ddof=1) / n**0.5
    reach = -stdtrit(n - 1.0, 0.025)
    known = np.isfinite(ends)
    lean = lean_of(rows, bounded=bool(known.all()), one_sided=bool(known.any()))
    low, high = wider_limits(mean, error, reach, lean)
    if np.isfinite(ends[0]):
        bottom, top = _stretched(mean, reach * error, ends)
        low, high = (
            np.where(lean >= 0, bottom, np.minimum(bottom, low)),
            np.where(lean >= 0, np.maximum(top, high), top),
        )
        if np.isfinite(ends[1]):
            reach = unseen_reach(allowed(0.05, "two-sided"), (1.0 - mean) / error, n)
            high = np.maximum(high, mean + error * reach)
            reach = unseen_reach(allowed(0.05, "two-sided"), mean / error, n)
            low = np.minimum(low, mean - error * reach)
        low, high = np.maximum(low, ends[0]), np.minimum(high, ends[1])
    measure = {0.0: "mae", -np.inf: "mean_loss"}[ends[0]] if ends[1] == np.inf else None
    for row in range(CHECKED if measure else 0):
        evidence = (
            read({"a:loss": rows[row]}, losses=True)
            if measure == "mean_loss"
            else read({"truth": np.zeros(n), "a:value": rows[row]}, models=["a"])
        )
        found = estimate(as_predictions(evidence), str(measure))
        _same((low[row], high[row]), found.interval)
    return low, high


def _stretched(mean: Any, reach: Any, ends: tuple[float, float]) -> tuple[Any, Any]:
    low, high = ends
    if np.isinf(high):
        factor = np.exp(np.minimum(reach / (mean - low), 300.0))
        return low + (mean - low) / factor, low + (mean - low) * factor
    factor = np.exp(np.minimum(reach * (high - low) / ((mean - low) * (high - mean)), 300.0))
    odds = (mean - low) / (high - mean)
    return low + (high - low) * (odds / factor) / (1 + odds / factor), high - (high - low) / (
        1 + odds * factor
    )


def _same(ours: tuple[Any, Any], found: Any) -> None:
    if found is None or not np.allclose(ours, (found.low, found.high), rtol=1e-6, atol=1e-9):
        raise Disagreement(f"{ours!r} in calibration, {found!r} from assay")


def tail_samples(found: Sequence[Found]) -> list[int]:
    """How many samples each cell has."""
    return [int(one.counts["n"]) for one in found if one.table.world == TAILS]


def tail_page(found: Sequence[Found]) -> str:
    """A row for each world, a column for each n: coverage, t's coverage, and width over t's."""
    mine = {(one.table.procedure, one.at[0]): one for one in found if one.table.world == TAILS}
    lines = [
        "| losses | " + " | ".join(f"n = {n}" for n in SIZES) + " |",
        "|" + "---|" * (len(SIZES) + 1),
    ]
    for name in (*PAIRS, *ONES):
        entries = []
        for n in SIZES:
            one = mine.get((name, n))
            if one is None:
                entries.append("")
                continue
            share, plain = (
                100 * one.counts[kind] / one.counts["n"] for kind in ("coverage@0.05", "t@0.05")
            )
            entries.append(
                f"{share:.1f} (t {plain:.1f}), × {one.counts['width'] / one.counts['t_width']:.2f}"
            )
        lines.append(f"| {name} | " + " | ".join(entries) + " |")
    return "\n".join(lines)
