"""What tests and intervals are called in sentences."""

import re

import numpy as np

import assay
from assay.core.methods import catalogue, record_of
from assay.report.method_titles import interval_of, named_interval, named_outcome, named_test


def test_a_variant_with_a_p_value_of_its_own_is_named() -> None:
    assert named_test("delong_test") == "DeLong's test for correlated AUCs"
    assert named_test("delong_test (t)") == "DeLong's test for correlated AUCs (t reference)"


def test_titles_read_as_words() -> None:
    assert named_test("nemenyi_from_ranks") == "Nemenyi's test from mean ranks"
    assert named_test("tost_means") == "equivalence test of means (TOST)"
    assert named_test("bradley_terry") == "Bradley-Terry model"
    tests = [record_of(one) for one in catalogue()]
    titles = [one.title for one in tests if one is not None and one.gives in ("test", "family")]
    assert [
        one for one in titles if re.search(r"posthoc|\) test$|two-samples|means test$", one)
    ] == []


def test_ways_to_an_interval_have_names_that_people_know() -> None:
    assert named_interval("auc_difference_interval") == "DeLong"
    assert named_interval("auc_score") == "Wilson-type"
    assert named_interval("smoothing") == "smoothed-count"


def test_a_t_test_that_follows_skewness_says_so_and_one_that_does_not_keeps_its_name() -> None:
    draws = np.random.default_rng(1).exponential(size=(2, 60))
    a, b = draws[0] ** 2, draws[1] / 2
    plain = assay.paired_t(a, b)
    skewed = assay.paired_t(a, b, variant="skewed")
    assert named_outcome(plain) == "paired t test"
    assert named_outcome(skewed) == "skewness-adjusted paired t test"
    assert interval_of(skewed.effect) == "skewness-adjusted paired t"
