"""Splits: each scheme keeps its promises, and depends on seed and data alone."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import EvidenceError, UsageError
from assay.study.datasets import Dataset, made
from assay.study.splits import (
    Resampling,
    check_enough,
    make_splits,
    split_notes,
    split_seed,
    written_out,
)

Splits = Mapping[tuple[int, int], tuple[Any, Any]]


def classes(n: int = 90, shares: tuple[float, ...] = (0.5, 0.3, 0.2), **facts: Any) -> Dataset:
    y = np.repeat([f"c{code}" for code in range(len(shares))], [round(n * s) for s in shares])
    return made("toy", np.arange(len(y), dtype=float)[:, None], y, source="memory", **facts)


def numbers(n: int = 60, **facts: Any) -> Dataset:
    y = np.linspace(0, 1, n)
    return made("toy", np.arange(n, dtype=float)[:, None], y, source="memory", **facts)


def splits_of(data: Dataset, seed: int = 1, **resampling: Any) -> Splits:
    return make_splits(data, Resampling(**resampling), seed)


class TestSchemes:
    def test_holdout_keeps_a_third_for_the_test(self) -> None:
        ((train, test),) = splits_of(classes(), scheme="holdout").values()
        assert (len(train), len(test)) == (60, 30)

    def test_subsampling_draws_again_each_time(self) -> None:
        found = splits_of(classes(), scheme="subsampling", repeats=4, test_size=0.2)
        assert [len(test) for _, test in found.values()] == [18] * 4
        assert len({tuple(sorted(test)) for _, test in found.values()}) == 4

    @given(folds=st.integers(2, 12), repeats=st.integers(1, 3), seed=st.integers(0, 2**40))
    def test_folds_partition_the_data_in_every_repeat(
        self, folds: int, repeats: int, seed: int
    ) -> None:
        data = classes()
        found = splits_of(data, seed, scheme="cv", folds=folds, repeats=repeats)
        assert list(found) == [(r, f) for r in range(repeats) for f in range(folds)]
        for repeat in range(repeats):
            tests = np.concatenate([found[repeat, fold][1] for fold in range(folds)])
            assert sorted(tests) == list(range(data.n))
        for train, test in found.values():
            assert sorted([*train, *test]) == list(range(data.n))

    def test_five_by_two_halves_the_data_five_times(self) -> None:
        found = splits_of(classes(), scheme="5x2")
        assert list(found) == [(r, f) for r in range(5) for f in range(2)]
        for repeat in range(5):
            assert sorted(found[repeat, 0][0]) == sorted(found[repeat, 1][1])

    def test_leave_one_out_and_leave_one_group_out(self) -> None:
        assert len(splits_of(classes(), scheme="leave-one-out")) == 90
        groups = np.arange(90) // 30
        found = splits_of(classes(groups=groups), scheme="leave-one-out")
        assert [len(test) for _, test in found.values()] == [30, 30, 30]

    def test_the_bootstrap_trains_on_n_and_tests_out_of_bag(self) -> None:
        data = classes()
        for train, test in splits_of(data, scheme="bootstrap", repeats=3).values():
            assert len(train) == data.n
            assert set(train) | set(test) == set(range(data.n))
            assert not set(train) & set(test)

    def test_time_never_looks_ahead(self) -> None:
        found = splits_of(numbers(), scheme="time", folds=4)
        assert len(found) == 4
        for train, test in found.values():
            assert max(train) < min(test)


class TestRespect:
    def test_classes_keep_their_proportions(self) -> None:
        data = classes()
        for _, test in splits_of(data, scheme="cv", folds=5).values():
            assert (
                np.unique(data.y[test], return_counts=True)[1].tolist() == [9, 5, 4]
                or (abs(np.unique(data.y[test], return_counts=True)[1] - [9, 5.4, 3.6]) <= 1).all()
            )

    @pytest.mark.parametrize(
        "resampling",
        [
            {"scheme": "cv", "folds": 3},
            {"scheme": "holdout"},
            {"scheme": "bootstrap", "repeats": 3},
            {"scheme": "5x2"},
        ],
    )
    @pytest.mark.parametrize("kind", [classes, numbers])
    def test_groups_are_never_torn_apart(self, resampling: dict[str, Any], kind: Any) -> None:
        n = kind().n
        data = kind(groups=np.random.default_rng(3).integers(15, size=n))
        for train, test in splits_of(data, **resampling).values():
            assert not set(data.groups[train]) & set(data.groups[test])

    def test_depends_on_seed_and_content_only(self) -> None:
        one = splits_of(classes(), seed=5)
        same = splits_of(classes(), seed=5)
        other = splits_of(classes(), seed=6)
        assert all((one[cell][1] == same[cell][1]).all() for cell in one)
        assert any((one[cell][1] != other[cell][1]).any() for cell in one)

    def test_seeds_fit_numpy(self) -> None:
        seeds = {split_seed(classes(), Resampling().settled(), seed) for seed in range(50)}
        assert len(seeds) == 50
        assert max(seeds) < 2**31


class TestByChance:
    """The scheme valid: folds whose class shares vary, as those of other samples would."""

    @pytest.mark.parametrize(
        ("fits", "repeats"), [(10, 2), (25, 5), (50, 10), (60, 12), (500, 100)]
    )
    def test_fits_are_repeats_of_five_folds(self, fits: int, repeats: int) -> None:
        found = written_out({"scheme": "valid", "fits": fits})
        assert found == {"scheme": "cv", "folds": 5, "repeats": repeats, "stratify": "rare"}

    def test_what_is_said_is_kept(self) -> None:
        assert written_out({"scheme": "valid", "stratify": True})["stratify"] is True
        with pytest.raises(UsageError, match="fits"):
            written_out({"scheme": "valid", "fits": 9})

    def test_class_shares_vary_and_every_fold_has_every_class(self) -> None:
        data = classes(100, (0.5, 0.35, 0.15))
        found = splits_of(data, scheme="cv", folds=5, repeats=40, stratify="rare")
        counts = [
            [(data.y[test] == f"c{code}").sum() for code in range(3)] for _, test in found.values()
        ]
        assert len({tuple(row) for row in counts}) > 20
        assert min(min(row) for row in counts) >= 1

    @pytest.mark.parametrize(("rare", "alike"), [(10, True), (11, False)])
    def test_rare_classes_are_kept_in_proportion(self, rare: int, alike: bool) -> None:
        data = classes(100, (1 - rare / 100, rare / 100))
        found = splits_of(data, scheme="cv", folds=5, repeats=20, stratify="rare")
        shares = {int((data.y[test] == "c1").sum()) for _, test in found.values()}
        assert (len(shares) == 1) is alike

    def test_many_classes_and_groups_end(self) -> None:
        many = classes(1000, tuple([0.01] * 100))
        assert len(splits_of(many, scheme="cv", folds=5, repeats=2, stratify="rare")) == 10
        grouped = classes(90, groups=np.arange(90) // 3)
        assert len(splits_of(grouped, scheme="cv", folds=5, repeats=2, stratify="rare")) == 10
        assert len(splits_of(numbers(), scheme="cv", folds=5, repeats=2, stratify="rare")) == 10


class TestNotes:
    def test_a_class_smaller_than_the_folds_is_told(self) -> None:
        data = classes(100, (0.95, 0.05))
        (found,) = split_notes(data, Resampling(folds=10))
        assert found.code == "class-below-folds"
        assert len(splits_of(data, folds=10)) == 10
        assert split_notes(data, Resampling(folds=5)) == ()

    def test_a_class_of_one_cannot_be_kept_in_proportion(self) -> None:
        data = classes(100, (0.99, 0.01))
        (found,) = split_notes(data, Resampling(scheme="holdout"))
        assert found.code == "not-stratified"
        assert len(splits_of(data, scheme="holdout")) == 1


class TestErrors:
    @pytest.mark.parametrize(
        ("resampling", "message"),
        [
            ({"scheme": "cross"}, "scheme is one of"),
            ({"scheme": "holdout", "folds": 3}, "holdout takes no folds"),
            ({"scheme": "5x2", "repeats": 3}, "five repeats of two folds"),
            ({"scheme": "cv", "folds": 1}, "at least 2 folds"),
            ({"scheme": "holdout", "test_size": 1.5}, "share between 0 and 1"),
            ({"balance": "both"}, "'over' or 'under'"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, resampling: dict[str, Any], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            Resampling(**resampling).settled()

    def test_too_few_rows_or_groups(self) -> None:
        with pytest.raises(EvidenceError, match="has 2 groups; cv needs 5"):
            check_enough(classes(groups=np.arange(90) % 2), Resampling(folds=5))
        with pytest.raises(UsageError, match="balance is for classes"):
            check_enough(numbers(), Resampling(balance="over"))
