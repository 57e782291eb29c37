"""`help(assay.wilcoxon)` can be read, of every method of the catalogue."""

import inspect
import pydoc
import re
import warnings

import pytest

import assay
from assay.core.methods import Method
from assay.report.method_help import example, help_text, short_signature

METHODS = list(assay.catalogue().values())
SECTIONS = ("Parameters", "Returns", "Notes", "References", "Examples")


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
def test_sections_parameters_and_an_example_that_runs(method: Method) -> None:
    text = help_text(method)
    places = [text.index(f"\n{title}\n{'-' * len(title)}\n") for title in SECTIONS]
    assert places == sorted(places)
    assert text.startswith(method.summary)
    told = text[places[0] : places[1]]
    for parameter in method.parameters.values():
        star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        assert re.search(rf"(^|, ){re.escape(star + parameter.name)}( :|,)", told, re.MULTILINE)
    assert "numpy._typing" not in text
    assert "typing." not in told
    assert "numpy" not in str(short_signature(method))
    assert all(len(line) <= 105 or ">>>" in line for line in text.splitlines())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = eval(f"assay.{example(method)}", {"assay": assay})  # noqa: S307 (the example of our own docs)
        if not isinstance(found, tuple):
            assert found.summary()
    kind = text[places[1] :].splitlines()[3]
    assert kind == ("tuple of float" if isinstance(found, tuple) else type(found).__name__)


def test_help_shows_it() -> None:
    shown = pydoc.plain(pydoc.render_doc(assay.corrected_resampled_t))
    assert (
        "corrected_resampled_t(a: evidence, b: evidence = None, *, folds: int = None, test_share: float"
        in shown
    )
    assert "level : float, default 0.95" in shown
    assert "alternative : {'two-sided', 'greater', 'less'}, default 'two-sided'" in shown
    assert "Nadeau" in shown


def test_types_are_still_known_to_the_command_line() -> None:
    """The signature that is shown has words for types; that of the record keeps its annotations."""
    assert str(inspect.signature(assay.wilcoxon).parameters["zeros"]) == "zeros: str = 'drop'"
    assert assay.catalogue()["wilcoxon"].parameters["level"].annotation is float
