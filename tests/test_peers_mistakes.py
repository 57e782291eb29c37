"""Fifteen mistakes measured in popular packages, and the test that we do not make them (B1–B15)."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import assay
from assay.core.errors import AssayError

RNG = np.random.default_rng(15)


def test_b1_direction_is_never_chosen_from_the_data() -> None:
    """A one-sided test in the direction the data chose rejects 10 % of true nulls."""
    differences = RNG.normal(size=(5000, 24))
    rejected = [(assay.wilcoxon(d).p_value or 0.0) <= 0.05 for d in differences]
    assert 0.044 <= np.mean(rejected) <= 0.056
    a, b = RNG.normal(size=(2, 20))
    assert assay.wilcoxon(a, b).p_value == assay.wilcoxon(b, a).p_value
    one_sided = assay.wilcoxon(a, b, alternative="greater").p_value
    assert one_sided != assay.wilcoxon(a, b).p_value


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        *[(name, name) for name in ("bonferroni", "holm", "hommel", "sidak")],
        ("hochberg", "simes-hochberg"), ("bh", "fdr_bh"), ("by", "fdr_by"), ("holland", "holm-sidak"),
    ],
)  # fmt: skip
def test_b2_adjusted_p_values(ours: str, theirs: str) -> None:
    for _ in range(20):
        p = RNG.random(12) ** 3
        adjusted = np.array(assay.adjust(p, method=ours))
        np.testing.assert_allclose(adjusted, multipletests(p, method=theirs)[1], rtol=1e-9)
        order = RNG.permutation(12)
        np.testing.assert_allclose(assay.adjust(p[order], method=ours), adjusted[order], rtol=1e-12)
        assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()
        assert adjusted.max() <= 1


def test_b2_family_wise_error_under_a_partial_null() -> None:
    """One model far off lets an omnibus gate through; the pairs of equal ones must still hold."""
    false = 0
    for _ in range(200):
        blocks = RNG.normal(size=(12, 5)) + np.array([0, 0, 0, 0, 5.0])
        family = assay.wilcoxon_pairs(blocks)
        false += any(
            (outcome.p_value or 0) <= 0.05
            for (a, b), outcome in zip(family.pairs, family.outcomes, strict=True)
            if "model 5" not in (a, b)
        )
    assert stats.binomtest(false, 200, 0.05, alternative="greater").pvalue > 0.001


@pytest.mark.parametrize("k", range(2, 11))
def test_b3_nemenyi_is_the_studentized_range(k: int) -> None:
    blocks = RNG.normal(size=(14, k))
    family = assay.nemenyi(blocks)
    q = stats.studentized_range.ppf(0.95, k, np.inf) / math.sqrt(2)
    expected = q * math.sqrt(k * (k + 1) / (6 * 14))
    assert dict(family.details)["critical_difference"] == pytest.approx(expected, rel=1e-6)
    shifted = assay.nemenyi(blocks + RNG.normal(size=(14, 1)))
    assert [o.p_value for o in family.outcomes] == pytest.approx(
        [o.p_value for o in shifted.outcomes]
    )


def test_b4_friedman_with_ties_and_with_full_agreement() -> None:
    tied = np.round(RNG.random((9, 4)), 1)
    ours = assay.friedman(tied)
    theirs = stats.friedmanchisquare(*tied.T)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    agreed = assay.iman_davenport(np.tile([3.0, 2.0, 1.0], (4, 1)))
    assert agreed.p_value == pytest.approx((1 / 6) ** 3)


def test_b5_mcnemar_corners() -> None:
    for b, c in itertools.product(range(31), repeat=2):
        exact = assay.mcnemar(5, b, c, 5, variant="exact")
        expected = stats.binomtest(b, b + c).pvalue if b + c else 1.0
        assert exact.p_value == pytest.approx(expected, rel=1e-9)
        corrected = assay.mcnemar(5, b, c, 5, variant="continuity")
        assert corrected.p_value is not None
        assert corrected.p_value >= (assay.mcnemar(5, b, c, 5).p_value or 0) - 1e-12
    identical = assay.mcnemar(90, 0, 0, 10)
    assert identical.p_value == 1.0
    assert identical.effect.value == 0.0
    interval = identical.effect.interval
    assert interval is not None
    assert interval.low < 0 < interval.high
    assert assay.mcnemar(5, 1, 1, 5).p_value == 1.0


def test_b6_correction_of_repeated_folds() -> None:
    """Hand-computed: ten differences, 2-fold five times."""
    d = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0.00, 0.01, 0.02, 0.03, 0.01])
    t = d.mean() / math.sqrt(d.var(ddof=1) * (1 / 10 + 1.0))
    outcome = assay.corrected_resampled_t(d, folds=2)
    assert outcome.statistic == pytest.approx(t)
    assert outcome.p_value == pytest.approx(2 * stats.t.sf(t, 9))


def test_b7_direction_belongs_to_the_measure() -> None:
    blocks = RNG.normal(size=(10, 4))
    higher, lower = (
        assay.friedman(blocks, direction="higher"),
        assay.friedman(-blocks, direction="lower"),
    )
    assert higher.p_value == lower.p_value
    ranks = dict(assay.nemenyi(blocks, direction="higher").details)
    assert ranks == dict(assay.nemenyi(-blocks, direction="lower").details)
    expected = stats.rankdata(-blocks, axis=1).mean(axis=0)
    assert [ranks[f"mean rank: model {j + 1}"] for j in range(4)] == pytest.approx(list(expected))


def test_b9_pairs_are_matched_by_name() -> None:
    names = [f"set {i}" for i in range(12)]
    a = RNG.random(12)
    table = {"dataset": names, "a": a, "b": a - 0.05 + RNG.normal(0, 0.01, 12)}
    order = RNG.permutation(12)
    shuffled = {name: np.asarray(column)[order] for name, column in table.items()}
    assert (
        assay.compare(table).verdict.outcome.p_value
        == assay.compare(shuffled).verdict.outcome.p_value
    )
    with pytest.raises(AssayError, match="two scores of 'a'"):
        assay.compare({"dataset": ["x", "x", "y"], "a": [1, 2, 3], "b": [1, 2, 4]})


def test_b10_missing_cells_are_named() -> None:
    blocks = RNG.random((6, 3))
    blocks[2, 1] = np.nan
    with pytest.raises(AssayError, match="missing"):
        assay.friedman(blocks)
    assert assay.skillings_mack(blocks).p_value is not None


@pytest.mark.parametrize(
    "measure", ["accuracy", "f1", "mcc", "balanced_accuracy", "precision", "recall"]
)
@pytest.mark.parametrize("case", ["perfect", "hopeless", "one class", "one item"])
def test_b12_degenerate_data_get_an_honest_interval(measure: str, case: str) -> None:
    truth = np.array([0, 1] * 15)
    made = {
        "perfect": (truth, truth),
        "hopeless": (truth, 1 - truth),
        "one class": (np.ones(30, int), truth),
        "one item": (np.array([1]), np.array([1])),
    }
    labels, predicted = made[case]
    evidence = assay.read({"truth": labels, "model": predicted}, truth="truth", positive=1)
    (found,) = assay.evaluate(evidence, measures=(measure,), rng=1).estimates
    if found.value is None:
        assert found.notes
    else:
        assert found.interval is not None
        assert found.interval.width > 0.001
        assert found.interval.low <= found.value <= found.interval.high


def test_b12_a_perfect_auc_is_not_certain() -> None:
    truth = np.repeat([0, 1], 10)
    (found,) = assay.evaluate(
        {"truth": truth, "model": truth + 0.5}, measures=("roc_auc",)
    ).estimates
    assert found.value == 1.0
    assert found.interval is not None
    assert found.interval.low < 0.95


def test_b13_sampling_never_gives_zero_and_decimals_tie() -> None:
    truth = np.repeat([0, 1], 100)
    sharp = {"truth": truth, "a": truth, "b": 1 - truth}
    outcome = assay.paired_bootstrap(sharp, measure="mcc", n_resamples=999, rng=1)
    assert (outcome.p_value or 0) >= 1 / 1000
    details = dict(assay.wilcoxon([0.1 + 0.2, 0.5, 0.9], [0.3, 0.2, 0.4]).details)
    assert details["n_nonzero"] == 2  # 0.1 + 0.2 is 0.3


@pytest.mark.parametrize("method", ["paired_t", "wilcoxon", "sign_test", "paired_permutation"])
def test_b14_pairing_is_kept(method: str) -> None:
    a = np.round(RNG.random(14), 3)
    b = np.round(a - 0.02 + RNG.normal(0, 0.01, 14), 3)
    offset = np.round(RNG.normal(0, 100, 14), 3)
    function = getattr(assay, method)
    one, other = function(a, b), function(a + offset, b + offset)
    assert other.p_value == pytest.approx(one.p_value, rel=1e-6)
    assert other.effect.value == pytest.approx(one.effect.value, rel=1e-6)
    assert function(a, b, level=0.99).effect.interval.width > one.effect.interval.width


@pytest.mark.parametrize("zeros", ["drop", "pratt"])
def test_b15_signed_ranks_by_enumeration(zeros: str) -> None:
    for _ in range(15):
        d = RNG.integers(-3, 4, size=8).astype(float)
        outcome = assay.wilcoxon(d, zeros=zeros, method="exact")
        assert outcome.p_value == pytest.approx(_enumerated(d, zeros))
        mirrored = assay.wilcoxon(-d, zeros=zeros, method="exact")
        assert mirrored.p_value == pytest.approx(outcome.p_value)
    assert assay.wilcoxon(np.zeros(6)).p_value == 1.0


def _enumerated(d: np.ndarray, zeros: str) -> float:
    """All sign patterns of the ranks, two-sided by distance from the centre."""
    kept = d if zeros == "pratt" else d[d != 0]
    ranks = stats.rankdata(np.abs(kept))[kept != 0]
    signs = np.sign(kept[kept != 0])
    if not ranks.size:
        return 1.0
    patterns = np.array(list(itertools.product((0, 1), repeat=ranks.size)))
    sums = patterns @ ranks
    distance = abs(ranks[signs > 0].sum() - ranks.sum() / 2)
    return float((np.abs(sums - ranks.sum() / 2) >= distance - 1e-9).mean())


def test_seeds_are_not_ignored() -> None:
    truth = RNG.integers(0, 2, 100)
    evidence = {"truth": truth, "a:score": truth + RNG.random(100), "b:score": RNG.random(100)}
    first, second, third = (
        assay.compare(evidence, measure="average_precision", rng=seed, n_resamples=499)
        for seed in (1, 1, 2)
    )
    assert first == second
    assert first.verdict.outcome.effect.interval != third.verdict.outcome.effect.interval


def test_identical_models_are_symmetric_to_a_bayesian() -> None:
    same = RNG.random(12)
    posterior = assay.bayes_signed_rank(same, same, rng=1)
    assert posterior.p_left == posterior.p_right


def test_tails_do_not_vanish() -> None:
    far = assay.paired_t(np.arange(200.0) * 1e-3 + 1.0)
    assert far.p_value is not None
    assert 0 < far.p_value < 1e-200
    details = dict(far.details)
    assert details["log10_p"] == pytest.approx(math.log10(far.p_value))
    farther = dict(assay.paired_t(np.arange(200.0) * 1e-3 + 5.0).details)
    assert -400 < float(farther["log10_p"] or 0) < -350
