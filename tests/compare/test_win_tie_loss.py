"""Won, tied and lost."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.compare.win_tie_loss import AT_ONCE, records_of
from assay.evidence.blocks import Blocks


def counted(outcome: Any) -> tuple[Any, ...]:
    details = dict(outcome.details)
    return details["won"], details["tied"], details["lost"]


SCORES = {
    "dataset": list("abcdefgh"),
    "one": [0.9, 0.8, 0.7, 0.6, 0.1 + 0.2, 0.5, 0.4, 0.9],
    "two": [0.8, 0.7, 0.6, 0.5, 0.3, 0.6, 0.4, 0.8],
}


class TestRecords:
    def test_counted_with_ties_of_rounding(self) -> None:
        assert counted(assay.compare(SCORES).verdict.outcome) == (5, 2, 1)

    def test_where_less_is_better_it_turns_round(self) -> None:
        found = assay.compare(SCORES, measure="rmse").verdict.outcome
        assert counted(found) == (1, 2, 5)

    def test_units_that_one_lacks_do_not_count(self) -> None:
        values = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 5.0]])
        table = Blocks(models=("x", "y"), values=values, names=None)
        assert list(records_of(table, [("x", "y")])) == [(("won", 0), ("tied", 1), ("lost", 1))]

    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_of_long_tables_as_of_short_ones(self, sign: float) -> None:
        values = np.random.default_rng(5).normal(0.8, 0.05, (3 * AT_ONCE, 3)).round(2)
        table = Blocks(models=("x", "y", "z"), values=values, names=None)
        pairs = [("x", "y"), ("z", "x")]
        parts = [
            list(records_of(Blocks(models=table.models, values=part, names=None), pairs, sign))
            for part in np.split(values, 6)
        ]
        for pair, whole in enumerate(records_of(table, pairs, sign)):
            summed = [
                sum(float(str(dict(part[pair])[name])) for part in parts) for name, _ in whole
            ]
            assert [count for _, count in whole] == summed

    @pytest.mark.parametrize("measures", ["accuracy", ["accuracy"]])
    def test_shown_for_one_pair_and_for_many(self, measures: Any) -> None:
        rng = np.random.default_rng(2)
        table = {"dataset": [str(i) for i in range(12)]} | {m: rng.random(12) for m in "pqr"}
        found = assay.compare(table, measure=measures)
        text = assay.render(found, details=True)
        assert "won-tied-" in text  # the heading may wrap before "lost"
        assert "-".join(map(str, counted(found.verdicts[0].outcome))) in text
        assert {"won", "tied", "lost"} <= set(assay.render(found, "csv").splitlines()[0].split(","))
        assert "won-tied-lost" in assay.render(assay.compare(SCORES), details=True)
