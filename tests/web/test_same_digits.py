"""One number has the same digits in the sentence, the tables, the figures and on the page."""

import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text

import assay
from assay.core.formatting import clean_name, effect_digits, estimate_digits, write_estimate
from assay.core.results import Comparison, Estimate, Verdict
from assay.plots import forest, pairwise_matrix
from assay.report import render
from assay.report.tables import estimates as estimates_table
from assay.report.tables import pairs
from assay.web import chart_data
from assay.web.answer_card import strip
from assay.web.page_tables import measures_by_models

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|∞")
SIZES = (1e-14, 1e-10, 1e-6, 1e-4, 1e-2, 1.0, 100.0, 1e4, 1e6, 1e12)
SAID = re.compile(r"(?:by |= )(\S+).*? CI ([\[(][^\])]*[\])])")
Digits = tuple[str, ...]


def digits(text: str) -> Digits:
    """The numbers of a text without their signs: a pair seen from its other side has the same."""
    return tuple(sorted(NUMBER.findall(text)))


def labels(models: int) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    rates = np.linspace(0.95, 0.72, models)
    found = {"truth": truth.tolist()}
    for place, rate in enumerate(rates):
        found[f"m{place}"] = np.where(rng.random(400) < rate, truth, 1 - truth).tolist()
    return found


def counts() -> dict[str, Any]:
    """Errors in whole numbers, of which an interval leaves no decimals."""
    rng = np.random.default_rng(8)
    truth = rng.integers(500, 1500, 60)
    noise = {"forest": 110, "linear": 190}
    return {
        "truth": truth.tolist(),
        **{name: (truth + rng.integers(-d, d, 60)).tolist() for name, d in noise.items()},
    }


def errors(size: float, models: int = 3) -> dict[str, Any]:
    """Squares and sizes of errors of every magnitude, from 1e-12 to 1e15."""
    rng = np.random.default_rng(11)
    truth = rng.normal(0.0, 500.0 * size, 40)
    spread = (60.0, 110.0, 115.0)[:models]
    return {
        "truth": truth.tolist(),
        **{f"m{d:.0f}": (truth + rng.normal(0.0, d * size, 40)).tolist() for d in spread},
    }


def compare_errors(size: float) -> Comparison:
    return assay.compare(errors(size), measure="mae")


def datasets(models: int) -> dict[str, Any]:
    """Pairs whose intervals are of very different widths."""
    rng = np.random.default_rng(5)
    base = rng.uniform(0.6, 0.9, 18)
    found: dict[str, Any] = {"dataset": [f"set {place}" for place in range(18)]}
    for place in range(models):
        spread = 0.002 * 3.0**place
        found[f"m{place}"] = (base + rng.normal(0.01 * place, spread, 18)).round(4).tolist()
    return found


def scores() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 150)
    return {
        "truth": truth.tolist(),
        **{f"{n}_score": (truth + rng.normal(0, s, 150)).tolist() for n, s in (("a", 1), ("b", 2))},
    }


DESIGNS: dict[str, Callable[[], Comparison]] = {
    "two models right or wrong": lambda: assay.compare(labels(2)),
    "with a margin": lambda: assay.compare(labels(2), margin=0.01),
    "four models": lambda: assay.compare(labels(4), rng=1),
    "a baseline": lambda: assay.compare(labels(4), baseline="m1", rng=1),
    "whole numbers": lambda: assay.compare(counts(), measure="mae"),
    "squares": lambda: assay.compare(counts(), measure="mse"),
    "areas": lambda: assay.compare(scores(), measure="roc_auc", positive="1"),
    "two over data sets": lambda: assay.compare(datasets(2), measure="accuracy"),
    "five over data sets": lambda: assay.compare(datasets(5), measure="accuracy"),
    **{f"errors of size {size:g}": partial(compare_errors, size) for size in SIZES},
    "a difference of tens of millions": lambda: assay.compare(errors(100.0, 2), measure="mse"),
}


@pytest.fixture(scope="module", params=DESIGNS)
def result(request: pytest.FixtureRequest) -> Comparison:
    return DESIGNS[request.param]()


def due(result: Comparison, verdict: Verdict) -> Any:
    return write_estimate(
        verdict.outcome.effect,
        null=0.0,
        margin=result.margin,
        finest=effect_digits(result.verdicts),
    )


def due_estimate(result: Comparison, one: Estimate) -> Any:
    return write_estimate(one, finest=estimate_digits(result.estimates, one.measure))


def by_pair(rows: list[tuple[str, str, str]]) -> dict[frozenset[str], Digits]:
    return {frozenset((a, b)): digits(text) for a, b, text in rows}


def drawn_texts(axes: Any) -> set[str]:
    found = axes.figure.findobj(Text)
    return {number for text in found for number in NUMBER.findall(text.get_text())}


def plain_latex(text: str) -> str:
    """The numbers of a LaTeX document as they look in print."""
    powers = re.sub(
        r"\\times10\^\{(-?\d+)\}", lambda found: "×10" + found[1].translate(RAISED), text
    )
    return powers.replace("{,}", ",").replace("$-$", "−").replace(r"\infty", "∞")


RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def beside(due: Any, axes: Any) -> set[str]:
    """Numbers as they stand beside an axis that names their power of ten."""
    power = re.search("numbers: ×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", axes.get_xlabel())
    if power is None:
        return set(digits(str(due)))
    lowered = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    parts = [one.partition("×10") for one in digits(str(due))]
    shifts = [
        int(own.translate(lowered) or 0) - int(power[1].translate(lowered)) for *_, own in parts
    ]
    return {
        f"{Decimal(number).scaleb(shift):f}" if float(number) else "0"
        for (number, *_), shift in zip(parts, shifts, strict=True)
    }


def captions(axes: Any) -> str:
    return " ".join(" ".join(one.get_text() for one in axes.figure.findobj(Text)).split())


def terminal(result: Comparison) -> str:
    """What a terminal shows, and the whole of it that `--details` adds."""
    return f"{result}\n{render(result, 'table')}"


class TestDifferences:
    def test_in_sentence_table_chart_and_card(self, result: Comparison) -> None:
        expected = {
            frozenset((one.a, one.b)): digits(str(due(result, one))) for one in result.verdicts
        }
        sentences = [(one.a, one.b, SAID.search(one.sentence)) for one in result.verdicts]
        said = by_pair([(a, b, " ".join(found.groups())) for a, b, found in sentences if found])
        assert said == expected
        rows = pairs(result).rows
        assert (
            by_pair([(r[0].text, r[1].text, f"{r[2].text} {r[3].text}") for r in rows]) == expected
        )
        chart = chart_data.forest(result)["rows"]
        assert by_pair([(*one["label"].split(" − "), one["text"]) for one in chart]) == expected
        card = strip(result)
        assert card is not None
        for row in card.rows:
            assert digits(row.text) == expected[frozenset(row.label.split(" − "))]

    def test_in_the_matrix(self, result: Comparison) -> None:
        found = chart_data.matrix(result)
        if found is None:
            return
        expected = {
            frozenset((one.a, one.b)): digits(str(due(result, one))) for one in result.verdicts
        }
        for cell in found["cells"]:
            pair, _, text = cell[4].partition(": ")
            assert digits(text) == expected[frozenset(pair.split(" − "))]
            assert set(digits(cell[5])) <= set(digits(text))
        axes = pairwise_matrix(result)
        drawn = drawn_texts(axes)
        assert all(digits(due(result, one).value)[0] in drawn for one in result.verdicts)
        largest = max(result.verdicts, key=lambda one: abs(one.outcome.effect.value or 0.0))
        assert f"strongest colour: {digits(due(result, largest).value)[0]}." in captions(axes)

    def test_in_figure_and_report(self, result: Comparison) -> None:
        axes = forest(result)
        drawn = drawn_texts(axes)
        page = render(result, "html")
        for one in result.verdicts:
            written = due(result, one)
            assert beside(written, axes) <= drawn
            assert set(digits(str(written))) <= set(NUMBER.findall(page))

    def test_in_the_terminal(self, result: Comparison) -> None:
        if len(result.verdicts) > 1 and result.baseline is None:
            return  # of many pairs the terminal shows the models
        text = terminal(result)
        for one in result.verdicts:
            assert set(digits(str(due(result, one)))) <= set(NUMBER.findall(text))

    @pytest.mark.parametrize("form", ["markdown", "latex"])
    def test_in_every_text(self, result: Comparison, form: str) -> None:
        text = render(result, form)
        seen = set(NUMBER.findall(plain_latex(text) if form == "latex" else text))
        for one in result.verdicts:
            assert set(digits(str(due(result, one)))) <= seen
        for estimate in result.estimates:
            assert set(digits(str(due_estimate(result, estimate)))) <= seen

    def test_nothing_is_written_for_programs(self, result: Comparison) -> None:
        """No 1e+06, no hyphen before a number, no -inf, wherever people read."""
        figures = (
            [forest(result), pairwise_matrix(result)]
            if result.baseline is None
            else [forest(result)]
        )
        seen = [
            terminal(result),
            *map(captions, figures),
            *(one.sentence for one in result.verdicts),
        ]
        for text in seen:
            assert not re.search(r"\d[eE][-+]?\d|(?<![\w-])-\d|(?<![.\d])\d{5}|\binf\b", text), text


class TestEstimates:
    def test_in_table_chart_page_and_terminal(self, result: Comparison) -> None:
        expected = {
            clean_name(one.model): digits(str(due_estimate(result, one)))
            for one in result.estimates
        }
        rows = estimates_table(result.estimates).rows
        assert {r[0].text: digits(f"{r[1].text} {r[2].text}") for r in rows} == expected
        chart = chart_data.estimates(result, result.estimates[0].measure)["rows"]
        assert {one["label"]: digits(one["text"]) for one in chart} == expected
        table = measures_by_models(result.estimates, result.level)
        (row,) = table.rows
        heads = [column.name for column in table.columns[1:]]
        cells = [digits(cell.text) for cell in row[1:]]
        assert dict(zip(heads, cells, strict=True)) == expected
        if result.baseline is None:
            seen = set(NUMBER.findall(terminal(result)))
            assert all(set(found) <= seen for found in expected.values())

    def test_drawn(self, result: Comparison) -> None:
        axes = forest(result.estimates)
        drawn = drawn_texts(axes)
        for one in result.estimates:
            assert beside(due_estimate(result, one), axes) <= drawn


def test_whole_numbers_are_said_as_they_are_tabled() -> None:
    found = DESIGNS["whole numbers"]()
    said = SAID.search(found.verdict.sentence)
    assert said is not None
    assert "." not in said[1]
    value, _, interval = terminal(found).partition("difference")[2].strip().partition(" ")
    assert value == f"\u2212{said[1]}"
    assert digits(interval.partition("]")[0]) == digits(said[2])
