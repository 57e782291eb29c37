"""What is worked out once."""

from dataclasses import FrozenInstanceError, dataclass, replace

import msgspec
import pytest

from assay.core.memo import Kept, filled_later, later, replaced, while_rows_stand


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


@filled_later("b")
@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    a: int
    b: int = 0


class TestLater:
    def test_is_worked_out_once_when_read(self) -> None:
        asked = []

        def found() -> int:
            asked.append(1)
            return 7

        pair = Pair(a=1, b=later(found))
        other = replaced(pair, a=2)
        assert not asked
        assert (pair.b, pair.b, other.b, other.a) == (7, 7, 7, 2)
        assert asked == [1]

    def test_a_result_is_as_if_it_had_been_there(self) -> None:
        pair = Pair(a=1, b=later(lambda: 7))
        assert pair == Pair(a=1, b=7)
        assert hash(pair) == hash(Pair(a=1, b=7))
        assert replace(Pair(a=1, b=later(lambda: 7)), a=2) == Pair(a=2, b=7)
        assert repr(Pair(a=1, b=later(lambda: 7))).endswith("Pair(a=1, b=7)")
        assert msgspec.to_builtins(Pair(a=1, b=later(lambda: 7))) == {"a": 1, "b": 7}
        assert msgspec.convert({"a": 1, "b": 7}, Pair) == pair
        assert Pair(a=1).b == 0

    def test_stays_frozen(self) -> None:
        with pytest.raises(FrozenInstanceError):
            Pair(a=1).b = 3  # type: ignore[misc]


class TestOfRows:
    def test_at_once_unless_the_rows_stay(self) -> None:
        rows = [1, 2]
        now = Pair(a=1, b=later(lambda: sum(rows), of_rows=True))
        with while_rows_stand():
            waiting = Pair(a=1, b=later(lambda: sum(rows), of_rows=True))
        again = Pair(a=1, b=later(lambda: sum(rows), of_rows=True))
        rows.append(4)
        assert (now.b, waiting.b, again.b) == (3, 7, 3)
