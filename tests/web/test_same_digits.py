"""The same number has the same digits everywhere: terminal, tables, figures, report and page."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import assay
from assay import plots
from assay.core.results import Comparison, Estimate, Verdict
from assay.core.text_formatting import write_estimate
from assay.report import render
from assay.report.views import view
from assay.web.answer_card import strip
from assay.web.page_tables import measures_by_models
from tests.plots.figures import words_of

SIGNS = str.maketrans({"−": "-", "\u2007": "", "\u2008": ""})


def labels(k: int, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(k)
    truth = rng.integers(0, 2, n)
    right = [rng.random(n) < 0.9 - 0.03 * place for place in range(k)]
    models = {f"m{i}": np.where(one, truth, 1 - truth).tolist() for i, one in enumerate(right)}
    return {"truth": truth.tolist(), **models}


def probabilities(k: int, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(k)
    truth = rng.integers(0, 2, n)
    raw = [truth * (1.6 - 0.3 * place) + rng.normal(size=n) for place in range(k)]
    models = {f"p{i}": (1 / (1 + np.exp(-one))).tolist() for i, one in enumerate(raw)}
    return {"truth": truth.tolist(), **models}


def values(k: int, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(k)
    truth = rng.normal(50, 10, n)
    noise = [rng.normal(size=n) * (1 + 0.08 * place) for place in range(k)]
    return {
        "y_true": truth.tolist(),
        **{f"v{i}": (truth + e).tolist() for i, e in enumerate(noise)},
    }


def scores(k: int, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(k)
    base = rng.normal(0.8, 0.05, n)
    return {f"s{i}": (base - 0.013 * i + rng.normal(0, 0.012, n)).tolist() for i in range(k)}


DESIGNS: dict[str, Callable[[], tuple[Any, dict[str, Any]]]] = {
    "two by labels": lambda: (labels(2, 300), {}),
    "four by labels": lambda: (labels(4, 900), {"margin": 0.02}),
    "two by probabilities": lambda: (probabilities(2, 400), {}),
    "three by probabilities": lambda: (probabilities(3, 700), {}),
    "three by values": lambda: (values(3, 250), {"n_resamples": 500}),
    "five over data sets": lambda: (scores(5, 25), {"unit": "dataset", "measure": "accuracy"}),
    "two over folds": lambda: (scores(2, 10), {"unit": "fold", "measure": "accuracy"}),
}


@pytest.fixture(scope="module", params=DESIGNS)
def result(request: pytest.FixtureRequest) -> Comparison:
    evidence, options = DESIGNS[request.param]()
    found: Comparison = assay.compare(evidence, rng=1, **options)
    return found


def effect_of(result: Comparison, verdict: Verdict) -> str:
    """How the difference of a pair is written."""
    null = verdict.outcome.null
    effect = verdict.outcome.effect
    return str(write_estimate(effect, signed=True, null=null, margin=result.margin).value)


def turned(text: str) -> str:
    return {"+": "−", "−": "+"}.get(text[:1], "") + text[1:]


def plain_html(result: Comparison) -> str:
    text = re.sub(r"<svg.*?</svg>", " ", render(result, "html"), flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", text)


def in_figure(axes: Any) -> str:
    return " ".join(text.get_text() for text in words_of(axes)).translate(SIGNS)


def test_every_table_writes_a_number_alike(result: Comparison) -> None:
    seen = view(result)
    written: dict[float, set[str]] = {}
    for table in (*seen.tables, *(figure.table for figure in seen.figures)):
        for row in table.rows:
            for cell in row:
                if cell.numbers and isinstance(cell.numbers[0], float) and "." in cell.text:
                    first = cell.text.split()[0].lstrip("+−-")
                    written.setdefault(abs(cell.numbers[0]), set()).add(first)
    wanted = [verdict.outcome.effect for verdict in result.verdicts]
    for one in (*wanted, *result.estimates):
        assert len(written[abs(float(one.value or 0.0))]) == 1, (one, written)


def test_differences_are_written_alike_everywhere(result: Comparison) -> None:
    html, markdown = plain_html(result), render(result, "markdown")
    forest, matrix = in_figure(plots.forest(result)), in_figure(plots.pairwise_matrix(result))
    for verdict in result.verdicts:
        text = effect_of(result, verdict)
        ways = {text.translate(SIGNS), turned(text).translate(SIGNS)}
        for name, shown in (
            ("html", html),
            ("md", markdown),
            ("forest", forest),
            ("matrix", matrix),
        ):
            tokens = set(re.findall(r"[+-]?\d*\.\d+", shown.translate(SIGNS)))
            assert tokens & ways, (name, ways)


def test_the_card_of_the_page_has_the_digits_of_the_table(result: Comparison) -> None:
    drawn = strip(result)
    assert drawn is not None
    known = {text for one in result.verdicts for text in (effect_of(result, one),)}
    known |= {turned(text) for text in known}
    assert {row.text.split()[0] for row in drawn.rows} <= known


def test_the_terminal_and_the_sentence_have_them_too(result: Comparison) -> None:
    said = render(result, "table").translate(SIGNS)
    if len(result.verdicts) == 1:
        text = effect_of(result, result.verdicts[0]).translate(SIGNS).lstrip("+-")
        assert text in said
        assert text in result.sentence.translate(SIGNS)
    for one in result.estimates:
        if one.interval is not None:
            assert write_estimate(one).value[:5] in said, one


def test_every_measure_has_the_digits_of_the_answer(result: Comparison) -> None:
    by_model: dict[str, Estimate] = {str(one.model): one for one in result.estimates}
    table = measures_by_models(result.estimates, result.level)
    ((_, *cells),) = table.rows
    models = [column.name for column in table.columns[1:]]
    for model, cell in zip(models, cells, strict=True):
        assert cell.text == str(write_estimate(by_model[model]))
    ranked = [float(by_model[model].value or 0.0) for model in models]
    assert ranked == sorted(ranked, reverse=result.direction != "lower")  # the best comes first
