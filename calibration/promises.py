"""Promises beyond levels and coverage of the grid: `python -m calibration.promises`.

Each promise draws worlds in which the right answer is known, lets the public functions answer, and counts.
Resumable by promise: what is in `results/promises.json` is not measured again (--again NAME measures it anew).
Options: --only NAME, --scale X (replicates times X), --publish (measure nothing).
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.estimates.clustered_means import cluster_difference
from assay.hypotheses.paired_outcomes import mcnemar
from assay.hypotheses.paired_scores import paired_t
from assay.hypotheses.roc import delong_test
from assay.kernels.betting_wealth import STAKES
from assay.kernels.binomial import mid_p_limits
from assay.measures.values import pass_at_k
from calibration.curve_verdicts import learning_curves
from calibration.designs.means import Disagreement
from calibration.squared_errors import limits

Generator = np.random.Generator
HERE = Path(__file__).parent
RESULTS, PAGE = HERE / "results" / "promises.json", HERE.parent / "docs" / "calibration-promises.md"
CHECKED = 3
Cell = tuple[str, int, int]
"""What was tried, how often it came true, and of how many."""


def two(rng: Generator, n: int, both: float, one: float, other: float) -> dict[str, Any]:
    """Answers of two models, right or wrong, of a truth that is always 1."""
    kind = rng.choice(4, n, p=[both, one, other, 1.0 - both - one - other])
    return {"y": np.ones(n, int), "a": np.isin(kind, (0, 1)) + 0, "b": np.isin(kind, (0, 2)) + 0}


def sequential(rng: Generator, scale: float) -> Iterable[Cell]:
    """Whether zero is ever outside the confidence sequence: looked at every 10 items up to 5,000."""
    for name, share in (("accuracy, 10 % discordant", 0.1), ("accuracy, 40 % discordant", 0.4)):
        replicates, wrong = int(400 * scale), 0
        for _ in range(replicates):
            kind = rng.choice([0.5, 1.0, 0.0], 5000, p=[1 - share, share / 2, share / 2])
            wrong += any(_excluded(side) for side in (kind, 1.0 - kind))
        yield f"{name}: zero excluded at some look", wrong, replicates
    replicates, wrong = int(400 * scale), 0
    for _ in range(replicates):
        logits = 1.5 * rng.standard_normal(5000)
        truth = rng.random(5000) < 1 / (1 + np.exp(-logits))
        loss = [
            (1 / (1 + np.exp(-logits - 0.7 * rng.standard_normal(5000))) - truth) ** 2 for _ in "ab"
        ]
        half = (loss[0] - loss[1] + 1.0) / 2.0
        wrong += any(_excluded(side) for side in (half, 1.0 - half))
    yield "Brier, exchangeable models: zero excluded at some look", wrong, replicates


def _excluded(rising: Any) -> bool:
    """Whether the wealth that bets on a mean above ½ passes 1/0.025 at a look; as in `betting_wealth`."""
    gains = np.zeros(STAKES.size)
    for start in range(0, rising.size, 500):
        path = gains + np.cumsum(
            np.log1p(STAKES * (rising[start : start + 500, None] / 0.5 - 1.0)), axis=0
        )
        looks = path[9::10]
        if (np.logaddexp.reduce(looks, axis=1) - np.log(STAKES.size)).max() >= -np.log(0.025):
            return True
        gains = path[-1]
    return False


def gate(rng: Generator, scale: float) -> Iterable[Cell]:
    """False alarms where models are equal, and passes of a candidate that is worse by the margin.

    The bounds are those of the methods that the gate takes; some contests of each cell go through the gate itself.
    """
    _margins()
    for n in (100, 400):
        for measure in ("accuracy", "brier", "roc_auc"):
            for clustered in (False, True) if measure != "roc_auc" else (False,):
                name = f"{measure}, n = {n}" + (", clusters of 5" if clustered else "")
                replicates = int(2000 * scale)
                said: dict[float, list[str]] = {}
                for worse in (0.0, 1.0):
                    drawn = (
                        _contest(rng, n, measure, worse, clustered=clustered)
                        for _ in range(replicates)
                    )
                    said[worse] = [
                        _gated(table, measure, checked=place < CHECKED)
                        for place, table in enumerate(drawn)
                    ]
                yield f"{name}: failed though equal", said[0.0].count("failed"), replicates
                passed = said[1.0].count("passed")
                yield f"{name}: passed though worse by the margin", passed, replicates


def _gated(table: dict[str, Any], measure: str, *, checked: bool) -> str:
    """The word of the gate: passed if the lower bound is above -margin, failed if the upper is below 0."""
    margin = MARGINS[measure]
    interval = _difference(table, measure)
    low, high = (
        (interval.low, interval.high) if measure != "brier" else (-interval.high, -interval.low)
    )
    word = "passed" if low > -margin else "failed" if high < 0.0 else "undecided"
    if checked:
        more = {"cluster": "group"} if "group" in table else {}
        options: dict[str, Any] = {
            "measures": measure,
            "margin": margin,
            "n_resamples": 100,
            **more,
        }
        found = assay.gate(table, truth="y", baseline="a", candidate="b", rng=0, **options)
        if found.word != word:
            raise Disagreement(f"{word} in calibration, {found.word} from the gate")
    return word


def _difference(table: dict[str, Any], measure: str) -> Any:
    """The interval of candidate minus baseline at 90 %, by the default method."""
    truth, a, b = table["y"], table["a"], table["b"]
    if measure == "roc_auc":
        return delong_test(truth, b, a, variant="t", level=0.9).effect.interval
    if measure == "brier":
        a, b = (a - truth) ** 2, (b - truth) ** 2
    else:
        a, b = ((one == truth).astype(float) for one in (a, b))
    if "group" in table:
        return cluster_difference(b, a, table["group"], level=0.9).interval
    if measure == "brier":
        return paired_t(b, a, level=0.9, variant="skewed", bound=1.0).effect.interval
    counts = [int(((b == i) & (a == j)).sum()) for i, j in ((1, 1), (1, 0), (0, 1), (0, 0))]
    return mcnemar(*counts, level=0.9).effect.interval


def _contest(
    rng: Generator, n: int, measure: str, worse: float, *, clustered: bool
) -> dict[str, Any]:
    groups = np.arange(n) // 5
    own = 0.5 * rng.standard_normal(n)[groups] if clustered else np.zeros(n)
    logits = 1.5 * rng.standard_normal(n) + own
    truth = (rng.random(n) < 1 / (1 + np.exp(-logits))).astype(int)
    noise = 0.7 * rng.standard_normal((2, n))
    chance = 1 / (1 + np.exp(-logits - noise))
    turned = rng.random(n) < worse * SPOILED
    chance[1] = np.where(turned, 1.0 - chance[1], chance[1])
    table: dict[str, Any] = {"y": truth, "group": groups}
    for model, one in zip("ab", chance, strict=True):
        table[model] = (one > 0.5).astype(int) if measure == "accuracy" else one
    if not clustered:
        del table["group"]
    return table


SPOILED = 0.2
"""The share of the candidate's answers that are turned round in the world at the margin."""
MARGINS: dict[str, float] = {}


def _margins() -> None:
    """The margins: exactly what turning so many answers costs, from two million items."""
    rng = np.random.default_rng(17)
    n = 2_000_000
    logits = 1.5 * rng.standard_normal(n)
    truth = rng.random(n) < 1 / (1 + np.exp(-logits))
    chance = 1 / (1 + np.exp(-logits - 0.7 * rng.standard_normal(n)))
    turned = np.where(rng.random(n) < SPOILED, 1.0 - chance, chance)
    MARGINS["accuracy"] = float(((chance > 0.5) == truth).mean() - ((turned > 0.5) == truth).mean())
    MARGINS["brier"] = float(((turned - truth) ** 2).mean() - ((chance - truth) ** 2).mean())
    areas = [_area(truth, one) for one in (chance, turned)]
    MARGINS["roc_auc"] = areas[0] - areas[1]


def _area(truth: Any, score: Any) -> float:
    ranks = np.empty(truth.size)
    ranks[np.argsort(score)] = np.arange(1.0, truth.size + 1.0)
    positives = int(truth.sum())
    total = ranks[truth].sum() - positives * (positives + 1) / 2
    return float(total / positives / (truth.size - positives))


def equivalence(rng: Generator, scale: float) -> Iterable[Cell]:
    """*Equivalent* said of models that differ by exactly the margin."""
    for n in (200, 1000):
        replicates, said = int(1000 * scale), 0
        for place in range(replicates):
            table = two(rng, n, 0.75, 0.10, 0.05)
            counts = [
                int(((table["a"] == i) & (table["b"] == j)).sum())
                for i, j in ((1, 1), (1, 0), (0, 1), (0, 0))
            ]
            interval = mcnemar(*counts).effect.interval
            word = interval is not None and interval.within(0.05)
            if place < CHECKED:
                found = assay.compare(
                    table, truth="y", margin=0.05, n_resamples=100, rng=0, positive=1
                )
                if word != (found.verdict.word == "equivalent"):
                    raise Disagreement(f"{word} in calibration, {found.verdict.word} from compare")
            said += word
        yield f"accuracy, margin .05, n = {n}: equivalent", said, replicates


def needed(rng: Generator, scale: float) -> Iterable[Cell]:
    """Power at the number of items that `plan` names for 80 %."""
    for difference, discordant in ((0.05, 0.2), (0.1, 0.3), (0.02, 0.1)):
        found = assay.plan(
            "accuracy", difference=difference, baseline=0.8, discordant=discordant, power=0.8
        )
        n = int(found.n or 0)
        replicates, seen = int(3000 * scale), 0
        ahead, behind = (discordant + difference) / 2, (discordant - difference) / 2
        tables = rng.multinomial(n, [0.5, ahead, behind, 0.5 - discordant], replicates)
        for both, one, other, none in tables:
            p = mcnemar(int(both), int(one), int(other), int(none)).p_value
            seen += p is not None and p <= 0.05
        yield (
            f"accuracy, difference {difference:g}, {discordant:.0%} discordant, n = {n}",
            seen,
            replicates,
        )
    for effect in (0.2, 0.5):
        found = assay.plan("mae", difference=effect, sd=1.0, power=0.8, baseline=1.0)
        n = int(found.n or 0)
        replicates, seen = int(1000 * scale), 0
        for _ in range(replicates):
            p = paired_t(effect + rng.standard_normal(n), variant="skewed").p_value
            seen += p is not None and p <= 0.05
        yield f"a mean, {effect:g} standard deviations, n = {n}", seen, replicates
    for ratio in (1.2, 1.5, 2.0, 3.0):
        sd = (2.0 * (ratio**2 + 1.0)) ** 0.5
        n = int(assay.plan("mse", difference=ratio - 1.0, sd=sd, power=0.8).n or 0)
        replicates = int(2000 * scale)
        a, b = rng.standard_normal((2, replicates, n)) ** 2
        low, _ = limits(ratio * a, b, checked=CHECKED)
        seen = int((low > 0.0).sum())
        yield f"mean squared errors of {ratio:g} to 1, n = {n}", seen, replicates


def posterior(rng: Generator, scale: float) -> Iterable[Cell]:
    """Where P(A is better) is above .95: how often it is, models drawn from the prior; and under equality."""
    replicates, sure, right, fooled = int(400 * scale), 0, 0, 0
    for _ in range(replicates):
        shares = rng.dirichlet([1.0, 1.0, 1.0])  # ahead, behind, alike
        kind = rng.choice(3, 60, p=shares)
        better = _chance(kind)
        if better > 0.95 or better < 0.05:
            sure += 1
            right += (better > 0.5) == (shares[0] > shares[1])
        kind = rng.choice(3, 60, p=[0.15, 0.15, 0.7])
        fooled += not 0.05 <= _chance(kind) <= 0.95
    yield (
        "accuracy, n = 60, models drawn at random: A is better where P(A better) > .95 (or < .05)",
        right,
        sure,
    )
    yield "accuracy, n = 60, equal models: P(A better) > .95 or < .05", fooled, replicates


def _chance(kind: Any) -> float:
    table = {
        "y": np.ones(kind.size, int),
        "a": (kind != 1).astype(int),
        "b": (kind != 0).astype(int),
    }
    if (table["a"] == 1).all() and (table["b"] == 1).all():
        return 0.5
    verdict = assay.compare(table, truth="y", positive=1, n_resamples=100, rng=0).verdict
    return 0.5 if verdict.p_better is None else verdict.p_better


def agreement(rng: Generator, scale: float) -> Iterable[Cell]:
    """Whether the true kappa or alpha lies in the interval."""
    for n in (30, 100):
        for agreed in (0.3, 0.6, 0.9):
            held: dict[str, list[bool]] = {"kappa": [], "alpha": []}
            for _ in range(int(600 * scale)):
                first = rng.integers(0, 3, n)
                second = np.where(rng.random(n) < agreed, first, rng.integers(0, 3, n))
                ratings = np.stack([first, second], axis=1)
                for name, found in (
                    ("kappa", assay.cohens_kappa(first, second)),
                    ("alpha", assay.krippendorff_alpha(ratings)),
                ):
                    if found.interval is not None:  # raters who always agree have none
                        held[name].append(_holds(found, agreed))
            for name, hits in held.items():
                yield f"{name} {agreed:g}, two raters, three classes, n = {n}", sum(hits), len(hits)


def _holds(found: Any, truth: float) -> bool:
    return found.interval is not None and bool(found.interval.contains(truth))


def preferences(rng: Generator, scale: float) -> Iterable[Cell]:
    """Bradley-Terry: intervals of the pairs' differences hold the truth, and all at once."""
    strengths = np.array([0.0, 0.3, 0.6, 1.0])
    for votes in (15, 60):
        replicates, hits, together = int(250 * scale), 0, 0
        for _ in range(replicates):
            rows: dict[str, list[str]] = {"model_a": [], "model_b": [], "winner": []}
            for i in range(4):
                for j in range(i + 1, 4):
                    won = rng.binomial(votes, 1 / (1 + np.exp(strengths[j] - strengths[i])))
                    rows["model_a"] += [f"m{i}"] * votes
                    rows["model_b"] += [f"m{j}"] * votes
                    rows["winner"] += [f"m{i}"] * won + [f"m{j}"] * (votes - won)
            found = assay.bradley_terry(rows)
            centred = strengths - strengths.mean()
            inside = [
                _holds(one, centred[int(one.model[1])]) for one in found.estimates if one.model
            ]
            hits += sum(inside)
            together += all(inside)
        yield f"strengths of 4 models, {votes} votes a pair: interval holds", hits, 4 * replicates


def repeated_answers(rng: Generator, scale: float) -> Iterable[Cell]:
    """pass@k of 40 and 150 tasks with 10 attempts each."""
    for n in (40, 150):
        for k in (1, 5):
            replicates, hits = int(400 * scale), 0
            grid = rng.beta(0.5, 1.0, 400_000)
            truth = float((1.0 - (1.0 - grid) ** k).mean())
            for _ in range(replicates):
                chance = rng.beta(0.5, 1.0, n)
                solved = rng.binomial(10, chance)
                values = pass_at_k(np.full(n, 10), solved, k)
                found = assay.evaluate(
                    {"a:loss": values}, measures="reward", losses=False, lower_is_better=False
                )
                hits += _holds(found.estimates[0], truth)
            yield f"pass@{k}, {n} tasks, 10 attempts", hits, replicates


def partial_nulls(rng: Generator, scale: float) -> Iterable[Cell]:
    """Any false difference where one model of 5, or half of 20, is better and the others are equal."""
    for models, better, units in ((5, 1, 15), (5, 1, 40), (20, 10, 30)):
        replicates, wrong = int((150 if models == 5 else 30) * scale), 0
        for _ in range(replicates):
            scores = (
                0.8
                + 0.05 * rng.standard_normal((units, 1))
                + 0.02 * rng.standard_normal((units, models))
            )
            scores[:, :better] += 0.03
            names = [f"m{i}" for i in range(models)]
            table = {
                "dataset": [f"d{i}" for i in range(units)],
                **dict(zip(names, scores.T, strict=True)),
            }
            found = assay.compare(table, measure="accuracy", unit="dataset", n_resamples=200, rng=0)
            alike = [set(names[:better]), set(names[better:])]
            wrong += any(
                one.different and any({one.a, one.b} <= group for group in alike)
                for one in found.verdicts
            )
        yield (
            f"{models} models over {units} data sets, {better} better: any false difference",
            wrong,
            replicates,
        )


def winners(rng: Generator, scale: float) -> Iterable[Cell]:
    """The interval of the winner's accuracy holds its true accuracy."""
    for models, n in ((5, 100), (20, 100), (20, 400)):
        replicates, hits = int(100 * scale), 0
        for _ in range(replicates):
            true = rng.uniform(0.7, 0.8, models)
            hard = rng.random(n)
            answers = (0.5 * hard + 0.5 * rng.random((models, n))) < _cut(true)[:, None]
            table = {
                "truth": np.ones(n, int),
                **{f"m{i}": row.astype(int) for i, row in enumerate(answers)},
            }
            best = int(answers.mean(axis=1).argmax())
            hits += _holds(assay.best_of(table, n_resamples=300, rng=0), float(true[best]))
        yield f"best of {models} models near .75, n = {n}: interval holds", hits, replicates


def _cut(share: Any) -> Any:
    """Where the mean of two uniform numbers is below with this probability, from one half on."""
    return 1.0 - np.sqrt((1.0 - share) / 2.0)


PROMISES: dict[str, tuple[Callable[[Generator, float], Iterable[Cell]], str, str]] = {
    "sequential": (sequential, "Sequential verdicts: error over the whole path", "at most 5 %"),
    "gate": (gate, "The gate", "at most 5 %"),
    "equivalence": (equivalence, "Equivalence at the margin", "at most 5 %"),
    "needed": (needed, "Items needed for 80 % power", "75 to 85 %"),
    "posterior": (
        posterior,
        "Posterior probabilities",
        "at least 95 % right; under equality published",
    ),
    "agreement": (agreement, "Kappa and alpha", "at least 93.5 %"),
    "preferences": (preferences, "Bradley-Terry", "at least 93.5 %"),
    "repeated_answers": (repeated_answers, "pass@k", "at least 93.5 %"),
    "partial_nulls": (partial_nulls, "Many models, some of them equal", "at most 5.5 %"),
    "winners": (winners, "The winner's interval", "at least 93.5 %"),
    "learning_curves": (learning_curves, "Verdicts on learning curves", "at most 5 %"),
}


def page(found: dict[str, Any]) -> str:
    lines = [
        "# Calibration of promises",
        "",
        "`python -m calibration.promises` measures what assay promises beyond the levels and coverages of the",
        "[grid](calibration.md): worlds in which the right answer is known, answered by the public functions. In",
        "brackets the 99 % Monte-Carlo interval (mid-p). Runs with seeds (3, 5, 10, 30) are in the grid, under *Runs*;",
        "learning curves are of least squares on five features. Of Bradley-Terry four intervals of each fit are",
        "counted (not independent); of kappa and alpha the samples in which raters sometimes disagree.",
    ]
    for name, (_, title, asked) in PROMISES.items():
        if name not in found:
            lines += ["", f"## {title}", "", "Not measured."]
            continue
        lines += [
            "",
            f"## {title}",
            "",
            f"Asked for: {asked}.",
            "",
            "| what | share | of |",
            "|---|---|---|",
        ]
        for what, hits, of in found[name]["cells"]:
            low, high = (float(end) for end in mid_p_limits(hits, of, 0.005)) if of else (0.0, 1.0)
            share = hits / of if of else float("nan")
            lines.append(f"| {what} | {share:.1%} ({low:.1%} to {high:.1%}) | {of:,} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.promises", description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--again", default="")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--publish", action="store_true")
    chosen = parser.parse_args()
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for number, (name, (measure, _, _)) in enumerate(PROMISES.items()):
        if (
            chosen.publish
            or not name.startswith(chosen.only)
            or (name in found and name != chosen.again)
        ):
            continue
        began = time.time()
        rng = np.random.default_rng([19, number])
        found[name] = {
            "cells": [(what, int(hits), int(of)) for what, hits, of in measure(rng, chosen.scale)],
            "scale": chosen.scale,
        }
        RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        print(f"{name}: {time.time() - began:.0f} s", file=sys.stderr, flush=True)
    PAGE.write_text(page(found))


if __name__ == "__main__":
    main()
