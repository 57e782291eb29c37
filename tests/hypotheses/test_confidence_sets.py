"""Confidence sets of models by cross-validation, against the multiplier bootstrap done item by item."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.hypotheses.confidence_sets import SCREEN


def losses_of(seed: int, rates: Any, n: int = 60) -> np.ndarray:
    """Losses of 0 and 1 that go along with one another, as those of models do."""
    rng = np.random.default_rng(seed)
    hard = rng.random((n, 1)) < 0.5
    drawn = np.where(hard, rng.random((n, len(rates))), 1.0)
    return (drawn < 2.0 * np.array(rates)) * 1.0


def item_by_item(
    losses: np.ndarray, folds: np.ndarray, draws: int, seed: int, *, screened: bool
) -> list[tuple[float, float]]:
    """Lei (2020), the steps of his section on V folds: a normal multiplier for every item, one model at a time."""
    n, models = losses.shape
    rng = np.random.default_rng(seed)
    found = []
    for m in range(models):
        kept, observed = [], []
        for j in range(models):
            apart = losses[:, m] - losses[:, j]
            centred = apart.copy()
            for fold in set(folds.tolist()):
                centred[folds == fold] -= apart[folds == fold].mean()
            deviation = float(np.std(centred, ddof=1))
            if j == m or deviation == 0.0:
                continue
            kept.append(centred / deviation)
            observed.append(math.sqrt(n) * float(apart.mean()) / deviation)
        z = stats.norm.isf(SCREEN / (models - 1))
        near = [t > -2.0 * z / math.sqrt(1.0 - z**2 / n) for t in observed]
        if screened and any(near):
            kept = [one for one, is_near in zip(kept, near, strict=True) if is_near]
        sums = [
            max(float(multipliers @ one) / math.sqrt(n) for one in kept)
            for multipliers in rng.standard_normal((draws, n))
        ]
        found.append((max(observed), float(np.mean(np.array(sums) >= max(observed)))))
    return found


@pytest.mark.parametrize("variant", ["screened", "all"])
@pytest.mark.parametrize("seed", range(4))
def test_as_the_paper_has_it(seed: int, variant: Any) -> None:
    losses = losses_of(seed, [0.2, 0.25, 0.3, 0.45])
    folds = np.arange(60) % 5
    found = assay.cv_confidence_set(losses, folds, variant=variant, n_resamples=19999, rng=seed)
    by_hand = item_by_item(losses, folds, 4000, seed, screened=variant == "screened")
    for outcome, (statistic, p_value) in zip(found.outcomes, by_hand, strict=True):
        assert outcome.statistic == pytest.approx(statistic)
        assert outcome.p_value == pytest.approx(
            p_value, abs=4.0 * math.sqrt(0.25 / 4000) + 1.0 / 4000
        )


def test_two_models_are_a_normal_test_within_folds() -> None:
    """One rival and many draws: the p-value is that of z, with the variance about the means of folds."""
    losses, folds = losses_of(3, [0.2, 0.4], 100), np.arange(100) % 10
    found = assay.cv_confidence_set(losses, folds, n_resamples=200_000, rng=1)
    bayle = assay.paired_cv_bayle(losses[:, 0], losses[:, 1], folds, variant="within-fold")
    assert bayle.statistic is not None
    ratio = math.sqrt(
        99 / 90
    )  # here the squares within folds are shared out over n - 1, there over n - 10
    for outcome, side in zip(found.outcomes, (1.0, -1.0), strict=True):
        z = side * bayle.statistic * ratio
        assert outcome.statistic == pytest.approx(z)
        assert outcome.p_value == pytest.approx(stats.norm.sf(z), abs=0.005)


def test_the_set_holds_the_best_and_leaves_out_the_worst() -> None:
    names = {"good": 0.1, "alike": 0.12, "bad": 0.45}
    losses = dict(zip(names, losses_of(1, list(names.values()), 200).T, strict=True))
    found = assay.cv_confidence_set(losses, np.arange(200) % 10, rng=2)
    known = dict(found.details)
    assert known["confidence_set"] == "good, alike"
    assert known["models_in_set"] == 2
    assert found.summary().startswith("May be the best (95% confidence set): good, alike.")
    assert [dict(one.details)["in_set"] for one in found.outcomes] == [True, True, False]
    assert found.pairs[2][0] == "bad"
    bad = found.outcomes[2]
    assert bad.effect.interval is not None
    assert bad.effect.interval.low > 0.0
    assert bad.effect.interval.high == math.inf
    assert [one.code for one in found.notes] == ["stable-learner"]


def test_means_of_folds_are_no_spread() -> None:
    """A constant added to the losses of one model in one fold moves its mean and no standard deviation."""
    losses, folds = losses_of(5, [0.2, 0.3, 0.3]), np.arange(60) % 5
    moved = losses.copy()
    moved[folds == 2, 1] += 0.3
    one, other = (assay.cv_confidence_set(table, folds) for table in (losses, moved))
    errors = [
        [outcome.effect.standard_error for outcome in found.outcomes] for found in (one, other)
    ]
    assert one.pairs == other.pairs
    assert errors[0] == pytest.approx(errors[1])
    assert other.outcomes[1].effect.value != one.outcomes[1].effect.value


def test_a_rival_that_is_clearly_worse_does_not_raise_the_bar() -> None:
    """Twenty hopeless models: screened away they cost nothing, kept they make the second model stay."""
    rng = np.random.default_rng(6)
    n = 200
    good = rng.normal(0.0, 1.0, n)
    second = good + 0.17 + rng.normal(0.0, 1.0, n)
    table = np.column_stack([good, second, *(5.0 + rng.normal(size=(20, n)))])
    folds = np.arange(n) % 10
    p = {
        variant: assay.cv_confidence_set(table, folds, variant=variant).outcomes[1].p_value
        for variant in ("screened", "all")
    }
    assert p["screened"] is not None
    assert p["all"] is not None
    assert p["all"] > 5.0 * p["screened"]


def test_models_that_never_differ_and_one_that_always_loses_more() -> None:
    rng = np.random.default_rng(7)
    base = rng.random(40)
    folds = np.arange(40) % 4
    same = assay.cv_confidence_set(np.column_stack([base, base]), folds)
    assert [one.p_value for one in same.outcomes] == [1.0, 1.0]
    assert dict(same.details)["models_in_set"] == 2
    assert {note.code for one in same.outcomes for note in one.notes} == {"zero-variance"}
    shifted = assay.cv_confidence_set(np.column_stack([base, base + 0.1]), folds, n_resamples=999)
    assert [one.p_value for one in shifted.outcomes] == [1.0, 0.001]
    assert dict(shifted.details)["confidence_set"] == "model 1"


def test_order_of_models_and_items() -> None:
    losses, folds = losses_of(8, [0.2, 0.3, 0.4]), np.arange(60) % 5
    one = assay.cv_confidence_set(losses, folds, n_resamples=49_999)
    turned = assay.cv_confidence_set(losses[:, ::-1], folds, n_resamples=49_999)
    for ours, theirs in zip(one.outcomes, turned.outcomes[::-1], strict=True):
        assert theirs.statistic == pytest.approx(ours.statistic)
        assert theirs.p_value == pytest.approx(ours.p_value, abs=0.01)


def test_from_a_file_of_predictions(tmp_path: Any) -> None:
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 2, 80)
    labels = {
        name: np.where(rng.random(80) < rate, 1 - truth, truth)
        for name, rate in (("a", 0.1), ("b", 0.2), ("c", 0.5))
    }
    folds = np.arange(80) % 4
    path = tmp_path / "predictions.csv"
    head = ["truth,fold,a,b,c"]
    rows = zip(truth, folds, *labels.values(), strict=True)
    path.write_text("\n".join([*head, *(",".join(map(str, row)) for row in rows)]))
    found = assay.cv_confidence_set(str(path))
    table = {name: (one != truth) * 1.0 for name, one in labels.items()}
    assert found == assay.cv_confidence_set(table, folds)
    assert found.models == ("a", "b", "c")


def test_what_it_cannot_take() -> None:
    with pytest.raises(EvidenceError, match="two items or more"):
        assay.cv_confidence_set(np.eye(4), [1, 2, 3, 4])
    with pytest.raises(UsageError, match="n_resamples"):
        assay.cv_confidence_set(np.eye(4), [1, 1, 2, 2], n_resamples=0)
    with pytest.raises(EvidenceError):
        assay.cv_confidence_set(np.eye(4)[:, :1], [1, 1, 2, 2])
    with pytest.raises(EvidenceError, match="too large to be squared"):
        assay.cv_confidence_set(np.eye(4) * 1.7e308, [1, 1, 2, 2])


def test_each_of_equally_good_models_is_left_out_as_often_as_promised() -> None:
    rng, out = np.random.default_rng(10), 0
    for _ in range(400):
        losses = rng.normal(size=(80, 4)) + rng.normal(size=(80, 1))
        found = assay.cv_confidence_set(losses, np.arange(80) % 5, level=0.9, n_resamples=499)
        out += not dict(found.outcomes[0].details)["in_set"]
    assert out / 400 == pytest.approx(0.1, abs=0.05)
