"""What users say about evidence: checked once, in one place."""

from typing import Any

import numpy as np
import pytest

from assay.core.errors import UsageError
from assay.evidence.reading_options import COLUMNS, Options, Told


class TestOf:
    def test_nothing_said(self) -> None:
        told = Told.of({})
        assert told.listed is None
        assert told.higher is None
        assert (told.ignore, told.percent, told.extra) == ((), (), {})

    @pytest.mark.parametrize("option", ["ignore", "percent"])
    @pytest.mark.parametrize("given", ["a, b", ["a", "b"], ("a", "b")])
    def test_lists_of_columns(self, option: str, given: Any) -> None:
        assert getattr(Told.of({option: given}), option) == ("a", "b")

    @pytest.mark.parametrize("role", COLUMNS)
    def test_values_in_place_of_a_column(self, role: str) -> None:
        values = np.array([1, 2, 3])
        told = Told.of({role: values})
        assert getattr(told, role) == f"{role} given"
        assert told.extra[role] is values

    def test_no_id_is_no_column(self) -> None:
        told = Told.of({"id": False})
        assert told.id is False
        assert told.extra == {}

    @pytest.mark.parametrize(
        ("options", "match"),
        [
            ({"thruth": "y"}, "there is no argument thruth=; did you mean truth="),
            ({"groups": [1]}, "there is no argument groups=; did you mean cluster="),
            ({"zzz": 1}, "there is no argument zzz=; there are classes, cluster, correct"),
            ({"unit": "rows"}, "unit is one of"),
            ({"decimal": ","}, "decimal is one of comma, point"),
            ({"correct": True, "losses": True}, "correct= says that 1 is right, losses= that"),
        ],
    )
    def test_refusals(self, options: dict[str, Any], match: str) -> None:
        with pytest.raises(UsageError, match=match):
            Told.of(options)


class TestHigher:
    @pytest.mark.parametrize(
        ("options", "higher"),
        [
            ({"correct": True}, True),
            ({"losses": True}, False),
            ({"lower_is_better": True}, False),
            ({"lower_is_better": False}, True),
            ({"measure": "accuracy"}, None),
        ],
    )
    def test_as_said(self, options: dict[str, Any], higher: bool | None) -> None:
        assert Told.of(options).higher is higher


def test_models_by_name() -> None:
    assert Told.of({"models": "a"}).listed == ["a"]
    assert Told.of({"models": ["a", "b"]}).listed == ["a", "b"]
    assert Told.of({"models": {"new": "b"}}).listed == ["new"]


def test_the_typed_options_are_those_that_are_read() -> None:
    """`Options` is what editors show; an option that only one of the two knows would be lost."""
    fields = set(Told.__dataclass_fields__) - {"extra", "model_column"}
    assert set(Options.__annotations__) == fields
