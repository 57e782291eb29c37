"""Explanations: every method renders, and the formula with the numbers comes to the answer."""

import inspect
import re
import subprocess
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from assay.compare.compare import compare
from assay.core.methods import Method, catalogue, find_method
from assay.core.results import Estimate, FamilyOutcome, Posterior, TestOutcome
from assay.estimates.evaluate import evaluate
from assay.report.explain import explain, explain_result
from assay.report.formula_names import asked, described, is_number, named_evidence, names_of
from assay.report.formulas import evaluated
from tests.shapes import OPTIONS, examples
from tests.support import PATIENCE, needs

METHODS = list(catalogue().values())
EVERY = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.id)


@pytest.fixture(autouse=True)
def _catalogue() -> None:
    """The whole catalogue, not the small one of the other tests of reports."""


def run(method: Method, evidence: tuple[Any, ...], **options: Any) -> tuple[Any, dict[str, Any]]:
    accepted = inspect.signature(method.function).parameters
    options = {**OPTIONS.get(method.id, {}), **options}
    if "rng" in accepted:
        options.setdefault("rng", 1)
    if "n_resamples" in accepted:
        options.setdefault("n_resamples", 199)
    return method.function(*evidence, **options), options


def explained(name: str, *evidence: Any, **options: Any) -> str:
    method = find_method(name)
    result, options = run(method, evidence, **options)
    return explain(method, evidence, options, result)


def line(text: str, label: str) -> str:
    """The first line under a label, as one line."""
    found = re.search(rf"^{label} +((?:.*)(?:\n {{12}}\S.*)*)", text, re.MULTILINE)
    assert found is not None, text
    return re.sub(r"\s+", " ", found[1])


class TestExplain:
    def test_mcnemar(self) -> None:
        text = explained("mcnemar", 50, 10, 4, 36)
        assert line(text, "Question") == "Do two models differ in accuracy on the same items?"
        assert line(text, "Formula") == "z = (only_a - only_b)/sqrt(only_a + only_b), chi2 = z²"
        assert line(text, "Numbers") == (
            "z = (10 - 4)/sqrt(10 + 4) = 1.60357, chi2 = 1.60357² = 2.57143"
        )
        assert "p = .11; difference in accuracy (A − B) 0.060 [−0.015, 0.142] (95%, Tango)" in line(
            text, "Answer"
        )
        assert line(text, "Same as") == (
            "R: mcnemar.test(matrix(c(50, 4, 10, 36), 2), correct = FALSE)"
        )
        assert "McNemar Q (1947)" in text
        assert line(text, "Docs") == "docs/methods/paired_outcomes.md#mcnemar"

    def test_binomial(self) -> None:
        text = explained("binomial", 20, 100, null=0.25)
        assert "not more likely than the 20 seen" in line(text, "Numbers")
        assert line(text, "Same as") == "R: binom.test(20, 100, p = 0.25)"

    def test_options_are_in_the_line(self) -> None:
        text = explained("paired_t", [3, 1, 4], [1, 1, 2], alternative="greater", level=0.9)
        assert line(text, "Same as") == (
            'R: t.test(c(3, 1, 4), c(1, 1, 2), paired = TRUE, alternative = "greater", conf.level = 0.9)'
        )
        assert "(greater)" in line(text, "Answer")

    def test_another_variant_than_the_line_says_so(self) -> None:
        text = explained("mcnemar", 50, 10, 4, 36, variant="exact")
        assert text.count("# without variant='exact'") == 1

    def test_families_show_their_first_pairs(self) -> None:
        ranks = {"RF": 1.7, "kNN": 3.2, "NB": 2.5, "C45": 3.4}
        text = explained("nemenyi_from_ranks", ranks, 34)
        assert (
            "RF and kNN: q = sqrt(2) · |1.7 - 3.2| / sqrt(4 · (4 + 1) / (6 · 34)) = 6.77495" in text
        )
        assert "… and 3 more pairs" in text

    def test_adjustments(self) -> None:
        text = explained("holm", [0.01, 0.04, 0.03])
        assert "(3 - j + 1)" in line(text, "Numbers")
        assert line(text, "Answer") == "0.030, 0.060, 0.060"
        assert line(text, "Same as") == 'R: p.adjust(c(0.01, 0.04, 0.03), "holm")'

    def test_evidence_of_predictions(self) -> None:
        truth = [1, 0] * 20
        evidence = {"truth": truth, "a": [1] * 40, "b": [1, 0] * 15 + [1] * 10}
        text = explained("mcnemar", evidence)
        assert line(text, "Same as") == (
            "R: mcnemar.test(matrix(c(20, 15, 0, 5), 2), correct = FALSE)"
        )

    def test_undefined(self) -> None:
        text = explained("paired_t", [5.0, 5.0, 5.0])
        assert "statistic undefined, p undefined; " in line(text, "Answer")


@EVERY
class TestEveryMethod:
    def test_renders(self, method: Method) -> None:
        evidence = examples(method.takes, 0)
        result, options = run(method, evidence)
        text = explain(method, evidence, options, result)
        assert text.startswith(f"Method      {method.id}: ")
        assert line(text, "Question") == re.sub(r"\s+", " ", method.question)
        assert "{" not in text
        assert not re.search(r"\bnan\b", text.split("Same as")[0])
        assert (
            (line(text, "Formula") == re.sub(r"\s+", " ", method.formula))
            if method.formula
            else True
        )
        assert line(text, "Answer")
        assert all(len(row) <= 100 for row in text.splitlines() if not row.startswith("Same as"))


def test_formulas_come_to_the_answer() -> None:
    """Where all names of an equation are numbers, the right side is the number on the left."""
    worked = {method.id: found for method in METHODS if (found := _worked(method)) is not None}
    assert len(worked) >= 25
    for name, (value, expected) in worked.items():
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-12), name


def _worked(method: Method) -> tuple[float, float] | None:
    """The first equation of a method's formula worked out on an example, and what was reported."""
    evidence = examples(method.takes, 1)
    result, options = run(method, evidence)
    if not isinstance(result, TestOutcome | Estimate) or method.formula is None:
        return None
    known = named_evidence(method, evidence)
    given = {**asked(method, options, result), **known, **described(method, known)}
    names = {name: value for name, value in given.items() if is_number(value)}
    names |= names_of(method, result)
    found = re.match(r"([A-Za-z_]\w*) = (.*?)(?:[,;] |$)", method.formula)
    if found is None or not is_number(names.get(found[1])):
        return None
    value = evaluated(found[2], _with_definitions(method.formula, names))
    return None if value is None else (value, float(names[found[1]]))


def _with_definitions(formula: str, names: Mapping[str, Any]) -> dict[str, Any]:
    known = dict(names)
    for name, right in reversed(re.findall(r"[,;] ([A-Za-z_]\w*) = ([^,;]+)", formula)):
        value = evaluated(right, known)
        if name not in known and value is not None:
            known[name] = value
    return known


def predictions() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 150)
    models = {
        name: np.where(rng.random(150) < error, 1 - truth, truth)
        for name, error in (("a", 0.1), ("b", 0.2), ("c", 0.3))
    }
    return {"truth": truth, **models}


EVIDENCE = predictions()


class TestExplainResult:
    def test_comparison_of_two(self) -> None:
        pair = {name: EVIDENCE[name] for name in ("truth", "a", "b")}
        text = explain_result(compare(pair, rng=1))
        assert line(text, "About") == "a and b"
        assert "mcnemar.test(matrix(c(" in line(text, "Same as")
        assert "only_a" not in line(text, "Numbers")

    def test_comparison_with_a_level_counts_errors(self) -> None:
        """The verdict is about accuracy; the binomial line is about errors."""
        one = {name: EVIDENCE[name] for name in ("truth", "c")}
        result = compare(one, against=0.8, rng=1)
        errors = int((EVIDENCE["truth"] != EVIDENCE["c"]).sum())
        assert line(explain_result(result), "Same as") == f"R: binom.test({errors}, 150, p = 0.2)"

    def test_comparison_of_many(self) -> None:
        text = explain_result(compare(EVIDENCE, rng=1, n_resamples=199))
        assert text.count("About ") == 3
        assert text.count("Method ") == 1

    def test_evaluation(self) -> None:
        text = explain_result(evaluate(EVIDENCE, measures=("accuracy",), rng=1))
        assert line(text, "About") == "accuracy of a"
        assert text.count("Answer ") == 3


SMALL: dict[str, tuple[Any, ...]] = {"cochran_q": ([[1, 0, 1], [1, 1, 0], [0, 0, 1], [1, 0, 0]],)}
"""Evidence that fits into a line, where the example of the shape does not."""

R_VALUES = """
values <- function(x) {
  if (inherits(x, "TukeyHSD")) x[[1]][, "p adj"]
  else if (inherits(x, "anova")) x$`G-G Pr`[1]
  else if (is.list(x) && !is.null(x$p.value)) x$p.value
  else as.numeric(x)
}
"""
"""p-values or the ends of an interval, whichever a line gives."""


@needs("Rscript", "r-base-core")
def test_lines_of_r_give_the_same_answer() -> None:
    """All lines that need no further package, with the numbers of an example, run by R."""
    lines: dict[str, str] = {}
    expected: dict[str, list[Any]] = {}
    for method in METHODS:
        if _is_base_r(method):
            evidence = SMALL.get(method.id) or examples(method.takes, 1)
            result, options = run(method, evidence)
            same_as = line(explain(method, evidence, options, result), "Same as")
            lines[method.id] = same_as.removeprefix("R: ").split(" # ")[0]
            expected[method.id] = _answer(method, result)
    assert len(lines) >= 40
    found = _run_in_r(lines)
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, rel=1e-6), lines[name]


def _is_base_r(method: Method) -> bool:
    same_as = method.same_as or ""
    beyond = ("::", "boot(", "manova(scores", "msr(", "$estimate")
    return same_as.startswith("R: ") and not any(word in same_as for word in beyond)


def _answer(method: Method, result: Any) -> list[Any]:
    if method.id == "confidence_better":
        return [dict(result.details)["confidence_one_sided"]]
    if method.id == "extrapolated_t":
        interval = result.effect.interval
        return [result.effect.value, interval.low, interval.high]
    if isinstance(result, TestOutcome):
        return [result.p_value]
    if isinstance(result, Posterior):
        return [result.p_left]
    if isinstance(result, FamilyOutcome):
        return [outcome.p_value for outcome in result.outcomes]
    if isinstance(result, Estimate):
        assert result.interval is not None
        return [result.interval.low, result.interval.high]
    return list(result)


def _run_in_r(lines: dict[str, str]) -> dict[str, list[float]]:
    calls = [
        f'cat("{name}", format(values({{ {code} }}), digits = 15), "\\n")'
        for name, code in lines.items()
    ]
    done = subprocess.run(
        ["Rscript", "-"],
        input="\n".join([R_VALUES, *calls]),
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    rows = [row.split() for row in done.stdout.splitlines() if row.split()]
    return {row[0]: [float(value) for value in row[1:]] for row in rows if row[0] in lines}
