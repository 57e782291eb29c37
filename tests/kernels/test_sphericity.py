"""Mauchly's p-value: R's numbers, and the exact distribution of two differences."""

import numpy as np
import pytest

from assay.hypotheses.assumptions import mauchly
from assay.kernels.sphericity import contrast_covariance, epsilons_of, mauchly_p


@pytest.mark.parametrize(
    ("n", "k", "w", "p"),
    [
        (9, 4, 0.186399327457647, 0.0480713596746127),
        (14, 5, 0.47122676179379, 0.480666620522472),
        (30, 4, 0.512967109067226, 0.00239171333450359),
    ],
)
def test_as_r(n: int, k: int, w: float, p: float) -> None:
    """R 4: mauchly.test(lm(x ~ 1), X = ~1) of x[i, j] = (7i + 5j² + 3ij + 11i²j) %% 17 + j((5i) %% 7)/3."""
    i, j = np.arange(1, n + 1)[:, None], np.arange(1, k + 1)[None, :]
    table = (i * 7 + j * j * 5 + i * j * 3 + i * i * j * 11) % 17 + j * ((i * 5) % 7) / 3
    outcome = mauchly(table)
    assert outcome.statistic == pytest.approx(w, rel=1e-9)
    assert outcome.p_value == pytest.approx(p, rel=1e-9)
    assert mauchly_p(w, n, k)[0] == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize("w", [0.6, 0.8, 0.95])
def test_two_differences_have_an_exact_distribution(n: int, w: float) -> None:
    """P(W <= w) = w^((n - 2)/2) with k = 3 (Mauchly 1940), where the expansion is short by O(1/n²)."""
    p, details = mauchly_p(w, n, 3)
    assert p == pytest.approx(w ** ((n - 2) / 2), abs=0.3 / n**2)
    assert dict(details)["p_first_order"] == dict(details)["p_second_order"] == p


def test_second_order_is_nearer_than_first_order_to_what_is_drawn() -> None:
    """W of 200,000 samples of 9 spherical normal rows of five models: how many lie below 0.05."""
    rng = np.random.default_rng(4)
    drawn = np.concatenate([_statistics(rng.normal(size=(20_000, 9, 4))) for _ in range(10)])
    _, details = mauchly_p(0.05, 9, 5)
    share, facts = float((drawn <= 0.05).mean()), dict(details)
    assert facts["p_second_order"] == pytest.approx(share, abs=0.004)
    assert abs(facts["p_first_order"] - share) > abs(facts["p_second_order"] - share)


def _statistics(samples: np.ndarray) -> np.ndarray:
    centred = samples - samples.mean(axis=1, keepdims=True)
    scatter = np.einsum("sni,snj->sij", centred, centred)
    return np.asarray(np.linalg.det(scatter) / (np.trace(scatter, axis1=1, axis2=2) / 4) ** 4)


class TestEpsilons:
    TABLE = np.random.default_rng(8).normal(size=(7, 4)) * [1.0, 2.0, 1.5, 4.0]

    def test_by_the_covariances_of_the_columns(self) -> None:
        """Box (1954), as Greenhouse and Geisser write it: no contrasts are needed."""
        n, k = self.TABLE.shape
        s = np.cov(self.TABLE, rowvar=False)
        spread = (s**2).sum() - 2 * k * (s.mean(axis=1) ** 2).sum() + k**2 * s.mean() ** 2
        gg = k**2 * (np.diag(s).mean() - s.mean()) ** 2 / ((k - 1) * spread)
        hf = (n * (k - 1) * gg - 2) / ((k - 1) * (n - 1 - (k - 1) * gg))
        found = epsilons_of(self.TABLE)
        assert found["gg_epsilon"] == pytest.approx(gg)
        assert found["hf_epsilon_raw"] == pytest.approx(hf)
        assert found["hf_epsilon"] == pytest.approx(min(hf, 1.0))

    def test_two_columns_are_spherical(self) -> None:
        found = epsilons_of(self.TABLE[:, :2])
        assert found["gg_epsilon"] == pytest.approx(1.0)
        assert found["hf_epsilon"] == 1.0

    def test_where_its_denominator_vanishes_it_is_capped(self) -> None:
        found = epsilons_of(np.array([[0.0, 1.0], [2.0, 5.0]]))
        assert found["hf_epsilon_raw"] == np.inf
        assert found["hf_epsilon"] == 1.0

    def test_contrasts_keep_all_that_lies_between_columns(self) -> None:
        centring = np.eye(4) - 1 / 4
        within = centring @ np.cov(self.TABLE, rowvar=False) @ centring
        found = np.linalg.eigvalsh(contrast_covariance(self.TABLE))
        assert found == pytest.approx(np.linalg.eigvalsh(within)[1:])
