"""Scores of every difficult kind, written to files and read again, for tests of large evidence."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.core.results import Estimate
from assay.evidence.predictions import Predictions
from assay.kernels.delong import PlacedAreas

KINDS = ("continuous", "tied", "skewed", "huge", "constant", "signed zero")


def drawn(kind: str, n: int = 400, models: int = 3, seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    scores = rng.normal(size=(models, n)) + np.linspace(0.5, 1.0, models)[:, None] * truth
    if kind == "tied":
        scores = np.round(scores)
    elif kind == "skewed":
        scores = np.exp(8.0 * scores)
    elif kind == "huge":
        scores = scores * 1e307
    elif kind == "constant":
        scores = np.full_like(scores, 0.25)
    elif kind == "signed zero":
        scores = np.where(np.abs(scores) < 1.0, np.copysign(0.0, scores), scores)
    return truth.astype(int), scores


def written(folder: Path, truth: Any, scores: Any, name: str = "rows.csv", **more: Any) -> Path:
    columns = {"y": truth, **{f"m{i}:score": row for i, row in enumerate(scores)}, **more}
    rows = list(zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True))
    path = folder / name
    if name.endswith(".jsonl"):
        lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
    else:
        lines = [",".join(columns), *(",".join(map(repr, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def read(*paths: Any, **options: Any) -> Predictions:
    found = assay.read(*paths, truth="y", **options)
    assert isinstance(found, Predictions)
    return found


def agree(found: PlacedAreas, expected: PlacedAreas) -> None:
    np.testing.assert_allclose(found.areas, expected.areas, rtol=1e-14)
    for part in ("of_positives", "of_negatives"):
        np.testing.assert_allclose(
            getattr(found, part), getattr(expected, part), rtol=1e-12, atol=1e-19
        )
    assert (found.n_positive, found.n_negative) == (expected.n_positive, expected.n_negative)


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def holds(wide: Estimate, narrow: Estimate) -> bool:
    (low, high), (inner_low, inner_high) = limits(wide), limits(narrow)
    return low <= inner_low + 1e-9 and inner_high <= high + 1e-9
