"""Won, tied and lost."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.compare.win_tie_loss import records_of
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
