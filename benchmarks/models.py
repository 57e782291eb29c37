"""Many models: ranks over data sets, Bayesian comparisons, runs over seeds."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import assay
from assay.hypotheses.bayes import bayes_signed_rank_pairs
from benchmarks.peers import module, plain, runners
from benchmarks.race import Clock, Race, Runner

SETS, MODELS, DRAWS, ROPE = 100, 10, 50_000, 0.01


def races(clock: Clock) -> Iterator[Race]:
    rng = np.random.default_rng(8)
    table = 0.8 + rng.normal(0.0, 0.05, (SETS, MODELS)) + np.linspace(0.0, 0.03, MODELS)
    yield _friedman(table)
    yield _wilcoxon(table)
    if not clock.quick:
        yield _wilcoxon(0.8 + rng.normal(0.0, 0.05, (1_000, 100)) + np.linspace(0.0, 0.03, 100))
    small = 0.8 + rng.normal(0.0, 0.02, (54, MODELS))
    yield _bayes_pair(small[:, 0], small[:, 1])
    quick = clock.quick
    yield _bayes_all(small[:, :4] if quick else small)  # autorank takes a second a pair
    yield _stochastic_order()
    yield _middle(clock)


def _friedman(table: Any) -> Race:
    def posthocs(library: Any) -> Any:
        from scipy.stats import friedmanchisquare

        return friedmanchisquare(*table.T), library.posthoc_nemenyi_friedman(table)

    def autorank(library: Any) -> Any:
        import pandas as pd

        frame = pd.DataFrame(table, columns=[f"model {k}" for k in range(MODELS)])
        return library.autorank(frame, force_mode="nonparametric", verbose=False)

    def ours() -> Any:
        return assay.friedman(table), assay.nemenyi(table)

    def agrees() -> tuple[bool, str]:
        library = module("scikit-posthocs")
        if library is None:
            return True, "no peer"
        theirs = np.asarray(posthocs(library)[1])[np.triu_indices(MODELS, 1)]
        mine = [outcome.p_value for outcome in ours()[1].outcomes]
        far = float(np.abs(theirs - np.array(mine, dtype=float)).max())
        return far < 1e-6, f"45 p-values within {far:.0e}"

    return Race(
        task=f"Friedman and Nemenyi, {SETS} x {MODELS}",
        n=SETS,
        ours=Runner(name="assay", run=ours),
        peers=plain(
            ("scikit-posthocs", "scikit-posthocs", lambda m: lambda: posthocs(m)),
            ("autorank", "autorank", lambda m: lambda: autorank(m)),
        ),
        goals=(("fastest", 1),),
        agrees=agrees,
    )


def _wilcoxon(table: Any) -> Race:
    sets, models = table.shape
    pairs = models * (models - 1) // 2

    def posthocs(library: Any) -> Any:
        import pandas as pd

        frame = pd.DataFrame(table).melt(var_name="model", value_name="score")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return library.posthoc_wilcoxon(
                frame, val_col="score", group_col="model", p_adjust="holm"
            )

    def agrees() -> tuple[bool, str]:
        library = module("scikit-posthocs")
        if library is None:
            return True, "no peer"
        theirs = np.asarray(posthocs(library))[np.triu_indices(models, 1)]
        mine = np.array([one.p_value for one in assay.wilcoxon_pairs(table).outcomes], dtype=float)
        far = float(np.abs(theirs - mine).max())
        # theirs is the normal approximation from 51 differences on, ours exact
        return far < 0.02, f"{pairs:,} p-values within {far:.0e} (exact beside normal)"

    return Race(
        task=f"Wilcoxon all pairs with Holm, {sets:,} x {models}",
        n=sets,
        ours=Runner(name="assay", run=lambda: assay.wilcoxon_pairs(table)),
        peers=plain(("scikit-posthocs", "scikit-posthocs", lambda m: lambda: posthocs(m))),
        goals=(("fastest", 100),) if sets == SETS else (),
        agrees=agrees if sets == SETS else None,
    )


def _bayes_pair(a: Any, b: Any) -> Race:
    def baycomp(library: Any) -> Any:
        return library.SignedRankTest.probs(a, b, ROPE, nsamples=DRAWS)

    def ours() -> Any:
        return assay.bayes_signed_rank(a, b, rope=ROPE, rng=1)

    def agrees() -> tuple[bool, str]:
        library = module("baycomp")
        if library is None:
            return True, "no peer"
        found, theirs = ours(), baycomp(library)
        mine = (found.p_left, found.p_rope, found.p_right)
        far = min(
            float(np.abs(np.array(mine) - np.array(order)).max())
            for order in (tuple(theirs), tuple(theirs)[::-1])
        )
        return far < 0.02, f"probabilities within {far:.4f}"

    return Race(
        task="Bayesian signed rank, one pair, 50,000 draws",
        n=a.size,
        ours=Runner(name="assay", run=ours),
        peers=plain(("baycomp", "baycomp", lambda m: lambda: baycomp(m))),
        goals=(("fastest", 8),),
        agrees=agrees,
    )


def _bayes_all(table: Any) -> Race:
    def autorank(library: Any) -> Any:
        import pandas as pd

        frame = pd.DataFrame(table, columns=[f"model {k}" for k in range(table.shape[1])])
        return library.autorank(frame, approach="bayesian", rope=ROPE, verbose=False)

    return Race(
        task=f"Bayesian signed rank, all pairs of {table.shape[1]}",
        n=len(table),
        ours=Runner(name="assay", run=lambda: bayes_signed_rank_pairs(table, rope=ROPE, rng=1)),
        peers=plain(("autorank", "autorank", lambda m: lambda: autorank(m))),
        goals=(("fastest", 100),) if table.shape[1] == MODELS else (),
    )


def _stochastic_order() -> Race:
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.70, 0.1, 10), rng.normal(0.71, 0.1, 10)
    return Race(
        task="almost stochastic order, one pair of 10 runs",
        n=10,
        ours=Runner(name="assay", run=lambda: assay.aso(a, b, rng=1)),
        peers=plain(
            ("deep-significance", "deepsig", lambda m: lambda: m.aso(a, b, seed=1, show_progress=False))
        ),
    )  # fmt: skip


def _middle(clock: Clock) -> Race:
    matrix = np.random.default_rng(0).normal(1.0, 0.5, (5, 26))

    def rliable(library: Any, size: int) -> Any:
        from importlib import import_module

        metrics = import_module("rliable.metrics")

        def middle(scores: Any) -> Any:
            return np.array([metrics.aggregate_iqm(scores)])

        return library.get_interval_estimates({"a": matrix}, middle, reps=size)

    def ours(size: int = DRAWS) -> Any:
        return assay.interquartile_mean(matrix, variant="percentile", n_resamples=size, rng=1)

    def agrees() -> tuple[bool, str]:
        library = module("rliable")
        if library is None:
            return True, "no peer"
        low, high = np.ravel(rliable(library, clock.checked)[1]["a"])
        limits = ours().interval
        far = max(abs(low - limits.low), abs(high - limits.high)) / (limits.width / 3.92)
        allowed = 4.0 * 2.67 * clock.checked**-0.5
        return (
            far <= allowed,
            f"limits within {far:.2f} standard errors (Monte-Carlo: {allowed:.2f})",
        )

    return Race(
        task=f"IQM, 26 tasks x 5 runs, {DRAWS:,} resamples",
        n=130,
        ours=Runner(name="assay", run=ours),
        peers=tuple(
            replace(one, replicates=DRAWS)
            for one in runners(("rliable", "rliable", lambda m: partial(rliable, m)))
        ),
        agrees=agrees,
    )
