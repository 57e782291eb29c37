"""`python -m tools.size_cases`: reference cases of differences at several sizes and of sets of models, by R.

Formulas are written anew in R: `lm` and `predict` for the lines, loops over folds for the losses. Needs
Rscript. The files in `src/assay/reference` are what it wrote; assay itself is not asked.
"""

import json
import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent.parent / "src" / "assay" / "reference"
COUNT = 12
SHOW = 'show <- function(...) cat(formatC(c(...), digits = 17, format = "g"), sep = "\\n")\n'
CURVE = """
f <- lm(d ~ I(1/m), weights = m); s <- predict(f, data.frame(m = n), se.fit = TRUE)
i <- predict(f, data.frame(m = n), interval = "confidence", level = level)
show(s$fit, s$se.fit, s$fit / s$se.fit, 2 * pt(-abs(s$fit / s$se.fit), s$df), s$df, i[2], i[3])
"""
SUBSAMPLES = """
sizes <- sort(unique(m)); g <- sapply(sizes, function(k) (sum(m == k) - 1) * (1 - k / n))
v <- sapply(sizes, function(k) sum((d[m == k] - mean(d[m == k]))^2)) / g
x <- log(n / sizes); f <- lm(log(v) ~ x, weights = g / 2); slope <- coef(f)[[2]]
rate <- min(1, max(0, slope)); at <- weighted.mean(x, g); level_v <- weighted.mean(log(v) - rate * x, g)
known <- summary(f)$cov.unscaled[2, 2]; df <- 2 / (2 / sum(g) + at^2 * min(known, 1 / 12))
se <- exp(level_v / 2); t <- centre / se; reach <- qt((1 + level) / 2, df) * se
show(slope, rate, se, t, 2 * pt(-abs(t), df), df, centre - reach, centre + reach)
"""
SETS = """
one <- function(a, b) { d <- x[, a] - x[, b]; e <- d - ave(d, fold); c(mean(d), sd(e) / sqrt(length(d))) }
for (a in 1:ncol(x)) {
  others <- sapply(setdiff(1:ncol(x), a), function(b) one(a, b)); t <- others[1, ] / others[2, ]
  best <- which.max(t); show(t[best], others[1, best], others[2, best])
}
"""


def by_r(script: str, **given: Any) -> list[float]:
    """What a script prints, number by number; lists become vectors and tables matrices by columns."""
    lines = [SHOW, "options(warn = 2)\n"]
    for name, value in given.items():
        array = np.asarray(value, dtype=np.float64)
        written = f"c({', '.join(_said(one) for one in array.ravel(order='F'))})"
        lines.append(
            f"{name} <- matrix({written}, nrow = {len(array)})\n"
            if array.ndim == 2
            else f"{name} <- {written}\n"
        )
    done = subprocess.run(
        ["Rscript", "-"],
        input="".join([*lines, script]),
        capture_output=True,
        text=True,
        check=True,
    )
    return [math.nan if line == "NA" else float(line) for line in done.stdout.split()]


def _said(number: float) -> str:
    """A number as R reads it."""
    return {"nan": "NA", "inf": "Inf", "-inf": "-Inf"}.get(f"{number:.17g}", f"{number:.17g}")


def points(rng: np.random.Generator) -> tuple[list[float], list[int], int]:
    """Differences at three sizes, the parts of n items."""
    n = int(rng.choice([80, 200, 1000]))
    sizes = np.repeat([n // 2, n // 4, n // 8], rng.integers(2, 9, size=3))
    spread = 0.4 * sizes ** -rng.uniform(0.0, 0.7)
    return np.round(0.02 + spread * rng.normal(size=sizes.size), 4).tolist(), sizes.tolist(), n


def curve_case(rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any]]:
    differences, sizes, n = points(rng)
    level = float(rng.choice([0.9, 0.95, 0.99]))
    value, error, t, p, df, low, high = by_r(CURVE, d=differences, m=sizes, n=n, level=level)
    given = {"differences": differences, "sizes": sizes, "n": n, "confidence": level}
    return given, {
        "value": value, "standard_error": error, "t": t, "p_value": p, "df": df, "ci": [low, high]
    }  # fmt: skip


def subsample_case(rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any]]:
    differences, sizes, n = points(rng)
    level, mean = float(rng.choice([0.9, 0.95, 0.99])), round(float(rng.normal(0.02, 0.05)), 4)
    slope, rate, error, t, p, df, low, high = by_r(
        SUBSAMPLES, d=differences, m=sizes, n=n, level=level, centre=mean
    )
    given = {"differences": differences, "sizes": sizes, "n": n, "mean": mean, "confidence": level}
    return given, {
        "estimated_rate": slope, "rate": rate, "standard_error": error, "t": t, "p_value": p, "df": df,
        "ci": [low, high],
    }  # fmt: skip


def set_case(rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any]]:
    n, models, folds = int(rng.choice([24, 60])), int(rng.integers(2, 6)), int(rng.choice([3, 6]))
    losses = np.round(rng.normal(size=(n, 1)) + rng.normal(size=(n, models)), 3)
    owner = (np.arange(n) % folds).tolist()
    found = np.array(by_r(SETS, x=losses, fold=owner)).reshape(models, 3).T.tolist()
    names = ("statistics", "differences", "standard_errors")
    return {"losses": losses.tolist(), "folds": owner}, dict(zip(names, found, strict=True))


FILES = {
    "folds__extrapolated_t": (curve_case, "R 4.2.2 lm(d ~ I(1/m), weights = m) and predict"),
    "folds__subsampling_t": (
        subsample_case,
        "R 4.2.2: lm of log variances with weights, the rest by hand; docs/methods/training_sizes.md",
    ),
    "folds__cv_confidence_set": (
        set_case,
        "R 4.2.2: sd of differences centred by ave within folds, Lei 2020; statistics only, no draws",
    ),
}


def write(
    name: str,
    make: Callable[[np.random.Generator], tuple[dict[str, Any], dict[str, Any]]],
    source: str,
    notes: str,
    *,
    count: int = COUNT,
    rtol: float = 1e-8,
) -> None:
    """A file of cases, each from what it is given and what R makes of it."""
    family, function = name.split("__")
    rng, lines = np.random.default_rng([20, *name.encode()]), []
    for place in range(count):
        given, expected = make(rng)
        case = {"id": f"{family}.{function}#{place:03d}", "input": given, "expected": expected}
        lines.append(json.dumps(case))
    head = {"family": family, "function": function, "source": source, "rtol": rtol, "notes": notes}
    written = json.dumps(head, indent=1)[:-2]
    cases = ",\n  ".join(lines)
    (FOLDER / f"{name}.json").write_text(f'{written},\n "cases": [\n  {cases}\n ]\n}}\n')


def main() -> None:
    for name, (make, source) in FILES.items():
        write(name, make, source, "written by tools/size_cases.py")


if __name__ == "__main__":
    main()
