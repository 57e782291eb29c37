"""Evidence cut into slices, whatever it lives in."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import UsageError
from assay.evidence.predictions import Predictions
from assay.evidence.slices import MISSING, slices_of

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 3, 60)
ANSWERS = np.where(RNG.random(60) < 0.3, 0, TRUTH)
GROUP: Any = RNG.choice(["2", "10", "x y", "it's"], 60)


def sources(folder: Path) -> list[Any]:
    path = folder / "rows.csv"
    rows = "\n".join(f"{t},{a},{g}" for t, a, g in zip(TRUTH, ANSWERS, GROUP, strict=True))
    path.write_text(f"y,a,part\n{rows}\n")
    return [{"y": TRUTH, "a": ANSWERS, "part": GROUP}, path]


class TestSlicesOf:
    def test_every_engine_cuts_alike(self, tmp_path: Path) -> None:
        for source in sources(tmp_path):
            whole = assay.read(source, truth="y", slice="part")
            found = slices_of(whole)
            assert set(found) == set(GROUP)
            for name, part in found.items():
                assert isinstance(part, Predictions)
                rows = name == GROUP
                assert part.n == rows.sum()
                assert part.classes == ("0", "1", "2")
                assert part.columns("labels").truth.tolist() == TRUTH[rows].tolist()
                right = int(np.trace(part.tally().confusion("a")))
                assert right == (TRUTH[rows] == ANSWERS[rows]).sum()

    def test_counts_and_weights_go_along(self) -> None:
        data = {"y": TRUTH, "a": ANSWERS, "part": GROUP, "count": np.arange(60) % 4 + 1}
        found = slices_of(assay.read(data, truth="y", slice="part"))
        for name, part in found.items():
            assert part.n == (np.arange(60) % 4 + 1)[name == GROUP].sum()

    def test_missing_values(self) -> None:
        part = [None if place % 7 == 0 else "here" for place in range(60)]
        found = slices_of(assay.read({"y": TRUTH, "a": ANSWERS, "part": part}, slice="part"))
        assert {name: piece.n for name, piece in found.items()} == {"here": 51, MISSING: 9}

    def test_models_on_different_items(self) -> None:
        one = {"y": TRUTH, "a": ANSWERS, "part": GROUP}
        two = {"y": TRUTH, "b": ANSWERS, "part": GROUP}
        unpaired = assay.read(one, two, truth="y", slice="part", paired=False)
        with pytest.raises(UsageError, match="the same items"):
            slices_of(unpaired)
