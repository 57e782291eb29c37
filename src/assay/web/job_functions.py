"""What jobs do, in processes of their own: plain arguments in, JSON out.

Importing this module loads everything that an answer needs, once, in the server from which the
processes are forked.
"""

import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any

import msgspec

from assay.compare.compare import compare
from assay.core.errors import AssayError
from assay.core.formatting import clean
from assay.core.questions import AmbiguousEvidence
from assay.report.explain import explain_result
from assay.web import (
    job_boards,
    job_curves,
    job_evidence,
    job_judges,
    job_learn,
    job_new_study,
    job_studies,
)
from assay.web.jobs import EARLY, failed
from assay.web.page_state import field_of
from assay.web.reading_form import in_page_words

TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    **job_evidence.TASKS,
    **job_curves.TASKS,
    **job_boards.TASKS,
    **job_judges.TASKS,
    **job_learn.TASKS,
    **job_studies.TASKS,
    **job_new_study.TASKS,
}
"""Every job by its name; nothing else can be asked for."""

TELLING = ("answer",)
"""The jobs that tell something before they are done."""

for package in (
    "duckdb",
    "scipy.special",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "assay.evidence.method_arguments",
    "assay.evidence.score_ranks_sql",
    "assay.evidence.unique_ids",
):
    import_module(
        package
    )  # imported where they are used, which is too late for a process that is new


def _rehearse() -> None:
    """Answer labels, values and data sets in memory: what is loaded on the way need not be by every process."""
    truth = [0, 1] * 20
    labels = {"truth": truth, "a": [*truth[:30], *[1] * 10], "b": [1, *truth[1:]]}
    explain_result(compare(labels, n_resamples=100, rng=1))
    numbers = {"a": [0.5 + one % 7 for one in range(40)], "b": [0.4 + one % 5 for one in range(40)]}
    values = {"truth": [0.25 * one for one in range(40)], **numbers}
    compare(values, truth="truth", models=list(numbers), measure="mae")
    compare({**numbers, "c": values["truth"]}, unit="dataset", measure="mae")


_rehearse()


def perform(
    name: str, arguments: dict[str, Any], tell: Callable[[bytes], None] | None = None
) -> bytes:
    """The answer of a job as JSON; an error is an answer too.

    What a job knows before it is done goes to ``tell``.
    """
    if name in TELLING and tell is not None:
        arguments = {
            **arguments,
            "tell": lambda early: tell(msgspec.json.encode({**early, EARLY: True})),
        }
    try:
        found = TASKS[name](**arguments)
    except AmbiguousEvidence as error:
        asked = clean(" ".join(question.text for question in error.questions))
        found = failed(
            "AmbiguousEvidence",
            f"{asked} Say it on the page “Answer”, under “Change how it is read”.",
        )
    except AssayError as error:
        found = failed(type(error).__name__, in_page_words(error), field_of(str(error)))
    except MemoryError:
        found = failed(
            "limit", "This needs more memory than the page allows: use the command line."
        )
    except Exception:  # noqa: BLE001 (a defect of ours is shown, and the page goes on)
        found = failed("defect", "This is a defect of assay, please report it.")
        found["error"]["traceback"] = traceback.format_exc()
    return msgspec.json.encode(found)
