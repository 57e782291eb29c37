"""What methods are called in sentences: McNemar's test, Tango's interval, Holm's correction."""

from assay.core.method_names import method_name

_TESTS = {
    "anytime_mean_difference": "anytime-valid test of the mean difference (betting)",
    "average_precision_test": "t test of the contributions of items to average precision",
    "binomial": "exact binomial test",
    "cluster_difference": "cluster-robust t test (CR2)",
    "cochran_q": "Cochran's Q test",
    "corrected_resampled_t": "corrected resampled t test (Nadeau–Bengio)",
    "corrected_t_one": "corrected t test (Nadeau–Bengio)",
    "delong_independent": "DeLong's test for independent AUCs",
    "delong_test": "DeLong's test for correlated AUCs",
    "fisher_exact": "Fisher's exact test",
    "friedman": "Friedman test",
    "iman_davenport": "Friedman test (Iman–Davenport)",
    "independent_bootstrap": "bootstrap of independent samples",
    "independent_delta": "delta-method test for independent samples",
    "kruskal_wallis": "Kruskal–Wallis test",
    "mann_whitney": "Mann–Whitney U test",
    "mcnemar": "McNemar's test",
    "measure_against": "confidence interval of the measure against the level",
    "one_sample_t": "one-sample t test",
    "paired_bootstrap": "paired bootstrap test",
    "paired_delta": "delta-method test for paired samples",
    "paired_measure_permutation": "paired permutation test",
    "paired_permutation": "sign-flip permutation test",
    "paired_t": "paired t test",
    "rank_sets": "sign-flip test of all differences (max-t, step-down)",
    "rm_anova": "repeated-measures ANOVA",
    "sign_test": "exact sign test",
    "simultaneous_bootstrap": "bootstrap with simultaneous (max-t) intervals",
    "simultaneous_delta": "delta method with simultaneous (max-t) intervals",
    "skillings_mack": "Skillings–Mack test",
    "two_proportions_z": "z test of two proportions",
    "two_sample_t": "Welch's t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "wilcoxon_pairs": "Wilcoxon signed-rank tests",
}
_INTERVALS = {
    "auc_score": "score",
    "average_precision_wilson": "Wilson-type",
    "cluster_auc": "cluster-robust",
    "cluster_difference": "cluster-robust t",
    "cluster_mean": "cluster-robust t",
    "corrected_t_interval": "corrected t",
    "delong": "DeLong",
    "jackknife": "jackknife t",
    "mean_of_pairs": "paired t",
    "max_t": "simultaneous (max-t)",
    "mean_t": "t",
    "small_p": "Sterne",
    "smoothing": "smoothed-count",
    "wilcoxon": "Hodges–Lehmann",
    "wilcoxon_pairs": "Hodges–Lehmann",
    "winner_score": "hybrid conditional",
}


def named_test(method: str) -> str:
    """A test with its noun: McNemar's test."""
    if method in _TESTS:
        return _TESTS[method]
    name = method_name(method)
    return name if name.endswith(("test", "tests", "ANOVA", "bootstrap")) else f"{name} test"


def by_test(method: str) -> str:
    """A test as it stands after *by*: McNemar's test, the paired t test, Wilcoxon signed-rank tests."""
    title = named_test(method)
    first = title.split(" ", 1)[0]
    bare = first.endswith(("'s", "’s")) or title.split(" (")[0].split(",")[0].endswith("tests")
    return title if bare else f"the {title}"


def named_interval(method: str) -> str:
    """What an interval is called before its noun: Tango, Clopper-Pearson, t."""
    return _INTERVALS.get(method, method_name(method).removesuffix(" interval"))
