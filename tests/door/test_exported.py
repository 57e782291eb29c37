"""Files without names of columns, runs named after their seed, and results nested under single letters."""

from pathlib import Path

import numpy as np
import pytest

import assay
from tests.door.draw import csv_text, generator, rounded

SEEDS = range(10)


def two(name: str) -> dict[str, list[float]]:
    rng = generator(name)
    return {
        "rf": rounded(0.9 + rng.normal(0, 0.004, 10)),
        "lr": rounded(0.8 + rng.normal(0, 0.004, 10)),
    }


def test_a_first_line_of_one_number_is_no_name(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.csv" for name in ("rf", "lr")]
    for file, values in zip(files, two("headless").values(), strict=True):
        file.write_text("\n".join(map(str, values)), encoding="utf-8")
    with pytest.raises(assay.AmbiguousEvidence, match="first line holds numbers"):
        assay.compare(*files, id=False, higher_is_better=True)
    told = assay.compare(*files, names=["acc"], id=False)
    assert (told.evidence.n, told.verdict.word) == (10, "better")


@pytest.mark.parametrize("between", ["-", "_seed", "/s="])
def test_a_run_named_after_its_seed_is_of_one_model(tmp_path: Path, between: str) -> None:
    scores = two("named")
    runs = [(name, seed, scores[name][seed]) for name in scores for seed in SEEDS]
    file = tmp_path / "runs.csv"
    columns = {
        "Name": [f"{name}{between}{seed}" for name, seed, _ in runs],
        "State": ["finished"] * 20,
        "Created": ["2024-05-01"] * 20,
        "Runtime": [60] * 20,
        "seed": [seed for _, seed, _ in runs],
        "val/acc": [score for *_, score in runs],
    }
    file.write_text(csv_text(columns), encoding="utf-8")
    found = assay.compare(file, measure="val/acc")
    assert (found.evidence.models, found.evidence.unit) == (("rf", "lr"), "seed")
    assert found.verdict.word == "better"


@pytest.mark.parametrize("names", [("vit", "cnn"), ("ours", "theirs")])
def test_letters_may_name_data_sets(names: tuple[str, str]) -> None:
    rng = generator("letters")
    nested = {
        name: dict(
            zip("abcdefgh", np.round(mean + rng.normal(0, 0.004, 8), 3).tolist(), strict=True)
        )
        for name, mean in zip(names, (0.9, 0.8), strict=True)
    }
    found = assay.compare(nested, unit="dataset", measure="accuracy")
    assert (found.evidence.models, found.evidence.n) == (names, 8)
    assert found.verdict.word == "better"
