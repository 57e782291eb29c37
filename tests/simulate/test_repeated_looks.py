"""Looking while samples grow: what peeking costs, and what it does not cost an anytime-valid test."""

import numpy as np
import pytest
from scipy import stats

from assay.core.errors import NotApplicable, UsageError
from assay.core.rng import stream
from assay.simulate.repeated_looks import first_units, look_sizes
from assay.simulate.simulate import simulate
from assay.simulate.worlds import make_world


class TestLookSizes:
    def test_equal_steps_to_the_end(self) -> None:
        assert look_sizes(100, 4) == [25, 50, 75, 100]
        assert look_sizes(10, 3) == [4, 7, 10]
        assert look_sizes(3, 10) == [2, 3]
        assert look_sizes(1, 5) == [1]


class TestFirstUnits:
    def test_tables_and_counts_of_the_first_items(self) -> None:
        drawn = make_world("paired-labels", discordant=0.5).draw(3, 20, stream(1), takes="pairs")
        cells = first_units("paired-table", drawn, 7)["cells"]
        assert (cells.sum(axis=1) == 7).all()
        assert (cells[:, 1] - cells[:, 2] == (drawn["a"] - drawn["b"])[:, :7].sum(axis=1)).all()
        values = make_world("proportion").draw(3, 20, stream(1), takes="sample")
        counts = first_units("counts", values, 9)
        assert (counts["n"] == 9).all()
        assert (counts["errors"] == values["values"][:, :9].sum(axis=1)).all()

    def test_items_of_paired_labels_come_in_no_order(self) -> None:
        drawn = make_world("paired-labels", discordant=0.5).draw(2000, 10, stream(1), takes="pairs")
        early, late = (
            (drawn["a"] != drawn["b"])[:, :5].mean(),
            (drawn["a"] != drawn["b"])[:, 5:].mean(),
        )
        assert abs(early - late) < 0.03


class TestLooks:
    def test_peeking_inflates_a_fixed_test_and_not_an_anytime_one(self) -> None:
        given = {"discordant": 0.12, "replicates": 800, "rng": 1, "n": 1000}
        once = simulate("mcnemar", **given)  # type: ignore[arg-type]
        often = simulate("mcnemar", looks=20, **given)  # type: ignore[arg-type]
        anytime = simulate(
            "anytime_mean_difference",
            world="paired-labels",
            looks=20,
            **given,  # type: ignore[arg-type]
        )
        rates = [found.cells[0].value for found in (once, often, anytime)]
        assert rates[0] is not None
        assert rates[0] < 0.08
        assert rates[1] is not None
        assert rates[1] > 0.18  # 24% in docs/pitfalls.md
        assert rates[2] is not None
        assert rates[2] < 0.05
        assert dict(often.options)["looks"] == 20

    def test_ever_is_the_smallest_of_all_looks(self) -> None:
        """By hand, for t."""
        found = simulate("one_sample_t", n=12, looks=3, replicates=300, rng=4)
        values = make_world("normal").draw(300, 12, stream(4, 0, 0), takes="sample")["values"]
        p = [
            np.asarray(stats.ttest_1samp(values[:, :size], 0.0, axis=1).pvalue)
            for size in (4, 8, 12)
        ]
        assert found.cells[0].value == np.mean(np.min(p, axis=0) <= 0.05)

    def test_refusals(self) -> None:
        with pytest.raises(UsageError, match="looks are for errors"):
            simulate("wilson", looks=3)
        with pytest.raises(NotApplicable, match="does not grow unit by unit"):
            simulate("delong_test", looks=3)
        with pytest.raises(NotApplicable, match="does not draw sample unit by unit"):
            simulate("binomial", world="label-measures", looks=3)
        with pytest.raises(UsageError, match="looks is a whole number"):
            simulate("mcnemar", looks=0)
