import numpy as np
import pytest

from assay.core.notes import note


class TestNote:
    def test_facts_are_put_in(self) -> None:
        found = note("sampled", n=9999, what="swaps", error=0.00123)
        assert found.code == "sampled"
        assert (
            found.message
            == "the p-value is based on 9999 random swaps; its standard error is 0.0012"
        )

    @pytest.mark.parametrize(
        ("count", "begins"),
        [(0, "0 items in"), (1, "1 item in"), (2, "2 items in"), (np.int64(1), "1 item in")],
    )
    def test_words_go_with_their_count(self, count: int, begins: str) -> None:
        assert note("few-items", count=count).message.startswith(begins)

    def test_every_count_of_a_message_has_its_own_words(self) -> None:
        dropped = note("items-dropped", dropped=1, kept=1234, listed="1 item|items of {b}")
        assert dropped.message == (
            "1 item was not in every source and is left out, 1,234 are kept: 1 item|items of {b}"
        )
        assert "in the 3 units" in note("equal-values", n=3).message
        assert "in the one unit" in note("equal-values", n=1).message

    def test_an_unknown_code_or_a_missing_fact_is_an_error(self) -> None:
        with pytest.raises(KeyError, match="no-such-code"):
            note("no-such-code")
        with pytest.raises(KeyError, match="count"):
            note("few-items")
