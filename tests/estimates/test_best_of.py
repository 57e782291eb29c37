"""The best of several models, chosen on the items that judge it."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtri

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Estimate
from assay.estimates.best_of import best_of
from assay.estimates.proportions import proportion
from assay.evidence.reading import read


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def details(estimate: Estimate) -> dict[str, Any]:
    return dict(estimate.details)


def right(
    rng: np.random.Generator, n: int, accuracies: Any, correlation: float
) -> NDArray[np.int64]:
    """Right and wrong answers of models whose difficulties are shared."""
    shared = rng.normal(size=(n, 1))
    own = rng.normal(size=(n, len(accuracies)))
    hidden = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own
    return np.asarray(hidden < ndtri(accuracies), dtype=np.int64)


class TestBestOf:
    def test_brute_force_over_all_halves(self) -> None:
        """Six items, two models: all 64 ways to toss the coins."""
        table = np.array([[1, 0], [1, 1], [0, 1], [1, 0], [1, 1], [0, 0]])
        scores = []
        for code in range(1, 63):
            half = np.array([code >> place & 1 for place in range(6)], dtype=bool)
            chosen = table[half].mean(axis=0)
            winners = chosen == chosen.max()
            scores.append(table[~half].mean(axis=0)[winners].mean())
        found = best_of(table, n_resamples=20_000, rng=1)
        assert found.value is not None
        assert abs(found.value - np.mean(scores)) < 0.01
        assert details(found)["naive"] == 4 / 6

    def test_a_matrix_and_predictions_agree(self) -> None:
        rng = np.random.default_rng(0)
        table = right(rng, 80, [0.8, 0.7, 0.75], 0.4)
        truth = rng.integers(0, 2, size=80)
        columns = {"truth": truth}
        for place in range(3):
            answers = np.where(table[:, place] == 1, truth, 1 - truth)
            columns[f"model_{place + 1}"] = answers
        one, other = best_of(table, rng=3), best_of(columns, rng=3)
        assert one.model == other.model
        assert abs((one.value or 0) - (other.value or 0)) < 0.01  # other cells, other coins
        assert details(one)["naive"] == details(other)["naive"]

    def test_the_best_of_many_equals_is_no_better_than_they_are(self) -> None:
        rng = np.random.default_rng(7)
        naive, corrected, bootstrap, covered = [], [], [], []
        for seed in range(60):
            found = best_of(right(rng, 100, np.full(20, 0.8), 0.3), n_resamples=200, rng=seed)
            naive.append(details(found)["naive"])
            corrected.append(details(found)["corrected"])
            bootstrap.append(naive[-1] - details(found)["bootstrap_optimism"])
            covered.append(limits(found)[0] <= 0.8 <= limits(found)[1])
        assert np.mean(naive) > 0.85
        assert abs(np.mean(corrected) - 0.8) < 0.012
        assert np.mean(corrected) < np.mean(bootstrap) < np.mean(naive)  # it corrects two thirds
        assert np.mean(covered) > 0.9

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("n", "models", "accuracy", "correlation"),
        [
            (100, 2, 0.8, 0.3),
            (100, 10, 0.95, 0.6),
            (100, 100, 0.8, 0.3),
            (300, 100, 0.95, 0.3),
            (1000, 10, 0.5, 0.6),
        ],
    )
    def test_covers_the_chosen_model(
        self, n: int, models: int, accuracy: float, correlation: float
    ) -> None:
        rng = np.random.default_rng(8)
        covered = []
        for seed in range(250 if models <= 10 else 100):
            table = right(rng, n, np.full(models, accuracy), correlation)
            low, high = limits(best_of(table, n_resamples=200, rng=seed))
            covered.append(low <= accuracy <= high)
        assert np.mean(covered) >= 0.935

    def test_a_clear_winner_keeps_its_score(self) -> None:
        rng = np.random.default_rng(2)
        found = best_of(right(rng, 400, [0.95, 0.6, 0.65, 0.6], 0.5), rng=1)
        assert found.model == "model_1"
        assert details(found)["chosen_again"] == 1.0
        assert abs(details(found)["optimism"]) < 0.002

    def test_the_lower_limit_pays_for_the_number_of_models_and_the_upper_does_not(self) -> None:
        rng = np.random.default_rng(4)
        table = right(rng, 200, np.full(40, 0.7), 0.0)
        order = np.argsort(-table.mean(axis=0))
        few, many = best_of(table[:, order[:2]], rng=1), best_of(table[:, order], rng=1)
        errors = 200 - int(table[:, order[0]].sum())
        alone = proportion(errors, 200).interval
        assert alone is not None
        assert limits(many)[0] < limits(few)[0] < 1 - alone.high
        assert limits(many)[1] == pytest.approx(1 - alone.low)
        assert details(many)["multiplier"] > 3.0
        assert 1.96 < details(few)["multiplier"] < 2.4

    def test_twins_cost_nothing(self) -> None:
        rng = np.random.default_rng(5)
        column = right(rng, 150, [0.8], 0.0)
        twins = best_of(np.repeat(column, 30, axis=1), n_resamples=5000, rng=1)
        assert details(twins)["multiplier"] == pytest.approx(1.96, abs=0.08)
        assert details(twins)["tied"] == 30
        assert abs(details(twins)["optimism"]) < 0.005

    def test_lower_is_better(self) -> None:
        rng = np.random.default_rng(6)
        losses = {f"m{place}": rng.gamma(2.0, size=60) for place in range(8)}
        found = best_of(read(losses, losses=True), measure="mean_loss", rng=1)
        means = {name: values.mean() for name, values in losses.items()}
        assert found.model == min(means, key=lambda name: means[name])
        assert details(found)["naive"] == pytest.approx(min(means.values()))
        assert found.value is not None
        assert found.value > details(found)["naive"]
        assert details(found)["optimism"] > 0
        low, high = limits(found)
        assert high - details(found)["naive"] > details(found)["naive"] - low

    def test_other_measures(self) -> None:
        rng = np.random.default_rng(9)
        truth = rng.integers(0, 2, size=120)
        columns = {"truth": truth}
        for place in range(5):
            columns[f"m{place}"] = np.where(rng.random(120) < 0.25, 1 - truth, truth)
        for measure in ("f1", "mcc"):
            found = best_of(columns, measure=measure, n_resamples=300, rng=1)
            assert found.value is not None
            assert limits(found)[0] < found.value < limits(found)[1]

    def test_says_that_the_items_chose(self) -> None:
        found = best_of([[1, 0], [1, 1], [0, 1]] * 10, rng=1)
        (note,) = found.notes
        assert note.code == "chosen-on-the-same-items"
        assert "the best of 2" in note.message

    def test_perfect_models(self) -> None:
        found = best_of(np.ones((50, 3), dtype=int), rng=1)
        assert found.value == 1.0
        assert limits(found)[0] < 0.95
        assert limits(found)[1] == 1.0

    def test_same_seed_same_answer(self) -> None:
        table = right(np.random.default_rng(1), 50, np.full(4, 0.7), 0.2)
        assert best_of(table, rng=5) == best_of(table, rng=5)
        assert best_of(table, rng=5) != best_of(table, rng=6)

    def test_errors(self) -> None:
        with pytest.raises(EvidenceError, match="two or more models"):
            best_of({"truth": [0, 1, 1], "a": [0, 1, 0]})
        with pytest.raises(EvidenceError, match="at least 2 rows and 2 columns"):
            best_of([[1], [0]])
        with pytest.raises(UsageError, match="at least 20"):
            best_of([[1, 0], [0, 1]], n_resamples=5)
        undefined = {"truth": [0, 0, 1, 1], "a": [0, 0, 0, 0], "b": [0, 0, 1, 1]}
        with pytest.raises(EvidenceError, match="precision is undefined for 1 of 2 models"):
            best_of(undefined, measure="precision")
        with pytest.raises(EvidenceError, match="accuracy needs"):
            best_of([[0.5, 0.1], [0.2, 0.3]])
