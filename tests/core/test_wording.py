"""Messages for Python and for the terminal."""

import pickle

from assay.core.errors import EvidenceError
from assay.core.wording import at_terminal, either, in_python
from assay.report.option_names import as_typed

BOTH = f"use {either('`assay.wilson(2, 9)`', '`assay test wilson --errors 2 --n 9`')} or truth="


def test_each_reader_sees_what_to_write() -> None:
    assert in_python(BOTH) == "use `assay.wilson(2, 9)` or truth="
    assert at_terminal(BOTH) == "use `assay test wilson --errors 2 --n 9` or truth="


def test_an_error_speaks_python_and_keeps_both() -> None:
    error = pickle.loads(pickle.dumps(EvidenceError(BOTH)))  # noqa: S301
    assert str(error) == "use `assay.wilson(2, 9)` or truth="
    assert repr(error) == "EvidenceError('use `assay.wilson(2, 9)` or truth=')"
    assert as_typed(error.for_both) == "use `assay test wilson --errors 2 --n 9` or --truth"


def test_text_without_two_wordings_stays() -> None:
    assert in_python("plain") == at_terminal("plain") == "plain"
