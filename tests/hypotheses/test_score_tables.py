"""End-to-end analyses of published score tables, which travel apart from the package."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from assay.core.results import FamilyOutcome
from assay.hypotheses.friedman_posthoc import (
    critical_difference,
    friedman_posthoc,
    nemenyi,
    wilcoxon_pairs,
)
from assay.hypotheses.many_models import friedman, friedman_aligned_ranks, iman_davenport, quade
from assay.hypotheses.multiplicity import adjust, bergmann_hommel, shaffer
from tests.support import agree

HERE = Path(__file__).parents[2]
SHARED = Path(os.environ.get("ASSAY_SHARED", HERE.parent / "shared")) / "tables"
PUBLISHED = [
    case
    for case in json.loads((HERE / "tests/data/tables__published.json").read_text())["cases"]
    if "friedman" in case["expected"]
]


NAMES = ("dataset", "DB", "problem")
RATIOS = ("tables.tsml_multivariate_default_split", "tables.cd_diagram_example")
"""Accuracies printed with 16 digits, such as 74/75. The reference takes the digits as they are, and
differences that are equal as fractions differ in the last: ties="exact". By default they are tied."""


@pytest.mark.skipif(not SHARED.exists(), reason="the score tables are not at hand (ASSAY_SHARED)")
@pytest.mark.parametrize("case", PUBLISHED, ids=[case["id"] for case in PUBLISHED])
class TestPublishedTables:
    """End-to-end analyses of published score tables (see tests/data/tables__published.json)."""

    rtol = 1e-8

    def test_omnibus(self, case: Any) -> None:
        frame, way = _table(case)
        expected = case["expected"]
        ranks = friedman(frame, direction=way)
        for name, mean in expected["friedman"]["mean_ranks"].items():
            assert agree(dict(ranks.details)[f"mean rank: {name}"], mean, self.rtol)
        for ties, suffix in (("corrected", "tie_corrected"), ("demsar", "uncorrected")):
            options: Any = {"direction": way, "ties": ties}
            chi2, f = friedman(frame, **options), iman_davenport(frame, **options)
            for outcome, name in ((chi2, "chi2"), (f, "F")):
                assert agree(outcome.statistic, expected["friedman"][f"{name}_{suffix}"], self.rtol)
                assert agree(outcome.p_value, expected["friedman"][f"p_{name}_{suffix}"], self.rtol)
        weighted = quade(frame, direction=way)
        assert agree(weighted.statistic, expected["quade"]["F"], self.rtol)
        assert agree(weighted.p_value, expected["quade"]["p_value"], self.rtol)
        aligned = friedman_aligned_ranks(frame, direction=way, ties=_ties(case))
        assert agree(aligned.statistic, expected["aligned_ranks"]["T_tie_exact"], self.rtol)
        assert agree(aligned.p_value, expected["aligned_ranks"]["p_tie_exact"], self.rtol)

    def test_pairs(self, case: Any) -> None:
        frame, way = _table(case)
        expected = case["expected"]
        family = friedman_posthoc(frame, direction=way)
        assert [list(pair) for pair in family.pairs] == expected["pairs"]
        raw = column(family, "p_unadjusted")
        assert agree(raw, expected["friedman_z_unadjusted_p"], self.rtol)
        assert agree(p_values(family), expected["friedman_z_holm"], self.rtol)
        assert agree(p_values(nemenyi(frame, direction=way)), expected["nemenyi_p"], self.rtol)
        k, n = expected["k"], expected["n_datasets"]
        for kind in ("nemenyi", "bonferroni_dunn"):
            found = critical_difference(k, n, kind=kind.replace("_", "-"))  # type: ignore[arg-type]
            assert agree(found, expected["cd_05"][f"cd_{kind}"], self.rtol)

    def test_small_families(self, case: Any) -> None:
        frame, way = _table(case)
        expected = case["expected"]
        if "shaffer_static" not in expected:
            assert expected["k"] > 10
            return
        raw = column(friedman_posthoc(frame, direction=way), "p_unadjusted")
        assert agree(shaffer(raw), expected["shaffer_static"], self.rtol)
        assert agree(bergmann_hommel(raw), expected["bergmann_hommel_definition"], self.rtol)
        monotone = bergmann_hommel(raw, variant="monotone")
        assert agree(monotone, expected["bergmann_hommel_monotone"], self.rtol)
        signed = wilcoxon_pairs(frame, ties=_ties(case))
        exact, normal = column(signed, "p_unadjusted"), column(signed, "p_normal")
        assert agree(exact, expected["wilcoxon_exact_p_drop_zeros"], self.rtol)
        assert agree(normal, expected["wilcoxon_asymptotic_p_drop_zeros"], self.rtol)
        assert agree(adjust(normal), expected["wilcoxon_asymptotic_holm"], self.rtol)

    def test_ratios_are_tied_by_default(self, case: Any) -> None:
        """From numpy.round(differences, 12) and scipy's rankdata, p by enumeration."""
        frame, way = _table(case)
        if case["id"] == "tables.tsml_multivariate_default_split":
            aligned = friedman_aligned_ranks(frame, direction=way)
            assert agree(aligned.statistic, 96.23711181738199, self.rtol)
        elif case["id"] == "tables.cd_diagram_example":
            assert column(wilcoxon_pairs(frame), "p_unadjusted")[9] == 0.0009765625
        else:
            default = column(wilcoxon_pairs(frame.iloc[:, :6]), "p_unadjusted")
            exact = column(wilcoxon_pairs(frame.iloc[:, :6], ties="exact"), "p_unadjusted")
            assert agree(default, exact, self.rtol)


def _ties(case: Any) -> Any:
    return "exact" if case["id"] in RATIOS else "rounded"


def _table(case: Any) -> tuple[Any, Any]:
    """The complete rows of a score table; folds and repeats within a data base become its mean."""
    import pandas as pd

    text = pd.read_csv(SHARED / case["input"]["table"], dtype=str)
    # pandas' own parser loses the last digit of some numbers, which "exact" would see
    frame = text.apply(lambda one: one if one.name in NAMES else one.map(float))
    if "DB" in frame:
        frame = frame.groupby("DB").mean().drop(columns=["Rep", "Fold"]).reset_index(drop=True)
    way = "higher" if case["input"].get("higher_is_better", True) else "lower"
    return frame.dropna(), way


def p_values(family: FamilyOutcome) -> list[Any]:
    return [outcome.p_value for outcome in family.outcomes]


def column(family: FamilyOutcome, name: str) -> list[Any]:
    return [dict(outcome.details)[name] for outcome in family.outcomes]
