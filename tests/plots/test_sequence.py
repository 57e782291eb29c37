"""Confidence sequences as a figure."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import UsageError
from assay.plots import sequence


def compared(n: int, models: int = 2, **options: Any) -> Any:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, n)
    said = {
        f"m${place}": np.where(rng.random(n) < 0.9 - 0.1 * place, truth, 1 - truth)
        for place in range(models)
    }
    return assay.compare({"truth": truth, **said}, sequential=True, **options)


class TestSequence:
    def test_draws_what_the_result_holds(self) -> None:
        result = compared(400, margin=0.05)
        axes = sequence(result)
        line = axes.get_lines()[2]  # after the two edges of the band
        kept = [at for at, item in enumerate(result.curves[0].column("items")) if item >= 8]
        assert list(line.get_ydata()) == [result.curves[0].column("difference")[at] for at in kept]  # type: ignore[arg-type]
        assert axes.get_xscale() == "log"
        assert axes.get_ylabel() == "difference in accuracy"

    def test_few_items_stand_on_a_plain_axis(self) -> None:
        assert sequence(compared(30)).get_xscale() == "linear"
        assert sequence(compared(1)).get_xscale() == "linear"

    def test_every_model_has_its_line(self) -> None:
        legend = sequence(compared(100, models=6)).get_legend()
        assert legend is not None
        assert len(legend.get_texts()) == 5

    def test_the_dot_and_the_margin_are_explained(self) -> None:
        legend = sequence(compared(2000, margin=0.02)).get_legend()
        assert legend is not None
        words = " ".join(legend.get_title().get_text().split())
        assert words.endswith("at every look; grey: margin ±0.02; dot: zero first excluded")

    def test_other_results_are_refused(self) -> None:
        plain = assay.compare({"truth": [0, 1] * 20, "a": [0, 1] * 20, "b": [1, 1] * 20})
        with pytest.raises(UsageError, match="sequential=True makes one"):
            sequence(plain)
