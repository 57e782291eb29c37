"""Columns whose names or codes mislead: asked about, or refused, and right once told."""

import contextlib
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from assay.core.errors import NotApplicable
from tests.evidence.forms import write_csv

RNG = np.random.default_rng(11)
SETS = [f"s{i}" for i in range(24)]


def by_item(name: str, **means: float) -> dict[str, Any]:
    return {name: SETS} | {m: RNG.normal(mean, 0.3, 24).tolist() for m, mean in means.items()}


@pytest.mark.parametrize(
    "name",
    [
        "weight_loss", "fat_loss", "MAE_skill", "brier_skill", "accuracy_drop", "AIC_weight", "time_saved",
        "attack_success_rate", "jailbreak_success", "tokens_to_success", "not_correct", "negative_rmse", "-mse",
    ],
)  # fmt: skip
def test_names_that_only_contain_a_measure_say_no_direction(tmp_path: Path, name: str) -> None:
    path = write_csv(
        tmp_path / "brought.csv", by_item("dataset", **{f"{name}_A": 6.2, f"{name}_B": 3.9})
    )
    if name == "tokens_to_success":  # no model by its name
        with pytest.raises(assay.EvidenceError, match="models="):
            assay.compare(path)
    else:
        assert assay.compare(path).verdict.word not in ("better", "worse")


def test_items_named_so_are_asked_about(tmp_path: Path) -> None:
    path = write_csv(
        tmp_path / "diet.csv", by_item("participant", weight_loss_A=6.2, weight_loss_B=3.9)
    )
    with pytest.raises(assay.AmbiguousEvidence):
        assay.compare(path)
    assert assay.compare(path, lower_is_better=False).verdict.word == "better"


@pytest.mark.parametrize(
    "word", ["n.d.", "unknown", "k.A.", "not tested", "refused", "QNS", "abstain"]
)
def test_words_for_no_answer_are_no_class(tmp_path: Path, word: str) -> None:
    truth = ["yes", "no"] * 20
    a = [word if i % 5 == 0 else t for i, t in enumerate(truth)]
    b = ["yes"] * 40
    path = write_csv(tmp_path / "brought.csv", {"id": range(40), "truth": truth, "A": a, "B": b})
    with pytest.raises(assay.AmbiguousEvidence, match="What does a blank mean"):
        assay.compare(path)
    found = assay.compare(path, missing="complete")
    assert found.evidence.n == 32
    assert found.evidence.classes == ("no", "yes")


@pytest.mark.parametrize("code", [999, -99, 9999])
def test_codes_for_no_number_are_asked_about(tmp_path: Path, code: float) -> None:
    table = by_item("station", RMSE_A=2.0, RMSE_B=2.5)
    table["RMSE_A"] = [code if i % 4 == 0 else v for i, v in enumerate(table["RMSE_A"])]
    path = write_csv(tmp_path / "brought.csv", table)
    tried: tuple[dict[str, Any], ...] = ({}, {"losses": True})
    for told in tried:
        with pytest.raises(assay.AmbiguousEvidence, match=f"What does {code} in column 'RMSE_A'"):
            assay.compare(path, **told)


def test_a_frequency_beside_items_of_their_own_is_asked_about(tmp_path: Path) -> None:
    truth = ["N", "V"] * 20
    table = {"word": [f"w{i}" for i in range(40)], "frequency": range(3, 43), "truth": truth,
             "taggerA": truth, "taggerB": ["N"] * 40}  # fmt: skip
    path = write_csv(tmp_path / "words.csv", table)
    with pytest.raises(assay.AmbiguousEvidence, match="how many items a row stands for"):
        assay.compare(path)
    assert assay.compare(path, ignore=["frequency"]).evidence.n == 40
    counted = {name: of for name, of in table.items() if name != "word"}
    patterns = write_csv(tmp_path / "patterns.csv", {**counted, "count": counted.pop("frequency")})
    assert assay.compare(patterns).evidence.n == sum(range(3, 43))


def test_a_mean_at_the_foot_is_no_item(tmp_path: Path) -> None:
    path = tmp_path / "brought.csv"
    rows = [(3.1, 2.2), (2.9, 2.0), (3.3, 2.4), (2.7, 2.2), (3.0, 2.2), (3.0, 2.2)]
    lines = [f"st{i};{a:.2f};{b:.2f}" for i, (a, b) in enumerate(rows)]
    path.write_text("\n".join(["Station;Model A;Model B", *lines, "Mean;3.00;2.20", ""]))
    assert assay.compare(path, losses=True).evidence.n == 6


def test_scores_that_are_lower_for_the_positive_class(tmp_path: Path) -> None:
    sick = np.arange(80) % 2
    low, high = 98 - 6 * sick + RNG.normal(0, 1, 80), 70 + 9 * sick + RNG.normal(0, 6, 80)
    both = {
        "id": range(80),
        "truth": sick,
        "SpO2:score": low.round(2),
        "pulse:score": high.round(2),
    }
    path = write_csv(tmp_path / "both.csv", {n: list(of) for n, of in both.items()})
    with pytest.raises(assay.AmbiguousEvidence, match="Do low scores indicate the positive class"):
        assay.compare(path, models=["SpO2", "pulse"])
    found = assay.compare(path, models=["SpO2", "pulse"], lower_is_better=False)
    assert "auc-reversed" in {one.code for estimate in found.estimates for one in estimate.notes}
    assert "wrong way round" in " ".join(found.summary().split())


def test_errors_with_a_sign_are_no_losses(tmp_path: Path) -> None:
    for name in ("error", "bias"):
        columns = {
            f"{name}_A": RNG.normal(-2, 1, 24).tolist(),
            f"{name}_B": RNG.normal(0, 1, 24).tolist(),
        }
        path = write_csv(tmp_path / f"{name}.csv", {"day": range(24), **columns})
        with pytest.raises(NotApplicable, match="signed errors"):
            assay.compare(path, losses=True)


def test_ranks_of_three_are_three_models(tmp_path: Path) -> None:
    ranks = [(1, 2, 3), (1, 3, 2), (2, 1, 3)] * 5
    columns = {f"rank_{m}": [row[i] for row in ranks] for i, m in enumerate("ABC")}
    path = write_csv(tmp_path / "ranks.csv", {"dataset": [f"D{i}" for i in range(15)], **columns})
    found = assay.compare(path, lower_is_better=True)
    assert len(found.evidence.models) == 3


def test_a_matrix_of_preferences_with_an_empty_diagonal(tmp_path: Path) -> None:
    path = tmp_path / "preferred.csv"
    path.write_text("preferred,A,B,C\nA,,34,28\nB,16,,30\nC,22,20,\n")
    with pytest.raises(assay.AssayError):
        assay.compare(path)


def test_one_score_that_is_turned_beside_another_is_asked_about(tmp_path: Path) -> None:
    sick = np.arange(80) % 2
    up, down = (0.5 + sign * 0.2 * (2 * sick - 1) + RNG.normal(0, 0.1, 80) for sign in (1, -1))
    columns = {"id": list(range(80)), "y": sick.tolist(), "rf": up.clip(0, 1).tolist()}
    one = write_csv(tmp_path / "one.csv", {**columns, "svm": down.clip(0, 1).tolist()})
    with pytest.raises(assay.AmbiguousEvidence, match="'svm' are lower") as asked:
        assay.compare(one)
    assert "models=['rf']" in str(asked.value)
    columns["rf"] = (down - 0.01).clip(0, 1).tolist()
    both = write_csv(tmp_path / "both.csv", {**columns, "svm": down.clip(0, 1).tolist()})
    with pytest.raises(assay.AmbiguousEvidence, match="positive='0'"):
        assay.compare(both, positive="1")
    assert all((e.value or 0) > 0.9 for e in assay.compare(both, positive="0").estimates)


RECORD: Any = np.array([("a", 1)], dtype="U1,i8").view(np.recarray)[0]
TOLD: list[dict[str, Any]] = [
    {},
    *({"unit": "dataset"}, {"losses": True}, {"higher_is_better": True}, {"models": ["a", "b"]}),
]
HUGE = [np.finfo(float).max, -np.finfo(float).max] * 12


@pytest.mark.parametrize(
    "cells",
    [
        [RECORD, RECORD],
        pl.Series([RECORD, RECORD], dtype=pl.Object),
        pd.Series([RECORD, RECORD]),
        np.array([RECORD, RECORD], dtype=object),
        [np.void(b"ab"), np.void(b"cd")],
        pl.Series([{"f": 1}, {"f": 2}]),
    ],
    ids=["list", "polars", "pandas", "numpy", "void", "struct"],
)
def test_records_in_cells_are_compared_with_names_and_refused(cells: Any) -> None:
    frames: list[Any] = [pl.DataFrame({"a": cells})] if isinstance(cells, pl.Series) else []
    for told in TOLD:
        for brought in ({"a": cells, "b": [b"x", b"y"]}, *frames):
            with contextlib.suppress(assay.AssayError):
                assay.look(brought, **told)
            with pytest.raises(assay.AssayError):
                assay.compare(brought, **told)


@pytest.mark.parametrize(
    "columns",
    [
        {"m0": HUGE, "m1": HUGE, "m2": HUGE},
        {"dataset": SETS, "m0": HUGE, "m1": HUGE},
        {"y": HUGE, "rf": HUGE, "lr": HUGE[::-1]},
        {"id": SETS, "rf_error": HUGE, "lr_error": HUGE, "age": HUGE},
        {"id": SETS, "rf": HUGE, "lr": HUGE, "max_points": HUGE},
        {"model": ["a", "b"] * 12, "seed": [i // 2 for i in range(24)], "score": HUGE},
    ],
    ids=", ".join,
)
def test_numbers_at_the_end_of_the_range_are_read_without_a_warning(columns: Any) -> None:
    for told in TOLD:
        with contextlib.suppress(assay.AssayError):
            assay.look(columns, **told)


def test_files_of_other_rows_are_not_paired_with_a_truth_by_position(tmp_path: Path) -> None:
    """A truth of 40 rows beside scores of 60: what goes with it is only seen once they are joined."""
    truth = {"id": range(40), "truth": [i % 2 for i in range(40)]}
    scores = [0.2 + 0.6 * (i % 2) for i in range(60)]
    for name in ("rf", "-0.25", "age", "confidence"):
        beside = {"id": range(60), name: scores, "lr": scores[::-1]}
        paths = [
            write_csv(tmp_path / file, {key: list(of) for key, of in columns.items()})
            for file, columns in (("truth.csv", truth), ("beside.csv", beside))
        ]
        with pytest.raises(assay.AssayError):
            assay.compare(*paths)
        assert assay.look(*paths).columns


def test_a_quote_inside_a_name_hides_no_row_at_the_foot(tmp_path: Path) -> None:
    rows = [f"set{place},{0.6 + place / 40:.3f},{0.55 + place / 50:.3f}" for place in range(20)]
    rows[0] = rows[0].replace(",", '",', 1)
    text = "\n".join(["dataset,rf,lr", *rows, "Avg. acc.,0.838,0.740", ""])
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    found = assay.compare(path, measure="accuracy")
    assert found.evidence.n == 20
    assert "summary-left-out" in {one.code for one in found.notes}
