"""What an interval is asked of: one measure of one model on its evidence, each part worked out once."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.core.memo import Kept
from assay.core.results import Estimate, Interval
from assay.evidence.item_arrays import Columns
from assay.evidence.predictions import Predictions
from assay.measures.registry import Measure

if TYPE_CHECKING:
    from assay.estimates.bootstrap import Kind
    from assay.estimates.cluster_covariance import Deleted
    from assay.estimates.resampling_cells import Reduced


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalQuestion:
    """One measure of one model, and how sure the answer is to be."""

    evidence: Predictions
    measure: Measure
    level: float
    n_resamples: int
    seed: int
    kept: Kept = field(default_factory=Kept)
    """What does not depend on the level, for the same question at another one."""

    @property
    def reduced(self) -> "Reduced":
        from assay.estimates.resampling_cells import reduce

        return self.kept.once("reduced", lambda: reduce(self.evidence, self.measure))

    @property
    def spread(self) -> "Deleted":
        """What leaving out clusters one at a time does to the measure."""
        from assay.estimates.cluster_covariance import of_reduced

        return self.kept.once("spread", lambda: of_reduced(self.evidence, self.reduced))

    @property
    def unsorted(self) -> Columns:
        """The rows in the order of the evidence: to sort what is made of them is faster than to sort them."""
        return self.kept.once("unsorted", lambda: self.evidence.columns(self.measure.needs))

    @property
    def columns(self) -> Columns:
        return self.kept.once("columns", lambda: self.evidence.sorted_columns(self.measure.needs))

    @property
    def sizes(self) -> dict[str, Any]:
        return {"n": self.evidence.n, "level": self.level}

    @property
    def draws(self) -> dict[str, Any]:
        return {"n_resamples": self.n_resamples, "seed": self.seed}

    def bootstrap(self, kind: "Kind") -> Estimate:
        from assay.estimates.bootstrap import sampled_estimate

        return sampled_estimate(
            self.reduced,
            n=self.evidence.n,
            level=self.level,
            kind=kind,
            n_resamples=self.n_resamples,
            rng=self.seed,
        )

    def jackknife(self) -> Estimate:
        """The jackknife; of clusters with the degrees of freedom that their sizes allow."""
        from assay.estimates.bootstrap import jackknife_of

        spread = None if self.evidence.clusters is None else self.spread
        return jackknife_of(self.reduced, **self.sizes, spread=spread)

    def interval(self, limits: tuple[float, float], name: str) -> Interval:
        low = min(max(limits[0], self.measure.low), self.measure.high)
        high = max(min(limits[1], self.measure.high), self.measure.low)
        return Interval(low=low, high=high, level=self.level, method=name)
