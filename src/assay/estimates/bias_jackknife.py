"""The jackknife of a measure that lies too high on few items, such as a calibration error."""

from dataclasses import replace

from assay.core.notes import note
from assay.core.results import Estimate, Interval
from assay.estimates.bootstrap import BIAS_MATTERS, jackknife_of
from assay.estimates.resampling_cells import Reduced
from assay.kernels.resampling import jackknife
from assay.kernels.tails import t_reach


def debiased_jackknife(reduced: Reduced, *, n: int, level: float) -> Estimate:
    """The value, and a t interval around the value less its bias (Quenouille 1956).

    For clusters and weights: of 95 % it held 88 to 93 % in simulations where the jackknife around
    the value itself held 42 to 78 (decision 0053).
    """
    found = jackknife_of(reduced, n=n, level=level)
    error, df = found.standard_error, dict(found.details).get("df")
    if found.value is None or found.interval is None or error is None:
        return found
    value, measure = found.value, reduced.measure
    bias = reduced.kept.once("bias", lambda: _bias(reduced, value))
    centre = min(max(value - bias, measure.low), measure.high)
    reach = t_reach(level, df if isinstance(df, float) else reduced.effective - 1.0, "two-sided")
    interval = Interval(
        low=max(centre - reach * error, measure.low),
        high=min(centre + reach * error, measure.high),
        level=level,
        method="jackknife less bias",
    )
    notes = found.notes
    if abs(bias) > BIAS_MATTERS * error:
        notes += (note("jackknife-bias", measure=measure.called, bias=bias, corrected=centre),)
    details = (*found.details, ("bias", bias), ("bias_corrected", centre))
    return replace(found, interval=interval, notes=notes, details=details)


def _bias(reduced: Reduced, value: float) -> float:
    """(m − 1)(θ̄ − θ), θ̄ the mean of the delete-one values of m units."""
    deleted, multiplicity = jackknife(reduced.function, reduced.counts, 0)
    units = float(multiplicity.sum())
    return (units - 1.0) * (float(multiplicity @ deleted[:, 0]) / units - value)
