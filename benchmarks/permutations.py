"""Permutation tests of two models on the same items."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import assay
from benchmarks.peers import at_once, module, plain, runners
from benchmarks.race import Clock, Race, Runner

CELLS = 20_000_000
"""Of scipy's batches: each has a cost of its own, so that it is fastest with large ones."""
CHECKED = 4_000
"""Drawn permutations with which the exact p-value is compared."""


def pair(n: int) -> dict[str, Any]:
    """Labels of two models, nearly alike."""
    rng = np.random.default_rng(4)
    truth = (rng.random(n) < 0.3).astype(np.int64)
    a, b = (np.where(rng.random(n) < share, 1 - truth, truth) for share in (0.15, 0.152))
    return {"truth": truth, "a": a, "b": b}


def losses(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    return rng.normal(size=n) ** 2, 1.002 * rng.normal(size=n) ** 2


def scored(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(6)
    truth = (rng.random(n) < 0.3).astype(np.int64)
    a, b = (rng.normal(shift * truth, 1.0) for shift in (1.50, 1.48))
    return {"truth": truth, "a:score": a, "b:score": b}


def races(clock: Clock) -> Iterator[Race]:
    for n in clock.sizes:
        if n <= 1_000_000:
            yield _mean(n)
            yield _accuracy(n)
        if n <= 100_000:
            yield _area(n)
    if not clock.quick:
        yield _mcnemar(1_000_000)


def _difference(a: Any, b: Any, axis: int = -1) -> Any:
    return (a - b).mean(axis)


def _scipy(stats: Any, a: Any, b: Any, size: int) -> Any:
    return stats.permutation_test(
        (a, b), _difference, permutation_type="samples", vectorized=True, n_resamples=size,
        batch=at_once(a.size, CELLS), rng=np.random.default_rng(1),
    )  # fmt: skip


def _mlxtend(library: Any, a: Any, b: Any, size: int) -> Any:
    return library.permutation_test(
        a, b, paired=True, method="approximate", num_rounds=size, seed=1
    )


def _mean(n: int) -> Race:
    a, b = losses(n)

    def deepsig(library: Any, size: int) -> Any:
        return library.permutation_test(a, b, num_samples=size)

    def agrees() -> tuple[bool, str]:
        return _near(float(assay.paired_permutation(a, b).p_value or 0.0), _drawn(a - b))

    return Race(
        task="sign-flip permutation of a mean",
        n=n,
        ours=Runner(name="assay", run=lambda: assay.paired_permutation(a, b)),
        peers=runners(
            ("scipy.stats.permutation_test", "scipy", lambda m: partial(_scipy, m, a, b)),
            ("mlxtend", "mlxtend", lambda m: partial(_mlxtend, m, a, b)),
            ("deep-significance", "deepsig", lambda m: partial(deepsig, m)),
            batch=at_once(n, CELLS),
        ),
        goals=(("fastest", 5_000),) if n == 100_000 else (),
        agrees=agrees if n == 1_000 else None,
    )


def _accuracy(n: int) -> Race:
    columns = pair(n)
    right_a, right_b = (columns[name] == columns["truth"] for name in "ab")
    a, b = right_a.astype(np.float64), right_b.astype(np.float64)

    def statkit(library: Any, size: int) -> Any:
        return library.Permutation_test(
            columns["truth"], columns["a"], columns["b"], "accuracy", n_bootstraps=size
        )

    def ours() -> Any:
        return assay.paired_measure_permutation(columns, measure="accuracy")

    def agrees() -> tuple[bool, str]:
        return _near(float(ours().p_value or 0.0), _drawn(a - b))

    return Race(
        task="permutation of accuracy",
        n=n,
        ours=Runner(name="assay", run=ours),
        peers=runners(
            ("scipy.stats.permutation_test", "scipy", lambda m: partial(_scipy, m, a, b)),
            ("mlxtend", "mlxtend", lambda m: partial(_mlxtend, m, a, b)),
            ("MLstatkit", "MLstatkit", lambda m: partial(statkit, m)),
            batch=at_once(n, CELLS),
        ),
        goals=(("fastest", 100_000),) if n == 100_000 else (),
        agrees=agrees if n == 1_000 else None,
    )


def _mcnemar(n: int) -> Race:
    columns = pair(n)
    truth, a, b = (columns[name] for name in ("truth", "a", "b"))

    def mlxtend(library: Any) -> Any:
        return library.mcnemar(library.mcnemar_table(truth, a, b), exact=True)

    def statsmodels(library: Any) -> Any:
        right_a, right_b = a == truth, b == truth
        table = np.bincount(2 * right_a + right_b, minlength=4).reshape(2, 2)
        return library.mcnemar(table, exact=True)

    def ours() -> Any:
        return assay.mcnemar(columns, variant="exact")

    def agrees() -> tuple[bool, str]:
        library = module("statsmodels")
        if library is None:
            return True, "no peer"
        mine, theirs = float(ours().p_value or 0.0), float(statsmodels(library).pvalue)
        return abs(mine - theirs) < 1e-9, f"p = {mine:.6f}, theirs {theirs:.6f}"

    return Race(
        task="McNemar, exact, from labels",
        n=n,
        ours=Runner(name="assay", run=ours),
        peers=plain(
            ("mlxtend", "mlxtend", lambda m: lambda: mlxtend(m)),
            ("statsmodels", "statsmodels", lambda m: lambda: statsmodels(m)),
        ),
        agrees=agrees,
    )


def _area(n: int) -> Race:
    columns = scored(n)
    truth, a, b = columns["truth"], columns["a:score"], columns["b:score"]

    def loop(metrics: Any, size: int) -> float:
        rng = np.random.default_rng(1)
        observed = metrics.roc_auc_score(truth, a) - metrics.roc_auc_score(truth, b)
        beyond = 0
        for _ in range(size):
            swap = rng.random(n) < 0.5
            mine, theirs = np.where(swap, b, a), np.where(swap, a, b)
            found = metrics.roc_auc_score(truth, mine) - metrics.roc_auc_score(truth, theirs)
            beyond += abs(found) >= abs(observed)
        return (beyond + 1) / (size + 1)

    def statkit(library: Any, size: int) -> Any:
        return library.Permutation_test(truth, a, b, "roc_auc", n_bootstraps=size)

    def ours(size: int) -> Any:
        return assay.paired_measure_permutation(columns, measure="roc_auc", n_resamples=size, rng=1)

    def agrees() -> tuple[bool, str]:
        return _near(float(ours(99).p_value or 0.0), loop(module("scikit-learn"), CHECKED // 4))

    return Race(
        task="permutation of AUC, with a bootstrap interval",
        n=n,
        ours=Runner(name="assay", resample=ours, fewest=39),
        peers=runners(
            ("scikit-learn loop", "scikit-learn", lambda m: partial(loop, m)),
            ("MLstatkit", "MLstatkit", lambda m: partial(statkit, m)),
        ),
        goals={1_000: (("fastest", 50),), 100_000: (("fastest", 15),)}.get(n, ()),
        agrees=agrees if n == 1_000 else None,
    )


def _drawn(differences: Any) -> float:
    """The two-sided p-value from drawn sign flips."""
    rng = np.random.default_rng(7)
    signs = rng.integers(0, 2, (CHECKED, differences.size)) * 2.0 - 1.0
    sums = np.abs(signs @ differences)
    return float((1 + (sums >= abs(differences.sum()) - 1e-9).sum()) / (CHECKED + 1))


def _near(ours: float, drawn: float) -> tuple[bool, str]:
    allowed = 4.0 * (max(ours, 1e-3) / (CHECKED // 4)) ** 0.5
    return abs(ours - drawn) <= allowed, f"p = {ours:.3g}, drawn {drawn:.3g}"
