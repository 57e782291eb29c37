"""What looks like two models in a row, and what only seems to."""

from pathlib import Path

import numpy as np
import pytest

import assay


@pytest.mark.parametrize("stem", ["method", "model", "algorithm", "system", "classifier"])
@pytest.mark.parametrize("k", [3, 23])
def test_numbered_models_with_all_digits_are_models(stem: str, k: int, tmp_path: Path) -> None:
    """method1 and method2, method11 and method12 hold scores, no names of models."""
    rng = np.random.default_rng(5)
    path = tmp_path / "scores.csv"
    names = [f"{stem}{number}" for number in range(k)]
    rows = [[f"d{row}", *map(repr, rng.random(k).tolist())] for row in range(20)]
    path.write_text("\n".join(map(",".join, [["dataset", *names], *rows])), encoding="utf-8")
    assert list(assay.look(path, measure="accuracy").models) == names
