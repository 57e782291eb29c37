from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import EvidenceError, NotApplicable
from assay.hypotheses import multiplicity
from assay.hypotheses.multiplicity import adjust, adjust_pairs, bergmann_hommel, shaffer
from assay.kernels.adjustments import RULES

P_VALUES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12)
SINGLE: tuple[Any, ...] = tuple(RULES)
NAMES = {"bh": "benjamini_hochberg", "by": "benjamini_yekutieli"}


class TestAdjust:
    @pytest.mark.parametrize(
        ("called", "own"),
        [("BH", "bh"), ("fdr_by", "by"), ("holm-sidak", "holland"), ("benjamini_hochberg", "bh")],
    )
    def test_names_of_other_tools(self, called: Any, own: Any) -> None:
        p = [0.01, 0.02, 0.03, 0.4]
        assert adjust(p, method=called) == adjust(p, method=own)

    def test_rom_example(self) -> None:
        """Rom 1990: at alpha 0.05 the constants are .05, .025, .0169, .0127 (m = 4)."""
        constants = [0.05, 0.025, 0.05 / 3 + 0.05**2 / 12]
        p = [constants[2], constants[1], constants[0]]
        assert adjust(p, method="rom") == pytest.approx([0.05] * 3, rel=1e-12)

    @pytest.mark.parametrize("method", SINGLE)
    def test_own_name(self, method: str) -> None:
        p = [0.2, 0.01, 0.03, 0.5]
        named = getattr(multiplicity, NAMES.get(method, method))
        assert named(p) == adjust(p, method=method)  # type: ignore[arg-type]

    @pytest.mark.parametrize("method", SINGLE)
    @given(p=P_VALUES, data=st.data())
    def test_order_does_not_matter(self, method: Any, p: list[float], data: st.DataObject) -> None:
        order = data.draw(st.permutations(range(len(p))))
        adjusted = adjust(p, method=method)
        shuffled = adjust([p[i] for i in order], method=method)
        assert shuffled == pytest.approx([adjusted[i] for i in order], rel=1e-12)

    @pytest.mark.parametrize("method", SINGLE)
    @given(p=P_VALUES)
    def test_monotone_and_bounded(self, method: Any, p: list[float]) -> None:
        order = np.argsort(p, kind="stable")
        adjusted = np.array(adjust(p, method=method))
        assert (np.diff(adjusted[order]) >= -1e-12).all()
        assert ((adjusted >= p) & (adjusted <= 1.0)).all()

    @given(p=P_VALUES)
    def test_sharper_procedures_reject_more(self, p: list[float]) -> None:
        found = {name: np.array(adjust(p, method=name)) for name in SINGLE}
        chain = ["bonferroni", "holm", "hochberg", "hommel", "bh"]
        for weak, sharp in pairwise(chain):
            assert (found[sharp] <= found[weak] + 1e-12).all(), (weak, sharp)
        assert (found["holland"] <= found["holm"] + 1e-12).all()
        assert (found["finner"] <= found["holland"] + 1e-12).all()
        assert (found["rom"] <= found["hochberg"] + 1e-12).all()

    @pytest.mark.parametrize("method", SINGLE)
    def test_tiny_values_survive(self, method: Any) -> None:
        assert 0.0 < adjust([1e-20, 0.3, 0.9], method=method)[0] < 1e-18

    @pytest.mark.parametrize("method", SINGLE)
    def test_one_value_is_itself(self, method: Any) -> None:
        assert adjust([0.03], method=method) == pytest.approx((0.03,), rel=1e-12)

    def test_hommel_by_closed_testing(self) -> None:
        rng = np.random.default_rng(5)
        for _ in range(20):
            p = rng.random(5) ** 2
            assert adjust(p, method="hommel") == pytest.approx(_closed_simes(p), rel=1e-12)

    def test_undefined_is_refused_by_name(self) -> None:
        with pytest.raises(EvidenceError, match="without a value: tree; leave"):
            adjust({"tree": None, "bayes": 0.2})
        with pytest.raises(EvidenceError, match="without a value: number 2"):
            adjust([0.1, float("nan")])

    def test_errors(self) -> None:
        with pytest.raises(EvidenceError, match="between 0 and 1; outside: number 1"):
            adjust([1.5, 0.2])
        with pytest.raises(EvidenceError, match="at least one"):
            adjust([])
        with pytest.raises(ValueError, match="method is one of bonferroni"):
            adjust([0.1], method="nonsense")  # type: ignore[arg-type]
        with pytest.raises(NotApplicable, match="use hochberg"):
            adjust([0.5] * 201, method="rom")


class TestPairs:
    @pytest.mark.parametrize("k", [3, 4, 5])
    def test_bergmann_hommel_by_brute_force(self, k: int) -> None:
        p = np.random.default_rng(k).random(k * (k - 1) // 2) ** 3
        assert bergmann_hommel(p) == pytest.approx(_by_all_labelings(p, k), rel=1e-12)

    @given(data=st.data())
    def test_ordering_of_procedures(self, data: st.DataObject) -> None:
        p = data.draw(st.lists(st.floats(0, 1), min_size=10, max_size=10))
        holm, static = np.array(adjust(p)), np.array(shaffer(p))
        dynamic = np.array(shaffer(p, variant="dynamic"))
        exhaustive = np.array(bergmann_hommel(p))
        monotone = np.array(bergmann_hommel(p, variant="monotone"))
        for weak, sharp in ((holm, static), (static, dynamic), (dynamic, monotone)):
            assert (sharp <= weak + 1e-12).all()
        assert (exhaustive <= monotone).all()

    @pytest.mark.parametrize("procedure", [shaffer, bergmann_hommel])
    def test_names_and_order_of_pairs(self, procedure: Any) -> None:
        p = np.random.default_rng(3).random(6) ** 2
        pairs = list(combinations("ABCD", 2))
        adjusted = dict(zip(pairs, procedure(p, pairs), strict=True))
        for order in list(permutations(range(6)))[::97]:
            shuffled = procedure([p[i] for i in order], [pairs[i] for i in order])
            assert shuffled == pytest.approx([adjusted[pairs[i]] for i in order], rel=1e-12)

    def test_too_many_models(self) -> None:
        with pytest.raises(NotApplicable, match="up to 10 models; got 11: use shaffer"):
            bergmann_hommel([0.5] * 55)
        with pytest.raises(NotApplicable, match="static variant"):
            shaffer([0.5] * 55, variant="dynamic")
        assert len(shaffer([0.5] * 4950)) == 4950

    def test_other_families_are_refused(self) -> None:
        with pytest.raises(EvidenceError, match=r"not all pairs of k models.*use holm"):
            shaffer([0.1, 0.2])
        with pytest.raises(EvidenceError, match="every pair of the models once"):
            shaffer([0.1, 0.2, 0.3], [("A", "B"), ("A", "C"), ("A", "B")])
        with pytest.raises(EvidenceError, match="4 models have 6 pairs; got 3"):
            adjust_pairs([0.1, 0.2, 0.3], 4)


def _closed_simes(p: Any) -> list[float]:
    """Each hypothesis' largest Simes p over all sets that hold it."""
    m = len(p)
    largest = np.zeros(m)
    for size in range(1, m + 1):
        for chosen in combinations(range(m), size):
            simes = min(size * x / (i + 1) for i, x in enumerate(sorted(p[list(chosen)])))
            for index in chosen:
                largest[index] = max(largest[index], simes)
    return np.minimum(largest, 1).tolist()  # type: ignore[no-any-return]


def _by_all_labelings(p: Any, k: int) -> list[float]:
    """Every way to give the k models levels, hence every set of pairs that can be equal."""
    pairs = list(combinations(range(k), 2))
    largest = np.zeros(len(pairs))
    for code in range(k**k):
        levels = [(code // k**i) % k for i in range(k)]
        equal = [i for i, (a, b) in enumerate(pairs) if levels[a] == levels[b]]
        if equal:
            score = len(equal) * min(p[i] for i in equal)
            largest[equal] = np.maximum(largest[equal], score)
    return np.minimum(largest, 1).tolist()  # type: ignore[no-any-return]
