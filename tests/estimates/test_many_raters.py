"""Krippendorff's alpha and Fleiss' kappa: published values, brute force, statsmodels, edges."""

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.core.errors import AssayError, EvidenceError, NotApplicable
from assay.core.results import Estimate
from assay.estimates.agreement import METRICS, Metric, fleiss_kappa, krippendorff_alpha

KRIPPENDORFF = """
1 2 3 3 2 1 4 1 2 * * *
1 2 3 3 2 2 4 1 2 5 * 3
* 3 3 3 2 3 4 2 2 5 1 *
1 2 3 3 2 4 4 1 2 5 1 *"""
"""Krippendorff (2011), section E: four observers (rows), twelve units (columns)."""

PUBLISHED = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}

DIAGNOSES = (
    "444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 "
    "224445 333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 "
    "133333 555555"
)
"""Fleiss (1971), table 1: thirty patients, six psychiatrists each, five diagnoses."""

COUNTS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
"""Fourteen raters, ten items, five categories: the worked example of the encyclopedia, 0.210."""


def observers() -> list[list[str]]:
    return [
        list(column)
        for column in zip(*(line.split() for line in KRIPPENDORFF.split("\n")[1:]), strict=True)
    ]


def diagnoses() -> list[list[int]]:
    return [[int(one) for one in patient] for patient in DIAGNOSES.split()]


def by_hand(rows: list[list[float]], metric: str) -> tuple[float, float, int]:
    """The disagreement within items and across all, pair by pair, and the number of ratings."""
    everything = [value for row in rows for value in row]
    times = {value: everything.count(value) for value in everything}

    def distance(a: float, b: float) -> float:
        if a == b:
            return 0.0
        if metric == "nominal":
            return 1.0
        if metric == "interval":
            return (a - b) ** 2
        if metric == "ratio":
            return ((a - b) / (a + b)) ** 2
        between = sum(times[v] for v in times if min(a, b) <= v <= max(a, b))
        return (between - (times[a] + times[b]) / 2) ** 2

    within = sum(
        sum(distance(*pair) for pair in permutations(row, 2)) / (len(row) - 1) for row in rows
    )
    return within, sum(distance(*pair) for pair in permutations(everything, 2)), len(everything)


def alpha(rows: list[list[float]], metric: str) -> float | None:
    within, across, n = by_hand(rows, metric)
    return None if across == 0.0 else 1.0 - (n - 1) * within / across


def codes(found: Estimate) -> list[str]:
    return [one.code for one in found.notes]


class TestKrippendorffAlpha:
    @pytest.mark.parametrize("metric", METRICS)
    def test_published(self, metric: Metric) -> None:
        found = krippendorff_alpha(observers(), metric=metric)
        assert found.value is not None
        assert round(found.value, 3) == PUBLISHED[metric]
        assert found.n == 11  # of unit 12 there is one rating
        assert codes(found)[0] == "single-ratings"

    @settings(max_examples=60)
    @given(
        arrays(
            np.int64, st.tuples(st.integers(3, 7), st.integers(2, 4)), elements=st.integers(-1, 4)
        ),
        st.sampled_from(METRICS),
    )
    def test_pair_by_pair(self, table: np.ndarray[Any, Any], metric: Metric) -> None:
        """The value, and the standard error from leaving out each item."""
        rows = [[float(v) for v in row if v >= 0] for row in table.tolist()]
        rows = [row for row in rows if len(row) > 1]
        if len(rows) < 2:
            return
        cells = [[None if v < 0 else v for v in row] for row in table.tolist()]
        found = krippendorff_alpha(cells, metric=metric)
        expected = alpha(rows, metric)
        assert (found.value is None) == (expected is None)
        if expected is None:
            assert codes(found)[-1] == "undefined-value"
            return
        assert found.value == pytest.approx(expected, abs=1e-10)
        without = [alpha(rows[:place] + rows[place + 1 :], metric) for place in range(len(rows))]
        if None in without:
            assert found.interval is None
            return
        numbers = np.array(without, dtype=float)
        n = len(rows)
        error = math.sqrt((n - 1) / n * ((numbers - numbers.mean()) ** 2).sum())
        assert (found.standard_error or 0.0) == pytest.approx(error, abs=1e-7)

    def test_interval_is_bent(self) -> None:
        """Symmetric in log(1 - alpha) with t of items - 1: below 1, and longer downwards."""
        found = krippendorff_alpha(diagnoses())
        assert found.value is not None
        assert found.standard_error is not None
        assert found.interval is not None
        t = 2.045229642132703  # R: qt(0.975, 29)
        factor = math.exp(t * found.standard_error / (1 - found.value))
        assert found.interval.low == pytest.approx(1 - (1 - found.value) * factor)
        assert found.interval.high == pytest.approx(1 - (1 - found.value) / factor)
        upper = krippendorff_alpha(diagnoses(), alternative="less", level=0.975).interval
        assert upper is not None
        assert upper.low == -1.0
        assert upper.high == pytest.approx(found.interval.high)

    def test_every_form_says_the_same(self) -> None:
        wide = observers()
        expected = krippendorff_alpha(wide, metric="ordinal")
        columns = {f"r{at}": [row[at] for row in wide] for at in range(4)}
        assert krippendorff_alpha({"item": range(12), **columns}, metric="ordinal") == expected
        rows = [(i, r, row[r]) for i, row in enumerate(wide) for r in range(4) if row[r] != "*"]
        item, rater, rating = (list(column) for column in zip(*rows[::-1], strict=True))
        assert krippendorff_alpha(item, rater, rating, metric="ordinal") == expected
        long = {"unit": item, "coder": rater, "value": rating}
        assert krippendorff_alpha(long, metric="ordinal") == expected
        numbers = np.array([[np.nan if v == "*" else float(v) for v in row] for row in wide])
        assert krippendorff_alpha(numbers, metric="ordinal") == expected

    def test_counts(self) -> None:
        table = [[row.count(kind) for kind in range(1, 6)] for row in diagnoses()]
        assert krippendorff_alpha(table, counts=True) == krippendorff_alpha(diagnoses())

    def test_who_rated_plays_no_part(self) -> None:
        shuffled = [row[place % 6 :] + row[: place % 6] for place, row in enumerate(diagnoses())]
        assert krippendorff_alpha(shuffled, metric="interval") == krippendorff_alpha(
            diagnoses(), metric="interval"
        )

    def test_large_numbers_keep_their_digits(self) -> None:
        near = krippendorff_alpha(diagnoses(), metric="interval")
        far = krippendorff_alpha(1e9 + np.array(diagnoses()), metric="interval")
        assert far.value == pytest.approx(near.value, rel=1e-9)

    def test_many_items_and_values(self) -> None:
        rng = np.random.default_rng(1)
        truth = rng.normal(size=(20_000, 1))
        found = krippendorff_alpha(truth + rng.normal(size=(20_000, 3)), metric="interval")
        assert found.value == pytest.approx(0.5, abs=0.02)

    def test_complete_agreement(self) -> None:
        found = krippendorff_alpha([[1, 1], [2, 2], [2, 2]])
        assert (found.value, found.interval) == (1.0, None)
        assert codes(found) == ["zero-variance"]

    def test_one_category_is_undefined(self) -> None:
        found = krippendorff_alpha([["a", "a"], ["a", "a"]])
        assert (found.value, found.interval) == (None, None)
        assert codes(found) == ["undefined-value"]

    def test_one_item_holds_the_other_category(self) -> None:
        found = krippendorff_alpha([["a", "a"]] * 6 + [["a", "b"]])
        assert found.value is not None
        assert found.interval is None
        assert codes(found) == ["zero-variance"]

    def test_rare_categories_are_noted(self) -> None:
        found = krippendorff_alpha([["a", "a"]] * 30 + [["b", "b"], ["a", "b"], ["b", "b"]])
        assert codes(found)[-1] == "few-outside"
        assert "only 3 items have a rating other than 'a'" in found.notes[-1].message

    def test_an_interval_below_the_range_is_cut(self) -> None:
        found = krippendorff_alpha([[1, 2], [2, 1], [2, 2], [1, 1]])
        assert found.interval is not None
        assert found.interval.low == -1.0
        assert "interval-cut" in codes(found)

    @pytest.mark.parametrize(
        ("rows", "metric", "message"),
        [
            ([[1], [2]], "nominal", "two raters or more"),
            ([[1, 2]], "nominal", "at least two items with two ratings"),
            ([[1, None], [None, 2]], "nominal", "at least two items with two ratings"),
            ([["low", "high"], ["low", "low"]], "ordinal", "ordered words as 1, 2, 3"),
            ([[1, -2], [1, 1]], "ratio", "ratings from 0 up"),
            ([[1, np.inf], [1, 1]], "interval", "finite"),
            ([[1, 1e200], [1, 1]], "interval", "below 1e\\+100"),
            ([[1, 2], [1]], "nominal", "of one length"),
            ([1, 2], "nominal", "a row per item"),
        ],
    )
    def test_refused(self, rows: Any, metric: Metric, message: str) -> None:
        with pytest.raises(AssayError, match=message):
            krippendorff_alpha(rows, metric=metric)

    def test_too_many_values_for_ranks(self) -> None:
        rows = np.random.default_rng(1).normal(size=(800, 2))
        with pytest.raises(EvidenceError, match="Round them to at most 1,000 values"):
            krippendorff_alpha(rows, metric="ordinal")

    def test_wrong_words(self) -> None:
        with pytest.raises(AssayError, match="metric is one of nominal, ordinal, interval, ratio"):
            krippendorff_alpha(observers(), metric="circular")  # type: ignore[arg-type]


class TestFleissKappa:
    def test_psychiatrists(self) -> None:
        """Fleiss (1971): .430; R: irr::kappam.fleiss(diagnoses) 0.43."""
        found = fleiss_kappa(diagnoses())
        assert found.value == pytest.approx(0.430, abs=5e-4)

    def test_fourteen_raters(self) -> None:
        found = fleiss_kappa(COUNTS, counts=True)
        assert found.value == pytest.approx(0.210, abs=5e-4)
        assert (found.n, dict(found.details)["raters"]) == (10, 14)

    @settings(max_examples=40)
    @given(arrays(np.int64, st.tuples(st.integers(3, 9), st.just(4)), elements=st.integers(0, 2)))
    def test_agrees_with_statsmodels(self, rows: np.ndarray[Any, Any]) -> None:
        from statsmodels.stats.inter_rater import fleiss_kappa as other

        counts = np.stack([(rows == kind).sum(axis=1) for kind in range(3)], axis=1)
        found = fleiss_kappa(rows)
        if np.unique(rows).size == 1:
            assert found.value is None
            return
        assert found.value == pytest.approx(other(counts), abs=1e-12)

    def test_alpha_is_kappa_but_for_few_ratings(self) -> None:
        kappa, alpha_ = fleiss_kappa(diagnoses()).value, krippendorff_alpha(diagnoses()).value
        assert kappa is not None
        assert alpha_ == pytest.approx(1 - (1 - kappa) * (180 - 1) / 180)

    def test_missing_ratings_are_refused(self) -> None:
        with pytest.raises(NotApplicable, match="krippendorff_alpha allows for missing ones"):
            fleiss_kappa([[1, 1, 2], [1, 1, None]])

    @pytest.mark.parametrize("cell", [1.5, -1, "x", None])
    def test_counts_are_whole(self, cell: Any) -> None:
        with pytest.raises(EvidenceError, match="how many raters chose the category"):
            fleiss_kappa([[3, 0], [cell, 1]], counts=True)


@pytest.mark.parametrize(("items", "raters", "least"), [(30, 3, 0.93), (100, 3, 0.93)])
def test_the_interval_covers(items: int, raters: int, least: float) -> None:
    """Three categories, a share 0.8 of ratings right: alpha is 0.64."""
    rng = np.random.default_rng(7)
    shares = [0.6, 0.3, 0.1]
    held = 0
    for _ in range(400):
        truth = rng.choice(3, size=(items, 1), p=shares)
        noise = rng.choice(3, size=(items, raters), p=shares)
        found = krippendorff_alpha(np.where(rng.random((items, raters)) < 0.8, truth, noise))
        assert found.interval is not None
        held += found.interval.contains(0.64)
    assert held / 400 > least
