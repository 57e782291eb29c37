"""One rule of writing numbers, over all magnitudes, in Python and in the browser's JavaScript."""

import json
import math
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.formatting import shown, write_estimate, write_given, write_rounded, write_to
from assay.core.results import Estimate, Interval
from assay.plots.number_ticks import tick_texts
from tests.written import NUMBER, number_of

MAGNITUDES = [sign * 10.0**power * first for power in range(-12, 16) for first in (1.0, 1.2345678, 8.8, 9.99996)
              for sign in (1.0, -1.0)] + [0.0]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        (1234.5, "1,234"),
        (25600.0, "25,600"),
        (999999.6, "1×10⁶"),
        (-88e6, "−8.8×10⁷"),
        (0.00012345, "0.0001234"),
        (-0.000012345, "−1.234×10⁻⁵"),
        (0.0, "0"),
        (-0.0, "0"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_four_digits(value: float, text: str) -> None:
    assert write_rounded(value, 4) == text


@pytest.mark.parametrize(
    ("low", "value", "high", "text"),
    [
        (24100.0, 25600.0, 27100.0, "25,600 [24,100, 27,100]"),
        (-9.13e7, -8.81e7, -8.49e7, "−8.81×10⁷ [−9.13×10⁷, −8.49×10⁷]"),
        (3e5, 1.2e6, 2.1e6, "1.20×10⁶ [0.30×10⁶, 2.10×10⁶]"),
        (-0.3e-7, 1.2e-7, 2.7e-7, "1.2×10⁻⁷ [−0.3×10⁻⁷, 2.7×10⁻⁷]"),
        (0.00005, 0.00017, 0.00029, "0.00017 [0.00005, 0.00029]"),
        (-4e8, 0.0, 4e8, "0 [−4.0×10⁸, 4.0×10⁸]"),
        (0.9, 0.9, 0.9, "0.9 [0.9, 0.9]"),
    ],
)
def test_an_interval_is_written_out_or_in_powers(
    low: float, value: float, high: float, text: str
) -> None:
    assert str(write_estimate(_estimate(value, low, high))) == text


def _estimate(value: float, low: float, high: float) -> Estimate:
    interval = Interval(low=low, high=high, level=0.95, method="t")
    return Estimate(measure="mse", value=value, interval=interval, method="t", n=9, unit="item")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.02, "0.02"),
        (1234567.0, "1.234567×10⁶"),
        (1 / 3, "0.333333"),
        (0.1 + 0.2, "0.3"),
        (12.9411811869, "12.9412"),
    ],
)
def test_what_was_typed_has_all_its_digits(value: float, text: str) -> None:
    assert write_given(value) == text


@pytest.mark.parametrize("value", MAGNITUDES)
@pytest.mark.parametrize("digits", [2, 4, 12])
def test_read_back_it_is_the_number(value: float, digits: int) -> None:
    text = write_rounded(value, digits)
    assert NUMBER.fullmatch(text)
    assert number_of(text) == pytest.approx(value, rel=0.5 * 10.0 ** (1 - digits), abs=0.0)


@given(st.floats(-1e15, 1e15), st.floats(1e-12, 1e15))
def test_rounded_to_two_digits_of_the_half_width(value: float, half_width: float) -> None:
    text = shown(value, half_width)
    assert NUMBER.fullmatch(text)
    assert abs(number_of(text) - value) <= 0.051 * half_width + 1e-3 * abs(value) * (
        half_width <= 1e-12 * abs(value)
    ) + 1.1e-12 * abs(value)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-320, 320))
def test_nothing_is_too_large_or_small(value: float, places: int) -> None:
    assert NUMBER.fullmatch(write_to(value, places))
    assert NUMBER.fullmatch(write_given(value))


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_browser_writes_the_same() -> None:
    axes = [
        [first * unit for first in (-0.5, 0.0, 0.5, 1.0, 1.5)]
        for unit in (10.0**power for power in range(-12, 16))
    ]
    asked = {"numbers": MAGNITUDES, "axes": axes}
    script = (files("assay.web") / "static" / "numbers.js").read_text(encoding="utf-8")
    script += f"""
const asked = {json.dumps(asked)};
console.log(JSON.stringify({{
  four: asked.numbers.map((one) => numbers.significant(one)),
  given: asked.numbers.map((one) => numbers.given(one)),
  axes: asked.axes.map((axis) => axis.map((one) => numbers.tick(one, axis[2] - axis[1], axis[4]))),
}}));"""
    found = json.loads(
        subprocess.run(["node", "-e", script], capture_output=True, check=True, text=True).stdout
    )
    assert found["four"] == [write_rounded(one, 4) for one in MAGNITUDES]
    assert found["given"] == [write_given(one) for one in MAGNITUDES]
    assert found["axes"] == [tick_texts(axis, axis) for axis in axes]


FOLDERS = ("compare", "plots", "report", "simulate", "web")
FOR_PROGRAMS = {
    "compare/design.py", "compare/gate_questions.py", "compare/gate_terms.py", "compare/judge_comparison.py",
    "compare/measured_levels.py", "plots/style.py", "report/formulas.py", "report/gate_outputs.py",
    "report/other_programs.py", "simulate/simulate.py",
}  # fmt: skip
"""What they write is typed again, read by programs or names a key."""


def test_nobody_writes_numbers_in_another_way() -> None:
    """A format of Python's such as ``:g`` gives 1e+06 and a hyphen."""
    root = Path(str(files("assay")))
    found = {
        str(path.relative_to(root))
        for folder in FOLDERS
        for path in (root / folder).glob("*.py")
        if re.search(r":[.#+]*\d*g\}|\{:\.?\d*g\}", path.read_text(encoding="utf-8"))
    }
    assert found - FOR_PROGRAMS - {"compare/judge.py"} == set()
