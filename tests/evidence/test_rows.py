"""Every engine gives the same bytes for the same data."""

import math
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.core.errors import AssayError, EvidenceError
from assay.evidence import rows_sql
from assay.evidence.predictions import Predictions
from assay.evidence.readers.source_tables import open_sources
from assay.evidence.rows import Cut, Scale, encoded, levels_of
from assay.evidence.rows_memory import MemoryRows
from assay.evidence.rows_sql import SqlRows
from assay.evidence.tally import mixed_radix
from tests.evidence.forms import Table, every_form, predictions, write_csv

SLOW = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
FORMS = [
    *("lists", "numpy", "pandas", "polars", "polars lazy", "pyarrow", "narwhals"),
    *("csv", "parquet", "jsonl", "duckdb"),
]
PLAIN: Table = {
    "y": [0, 1, 1, 0, 1, 1, 0, 1],
    "a": [0, 1, 0, 0, 1, 1, 1, 1],
    "b": [1, 1, 1, 0, 0, 1, 0, 1],
}


def evidence_in(table: Table, **options: Any) -> Iterator[tuple[str, Predictions]]:
    with tempfile.TemporaryDirectory() as folder:
        for name, source in every_form(table, Path(folder)):
            yield name, predictions(source, **options)


def same_bytes(table: Table, **options: Any) -> None:
    """Classes, tallies and columns agree between all forms, to the byte."""
    seen: dict[str, Any] = {}
    for name, evidence in evidence_in(table, **options):
        tally = evidence.tally()
        found: list[Any] = [evidence.classes, evidence.positive, evidence.models, evidence.n]
        arrays = [tally.rows, tally.counts, tally.weight_sums, tally.weight_squares]
        if evidence.clusters is not None:
            clusters = evidence.cluster_tally()
            arrays += [clusters.cluster, clusters.row, clusters.count, clusters.weight_sums]
        columns = evidence.columns("labels")
        arrays += [columns.truth, columns.predictions, columns.weights, columns.clusters]
        found += [None if a is None else (a.dtype, a.shape, a.tobytes()) for a in arrays]
        seen[name] = found
    for name, found in seen.items():
        assert found == seen["lists"], name


class TestFormsAgree:
    def test_all_forms_are_tried(self, tmp_path: Path) -> None:
        assert [name for name, _ in every_form(PLAIN, tmp_path)] == FORMS

    def test_whole_numbers(self) -> None:
        same_bytes(PLAIN)

    def test_floats_that_are_whole(self) -> None:
        same_bytes({name: [float(v) for v in values] for name, values in PLAIN.items()})

    def test_booleans(self) -> None:
        same_bytes({name: [v == 1 for v in values] for name, values in PLAIN.items()})

    def test_words_with_leading_zeros_quotes_and_signs(self) -> None:
        words = ["01", 'say "no"', "ä, ö", "'; drop table x; --", "line\nbreak", "-"]
        same_bytes({"y": words, "a": words[1:] + words[:1], "b": list(reversed(words))})

    def test_weights_counts_and_clusters(self) -> None:
        same_bytes(
            {
                **PLAIN,
                "weight": [0.1, 0.2, 0.3, 1e-9, 1e6, 0.7, 0.1, 1 / 3],
                "count": [1, 2, 0, 1, 3, 1, 1, 10],
                "cluster": ["p2", "p10", "p2", "p1", "p1", "p10", "p2", "p2"],
            }
        )

    def test_many_classes_and_models(self) -> None:
        rng = np.random.default_rng(5)
        table: dict[str, list[int]] = {"y": rng.integers(0, 40, 300).tolist()}
        for place in range(12):
            table[f"m{place}"] = rng.integers(0, 40, 300).tolist()
        same_bytes(table, models=[f"m{place}" for place in range(12)])

    @SLOW
    @given(st.data())
    def test_any_labels(self, data: Any) -> None:
        alphabet = st.characters(exclude_characters="\x00\r", exclude_categories=["Cs"])
        words = data.draw(
            st.lists(st.text(alphabet, min_size=1, max_size=8), min_size=1, max_size=5)
        )
        # words that stand for a missing value among numbers are refused, which is tested apart
        words = [f"w{word}" for word in words]
        size = data.draw(st.integers(1, 12))
        column = st.lists(st.sampled_from(words), min_size=size, max_size=size)
        truth = data.draw(column)
        same_bytes(
            {"y": truth, "a:label": data.draw(column), "b:label": data.draw(column)}, truth="y"
        )

    @SLOW
    @given(st.data())
    def test_any_numbers(self, data: Any) -> None:
        size = data.draw(st.integers(2, 12))
        numbers = st.floats(-1e12, 1e12, allow_nan=False).map(lambda x: x + 0.0)
        table = {
            "y": [place % 2 for place in range(size)],
            "a:score": data.draw(st.lists(numbers, min_size=size, max_size=size)),
            "b:loss": data.draw(st.lists(numbers, min_size=size, max_size=size)),
        }
        for name, evidence in evidence_in(table):
            scores = evidence.columns("scores", ["a"])
            losses = evidence.columns("losses", ["b"])
            assert scores.truth.tolist() == table["y"], name
            assert scores.predictions.tolist() == [table["a:score"]], name
            assert losses.predictions.tolist() == [table["b:loss"]], name


class TestFormsAgreeOnRefusals:
    @pytest.mark.parametrize(
        ("column", "match"),
        [
            ([1, None, 1, 0], "What does a blank mean.* 1 value is missing"),
            ([0.5, float("nan"), 0.2, 0.1], "1 value is missing|not a finite number"),
            ([0.5, float("inf"), 0.2, 0.1], "'[Ii]nf(inity)?' at .* is not a finite number"),
            (["0.5", "1,5", "0.2", "0,x"], "'(1,5|0,x)' at .* is not a number"),
            (["1", "nan", "1", "0"], "What does a blank mean.* 1 value is missing"),
            (["x", "y", "z", "x"], "shares no value with the truth.* add ':label' to its name"),
        ],
        ids=["missing", "nan", "infinite", "comma", "word", "stranger"],
    )
    def test_bad_values(self, column: list[Any], match: str, tmp_path: Path) -> None:
        for _, source in every_form({"y": [1, 0, 1, 0], "a": column}, tmp_path):
            with pytest.raises(AssayError, match=match):
                predictions(source)

    def test_a_model_that_is_right_nowhere(self, tmp_path: Path) -> None:
        wrong = {"y": ["cat"], "a:label": ["dog"]}
        for name, source in every_form(wrong, tmp_path):
            assert predictions(source).tally(("a",)).confusion("a").tolist() == [[0, 1], [0, 0]], (
                name
            )

    def test_the_place_is_named(self, tmp_path: Path) -> None:
        places = {}
        for name, source in every_form({"y": [1, 0, None, 0], "a": [1, 0, 1, 0]}, tmp_path):
            with pytest.raises(EvidenceError, match=r"column 'y' of .* has 1 missing") as error:
                predictions(source)
            places[name] = str(error.value).split("the first at ")[1].split(".")[0]
        assert places["csv"] == "line 4"
        assert places["jsonl"] == "line 3"
        assert places["parquet"] == places["duckdb"] == "row 3"
        assert places["pandas"] == places["lists"] == "position 2"


class TestNumbersAgree:
    @SLOW
    @given(
        st.lists(
            st.lists(
                st.sampled_from(
                    [*"019.eE+-_ \tdfxL,%\u00a0٣", "inf", "nan", "infinity", "0x", "1e5"]
                ),
                min_size=1,
                max_size=6,
            ).map("".join),
            min_size=1,
            max_size=200,
        )
    )
    def test_text_that_looks_like_numbers(self, cells: list[str]) -> None:
        """DuckDB and Python read the same texts as numbers, with the same value."""
        relation = duckdb.connect().from_arrow(pa.table({"x": cells}))
        found = open_sources([relation])[0].rows().numbers(["x"])[0]
        expected = MemoryRows({"x": np.array(cells, dtype=object)}, ("t",)).numbers(["x"])[0]
        assert np.array_equal(found, expected, equal_nan=True)

    @SLOW
    @given(
        st.lists(
            st.tuples(
                st.sampled_from("ab"),
                st.sampled_from([*"0 2", "", "1.5", "-3", "7e400", "-inf", "nan", "n/a", None]),
            ),
            min_size=1,
            max_size=8,
        )
    )
    def test_what_is_said_of_a_column(self, rows: list[tuple[str, str | None]]) -> None:
        """One look at finite numbers and another at all others, of the whole and of groups: as one by one."""
        keys, cells = zip(*rows, strict=True)
        floats = [
            math.nan if one is None else float(one) for one in cells if one not in ("", "n/a", " ")
        ]
        for column in (pa.array(cells, pa.string()), pa.array([*floats, 0.25])):
            table = {"key": [*keys, "a"][: len(column)], "x": column}
            in_sql = open_sources([duckdb.connect().from_arrow(pa.table(table))])[0].rows()
            array = np.array(column.to_pylist(), dtype=float if column.type == "double" else object)
            expected = repr(MemoryRows({"x": array}, ("t",)).facts(["x"])["x"])
            groups = in_sql.group(["key"], numbers=["x"])
            assert groups is not None
            assert repr(in_sql.facts(["x"])["x"]) == repr(groups.facts["x"]) == expected


class TestExactWeights:
    @given(
        st.lists(st.floats(0, 1e9), min_size=1, max_size=50).filter(
            lambda weights: max(weights) > 1e-149  # smaller ones are refused
        ),
        st.randoms(use_true_random=False),
    )
    def test_sums_do_not_depend_on_the_order(self, weights: list[float], random: Any) -> None:
        shuffled = list(weights)
        random.shuffle(shuffled)
        one, other = (
            predictions(
                {"y": ["k"] * len(w), "a": ["k"] * len(w), "w": np.array(w)}, weight="w"
            ).tally()
            for w in (weights, shuffled)
        )
        assert one.weight_sums is not None
        assert other.weight_sums is not None
        assert one.weight_sums.tobytes() == other.weight_sums.tobytes()
        assert one.weight_sums[0] == pytest.approx(float(np.sum(weights)), rel=1e-12)

    @pytest.mark.parametrize("scale", [1e-149, 1e-12, 1.0, 1e12, 1e149])
    def test_any_scale(self, scale: float, tmp_path: Path) -> None:
        weights = [scale * v for v in (1.0, 0.5, 3.25)]
        table: Table = {"y": [0, 0, 0], "a": [0, 0, 0], "weight": weights}
        for source in (table, write_csv(tmp_path / "w.csv", table)):
            tally = predictions(source, weight="weight").tally()
            assert tally.weight_sums is not None
            assert tally.weight_sums.tolist() == pytest.approx([scale * 4.75])

    def test_scale_of_nothing(self) -> None:
        assert Scale.of("w", 0.0).shift == 0


class TestMixedRadix:
    @given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), min_size=1, max_size=30))
    def test_order_is_lexicographic(self, rows: list[tuple[int, int]]) -> None:
        columns = list(np.array(rows, dtype=np.int64).T)
        code = mixed_radix(columns, [7, 3])
        assert sorted(rows) == [rows[place] for place in np.argsort(code, kind="stable")]

    def test_it_does_not_overflow(self) -> None:
        rng = np.random.default_rng(0)
        columns = [rng.integers(0, 1000, 50) for _ in range(30)]
        code = mixed_radix(columns, [1000] * 30)
        assert np.unique(code).size == 50
        order = np.lexsort(columns[::-1])
        assert np.array_equal(np.argsort(code, kind="stable"), order)

    def test_columns_are_not_written(self) -> None:
        column = np.array([0, 1, 1])
        mixed_radix([column, column, column], [2, 2, 2])
        assert column.tolist() == [0, 1, 1]


class TestKeptCodes:
    def test_a_column_is_coded_once(self, tmp_path: Path) -> None:
        table = pa.table({"y": ["b", "a", "b"], "m": ["a", "a", "b"]})
        pa.parquet.write_table(table, tmp_path / "data.parquet")
        rows = open_sources([tmp_path / "data.parquet"])[0].rows()
        (first, levels), (again, _) = rows.coded(["y"])[0], rows.coded(["m", "y"])[1]
        assert again is first
        assert (first.tolist(), levels) == ([0, 1, 0], ("b", "a"))
        assert not first.flags.writeable


class TestEncoded:
    def test_codes_grow_with_what_is_known(self) -> None:
        known: dict[Any, int] = {}
        assert encoded(["b", "a", "b"], known).tolist() == [0, 1, 0]
        assert encoded(["a", "c"], known).tolist() == [1, 2]

    @pytest.mark.parametrize("last", ["new", "name 3"])
    def test_of_many_names_one_may_come_again(self, last: str) -> None:
        names = [*(f"name {place}" for place in range(2_000)), last]
        known: dict[str, int] = {}
        codes = encoded(names, known)
        assert codes[-1] == (2_000 if last == "new" else 3)
        assert [list(known)[code] for code in codes] == names
        assert levels_of([None, "x", ""]) == (None, "x", None)


class TestMemoryRows:
    @pytest.mark.parametrize(
        "array",
        [
            np.array([3, 1, 3, 2], dtype=np.int8),
            np.array([3, 1, 3, 2], dtype=np.uint64),
            np.array([300_000, -1, 300_000, 5]),
            np.array([2**62, 1, 2**62, 7]),
            np.array([0.5, 1.5, 0.5, -2.0]),
            np.array([1e300, 1.0, 1e300, 2.0]),
            np.array(["b", "a", "b", "c"]),
            np.array(["b", "a", "b", "c"], dtype=np.dtypes.StringDType()),
            np.array(["b", 1, "b", 2.5], dtype=object),
        ],
        ids=lambda a: str(a.dtype) + str(a[0]),
    )
    def test_any_type_is_counted(self, array: Any) -> None:
        groups = MemoryRows({"x": array}, ("data",)).group(["x"])
        assert groups is not None
        found = {
            groups.levels[0][c[0]]: n for c, n in zip(groups.codes, groups.counts, strict=True)
        }
        values = array.tolist()
        assert found == {value: values.count(value) for value in set(values)}

    def test_a_table_too_wide_for_counting_is_sorted(self) -> None:
        rng = np.random.default_rng(3)
        arrays = {f"c{place}": rng.integers(0, 50, 100) for place in range(6)}
        groups = MemoryRows(arrays, ("data",)).group(list(arrays))
        assert groups is not None
        rows = list(zip(*(a.tolist() for a in arrays.values()), strict=True))
        found = [tuple(groups.levels[p][code] for p, code in enumerate(c)) for c in groups.codes]
        assert sorted(found) == sorted(set(rows))

    def test_a_limit_is_kept(self) -> None:
        rows = MemoryRows({"x": np.arange(10)}, ("data",))
        assert rows.group(["x"], limit=9) is None
        assert rows.group(["x"], limit=10) is not None

    def test_a_cut_is_a_column(self) -> None:
        rows = MemoryRows({"s": np.array([0.1, 0.5, 0.9])}, ("data",))
        groups = rows.group([Cut("s", 0.5, "no", "yes")])
        assert groups is not None
        assert groups.levels == (("no", "yes"),)
        assert groups.counts.tolist() == [1, 2]

    @pytest.mark.parametrize("kind", ["complex128", "datetime64[s]"])
    def test_types_that_hold_no_labels(self, kind: str) -> None:
        rows = MemoryRows({"x": np.zeros(3, dtype=kind)}, ("data",))
        with pytest.raises(EvidenceError, match="reads text, numbers and True/False"):
            rows.group(["x"])
        with pytest.raises(EvidenceError, match="where numbers are due"):
            rows.numbers(["x"])


class TestFewCells:
    """Labels of few classes are counted in bytes, those of 0 and 1 in one pass."""

    @staticmethod
    def counted(columns: dict[str, Any]) -> dict[tuple[Any, ...], int]:
        found = MemoryRows(columns, ("data",)).group(list(columns))
        assert found is not None
        rows = [
            tuple(levels[code] for levels, code in zip(found.levels, row, strict=True))
            for row in found.codes.tolist()
        ]
        return dict(zip(rows, found.counts.tolist(), strict=True))

    @staticmethod
    def one_by_one(columns: dict[str, Any]) -> dict[tuple[Any, ...], int]:
        return dict(Counter(zip(*(column.tolist() for column in columns.values()), strict=True)))

    @pytest.mark.parametrize("low", [0, 1, -1])
    @pytest.mark.parametrize("classes", [1, 2, 3, 4])
    def test_as_one_by_one(self, low: int, classes: int) -> None:
        rng = np.random.default_rng(classes)
        columns = {name: low + rng.integers(0, classes, 1_000) for name in ("t", "a")}
        assert self.counted(columns) == self.one_by_one(columns)

    @pytest.mark.parametrize("odd", [2, -1, 2**40])
    def test_a_third_label_far_down(self, odd: int) -> None:
        rng = np.random.default_rng(5)
        columns = {name: rng.integers(0, 2, 300_000) for name in ("t", "a", "b")}
        columns["a"][299_999] = odd
        assert self.counted(columns) == self.one_by_one(columns)

    def test_several_parts(self) -> None:
        rng = np.random.default_rng(6)
        columns = {name: rng.integers(0, 2, 400_001)[::-1] for name in ("t", "a", "b")}
        assert self.counted(columns) == self.one_by_one(columns)

    @pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.bool_])
    def test_other_kinds_of_numbers(self, kind: Any) -> None:
        rng = np.random.default_rng(7)
        columns = {name: rng.integers(0, 2, 500).astype(kind) for name in ("t", "a")}
        assert self.counted(columns) == self.one_by_one(columns)


@pytest.mark.usefixtures("engine")
class TestHeldColumns:
    """What was fetched is not fetched again, unless it is too much to keep."""

    def rows(self, tmp_path: Path, asked: list[str]) -> SqlRows:
        path = tmp_path / "values.csv"
        path.write_text("y,a,b\n" + "\n".join(f"{i}.5,{i},{i}.25" for i in range(50)))
        evidence = predictions(path, truth="y")
        assert isinstance(evidence.rows, SqlRows)
        run = evidence.rows.run

        def counting(query: str, *more: Any) -> Any:
            asked.append(query)
            return run(query, *more)

        return replace(evidence.rows, run=counting)

    def test_a_column_is_fetched_once(self, tmp_path: Path) -> None:
        asked: list[str] = []
        rows = self.rows(tmp_path, asked)
        first = rows.numbers(["y", "a"])
        again = rows.numbers(["a", "b", "y"])
        assert len(asked) == 2  # b was new
        np.testing.assert_array_equal(again[0], first[1])
        np.testing.assert_array_equal(again[2], first[0])
        assert not again[0].flags.writeable  # nobody changes what others are handed

    def test_too_much_is_not_kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rows_sql, "_MOST_HELD", 60)
        asked: list[str] = []
        rows = self.rows(tmp_path, asked)
        rows.numbers(["a"])
        rows.numbers(["b"])
        rows.numbers(["a"])
        assert len(asked) == 2
        rows.numbers(["b"])
        assert len(asked) == 3
