"""Many models by a mean: intervals that heed skewness and differences that no item shows."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import assay
from assay import UsageError
from assay.evidence.predictions import Predictions
from assay.hypotheses.simultaneous import Member, families_of, joint_replicates, member_of, pairs_of
from assay.hypotheses.skewed_families import Heeded, _quantile, _tail, heeded
from assay.kernels.special import stdtrit
from assay.kernels.unseen_values import allowed, unseen_reach
from assay.measures.registry import find_measure

N = 30
DRAWS = 1999


def losses(seed: int = 4) -> Any:
    """Of three models that are nearly alike, but for two items that the first gets wrong by far."""
    found = 0.3 + 0.02 * np.random.default_rng(seed).standard_normal((3, N))
    found[0, :2] += 0.6
    return found


def read(table: Any, **more: Any) -> Predictions:
    columns = {f"{model}:loss": own for model, own in zip("abc", table, strict=True)}
    found = assay.read({**columns, **more}, losses=True)
    assert isinstance(found, Predictions)
    return found


DEPENDENT: tuple[dict[str, Any], ...] = (
    {},
    {"cluster": np.arange(N) // 3},
    {"weight": np.linspace(1.0, 2.0, N)},
)


def plain_family(evidence: Predictions, dependent: bool) -> Any:
    method = assay.simultaneous_jackknife if dependent else assay.simultaneous_bootstrap
    return method(evidence, measure="mean_loss", n_resamples=DRAWS, rng=1)


@pytest.mark.parametrize("more", DEPENDENT)
class TestCompare:
    def test_intervals_hold_those_without_the_corrections(self, more: Any) -> None:
        evidence = read(losses(), **more)
        found = assay.compare(evidence, measure="mean_loss", bound=1.0, n_resamples=DRAWS, rng=1)
        plain = plain_family(evidence, bool(more))
        wider = []
        for (a, b), one in zip(plain.pairs, plain.outcomes, strict=True):
            (own,) = [v for v in found.verdicts if {v.a, v.b} == {a, b}]
            interval = own.outcome.effect.interval
            assert interval is not None
            low, high = interval.low, interval.high
            if own.a != a:
                low, high = -high, -low
            assert low <= one.effect.interval.low
            assert high >= one.effect.interval.high
            wider.append((high - low) / (one.effect.interval.high - one.effect.interval.low))
        assert min(wider) > 1.1
        assert "unseen-differences" in {
            one.code for verdict in found.verdicts for one in verdict.outcome.notes
        }

    def test_several_measures_heed_it_too(self, more: Any) -> None:
        rng = np.random.default_rng(2)
        truth = np.arange(N) % 2
        chances = np.clip(0.3 + 0.4 * truth + 0.02 * rng.standard_normal((3, N)), 0.0, 1.0)
        chances[0, :2] = 0.95 - 0.9 * truth[:2]
        table = {"y": truth, **{f"{m}:p(1)": own for m, own in zip("abc", chances, strict=True)}}
        table |= {f"{m}:p(0)": 1.0 - own for m, own in zip("abc", chances, strict=True)}
        asked: dict[str, Any] = {"truth": "y", "positive": 1, "n_resamples": 499, "rng": 1}
        both = assay.compare({**table, **more}, measure=["brier", "log_loss"], **asked)
        codes = {one.code for v in both.parts[0].verdicts for one in v.outcome.notes}
        assert "unseen-differences" in codes


def member(table: Any) -> Member:
    evidence = read(table)
    replicates = joint_replicates(evidence, find_measure("mean_loss"), DRAWS, 1)
    return member_of(replicates, pairs_of(evidence.models, None), evidence.n)


class TestFamily:
    def test_nothing_to_heed_changes_nothing(self) -> None:
        found = member(losses())
        nothing = Heeded(np.zeros(3), np.full(3, float(N)), np.full(3, np.inf))
        same = families_of([replace(found, heeded=nothing)], level=0.95)[0]
        for one, other in zip(
            same.outcomes, families_of([found], level=0.95)[0].outcomes, strict=True
        ):
            assert one.p_value == other.p_value
            assert one.effect.interval.low == pytest.approx(other.effect.interval.low)  # type: ignore[union-attr]

    @pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
    def test_small_p_values_and_intervals_without_zero_are_one_statement(
        self, level: float
    ) -> None:
        for seed in range(40):
            rng = np.random.default_rng(seed)
            table = 0.3 + 0.05 * rng.standard_normal((3, N)) + 0.02 * np.arange(3)[:, None]
            found = member(table)
            a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
            # the places of models are those of the evidence
            own = heeded(table, (a, b), found.errors, np.full(3, 0.4))
            for one in families_of([replace(found, heeded=own)], level=level)[0].outcomes:
                interval = one.effect.interval
                assert interval is not None
                assert ((one.p_value or 0.0) <= 1.0 - level + 1e-12) != interval.contains(0.0)

    def test_of_one_pair_it_is_what_two_models_alone_get(self) -> None:
        """The farthest of one pair strays as |t| does."""
        df, error, value = 29.0, 0.02, 0.1
        draws = -stdtrit(df, np.linspace(0.0, 0.5, 40_001)[1:-1])
        ordered = np.sort(draws)
        own = Heeded(np.zeros(1), np.array([30.0]), np.array([1.0]))
        low, high, _ = own.limits(0, (value, error), (2.045, ordered), 0.95, N)
        missing = allowed(0.05, "two-sided")
        below = float(unseen_reach(missing, 1.1 / error, 30.0, df)) * error
        above = float(unseen_reach(missing, 0.9 / error, 30.0, df)) * error
        assert (low, high) == pytest.approx((value - below, value + above), rel=1e-2)


def test_a_bound_is_for_means() -> None:
    with pytest.raises(UsageError, match=r"bound=0\.1 is too small"):
        assay.compare(read(losses()), measure="mean_loss", bound=0.1)
    table = {"y": np.arange(N) % 2, **{m: (np.arange(N) + k) % 2 for k, m in enumerate("abc")}}
    with pytest.raises(UsageError, match="bound= is for means of losses of models"):
        assay.compare(table, truth="y", positive=1, measure="f1", bound=0.5)


@pytest.mark.parametrize("tail", [0.0004, 0.024995, 0.025, 0.1, 0.4])
def test_a_quantile_of_draws_is_the_order_statistic(tail: float) -> None:
    """Of 999 draws and the evidence itself, half of the 2 tails lies on either side."""
    ordered, place = np.arange(1.0, 1000.0), int(2 * tail * 1000 + 1e-9)
    due = 1000.0 - place if place else np.inf
    assert _quantile(ordered, np.array([tail, 1 - tail])).tolist() == [due, -due]
    if place:
        assert _tail(ordered, np.array([due, -due])) == pytest.approx(
            [(place + 1) / 2000, 1 - (place + 1) / 2000]
        )


def test_weighted_losses_show_as_many_items_as_their_variance_says() -> None:
    """The unbiased variance of the weighted differences over the squared error of their mean."""
    rng = np.random.default_rng(1)
    table, weights = rng.exponential(size=(3, 12)), rng.random(12)
    shares, (a, b) = weights / weights.sum(), np.triu_indices(3, 1)
    gaps = table[a] - table[b]
    variance = (shares * (gaps - (gaps @ shares)[:, None]) ** 2).sum(axis=1)
    due = variance / (1 - (shares**2).sum()) / 1.2**2
    found = heeded(table, (a, b), np.full(3, 1.2), np.full(3, np.inf), weights=weights)
    assert found.items == pytest.approx(due, rel=1e-12)
    assert (due < 1 / (shares**2).sum()).all()
