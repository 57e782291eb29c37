"""Five models on independent items by a mean loss: families with any false difference.

The draws are those of `simultaneous_bootstrap`; some families of every batch go through it, and a difference stops
the run.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
from scipy.special import expit, stdtr

import assay
from assay.estimates.bootstrap import Replicates
from assay.hypotheses.simultaneous import Member, member_of
from assay.kernels.resampling import multinomial_blocks
from calibration.designs.cells import Found, Job, Table
from calibration.designs.means import Disagreement
from calibration.short_cells import judged

Generator = np.random.Generator
MODELS = "abcde"
PAIRS = tuple(combinations(MODELS, 2))
SIZES = (20, 50, 200)
ITEMS = "item_families"
BATCH, GOAL, DRAWS, CHECKED = 2_000, 20_000, 999, 2
SURELY = 0.12
"""P of the farthest pair alone above which a family differs nowhere at 5 %: over 49 of 999 draws lie beyond it."""


def brier(noise: float, rng: Generator, shape: tuple[int, int]) -> Any:
    """Brier scores, halved, of exchangeable models: (families, models, items)."""
    logits, truth = _drawn(rng, shape)
    return (expit(logits + noise * _noise(rng, shape)) - truth) ** 2


def log_loss(rng: Generator, shape: tuple[int, int]) -> Any:
    logits, truth = _drawn(rng, shape)
    return np.logaddexp(0.0, np.where(truth, -1.0, 1.0) * (logits + 0.7 * _noise(rng, shape)))


def lognormal(rng: Generator, shape: tuple[int, int]) -> Any:
    """Log-normal losses, a quarter of whose variance on the log scale is the item's."""
    return np.exp(0.5 * rng.standard_normal((shape[0], 1, shape[1])) + 0.866 * _noise(rng, shape))


def one_better(rng: Generator, shape: tuple[int, int]) -> Any:
    """Absolute errors, those of the first model half as large: the other four are exchangeable."""
    errors = np.abs(rng.standard_normal((shape[0], 1, shape[1])) + _noise(rng, shape))
    errors[:, 0] /= 2.0
    return errors


def _drawn(rng: Generator, shape: tuple[int, int]) -> tuple[Any, Any]:
    logits = 1.5 * rng.standard_normal((shape[0], 1, shape[1]))
    return logits, rng.random(logits.shape) < expit(logits)


def _noise(rng: Generator, shape: tuple[int, int]) -> Any:
    return rng.standard_normal((shape[0], len(MODELS), shape[1]))


WORLDS: dict[str, tuple[Callable[..., Any], int]] = {
    "Brier, exchangeable models": (partial(brier, 0.7), 0),
    "Brier, exchangeable models nearly alike": (partial(brier, 0.15), 0),
    "log loss, exchangeable models": (log_loss, 0),
    "log-normal losses, exchangeable models": (lognormal, 0),
    "absolute errors, one of five models better": (one_better, 1),
}
"""Worlds of losses, and how many models, the first, are better than the others."""


def item_jobs() -> list[Job]:
    return [
        Job(name=f"item families {name} n={n}", world=ITEMS, run=partial(measured, name, n), batch=BATCH, goal=GOAL)
        for name, n in product(WORLDS, SIZES)
    ]  # fmt: skip


def measured(name: str, n: int, rng: Generator, replicates: int) -> list[Found]:
    """Families in which some pair of equal models is called different."""
    draw, better = WORLDS[name]
    losses = draw(rng, (replicates, n))
    wrong = 0
    alike = [place for place, (a, _) in enumerate(PAIRS) if MODELS.index(a) >= better]
    far = _farthest(losses)
    for row, own in enumerate(losses):
        if row >= CHECKED and 2.0 * stdtr(n - 1.0, -far[row, alike].max()) > SURELY:
            continue
        p_values = _p_values(own, row)
        if row < CHECKED:
            _check(own, row, p_values)
        wrong += bool((p_values[alike] <= 0.05).any())
    table = Table(procedure=name, answers="compare", world=ITEMS, unit="item", parameters=("n",))
    counts = {"n": float(replicates), "family_wise@0.05": float(wrong)}
    return [Found(table=table, at=(n,), replicates=replicates, counts=counts)]


def _farthest(losses: Any) -> Any:
    """Student's t of every pair, without its sign."""
    found = []
    for a, b in combinations(range(len(MODELS)), 2):
        apart = losses[:, a] - losses[:, b]
        found.append(np.abs(apart.mean(1)) / apart.std(1, ddof=1) * apart.shape[1] ** 0.5)
    return np.stack(found, axis=1)


def _p_values(losses: Any, seed: int) -> Any:
    """The simultaneous p-values of one family, from the draws of the public function."""
    drawn = member(losses, seed)
    return ((drawn.largest[:, None] >= drawn.sizes()).sum(axis=0) + 1) / (DRAWS + 1)


def member(losses: Any, seed: int) -> Member:
    """All pairs of one family, (models, items), with the draws of the public function."""
    n = losses.shape[1]
    values = losses.mean(axis=1)
    ranked = np.argsort(-values, kind="stable")
    rows = losses[ranked]
    rows = rows[:, np.lexsort(tuple(reversed(rows)))]
    drawn = [
        weights @ rows.T / n for _, weights in multinomial_blocks(np.ones(n, int), DRAWS, seed)
    ]
    found = Replicates(
        measure="mean_loss", models=tuple(MODELS[place] for place in ranked), values=values[ranked],
        replicates=np.concatenate(drawn), seed=seed, kind="items", units=float(n), extent=np.inf, df=n - 1.0,
    )  # fmt: skip
    return member_of(found, PAIRS, n)


def _check(losses: Any, seed: int, ours: Any) -> None:
    table = {f"{model}:loss": own for model, own in zip(MODELS, losses, strict=True)}
    found = assay.simultaneous_bootstrap(
        assay.read(table, losses=True), measure="mean_loss", n_resamples=DRAWS, rng=seed
    )
    theirs = [one.p_value for one in found.outcomes]
    if not np.allclose(ours, theirs, rtol=0.0, atol=1e-9):
        raise Disagreement(f"{ours} in calibration, {theirs} from assay")


def family_table(
    found: Sequence[Found], world: str, sizes: Sequence[int], called: str = "losses"
) -> str:
    """A row for each kind of family, a column for each n: those with a false difference, in percent."""
    mine = {(one.table.procedure, one.at[0]): one for one in found if one.table.world == world}
    lines = [
        f"| {called} | " + " | ".join(f"n = {n}" for n in sizes) + " | families |",
        "|" + "---|" * (len(sizes) + 2),
    ]
    for name in dict.fromkeys(name for name, _ in mine):
        cells = [mine.get((name, n)) for n in sizes]
        fewest = min(int(one.counts["n"]) for one in cells if one)
        entries = ["" if one is None else _entry(one) for one in cells]
        lines.append(f"| {name} | " + " | ".join(entries) + f" | {fewest:,} |")
    return "\n".join(lines)


def _entry(one: Found) -> str:
    (cell,) = judged([one])
    text = f"{100 * cell.share:.1f}"
    return f"**{text}**" if cell.short else text
