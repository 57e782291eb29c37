"""The checks of a gate, each against the loss that it may not exceed."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import UsageError
from assay.plots import checks


def gate(margin: Any) -> assay.Gate:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    said = {
        name: np.where(rng.random(400) < share, truth, 1 - truth)
        for name, share in (("old", 0.80), ("new", 0.84))
    }
    return assay.gate({"truth": truth, **said}, baseline="old", margin=margin)


def marked(axes: Any, *markers: str) -> list[float]:
    """Where points of these markers stand."""
    chosen = [line for line in axes.lines if str(line.get_marker()) in markers]
    return [float(line.get_xdata()[0]) for line in chosen]


def shown(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_one_measure_is_drawn_in_its_own_unit() -> None:
    found = gate(0.02)
    axes = checks(found)
    assert axes.get_xlabel() == "difference in accuracy, 90% interval"
    (check,) = found.checks
    points = marked(axes, "o")
    assert points == [check.difference]
    limits = [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == "--"]  # type: ignore[index]
    assert limits == [-0.02]
    assert shown(axes)[-2:] == ["← old better", "new better →"]


def test_different_margins_share_an_axis_and_keep_their_numbers() -> None:
    found = gate({"accuracy": 0.02, "recall": 0.05})
    axes = checks(found)
    assert axes.get_xlabel().startswith("difference / margin of the measure")
    points = marked(axes, "o", "s")
    expected = [(check.difference or 0.0) / check.margin for check in found.checks]
    assert points == pytest.approx(expected)
    written = [float(text.replace("\u2212", "-")) for text in shown(axes)[:2]]
    assert written == pytest.approx([check.difference for check in found.checks], abs=0.0006)


def test_plain_numbers_get_the_word_of_the_rule() -> None:
    given = {
        "a": (0.01, -0.01, 0.03, 0.02),
        "b": (-0.05, -0.09, -0.01, 0.02),
        "c": (0.0, -0.03, 0.03, 0.02),
    }
    legend = checks(given).get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "passed", "failed", "undecided", "loss beyond the margin",
    ]  # fmt: skip


@pytest.mark.parametrize("wrong", [3, None])
def test_not_a_gate(wrong: Any) -> None:
    with pytest.raises(UsageError, match="draws a gate, or a mapping"):
        checks(wrong)


def test_nothing_to_draw() -> None:
    with pytest.raises(UsageError, match="no check of this gate has a difference"):
        checks({})
