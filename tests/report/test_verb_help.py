"""`help` of the verbs: every argument has a line, what comes back is named, and the signature can be read."""

import inspect
import pydoc

import pytest

import assay
from assay import _VERBS
from assay.report.verb_help import ARGUMENTS, OF_ONE


@pytest.mark.parametrize("verb", sorted(_VERBS))
def test_every_argument_and_what_comes_back(verb: str) -> None:
    function = getattr(assay, verb)
    told = inspect.getdoc(function) or ""
    for section in ("Parameters\n----------", "Returns\n-------"):
        assert told.count(section) == 1
    for name in inspect.signature(function).parameters:
        assert f"\n{name} : " in told.replace("*", ""), name
    shown = pydoc.plain(pydoc.render_doc(function))
    assert "typing." not in shown
    assert "collections.abc" not in shown


def test_words_are_of_arguments_that_exist() -> None:
    used = {name for verb in _VERBS for name in inspect.signature(getattr(assay, verb)).parameters}
    assert set(ARGUMENTS) <= used
    for verb, name in OF_ONE:
        assert name in inspect.signature(getattr(assay, verb)).parameters


def test_references_are_works_not_keys() -> None:
    assert "friedman1937" not in (assay.friedman.__doc__ or "")
    assert "The use of ranks" in (assay.friedman.__doc__ or "")
