"""Every LaTeX table goes through a real LaTeX: what is pasted into a paper must compile there."""

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.formatting import clean
from assay.report import render
from assay.report.escapes import for_latex
from tests.report.test_golden import RESULTS
from tests.support import needs

PAGE = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n%s\n\\end{document}\n"
LETTERS = (
    "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x500), *range(0x2000, 0x2300)])) + "中🙂"
)


def compile_latex(text: str, folder: Path) -> str:
    """The log of pdfLaTeX; an error stops it and fails the test with its message."""
    (folder / "page.tex").write_text(PAGE % text, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
        check=False,
        cwd=folder,
        capture_output=True,
        timeout=120,
    )
    log = done.stdout.decode(errors="replace")
    faults = [line for line in log.splitlines() if line.startswith("!")]
    assert done.returncode == 0, faults or log[-2000:]
    return log


def over_data_sets() -> Any:
    rng = np.random.default_rng(5)
    base = rng.uniform(0.6, 0.9, 14)
    models = {name: np.round(base + 0.01 * place + rng.normal(0, 0.01, 14), 3) for place, name in
              enumerate(("C4.5", "k-NN(k=1)", "naïve_Bayes", "SVM σ=½"))}  # fmt: skip
    return assay.compare({"dataset": [f"set {i}" for i in range(14)], **models}, measure="accuracy")


EXAMPLES: dict[str, Any] = {
    "data sets": over_data_sets,
    "kruskal": lambda: assay.kruskal_wallis([[1, 2, 3.5], [2, 5, 6], [7, 8, 9]]),
    "posterior": lambda: assay.bayes_sign([0.1, 0.2, -0.1, 0.3], rope=0.05),
    "plan": lambda: assay.plan(difference=0.05, power=0.8, discordant=0.2),
    "adjusted": lambda: assay.wilson(3, 50),
}


@needs("pdflatex", "texlive-latex-recommended")
class TestCompiles:
    @pytest.mark.parametrize("name", RESULTS)
    def test_golden_results(self, name: str, tmp_path: Path) -> None:
        compile_latex(render(RESULTS[name], "latex"), tmp_path)

    @pytest.mark.parametrize("name", EXAMPLES)
    def test_results_of_real_calls(self, name: str, tmp_path: Path) -> None:
        compile_latex(render(EXAMPLES[name](), "latex"), tmp_path)

    def test_every_letter(self, tmp_path: Path) -> None:
        lines = [LETTERS[place : place + 40] for place in range(0, len(LETTERS), 40)]
        log = compile_latex("\n\n".join(for_latex(clean(line)) for line in lines), tmp_path)
        assert "Missing character" not in log


def test_a_record_of_wins_is_no_subtraction() -> None:
    text = render(over_data_sets(), "latex")
    assert "--0--" in text or "--1--" in text
    assert not any(part.count("-") == 2 for part in text.split("$")[1::2] if part[:1].isdigit())
