"""Promises that many samples at once can answer: the gate, equivalence, items needed, agreement, pass@k.

The intervals are those of the methods that the public functions take; some samples of every cell go through the
public functions themselves, and a difference stops the run.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import beta, ndtri, stdtrit

import assay
from assay.hypotheses.paired_outcomes import mcnemar
from assay.kernels.differences import FourCounts, tango_limits
from assay.kernels.tails import normal_reach
from assay.measures.values import pass_at_k
from calibration.cluster_worlds import Drawn, World, mean_differences
from calibration.designs.means import Disagreement
from calibration.population_areas import Areas
from calibration.squared_errors import limits
from calibration.tails import one_limits, pair_limits

Generator = np.random.Generator
Cell = tuple[str, int, int]
"""What was tried, how often it came true, and of how many."""
Limits = tuple[Any, Any]
REPLICATES, AT_ONCE, CHECKED = 20_000, 400_000, 3
SPOILED = 0.2
"""The share of the candidate's answers that are turned round in the world at the margin."""
CLUSTER = 5
"""Items of a cluster in the contests of the gate that have some."""


def gate(rng: Generator, scale: float) -> Iterable[Cell]:
    """False alarms where models are equal, and passes of a candidate that is worse by the margin."""
    margins = margins_of()
    for n in (100, 400):
        for measure in ("accuracy", "brier", "roc_auc"):
            for clustered in (False, True) if measure != "roc_auc" else (False,):
                name = f"{measure}, n = {n}" + (", clusters of 5" if clustered else "")
                counts = [
                    words(rng, n, measure, worse, margins[measure], int(REPLICATES * scale), clustered=clustered)
                    for worse in (0.0, 1.0)
                ]  # fmt: skip
                (failed, _, of), (_, passed, others) = counts
                yield f"{name}: failed though equal", failed, of
                yield f"{name}: passed though worse by the margin", passed, others


def words(
    rng: Generator, n: int, measure: str, worse: float, margin: float, replicates: int, *, clustered: bool
) -> tuple[int, int, int]:  # fmt: skip
    """How many contests the gate fails and passes, and of how many.

    It passes one if the lower bound is above -margin; else it fails it if the upper one is below 0.
    """
    failed = passed = of = 0
    for start in range(0, replicates, AT_ONCE // n):
        count = min(AT_ONCE // n, replicates - start)
        drawn = Contests.drawn(rng, count, n, worse, clustered=clustered)
        if measure == "roc_auc":
            drawn = drawn.kept(drawn.truth.any(axis=1) & ~drawn.truth.all(axis=1))
        low, high = drawn.limits(measure, margin)
        said = np.where(low > -margin, "passed", np.where(high < 0.0, "failed", "undecided"))
        for row in range(CHECKED if start == 0 else 0):
            drawn.check(row, measure, margin, str(said[row]))
        failed += int((said == "failed").sum())
        passed += int((said == "passed").sum())
        of += said.size
    return failed, passed, of


class Contests(NamedTuple):
    """Truth and the chances that a baseline and a candidate give it, (contests, items)."""

    truth: Any
    a: Any
    b: Any
    clustered: bool

    @staticmethod
    def drawn(rng: Generator, count: int, n: int, worse: float, *, clustered: bool) -> "Contests":
        shape = (count, n)
        logits = 1.5 * rng.standard_normal(shape)
        if clustered:
            logits += 0.5 * np.repeat(rng.standard_normal((count, n // CLUSTER)), CLUSTER, axis=1)
        truth = rng.random(shape) < 1.0 / (1.0 + np.exp(-logits))
        a, b = (1.0 / (1.0 + np.exp(-logits - 0.7 * rng.standard_normal(shape))) for _ in "ab")
        turned = rng.random(shape) < worse * SPOILED
        return Contests(truth, a, np.where(turned, 1.0 - b, b), clustered)

    def kept(self, rows: Any) -> "Contests":
        return Contests(self.truth[rows], self.a[rows], self.b[rows], self.clustered)

    def limits(self, measure: str, margin: float) -> Limits:
        """Of candidate minus baseline the 90 % interval, the better the larger."""
        if measure == "roc_auc":
            areas = Areas(self.truth, {"b": self.b, "a": self.a})
            _, _, difference = next(areas.pairs())
            bottom, _ = difference.limits(-margin, 0, level=0.9)
            _, top = difference.limits(0.0, 0, level=0.9)
            return bottom, top
        if measure == "brier":
            better = (self.a - self.truth) ** 2 - (self.b - self.truth) ** 2
        else:
            better = (self._right(self.b) + 0.0) - self._right(self.a)
        if self.clustered:
            found = mean_differences(*_clusters(better), level=0.9)
            return found.low, found.high
        if measure == "brier":
            return pair_limits(better, np.ones(len(better)), checked=0, level=0.9)
        won, lost = (better > 0.0).sum(axis=1), (better < 0.0).sum(axis=1)
        return labels_limits(won, lost, better.shape[1], level=0.9)

    def _right(self, chance: Any) -> Any:
        return (chance > 0.5) == self.truth

    def check(self, row: int, measure: str, margin: float, word: str) -> None:
        table: dict[str, Any] = {"y": self.truth[row].astype(int)}
        for model, own in (("a", self.a[row]), ("b", self.b[row])):
            table[model] = (own > 0.5).astype(int) if measure == "accuracy" else own
        more: dict[str, Any] = {}
        if self.clustered:
            table["group"], more = np.arange(self.truth.shape[1]) // CLUSTER, {"cluster": "group"}
        found = assay.gate(
            table, truth="y", baseline="a", candidate="b", measures=measure, margin=margin,
            n_resamples=100, rng=0, **more,
        )  # fmt: skip
        if found.word != word:
            raise Disagreement(f"{word} in calibration, {found.word} from the gate")


def _clusters(values: Any) -> tuple[Drawn, Any]:
    """Values as `mean_differences` takes them: items in clusters of one size, none missing."""
    rows = values.reshape(len(values), -1, CLUSTER)
    world = World(clusters=rows.shape[1], sizes="", prevalence=0.5, separation=0.0)
    nothing = np.ones(rows.shape, bool)
    return Drawn(
        world=world, truth=nothing, scores=None, there=nothing, weights=nothing + 0.0
    ), rows


def labels_limits(won: Any, lost: Any, n: int, *, level: float) -> Limits:
    """Tango's interval of a difference of accuracies, worked out once for each pair of counts."""
    pairs = np.stack([won, lost]).astype(float)
    tables, places = np.unique(pairs, axis=1, return_inverse=True)
    same = n - tables.sum(axis=0)
    ends = tango_limits(
        FourCounts(same, tables[0], tables[1], np.zeros_like(same)),
        normal_reach(level, "two-sided"),
    )
    low, high = (one[places.ravel()] for one in ends)
    return low, high


def margins_of() -> dict[str, float]:
    """The margins: exactly what turning so many answers costs, from two million items."""
    rng = np.random.default_rng(17)
    n = 2_000_000
    logits = 1.5 * rng.standard_normal(n)
    truth = rng.random(n) < 1 / (1 + np.exp(-logits))
    chance = 1 / (1 + np.exp(-logits - 0.7 * rng.standard_normal(n)))
    turned = np.where(rng.random(n) < SPOILED, 1.0 - chance, chance)
    return {
        "accuracy": float(((chance > 0.5) == truth).mean() - ((turned > 0.5) == truth).mean()),
        "brier": float(((turned - truth) ** 2).mean() - ((chance - truth) ** 2).mean()),
        "roc_auc": _area(truth, chance) - _area(truth, turned),
    }


def _area(truth: Any, score: Any) -> float:
    ranks = np.empty(truth.size)
    ranks[np.argsort(score)] = np.arange(1.0, truth.size + 1.0)
    positives = int(truth.sum())
    total = ranks[truth].sum() - positives * (positives + 1) / 2
    return float(total / positives / (truth.size - positives))


def equivalence(rng: Generator, scale: float) -> Iterable[Cell]:
    """*Equivalent* said of models that differ by exactly the margin."""
    replicates = int(REPLICATES * scale)
    for n in (200, 1000):
        tables = rng.multinomial(n, [0.75, 0.10, 0.05, 0.10], replicates)
        low, high = labels_limits(tables[:, 1], tables[:, 2], n, level=0.95)
        said = (low > -0.05) & (high < 0.05)
        for counts, word in zip(tables[:CHECKED], said[:CHECKED], strict=True):
            kind = np.repeat(np.arange(4), counts)
            table = {
                "y": np.ones(n, int),
                "a": np.isin(kind, (0, 1)) + 0,
                "b": np.isin(kind, (0, 2)) + 0,
            }
            found = assay.compare(table, truth="y", margin=0.05, n_resamples=100, rng=0, positive=1)
            if word != (found.verdict.word == "equivalent"):
                raise Disagreement(f"{word} in calibration, {found.verdict.word} from compare")
        yield f"accuracy, margin .05, n = {n}: equivalent", int(said.sum()), replicates


def needed(rng: Generator, scale: float) -> Iterable[Cell]:
    """Power at the number of items that `plan` names for 80 %."""
    replicates = int(REPLICATES * scale)
    for difference, discordant in ((0.05, 0.2), (0.1, 0.3), (0.02, 0.1)):
        n = int(
            assay.plan(
                "accuracy", difference=difference, baseline=0.8, discordant=discordant, power=0.8
            ).n
            or 0
        )
        ahead, behind = (discordant + difference) / 2, (discordant - difference) / 2
        tables = rng.multinomial(n, [ahead, behind, 1.0 - discordant], replicates)
        seen = 0
        for (one, other, _), count in zip(
            *np.unique(tables, axis=0, return_counts=True), strict=True
        ):
            p = mcnemar(0, int(one), int(other), int(n - one - other)).p_value
            seen += int(count) * (p is not None and p <= 0.05)
        name = f"accuracy, difference {difference:g}, {discordant:.0%} discordant, n = {n}"
        yield name, seen, replicates
    for effect in (0.2, 0.5):
        n = int(assay.plan("mae", difference=effect, sd=1.0, power=0.8, baseline=1.0).n or 0)
        low, high = pair_limits(effect + rng.standard_normal((replicates, n)), None)
        seen = int(((low > 0.0) | (high < 0.0)).sum())
        yield f"a mean, {effect:g} standard deviations, n = {n}", seen, replicates
    for ratio in (1.2, 1.5, 2.0, 3.0):
        sd = (2.0 * (ratio**2 + 1.0)) ** 0.5
        n = int(assay.plan("mse", difference=ratio - 1.0, sd=sd, power=0.8).n or 0)
        seen = 0
        for start in range(0, replicates, AT_ONCE // n):
            a, b = rng.standard_normal((2, min(AT_ONCE // n, replicates - start), n)) ** 2
            low, _ = limits(ratio * a, b, checked=0 if start else CHECKED)
            seen += int((low > 0.0).sum())
        yield f"mean squared errors of {ratio:g} to 1, n = {n}", seen, replicates


def agreement(rng: Generator, scale: float) -> Iterable[Cell]:
    """Whether the true kappa or alpha lies in the interval; raters who always agree have none."""
    replicates = int(REPLICATES * scale)
    for n in (30, 100):
        for agreed in (0.3, 0.6, 0.9):
            chances = agreed * np.eye(3) / 3.0 + (1.0 - agreed) / 9.0
            tables = rng.multinomial(n, chances.ravel(), replicates).reshape(-1, 3, 3).astype(float)
            tables = tables[np.einsum("rii->r", tables) < n]
            for name, (low, high) in (
                ("kappa", kappa_limits(tables)),
                ("alpha", alpha_limits(tables)),
            ):
                for row in range(CHECKED):
                    _check_agreement(name, tables[row].astype(int), (low[row], high[row]))
                hits = int(((low <= agreed) & (agreed <= high)).sum())
                yield f"{name} {agreed:g}, two raters, three classes, n = {n}", hits, len(tables)


def kappa_limits(tables: Any) -> Limits:
    """Cohen's kappa of each table with the interval of Fleiss, Cohen and Everitt (1969)."""
    n = tables.sum(axis=(1, 2))
    shares = tables / n[:, None, None]
    rows, columns = shares.sum(axis=2), shares.sum(axis=1)
    chance = (rows * columns).sum(axis=1)
    value = (np.einsum("rii->r", shares) - chance) / (1.0 - chance)
    mean = columns[:, :, None] + rows[:, None, :]  # of what the raters say of a class
    inner = np.eye(tables.shape[1]) - mean * (1.0 - value)[:, None, None]
    variance = (shares * inner**2).sum(axis=(1, 2)) - (value - chance * (1.0 - value)) ** 2
    reach = -ndtri(0.025) * np.sqrt(np.maximum(variance, 0.0) / n) / (1.0 - chance)
    return np.clip(value - reach, -1.0, 1.0), np.clip(value + reach, -1.0, 1.0)


def alpha_limits(tables: Any) -> Limits:
    """Krippendorff's alpha of two raters, each item left out in turn, symmetric in log(1 - alpha)."""
    n, k = tables.sum(axis=(1, 2)), tables.shape[1]
    ratings = 2.0 * n
    totals = tables.sum(axis=2) + tables.sum(axis=1)
    against = ratings[:, None] - totals
    own = 2.0 * (1.0 - np.eye(k))
    within, across = (tables * own).sum(axis=(1, 2)), (totals * against).sum(axis=1)
    value = 1.0 - (ratings - 1.0) * within / across
    left = across[:, None, None] - 2.0 * (against[:, :, None] + against[:, None, :]) + own
    without = 1.0 - (ratings - 3.0)[:, None, None] * (within[:, None, None] - own) / left
    mean = (tables * without).sum(axis=(1, 2)) / n
    spread = (tables * (without - mean[:, None, None]) ** 2).sum(axis=(1, 2)) / n
    reach = -stdtrit(n - 1.0, 0.025) * np.sqrt((n - 1.0) * spread) / (1.0 - value)
    bent = -np.log1p(-value)
    return np.maximum(-np.expm1(-(bent - reach)), -1.0), np.maximum(
        -np.expm1(-(bent + reach)), -1.0
    )


def _check_agreement(name: str, table: Any, ours: tuple[float, float]) -> None:
    first, second = (np.repeat(side.ravel(), table.ravel()) for side in np.indices(table.shape))
    if name == "kappa":
        found = assay.cohens_kappa(first, second).interval
    else:
        found = assay.krippendorff_alpha(np.stack([first, second], axis=1)).interval
    if found is None or not np.allclose(ours, (found.low, found.high), rtol=1e-6, atol=1e-9):
        raise Disagreement(f"{name}: {ours!r} in calibration, {found!r} from assay")


def repeated_answers(rng: Generator, scale: float) -> Iterable[Cell]:
    """pass@k of 40 and 150 tasks with 10 attempts each."""
    replicates = int(REPLICATES * scale)
    for n in (40, 150):
        for k in (1, 5):
            truth = 1.0 - float(beta(0.5, 1.0 + k) / beta(0.5, 1.0))
            solved = rng.binomial(10, rng.beta(0.5, 1.0, (replicates, n)))
            values = pass_at_k(np.full(11, 10), np.arange(11), k)[solved]
            low, high = one_limits(values, (-np.inf, np.inf))
            for row in range(CHECKED):
                found = assay.evaluate(
                    {"a:loss": values[row]}, measures="reward", losses=False, lower_is_better=False
                ).estimates[0].interval  # fmt: skip
                if found is None or not np.allclose((low[row], high[row]), (found.low, found.high)):
                    raise Disagreement(
                        f"{low[row], high[row]} in calibration, {found!r} from assay"
                    )
            yield (
                f"pass@{k}, {n} tasks, 10 attempts",
                int(((low <= truth) & (truth <= high)).sum()),
                replicates,
            )
