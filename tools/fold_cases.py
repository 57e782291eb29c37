"""`python -m tools.fold_cases`: reference cases of the procedures over folds and of Rogan and Gladen's rate, by R.

Formulas are written anew in R, from the papers: sums over halves, folds and repeats by loops. Needs
Rscript. The files in `src/assay/reference` are what it wrote; assay itself is not asked.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tools.size_cases import by_r, write

Generator = np.random.Generator
Case = tuple[dict[str, Any], dict[str, Any]]
LEVELS = (0.9, 0.95, 0.99)
OF_Z = "z <- (centre - null) / se; h <- qnorm((1 + level) / 2) * se\n"
OF_T = "z <- (centre - null) / se; h <- qt((1 + level) / 2, df) * se\n"
SAID = "show(centre, se, z, {p}, centre - h, centre + h)\n"
NORMAL, STUDENT = SAID.format(p="2 * pnorm(-abs(z))"), SAID.format(p="2 * pt(-abs(z), df)")

HALVES = """
v <- 0; for (i in 1:nrow(d)) v <- v + (d[i, 1] - d[i, 2])^2 / (2 * nrow(d))
if (nrow(q) > 1) v <- v / 2^min(1, max(0, log2(mean(apply(q, 1, var)) / v)))
se <- sqrt(v)
"""
REPLACED = "se <- sqrt(sum(d^2) / 2 / 2)\n"
RESAMPLED = "se <- sd(d); df <- length(d) - 1\n"
FOLDS = """
df <- length(d) - 1; centre <- mean(d)
se <- sqrt(var(d) / length(d) + times * var(d) * test / train + hidden^2)
"""
BAYLE = """
n <- length(d); centre <- mean(d); all <- sqrt(sum((d - centre)^2) / n / n)
s <- 0; for (f in unique(fold)) s <- s + var(d[fold == f]) / length(unique(fold))
se <- if (within == 1) sqrt(s / n) else all
"""
NESTED = """
n <- length(fold) / reps; K <- max(fold); a <- c(); b <- c(); es <- c(); plain <- c()
for (r in 1:reps) for (k in 1:K) {
  rows <- (r - 1) * n + 1:n; own <- fold[rows]; l <- x[rows, ]
  out <- l[own == k, k]; inn <- l[own != k, k]; es <- c(es, inn); plain <- c(plain, out)
  a <- c(a, (mean(inn) - mean(out))^2); b <- c(b, var(out) / length(out))
}
naive <- sd(es) / sqrt(n)
se <- min(max(sqrt(max(mean(a) - mean(b), 0) * (K - 1) / K), naive), sqrt(K) * naive)
centre <- mean(es) - (1 + (K - 2) / K) * (mean(es) - mean(plain))
"""
ROGAN = """
z <- qnorm((1 + level) / 2); n <- length(judge); j <- judge[seen]
n1 <- sum(people == 1); n0 <- sum(people == 0)
ap <- mean(judge); se <- mean(j[people == 1]); sp <- mean(1 - j[people == 0])
p <- (ap + sp - 1) / (se + sp - 1)
n_ <- n + z^2; ap_ <- (n * ap + z^2 / 2) / n_
se_ <- (n1 * se + 1) / (n1 + 2); sp_ <- (n0 * sp + 1) / (n0 + 2)
p_ <- (ap_ + sp_ - 1) / (se_ + sp_ - 1)
dp <- 2 * z^2 * (p_ * se_ * (1 - se_) / (n1 + 2) - (1 - p_) * sp_ * (1 - sp_) / (n0 + 2))
h <- z / (se_ + sp_ - 1) * sqrt(ap_ * (1 - ap_) / n_ + p_^2 * se_ * (1 - se_) / (n1 + 2) +
  (1 - p_)^2 * sp_ * (1 - sp_) / (n0 + 2))
show(p, max(0, p_ + dp - h), min(1, p_ + dp + h))
"""


def told(values: list[float]) -> dict[str, Any]:
    value, error, statistic, p_value, low, high = values
    return {
        "value": value, "standard_error": error, "statistic": statistic, "p_value": p_value, "ci": [low, high]
    }  # fmt: skip


def asked(rng: Generator) -> dict[str, Any]:
    """The level, the null hypothesis, and the mean over all the data."""
    return {
        "confidence": float(rng.choice(LEVELS)),
        "null": float(rng.choice([0.0, 0.01])),
        "mean": round(float(rng.normal(0.02, 0.03)), 4),
    }


def _by_r(script: str, given: dict[str, Any], **more: Any) -> dict[str, Any]:
    """With what is asked; the mean is the centre unless the script has its own."""
    return told(
        by_r(script, level=given["confidence"], null=given["null"], centre=given["mean"], **more)
    )


def halves(rng: Generator) -> Case:
    given = asked(rng) | {
        "differences": np.round(rng.normal(0.02, 0.03, (int(rng.integers(3, 11)), 2)), 4).tolist()
    }
    spread = float(rng.choice([0.02, 0.04, 0.07]))
    quarters = np.round(rng.normal(0.02, spread, (2, 4)), 4).tolist() if rng.random() < 0.5 else []
    given["quarters"] = quarters
    table = {"d": given["differences"], "q": quarters or [[0.0]]}
    return given, _by_r(HALVES + OF_Z + NORMAL, given, **table)


def column(script: str, low: int, high: int) -> Callable[[Generator], Case]:
    """A procedure of one column of numbers."""

    def case(rng: Generator) -> Case:
        values = np.round(rng.normal(0.01, 0.02, int(rng.integers(low, high))), 4).tolist()
        given = asked(rng) | {"values": values}
        return given, _by_r(script, given, d=values)

    return case


def of_folds(times: int, centre: float, hidden: tuple[float, ...]) -> Callable[[Generator], Case]:
    """The corrected t (once) and the cautious one (twice); around a null hypothesis for one learner."""

    def case(rng: Generator) -> Case:
        repeats, test = int(rng.integers(2, 11)), int(rng.choice([10, 40]))
        values = np.round(centre + rng.normal(0.02, 0.04, 5 * repeats), 4).tolist()
        given = asked(rng) | {"values": values, "n_test": test, "n_train": 4 * test}
        given["null"] = 0.0 if centre == 0.0 else 0.8
        given["training_sd"] = float(rng.choice(hidden))
        del given["mean"]
        more = {"d": values, "times": times, "test": test, "train": 4 * test}
        found = by_r(
            FOLDS + OF_T + STUDENT,
            level=given["confidence"],
            null=given["null"],
            hidden=given["training_sd"],
            **more,
        )
        return given, told(found)

    return case


def bayle(rng: Generator) -> Case:
    count = int(rng.choice([3, 5, 10]))
    losses = np.round(rng.normal(0.4, 1.0, 6 * count), 3)
    given = asked(rng) | {"values": losses.tolist(), "folds": (np.arange(losses.size) % count).tolist()}  # fmt: skip
    given["within"] = bool(rng.random() < 0.5)
    more = {"d": given["values"], "fold": given["folds"], "within": float(given["within"])}
    return given, _by_r(BAYLE + OF_Z + NORMAL, given, **more)


def nested(rng: Generator) -> Case:
    n, count, repeats = 24, int(rng.choice([3, 4])), int(rng.integers(1, 4))
    table = np.round(rng.normal(0.1, 0.5, (repeats, n, 1)) + rng.normal(0.0, 0.3, (repeats, n, count)), 3)  # fmt: skip
    folds = np.stack([rng.permutation(np.arange(n) % count) for _ in range(repeats)])
    given = asked(rng) | {"losses": table.tolist(), "folds": folds.tolist()}
    more = {"x": table.reshape(-1, count), "fold": (folds + 1).ravel(), "reps": repeats}
    return given, _by_r(NESTED + OF_Z + NORMAL, given, **more)


def rogan(rng: Generator) -> Case:
    size, labels, level = 200, int(rng.choice([40, 80])), float(rng.choice(LEVELS))
    truth = (rng.random(size) < rng.uniform(0.2, 0.7)) * 1.0
    judge = np.where(rng.random(size) < np.where(truth == 1.0, 0.9, 0.8), truth, 1.0 - truth)
    value, low, high = by_r(
        ROGAN, people=truth[:labels], judge=judge, seen=np.arange(1, labels + 1), level=level
    )
    people: list[float | None] = [*truth[:labels].tolist(), *([None] * (size - labels))]
    given = {"people": people, "judge": judge.tolist(), "level": level}
    return given, {"value": value, "interval": [low, high]}


FILES = {
    "folds__conservative_z": (halves, "R 4.2.2, by hand; Nadeau and Bengio 2003, section 5; Politis and Romano's rate"),
    "folds__replace_one_z": (
        column(REPLACED + OF_Z + NORMAL, 20, 41), "R 4.2.2, by hand; Austern and Zhou 2020, half and whole"
    ),
    "folds__bootstrap_cv_t": (column(RESAMPLED + OF_T + STUDENT, 5, 21), "R 4.2.2: sd and pt; Jiang et al. 2008"),
    "folds__cautious_resampled_t": (
        of_folds(2, 0.0, (0.0, 0.01, 0.05)), "R 4.2.2, by hand; Nadeau and Bengio 2003, their correction twice"
    ),
    "folds__cautious_t_one": (
        of_folds(2, 0.8, (0.0, 0.01, 0.05)), "R 4.2.2, by hand; Nadeau and Bengio 2003, their correction twice"
    ),
    "folds__corrected_t_one": (of_folds(1, 0.8, (0.0,)), "R 4.2.2, by hand; Nadeau and Bengio 2003"),
    "folds__paired_cv_bayle": (bayle, "R 4.2.2: var by fold; Bayle et al. 2020, both variances"),
    "folds__nested_cv_difference": (nested, "R 4.2.2, by loops; Bates, Hastie and Tibshirani 2021, algorithm 1"),
    "judged__rogan_gladen": (rogan, "R 4.2.2, by hand; Lang and Reiczigel 2014, formulas 4 to 7"),
}  # fmt: skip


def main() -> None:
    for name, (make, source) in FILES.items():
        write(name, make, source, "written by tools/fold_cases.py")


if __name__ == "__main__":
    main()
