"""Reference cases of quantiles: of distributions, of samples, and intervals from replicates."""

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.kernels.bootstrap_intervals import (
    acceleration_of,
    basic_interval,
    bca_interval,
    bca_tails,
    bias_correction,
    normal_interval,
    percentile_interval,
    quantile,
)
from assay.kernels.special import fdtri, gammaincinv, ndtri, stdtrit
from assay.kernels.studentized_range import range_isf
from assay.selftest.values import Adapter, Computed, Input

_QUANTILES: dict[str, Callable[..., float]] = {
    "normal": lambda p: float(ndtri(p)),
    "t": lambda p, df: float(stdtrit(df, p)),
    "chi2": lambda p, df: 2.0 * float(gammaincinv(df / 2.0, p)),
    "f": lambda p, df: float(fdtri(df[0], df[1], p)),
    "studentized_range_inf": lambda p, k: range_isf(round(1 - p, 12), k),
    "studentized_range": lambda p, df: range_isf(round(1 - p, 12), *df),
}


def _distribution(given: Input) -> Computed:
    arguments = [given["p"], *([given["df"]] if "df" in given else [])]
    return {"quantile": _QUANTILES[given["dist"].lower()](*arguments)}


def _quantile_types(given: Input) -> Computed:
    return {
        f"type{kind}": quantile(given["x"], given["probs"], kind=kind).tolist()
        for kind in range(1, 10)
    }


def _from_replicates(given: Input) -> Computed:
    replicates, value, level = given["replicates"], given["t0"], given["confidence"]
    deleted = np.array(given["jackknife"])
    a = acceleration_of(deleted.mean() - deleted)
    z0 = bias_correction(replicates, value, ties="below")
    computed: Computed = {
        "boot_normal": normal_interval(replicates, value, level=level),
        "z0": z0,
        "z0_half_ties": bias_correction(replicates, value),
        "acceleration": a,
        "bca_alphas": bca_tails(z0, a, level=level),
        "type7_bca_half_ties": bca_interval(replicates, value, a, level=level, quantiles="type7"),
    }
    for kind in ("boot", "type7"):
        options: dict[str, Any] = {"level": level, "quantiles": kind}
        computed[f"{kind}_percentile"] = percentile_interval(replicates, **options)
        computed[f"{kind}_basic"] = basic_interval(replicates, value, **options)
        computed[f"{kind}_bca"] = bca_interval(replicates, value, a, ties="below", **options)
    return computed


ADAPTERS: dict[str, Adapter] = {
    "distribution__quantile": _distribution,
    "bootstrap__quantile_types": _quantile_types,
    "bootstrap__bootstrap_ci_from_replicates": _from_replicates,
}
