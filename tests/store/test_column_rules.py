"""What columns may hold."""

import math
from typing import Any

import pytest

from assay.store.column_rules import LONGEST, fault
from assay.store.schema import dataset, entry, measure, prediction, score, task


class TestFault:
    @pytest.mark.parametrize(
        ("column", "value", "words"),
        [
            (entry.c.repeat, -1, "entry.repeat holds -1 where a whole number from 0 belongs"),
            (entry.c.fold, 2**40, "a whole number from 0"),
            (entry.c.fold, 1.0, "a whole number from 0"),
            (entry.c.train_size, 0, "a whole number from 1"),
            (entry.c.noise_on, "both", "'labels' or 'features'"),
            (entry.c.noise_level, 1.5, "a share from 0 to 1"),
            (entry.c.noise_level, math.nan, "a share from 0 to 1"),
            (entry.c.key, None, "entry.key is empty"),
            (entry.c.key, b"k", "text"),
            (task.c.status, "okay", "'ok' or 'failed'"),
            (task.c.fit_cpu, math.inf, "seconds"),
            (task.c.fit_cpu, "0.1", "seconds"),
            (task.c.error, 5, "text"),
            (dataset.c.task, "ranking", "'classification' or 'regression'"),
            (measure.c.direction, "up", "'higher' or 'lower' or 'unknown'"),
            (score.c.part, "both", "'test' or 'train'"),
            (score.c.value, "x", "a number"),
            (prediction.c.data, "text", "bytes"),
        ],
    )
    def test_a_wrong_value_is_named_with_what_belongs_there(
        self, column: Any, value: Any, words: str
    ) -> None:
        assert words in (fault(column, [value]) or "")
        assert words in (fault(column, [*([None] if column.nullable else []), value]) or "")

    def test_right_values_and_absent_rows_pass(self) -> None:
        assert fault(entry.c.repeat, [0, 5, 2**31 - 1]) is None
        assert fault(score.c.value, [0.5, None, -math.inf, 3]) is None
        assert fault(task.c.status, [None, "ok"], optional=True) is None
        assert fault(task.c.status, []) is None

    def test_absurd_sizes_are_refused_and_shown_short(self) -> None:
        class Long(str):
            """Text that says it is longer than it is."""

            __slots__ = ()

            def __len__(self) -> int:
                return LONGEST + 1

        assert "where text belongs" in (fault(entry.c.key, [Long("x")]) or "")
        assert len(fault(task.c.status, ["x" * 10_000]) or "") < 200
