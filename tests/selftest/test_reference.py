"""Every reference case of every file: what R and others give, to the tolerance of the case."""

import pytest

from assay.reference import Case, cases, names
from assay.selftest.run import check_case

CASES = [pytest.param(name, case, id=case.id) for name in names() for case in cases(name)]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_reference(name: str, case: Case) -> None:
    found = check_case(name, case)
    if found.status == "not offered":
        pytest.skip(found.worst)
    assert found.status == "agrees", f"{found.worst}: relative error {found.error:.1e}"


def test_no_id_is_used_twice() -> None:
    ids = [case.id for name in names() for case in cases(name)]
    assert len(ids) == len(set(ids))
