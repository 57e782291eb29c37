"""`python -m tools.learner_cases`: reference cases of one learner's error by folds, nested folds and bootstrap, by R.

Formulas are written anew in R, from the papers, by loops over items, folds and samples; Wilson's limits are
those of `prop.test`. Where ipred is installed and follows the paper (error rates no worse than chance) its
`bootest` has to give the same .632+ for the same samples. Needs Rscript; assay itself is not asked.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.size_cases import by_r, write

Generator = np.random.Generator
Case = tuple[dict[str, Any], dict[str, Any]]
Losses = NDArray[np.float64]
COUNT = 16

WILSON = """
told <- function(v, se, n, rate, least) {
  p <- if (side == 0) (1 + level) / 2 else level
  if (rate == 1) {
    s <- min(1, max(0, v)); m <- n
    if (se > 0 && s > 0 && s < 1) m <- min(n, s * (1 - s) / se^2 + 1)
    i <- suppressWarnings(prop.test(s * m, m, conf.level = 2 * p - 1, correct = FALSE)$conf.int)
  } else if (se > 0) i <- c(max(least, v - qnorm(p) * se), v + qnorm(p) * se) else i <- c(NA, NA)
  if (side == 1) i[1] <- if (rate == 1) 0 else least
  if (side == -1) i[2] <- if (rate == 1) 1 else Inf
  c(v, se, i)
}
"""
BAYLE = """
n <- length(x); v <- mean(x); s <- 0
if (within == 1) { for (f in unique(fold)) s <- s + sum(fold == f) / n * var(x[fold == f]) } else
  for (i in 1:n) s <- s + (x[i] - v)^2 / n
se <- sqrt(s / n); if (se < 1e-12 * max(abs(x))) se <- 0
p <- if (side == 0) (1 + level) / 2 else level
show(told(v, se, n, rate, least), v - qnorm(p) * se, v + qnorm(p) * se)
"""
NESTED = """
n <- length(fold) / reps; K <- max(fold); a <- c(); b <- c(); es <- c(); plain <- c()
for (r in 1:reps) for (k in 1:K) {
  rows <- (r - 1) * n + 1:n; own <- fold[rows]; l <- x[rows, ]
  out <- l[own == k, k]; inn <- l[own != k, k]; es <- c(es, inn); plain <- c(plain, out)
  a <- c(a, (mean(inn) - mean(out))^2); b <- c(b, var(out) / length(out))
}
naive <- sd(es) / sqrt(n); mse <- mean(a - b)
se <- min(max(sqrt(max(mse, 0) * (K - 1) / K), naive), sqrt(K) * naive)
if (se < 1e-12 * max(abs(x))) se <- 0
v <- mean(es) - (1 + (K - 2) / K) * (mean(es) - mean(plain))
v <- max(least, v); if (rate == 1) v <- min(1, v)
show(told(v, se, n, rate, least), mean(es), mean(plain), mse)
"""
PLUS = """
E <- c(); for (i in 1:ncol(x)) { l <- x[!is.na(x[, i]), i]; if (length(l)) E <- c(E, mean(l)) }
inside <- mean(fitted); one <- mean(E); outside <- min(one, gamma); R <- 0
if (outside > inside && gamma > inside) R <- (outside - inside) / (gamma - inside)
plain <- .368 * inside + .632 * one
v <- plain + (outside - inside) * .368 * .632 * R / (1 - .368 * R)
x <- x[, colSums(!is.na(x)) > 0, drop = FALSE]
n <- ncol(x); items <- var(E) / n; se <- sqrt(items); usable <- rowSums(!is.na(x)) > 1
if (nrow(x) > 1) {
  x <- x[usable, , drop = FALSE]; effect <- rep(NA, n); noise <- 0; share <- 1 - (1 - 1 / n)^n
  for (i in 1:n) {
    out <- which(!is.na(x[, i])); inn <- which(is.na(x[, i]))
    if (length(out) < 2 || length(inn) < 2) next
    others <- apply(x[, -i, drop = FALSE], 1, mean, na.rm = TRUE)
    effect[i] <- share * (mean(others[inn]) - mean(others[out]))
    noise <- noise + share^2 * (var(others[inn]) / length(inn) + var(others[out]) / length(out))
  }
  effect <- if (all(is.na(effect))) rep(0, n) else effect - mean(effect, na.rm = TRUE)
  effect[is.na(effect)] <- 0
  se <- sqrt(max(sum(((E - mean(E)) / n + effect)^2) - noise, items))
}
if (se <= 1e-12 * max(abs(E))) se <- 0
show(told(v, se, n, rate, least), R, plain)
"""
IPRED = """
suppressMessages(library(ipred)); n <- length(truth); y <- factor(truth, levels = 0:2); at <- 0
said <- function(v) factor(v, levels = levels(y))
model <- function(formula, data, ...) { at <<- at + 1; structure(list(at = at), class = "told") }
answer <- function(object, newdata) said(if (object$at > nrow(samples)) whole else preds[object$at, ])
drawn <- lapply(1:nrow(samples), function(b) samples[b, ])
f <- ipred:::bootest.factor(y, y ~ ., data.frame(y = y, x = 1:n), model = model, predict = answer,
  bc632plus = TRUE, nboot = nrow(samples), list.tindx = drawn)
show(f$error)
"""


def has_ipred() -> bool:
    return bool(by_r('show(1 * requireNamespace("ipred", quietly = TRUE))\n')[0])


def facts_of(losses: Losses) -> dict[str, float]:
    """Whether losses are errors of 0 and 1, and the least that their mean may be."""
    seen = losses[~np.isnan(losses)]
    rate = bool(np.isin(seen, (0.0, 1.0)).all())
    return {"rate": float(rate), "least": 0.0 if seen.min() >= 0.0 else -np.inf}


def told(value: float, error: float, low: float, high: float) -> dict[str, Any]:
    """No standard error where nothing varies; no interval where there is none."""
    ends = [low, high]
    return {
        "value": value,
        "standard_error": error or None,
        "ci": None if any(map(math.isnan, ends)) else [end if math.isfinite(end) else None for end in ends],
    }  # fmt: skip


def awkward(place: int, n: int, rng: Generator) -> Losses:
    """Losses of n items, of another kind by the place of the case: few values, none, outliers, offsets."""
    kinds = [
        rng.normal(0.4, 1.0, n),
        (rng.random(n) < 0.3) * 1.0,
        (rng.random(n) < 0.05) * 1.0,
        np.round(rng.exponential(1.0, n), 1),
        rng.standard_t(2, n) ** 2,
        rng.choice([0.0, 0.5, 1.0], n),
        1e4 + rng.normal(0.0, 1.0, n),
        -rng.exponential(1.0, n),
    ]
    return np.round(kinds[place % len(kinds)], 3)


def bayle(place: int, rng: Generator) -> Case:
    n, count = [(4, 2), (9, 2), (10, 5), (23, 5), (60, 10), (12, 4)][place % 6]
    losses = awkward(place, n, rng)
    if place in (5, 11, 14):  # nothing varies: no error, all errors, one number
        losses = np.full(n, {5: 0.0, 11: 1.0, 14: 0.3}[place])
    folds = rng.permutation(np.arange(n) % count)
    given: dict[str, Any] = {
        "losses": losses.tolist(),
        "folds": [f"fold {fold}" for fold in folds] if place % 3 == 0 else folds.tolist(),
        "within": bool(place % 2),
        "confidence": [0.9, 0.95, 0.99][place % 3],
        "alternative": ("two-sided", "greater", "less")[(place // 3) % 3],
    }
    side = {"two-sided": 0, "greater": -1, "less": 1}[given["alternative"]]
    *said, wald_low, wald_high = by_r(
        WILSON + BAYLE, x=losses, fold=folds, within=float(given["within"]),
        level=given["confidence"], side=side, **facts_of(losses),
    )  # fmt: skip
    return given, told(*said) | {"wald_low": wald_low, "wald_high": wald_high}


def nested(place: int, rng: Generator) -> Case:
    n, count, repeats = [(6, 3, 1), (7, 3, 2), (24, 4, 3), (31, 5, 2), (50, 5, 1)][place % 5]
    base = awkward(place, n, rng)[None, :, None]
    table = np.repeat(np.repeat(base, repeats, axis=0), count, axis=2)
    if place % 2:  # models differ by fold; else each item is lost alike by all of them
        table = np.where(rng.random(table.shape) < 0.3, rng.permuted(table, axis=1), table)
    folds = np.stack([rng.permutation(np.arange(n) % count) for _ in range(repeats)])
    if place in (4, 9, 14):
        table = np.full(table.shape, {4: 0.0, 9: 1.0, 14: 0.3}[place])
    if place in (2, 12):  # folds differ so much that the standard error meets its upper bound
        table = np.broadcast_to(
            np.round(rng.normal(0.0, 1.0, count), 2)[folds][:, :, None], table.shape
        )
    given: dict[str, Any] = {
        "losses": table.tolist(),
        "folds": folds.tolist(),
        "confidence": [0.9, 0.95, 0.99][place % 3],
    }
    *said, inner, plain, mse = by_r(
        WILSON + NESTED, x=table.reshape(-1, count), fold=(folds + 1).ravel(), reps=repeats,
        level=given["confidence"], side=0, **facts_of(table),
    )  # fmt: skip
    return given, told(*said) | {"nested": inner, "plain": plain, "mse": mse}


def plus(place: int, rng: Generator) -> Case:
    n, size = [(5, 8), (12, 30), (30, 12), (20, 60), (8, 4)][place % 5]
    samples = rng.integers(0, n, (size, n))
    kept = [np.setdiff1d(np.arange(n), row) for row in samples]
    given: dict[str, Any] = {"confidence": [0.9, 0.95, 0.99][place % 3]}
    table, classes = np.full((size, n), np.nan), place % 2 == 0
    if classes:
        truth = rng.integers(0, 3, n)
        good = {0: 0.8, 2: 0.9, 4: 0.05}.get(place % 6, 0.6)
        fitted_right = 1.0 if place % 4 == 0 else 0.9
        preds = np.where(rng.random((size, n)) < good, truth, (truth + 1) % 3)
        whole = np.where(rng.random(n) < fitted_right, truth, (truth + 2) % 3)
        fitted = (whole != truth) * 1.0
        gamma = float(np.not_equal.outer(truth, whole).mean())
        for row, out in enumerate(kept):
            table[row, out] = preds[row, out] != truth[out]
    else:
        base, fitted = awkward(place // 2, n, rng), np.abs(awkward(place // 2, n, rng)) * 0.3
        for row, out in enumerate(kept):
            table[row, out] = np.round(np.abs(base[out] + rng.normal(0.0, 0.1, out.size)), 3)
        gamma = round(float(np.nanmean(table)) * float(rng.choice([0.8, 1.5, 3.0])), 4)
        fitted = np.round(fitted, 3)
    if place == 7:  # one loss per item: training samples are held fixed
        table = np.nanmean(table, axis=0, keepdims=True)
    if place in (10, 13):  # nothing is lost, or all items lose alike
        table, fitted = np.where(np.isnan(table), np.nan, place == 13), fitted * 0.0
    given |= {
        "fitted": fitted.tolist(),
        "out_of_bag": [[None if math.isnan(one) else one for one in row] for row in table.tolist()],
        "no_information": gamma,
    }
    *said, overfitting, plain = by_r(
        WILSON + PLUS, x=table, fitted=fitted, gamma=gamma, level=given["confidence"], side=0,
        **facts_of(np.concatenate([table.ravel(), fitted])),
    )  # fmt: skip
    lost = [np.mean(column[~np.isnan(column)]) for column in table.T if not np.isnan(column).all()]
    if classes and place != 10 and np.mean(lost) <= gamma and has_ipred():
        (theirs,) = by_r(IPRED, truth=truth, samples=samples + 1, preds=preds, whole=whole)
        if not math.isclose(theirs, said[0], rel_tol=1e-12):
            raise AssertionError(f"case {place}: ipred {theirs}, by hand {said[0]}")
        print(f"case {place}: ipred agrees, {theirs:.6f}")
    return given, told(*said) | {"overfitting": overfitting, "bootstrap_632": plain}


FILES = {
    "folds__cv_bayle": (bayle, "R 4.2.2: var by fold and prop.test; Bayle et al. 2020, both variances"),
    "folds__nested_cv": (nested, "R 4.2.2, by loops, and prop.test; Bates, Hastie and Tibshirani 2021, algorithm 1"),
    "folds__bootstrap_632_plus": (
        plus,
        "R 4.2.2, by loops, and prop.test; Efron and Tibshirani 1997, equations 29 to 32; ipred 0.9 bootest agrees "
        "on error rates no worse than chance; standard error: docs/methods/out_of_bag.md",
    ),
}  # fmt: skip


def main() -> None:
    for name, (make, source) in FILES.items():
        rest = iter(range(COUNT))
        write(
            name, lambda rng, m=make, at=rest: m(next(at), rng), source, "written by tools/learner_cases.py",
            count=COUNT, rtol=1e-9,
        )  # fmt: skip


if __name__ == "__main__":
    main()
