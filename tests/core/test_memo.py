"""What is worked out once."""

from assay.core.memo import Kept


class TestKept:
    def test_is_worked_out_when_first_asked_for(self) -> None:
        kept, asked = Kept(), []

        def found() -> int:
            asked.append(1)
            return len(asked)

        assert [kept.once("a", found), kept.once("a", found), kept.once(("b", 2), found)] == [
            1,
            1,
            2,
        ]
