"""A small catalogue of its own, so that what is rendered does not change when a method is added."""

from collections.abc import Callable

import pytest

from assay.core.errors import UsageError
from assay.core.methods import Gives, Method
from assay.report import methods_paragraph

RECORDS: dict[str, tuple[str, tuple[str, ...], Gives]] = {
    "mcnemar": (
        "mcnemar1947",
        ("items are independent", "both models saw the same items"),
        "test",
    ),
    "tango": ("tango1998", ("items are independent",), "estimate"),
    "wilson": ("wilson1927; brown2001", ("items are independent",), "estimate"),
    "simultaneous_bootstrap": (
        "romano2005",
        ("items are independent", "all models saw the same items"),
        "family",
    ),
    "wilcoxon_pairs": ("wilcoxon1945 holm1979 hodges1963", (), "family"),
    "holm": ("holm1979", (), "adjustment"),
    "cochran_q": ("cochran1950", (), "test"),
    "two_proportions_z": ("A handbook of tests (2001), page 7.", (), "test"),
}


def record(name: str) -> Method:
    if name not in RECORDS:
        raise UsageError(f"there is no method {name!r}")
    reference, assumes, gives = RECORDS[name]
    function: Callable[..., None] = record  # type: ignore[assignment]
    return Method(
        id=name, function=function, question="?", takes="counts", gives=gives, unit=("item",),
        assumes=assumes, reference=reference, requirement="T4", same_as=None, formula=None,
        exempt={}, name=name, title=name, interval=name, least_p=None, posterior=None,
        calibrated_by=None,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def _catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods_paragraph, "find_method", record)
