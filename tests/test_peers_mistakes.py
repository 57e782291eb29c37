"""Fifteen mistakes measured in popular packages, and the test that we do not make them (B1–B15)."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import assay
from assay.core.errors import AssayError
from assay.estimates.learner_losses import no_information_rate
from assay.plots.cliques import cliques, obstacle

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


def test_b8_bars_equal_the_decisions_or_there_are_none() -> None:
    """Peers draw a bar over a pair that the test tells apart, or none over equal ranks."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 9))
        different = np.triu(rng.random((k, k)) < rng.choice([0.1, 0.5, 0.9]), 1)
        different |= different.T
        bars = cliques(different)
        if bars is None:
            assert obstacle(different) is not None  # a diagram would contradict the test
            continue
        under = {pair for a, b in bars for pair in itertools.combinations(range(a, b + 1), 2)}
        same = {pair for pair in itertools.combinations(range(k), 2) if not different[pair]}
        assert under == same
    assert cliques(np.zeros((3, 3), dtype=bool)) == ((0, 2),)


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


def test_b11_bootstrap_632_of_a_learner_that_remembers() -> None:
    """1-NN on pure noise: resubstitution is 0, .632 too low, .632+ near one half and in [0, 1]."""
    left_out = (RNG.random((200, 60)) < 0.5).astype(float)
    left_out[RNG.random((200, 60)) < 0.632] = np.nan
    fitted = np.zeros(60)
    out = assay.out_of_bag(left_out).value
    assert out is not None
    assert assay.bootstrap_632(fitted, left_out).value == pytest.approx(0.632 * out)
    plus = assay.bootstrap_632_plus(fitted, left_out, 0.5).value
    assert plus == pytest.approx(0.5, abs=0.03)
    worse = assay.bootstrap_632_plus(fitted, np.where(np.isnan(left_out), np.nan, 1.0), 0.5)
    assert worse.value is not None
    assert 0.0 <= worse.value <= 1.0  # R is kept between 0 and 1


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
    wrong = np.where(np.arange(200) % 50 == 0, truth, 1 - truth)
    sharp = {"truth": truth, "a": truth, "b": wrong}
    outcome = assay.paired_bootstrap(sharp, measure="mcc", n_resamples=999, rng=1)
    assert (outcome.p_value or 0) >= 1 / 1000
    flat = assay.paired_bootstrap({**sharp, "b": 1 - truth}, measure="mcc", n_resamples=999, rng=1)
    assert flat.p_value is not None
    assert flat.p_value > 0  # every resample says 2, but for rounding: nothing was sampled
    assert flat.effect.interval is not None
    assert flat.effect.interval.width == pytest.approx(assay.tango(0, 200, 0, 0).interval.width * 2)
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
    evidence = {"truth": truth, "a": RNG.permutation(truth), "b": RNG.permutation(truth)}
    first, second, third = (
        assay.paired_bootstrap(evidence, measure="f1", rng=seed, n_resamples=499)
        for seed in (1, 1, 2)
    )
    assert first == second
    assert first.effect.interval != third.effect.interval


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


def test_pooled_areas_of_left_out_items_are_refused() -> None:
    """On noise the area pooled over leave-one-out is near .43; within folds it is one half."""
    truth, scores = RNG.integers(0, 2, 40), RNG.random(40)
    for variant in ("fold-mean", "pooled"):
        with pytest.raises(AssayError, match="leave-one-out"):
            assay.cv_auc(truth, scores, np.arange(40), variant=variant)
    areas = []
    for _ in range(200):
        truth = np.repeat([0, 1], 20)
        areas.append(assay.cv_auc(truth, RNG.random(40), np.arange(40) % 4).value)
    assert np.mean(areas) == pytest.approx(0.5, abs=0.02)


def test_normality_never_chooses_the_method() -> None:
    """The design decides; a check of normality only informs."""
    folds = [{"fold": k} for k in range(10)]
    normal, wild = RNG.normal(size=(10, 2)), RNG.standard_cauchy(size=(10, 2))
    chosen = set()
    for values in (normal, wild):
        table = {"fold": [one["fold"] for one in folds], "a": values[:, 0], "b": values[:, 1]}
        chosen.add(assay.compare(table).choice.method)
    assert len(chosen) == 1


def test_folds_as_blocks_carry_a_warning() -> None:
    blocks = RNG.random((10, 4))
    for method in (assay.friedman, assay.nemenyi, assay.quade):
        assert "folds-overlap" in {note.code for note in method(blocks, unit="fold").notes}
        assert "folds-overlap" not in {note.code for note in method(blocks).notes}


def test_small_tukey_p_values_are_not_clipped() -> None:
    """statsmodels once stopped at .001."""
    groups = [RNG.normal(size=20), RNG.normal(3, 1, 20), RNG.normal(6, 1, 20)]
    least = min(outcome.p_value or 0.0 for outcome in assay.tukey_hsd(groups).outcomes)
    assert 0.0 < least < 1e-9


def test_work_grows_with_the_counts_not_with_two_to_their_power() -> None:
    """2^L rows for Cochran's Q of L models, n² pairs for the no-information rate."""
    right = (RNG.random((50, 40)) < 0.7).astype(int)
    assert 0.0 <= (assay.cochran_q(right).p_value or 0.0) <= 1.0
    truth = RNG.integers(0, 3, 200_000)
    assert no_information_rate(truth, truth) == pytest.approx(2 / 3, abs=0.01)


@pytest.mark.parametrize("best", range(4))
def test_no_control_is_chosen_by_looking(best: int) -> None:
    """mlr3benchmark takes the best model as the control; ours is the one named, else the first."""
    scores = {f"m{place}": (RNG.random(12) + (place == best)) / 2 for place in range(4)}
    family = assay.bonferroni_dunn(scores)
    assert {pair[1] for pair in family.pairs} == {"m0"}
    compared = assay.compare({"dataset": [f"d{place}" for place in range(12)], **scores})
    assert compared.baseline is None
    assert len(compared.verdicts) == 6  # every pair, adjusted for
