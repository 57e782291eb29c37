"""Tables as people write them give the numbers that were meant."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from assay.core.errors import EvidenceError
from assay.evidence.readers.source_tables import Table, open_sources
from assay.evidence.readers.tidy import tidied
from assay.evidence.told import Told


def table(**columns: Sequence[Any]) -> Table:
    (found,) = open_sources([{name: list(cells) for name, cells in columns.items()}])
    return found


def numbers(given: Table, name: str, **options: Any) -> list[float]:
    found, _, questions = tidied(given, Told.of(options))
    assert not questions
    return [float(cell) for cell in found.arrays[name].tolist()]


class TestTidied:
    def test_plain_numbers_stay_as_they_are(self) -> None:
        given = table(a=[0.5, 0.6], b=["x", "y"])
        found, _, questions = tidied(given, Told())
        assert found is given
        assert questions == []

    def test_decimal_commas(self) -> None:
        assert numbers(table(a=["0,68", "0,7"]), "a") == [0.68, 0.7]

    def test_per_cent_signs(self) -> None:
        assert numbers(table(a=["68.1%", "70%"]), "a") == pytest.approx([0.681, 0.7], rel=1e-15)

    def test_a_mean_with_its_spread(self) -> None:
        found, _, _ = tidied(table(a=["0.68 ± 0.02", "0.7"], b=[0.1, 0.2]), Told())
        assert found.arrays["a"].tolist() == [0.68, 0.7]
        assert found.names == ("a", "a_sd", "b")
        assert np.isnan(found.arrays["a_sd"][1])
        assert found.arrays["a_sd"][0] == 0.02

    def test_words_for_nothing_among_numbers(self) -> None:
        first, second = numbers(table(a=["0.5", "timeout"]), "a")
        assert first == 0.5
        assert np.isnan(second)

    def test_columns_told_to_be_in_per_cent(self) -> None:
        assert numbers(table(a=[81.0, 0.0], b=[0.8, 0.7]), "a", percent="a") == [0.81, 0.0]

    def test_signs_and_option_together_divide_once(self) -> None:
        assert numbers(table(a=["81%", "90%"]), "a", percent="a") == [0.81, 0.9]

    def test_what_was_put_together_on_purpose_stays_so(self) -> None:
        given = table(a=["0,68", "0,7"])
        assert tidied(given, Told())[0].deliberate == given.deliberate


class TestQuestions:
    def test_a_thousand_or_a_fraction(self) -> None:
        given = table(a=["1,234", "2,345"])
        _, _, (question,) = tidied(given, Told())
        assert question.code == "decimal"
        assert "'1,234' in column 'a'" in question.text
        values = [numbers(given, "a", **answer.arguments) for answer in question.answers]
        assert values == [[1.234, 2.345], [1234.0, 2345.0]]


class TestRefusals:
    def test_a_column_that_is_not_there(self) -> None:
        with pytest.raises(EvidenceError, match="no column 'z' to be in per cent"):
            tidied(table(a=[1.0]), Told.of({"percent": "z"}))
