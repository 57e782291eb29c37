import pytest

from assay.core.bulk_results import from_columns
from assay.core.results import Estimate, Interval


class TestFromColumns:
    def test_as_by_calls(self) -> None:
        found = from_columns(
            Interval, {"low": [0.0, 1.0], "high": (2.0, 3.0)}, level=0.9, method="m"
        )
        assert found == [
            Interval(low=0.0, high=2.0, level=0.9, method="m"),
            Interval(low=1.0, high=3.0, level=0.9, method="m"),
        ]

    def test_hash_and_defaults(self) -> None:
        same = {"measure": "x", "interval": None, "method": "m", "n": 3, "unit": "item"}
        (found,) = from_columns(Estimate, {"value": [0.5]}, **same)
        called = Estimate(value=0.5, measure="x", interval=None, method="m", n=3, unit="item")
        assert hash(found) == hash(called)
        assert found.details == ()

    def test_no_rows(self) -> None:
        assert from_columns(Interval, {"low": [], "high": []}, level=0.9, method="m") == []

    def test_a_missing_field_is_named(self) -> None:
        with pytest.raises(TypeError, match="Interval needs method"):
            from_columns(Interval, {"low": [0.0], "high": [1.0]}, level=0.9)

    def test_an_unknown_field_is_named(self) -> None:
        with pytest.raises(TypeError, match="Interval has no middle"):
            from_columns(Interval, {"low": [0.0], "high": [1.0]}, level=0.9, method="m", middle=0)

    def test_columns_of_different_lengths(self) -> None:
        with pytest.raises(TypeError, match="of one length"):
            from_columns(Interval, {"low": [0.0], "high": [1.0, 2.0]}, level=0.9, method="m")
