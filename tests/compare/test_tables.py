"""Published score tables, end to end: `compare` reads the design and gives the published figures."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import assay
from tests.support import agree, shared_table

CASES = json.loads((Path(__file__).parents[1] / "data/tables__published.json").read_text())["cases"]
BY_ID = {case["id"].removeprefix("tables."): case for case in CASES}
RANKED = [name for name, case in BY_ID.items() if "friedman" in case["expected"]]
HOLM = [name for name in RANKED if "wilcoxon_exact_p_drop_zeros" in BY_ID[name]["expected"]]


def compared(case: dict[str, Any], **options: Any) -> assay.Comparison:
    said = case["input"]
    path = shared_table(said["table"])
    options["lower_is_better"] = not said.get("higher_is_better", True)
    if case["expected"].get("dropped_incomplete"):
        options["missing"] = "complete"
    found: assay.Comparison = assay.compare(path, **options)
    return found


@pytest.mark.parametrize("name", RANKED)
def test_ranks_and_omnibus(name: str) -> None:
    case = BY_ID[name]
    expected, found = case["expected"], compared(case)
    assert found.evidence.unit == "dataset"
    assert len(found.evidence.models) == expected["k"]
    ranks = dict(dict(found.families)["Nemenyi"].details)
    for model, rank in expected["friedman"]["mean_ranks"].items():
        assert agree(ranks[f"mean rank: {model}"], rank, 1e-8)
    assert found.omnibus is not None
    assert agree(found.omnibus.p_value, expected["friedman"]["p_F_tie_corrected"], 1e-8)
    chi2 = dict(found.also)["Friedman's chi-square"]
    assert agree(chi2.statistic, expected["friedman"]["chi2_tie_corrected"], 1e-8)


@pytest.mark.parametrize("name", HOLM)
def test_pairs_by_wilcoxon_with_holm(name: str) -> None:
    case = BY_ID[name]
    expected, found = case["expected"], compared(case)
    assert [[v.a, v.b] for v in found.verdicts] == expected["pairs"]
    exact = [dict(v.outcome.details)["p_unadjusted"] for v in found.verdicts]
    last = (
        9 if name == "cd_diagram_example" else len(exact)
    )  # see test_score_tables: ties of ratios
    assert agree(exact[:last], expected["wilcoxon_exact_p_drop_zeros"][:last], 1e-8)
    holm = assay.adjust([float(p) for p in exact if isinstance(p, float)])
    assert [v.outcome.p_value for v in found.verdicts] == pytest.approx(holm)


def test_the_statement_of_the_cd_diagram_example() -> None:
    found = compared(BY_ID["cd_diagram_example"])
    assert found.sentence.startswith("clf3 has the best mean rank, but no clear lead over clf5.")


@pytest.mark.parametrize("dataset", ["anneal", "audiology", "ecoli", "iris"])
def test_folds_of_one_data_set_by_the_corrected_t(dataset: str) -> None:
    case = BY_ID["bayesiantests_nbc_vs_aode_correlated_t"]
    found = assay.compare(
        shared_table(case["input"]["table"]), where=f"dataset={dataset}", models=["nbc", "aode"]
    )
    assert found.evidence.unit == "fold"
    assert found.choice.method == "corrected_resampled_t"
    published = case["published"]["p_value"][dataset]
    assert found.verdict.outcome.p_value == pytest.approx(published, abs=5.1e-4)


def test_pairs_of_mean_accuracies() -> None:
    """The source printed the normal approximation with continuity correction; ours is exact."""
    case = BY_ID["bayesiantests_wilcoxon_mean_accuracy"]
    for verdict in compared(case).verdicts:
        exact = case["expected"][f"{verdict.a}-{verdict.b}"]["exact_p"]
        assert agree(dict(verdict.outcome.details)["p_unadjusted"], exact, 1e-8)
    pair = compared(case, models=["nbc", "j48"]).verdict.outcome
    published = case["published"]["p_value"]["nbc-j48"]
    assert dict(pair.details)["asymptotic_cc_p"] == pytest.approx(published, abs=5.1e-4)


@pytest.mark.parametrize(
    ("table", "options", "best"),
    [
        ("demsar_2006_table6.csv", {"measure": "auc"}, "C4.5+m+cf"),
        ("critdd_2d_example.csv", {"where": "diagram=diagram1"}, "clf5"),
        ("tsml_multivariate_mean_over_resamples.csv", {"missing": "skillings-mack"}, "HC2"),
        (
            "blum_2015.csv",
            {
                "unit": "dataset",
                "models": ["FruitFly", "Shukla", "Ikeda", "Turau", "Rand1", "FrogCOL"],
            },
            "FrogCOL",
        ),
    ],
)
def test_the_others_run(table: str, options: dict[str, Any], best: str) -> None:
    found = assay.compare(shared_table(table), **options)
    assert found.sentence.startswith(f"{best} ")
    for form in ("table", "html", "latex"):
        assert best in assay.render(found, form)
    effects = [verdict.outcome.effect.value for verdict in found.verdicts]
    assert all(value is not None and math.isfinite(value) for value in effects)


def test_scores_without_a_name_say_what_was_assumed() -> None:
    table = shared_table("tsml_regression_19_rmse_mean.csv")
    assert "direction-unknown" in {note.code for note in assay.compare(table).notes}
    named = assay.compare(table, measure="rmse")
    assert named.direction == "lower"
    assert "direction-unknown" not in {note.code for note in named.notes}
