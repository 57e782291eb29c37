"""The lines of other programs with the numbers put in."""

import numpy as np

from assay.report.other_programs import MOST_NUMBERS, filled_line, unfilled


class TestFilledLine:
    def test_numbers(self) -> None:
        line = "R: binom.test({errors}, {n}, p = {null}{, alternative}{, level})"
        values = {"errors": 20, "n": 100, "null": 0.25, "alternative": "two-sided", "level": 0.95}
        assert filled_line(line, values) == "R: binom.test(20, 100, p = 0.25)"
        values |= {"alternative": "less", "level": 0.9}
        assert filled_line(line, values) == (
            'R: binom.test(20, 100, p = 0.25, alternative = "less", conf.level = 0.9)'
        )

    def test_python_writes_otherwise(self) -> None:
        line = "SciPy: ttest_rel({a}, {b}{, alternative})"
        values = {"a": [1, 2.5], "b": np.zeros(2), "alternative": "greater"}
        assert filled_line(line, values) == (
            "SciPy: ttest_rel([1, 2.5], [0, 0], alternative='greater')"
        )

    def test_arrays(self) -> None:
        values = {"a": np.array([0.3 - 0.1, 1.0]), "table": [[1, 2, 3], [4, 5, 6]]}
        assert filled_line("R: f({a})", values) == "R: f(c(0.2, 1))"
        assert filled_line("R: f({table})", values) == (
            "R: f(matrix(c(1, 2, 3, 4, 5, 6), ncol = 3, byrow = TRUE))"
        )

    def test_groups_keep_their_names(self) -> None:
        groups = {"tree": [1.0, 2.0], "bayes": [3.0]}
        assert filled_line("R: f({groups})", {"groups": groups}) == (
            "R: f(list(tree = c(1, 2), bayes = c(3)))"
        )

    def test_long_evidence_keeps_its_names(self) -> None:
        half = np.zeros(MOST_NUMBERS // 2 + 1)
        values = {"a": half, "b": half, "n": 31}
        assert filled_line("R: f({a}, {b}, {n})", values) == "R: f(a, b, 31)"
        assert filled_line("R: f({a}, {n})", values).startswith("R: f(c(0, 0")

    def test_what_is_unknown_keeps_its_name(self) -> None:
        assert filled_line("R: f({a}, {n}{, level})", {"a": None}) == "R: f(a, n)"

    def test_infinities(self) -> None:
        assert filled_line("R: f({a})", {"a": [-np.inf, np.inf]}) == "R: f(c(-Inf, Inf))"


def test_unfilled() -> None:
    line = "R: binom.test({errors}, {n}, p = {null}{, alternative})"
    assert unfilled(line) == "R: binom.test(errors, n, p = null)"
