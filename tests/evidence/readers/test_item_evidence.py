"""Predictions from tables: one source, several sources, long form; joined by id."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.core.errors import AssayError, EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from tests.evidence.forms import Table, predictions, unpaired, write_csv, write_jsonl

IDS = [f"item-{place}" for place in range(12)]
TRUTH = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1]
A = [0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1]
B = [1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1]
WIDE: Table = {"id": IDS, "y": TRUTH, "a": A, "b": B}

LONG: Table = {
    "item": IDS * 2,
    "model": ["b"] * 12 + ["a"] * 12,
    "truth": TRUTH * 2,
    "prediction": B + A,
}

Build = Callable[[str, Table], Any]


@pytest.fixture(autouse=True, params=["in memory", "by the engine"])
def how_small_files_are_read(request: pytest.FixtureRequest) -> None:
    if request.param == "by the engine":
        request.getfixturevalue("engine")


def in_memory(folder: Path) -> Build:
    return lambda _name, table: pd.DataFrame(dict(table))


def in_csv(folder: Path) -> Build:
    return lambda name, table: write_csv(folder / f"{name}.csv", table)


def in_parquet(folder: Path) -> Build:
    def build(name: str, table: Table) -> Path:
        pl.DataFrame({column: list(cells) for column, cells in table.items()}).write_parquet(
            folder / f"{name}.parquet"
        )
        return folder / f"{name}.parquet"

    return build


def mixed(folder: Path) -> Build:
    """The first source a frame, the second a file."""

    def build(name: str, table: Table) -> Any:
        return dict(table) if name == "a" else write_jsonl(folder / f"{name}.jsonl", table)

    return build


BUILDERS = [in_memory, in_csv, in_parquet, mixed]


@pytest.fixture(params=BUILDERS, ids=lambda f: f.__name__)
def build(request: pytest.FixtureRequest, tmp_path: Path) -> Build:
    made: Build = request.param(tmp_path)
    return made


def rows(table: Table, order: list[int]) -> dict[str, list[Any]]:
    return {name: [cells[place] for place in order] for name, cells in table.items()}


def same(one: Predictions, other: Predictions) -> None:
    first, second = one.tally(), other.tally()
    assert first.classes == second.classes
    assert np.array_equal(first.rows, second.rows)
    assert np.array_equal(first.counts, second.counts)


class TestOneSource:
    def test_what_was_recognised_is_said(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "w.csv", {**WIDE, "group": ["g1", "g2"] * 6})
        summary = predictions(path, cluster="group").summary()
        assert summary.description == (
            "12 items × 2 models (a, b): labels; truth 'y' (0, 1; positive 1); 2 clusters by 'group'."
        )
        assert summary.kind == "predictions"
        assert summary.sources == (str(path),)
        assert dict(summary.details)["offers:a"] == "labels"
        assert (summary.n, summary.clusters, summary.classes) == (12, 2, ("0", "1"))

    def test_only_what_may_be_a_model_is_said_to_be_none(self) -> None:
        texts = [f"question {place}?" for place in range(12)]
        found = predictions({**WIDE, "note": texts, "region": ["n", "s"] * 6})
        (said,) = [one for one in found.notes if one.code == "columns-left-out"]
        assert said.message.startswith("not read as a model: 'region'")

    def test_lists_where_truths_are_meant_are_refused_in_words(self) -> None:
        """A list has no hash; sources with one in a cell ended in Python's error."""
        one = {"id": IDS, "y": [*TRUTH[:-1], [1, [0.5]]], "a": A}
        with pytest.raises(AssayError):
            read(one, {"id": IDS, "y": TRUTH, "b": B})

    def test_a_path_is_text_or_path(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "w.csv", WIDE)
        same(predictions(str(path)), predictions(path))

    def test_what_was_read_is_given_back(self) -> None:
        evidence = predictions(WIDE)
        assert read(evidence) is evidence
        parts = unpaired({"y": TRUTH, "a": A}, {"y": TRUTH, "b": B})
        assert read(parts) is parts

    def test_models_are_chosen_and_ordered(self) -> None:
        assert predictions(WIDE, models=["b", "a"]).models == ("b", "a")
        assert predictions(WIDE, models="b").models == ("b",)
        assert predictions(WIDE, models={"new": "b"}).models == ("new",)

    def test_a_nameless_model_is_called_after_its_file(self, tmp_path: Path) -> None:
        table: Table = {"y_true": TRUTH, "y_pred": A, "y_score": [v / 2 for v in B]}
        assert predictions(write_csv(tmp_path / "resnet.csv", table)).models == ("resnet",)
        assert predictions(table).models == ("model",)
        assert predictions({"y_true": TRUTH, "y_pred": A}).models == ("y_pred",)

    def test_text_is_text(self, tmp_path: Path) -> None:
        table: Table = {"y": ["01", "10", "02"], "a": ["01", "01", "02"]}
        assert predictions(write_csv(tmp_path / "t.csv", table)).classes == ("01", "02", "10")

    def test_a_relation_of_the_users_own(self) -> None:
        connection = duckdb.connect()
        connection.execute("create table t as select i % 2 as y, i % 3 = 0 as a from range(9) s(i)")
        evidence = predictions(connection.table("t"), models={"a": {"labels": "a"}})
        assert evidence.n == 9
        assert evidence.classes == ("0", "1", "False", "True")
        assert connection.execute("select count(*) from t").fetchall() == [(9,)]

    @pytest.mark.parametrize(
        ("source", "match"),
        [
            (None, "Got NoneType"),
            ([1, 2], "Got list"),
            (np.zeros(3), "Got ndarray"),
            (pd.Series([1, 2]), "Got Series|is a Series"),
        ],
    )
    def test_what_is_no_evidence(self, source: Any, match: str) -> None:
        with pytest.raises(UsageError, match=match):
            read(source)

    @pytest.mark.parametrize(
        ("source", "match"),
        [
            ({}, "no rows of data"),
            ({"y": [], "a": []}, "no rows of data"),
            ({"y": [0, 1], "a": [0]}, "equally long; 'y' has 2, 'a' has 1"),
            ({"y": [0, 1], "a": np.zeros((2, 3))}, r"'a' has 3 columns of prob.* classes=\["),
            ({1: [0, 1], "1": [0, 1]}, "two columns of the same name"),
            (pd.DataFrame([[0, 1]], columns=["y", "y"]), "two columns of the same name|unique"),
        ],
    )
    def test_bad_tables(self, source: Any, match: str) -> None:
        with pytest.raises(AssayError, match=match):
            read(source)

    def test_odd_arrays(self) -> None:
        masked = np.ma.array([0, 1, 1], mask=[False, True, False])
        with pytest.raises(AmbiguousEvidence, match="column 'a' of the data has a blank: 1 value"):
            read({"y": [0, 1, 1], "a": masked})
        assert predictions({"y": [0, 1], "a": [[1], [2]]}).offers["a"] == {"scores"}
        with pytest.raises(EvidenceError, match="holds values of type list"):
            read({"y": [0, 1], "a": [[1], [2, 3]]})
        with pytest.raises(EvidenceError, match="thousands of digits is not a class"):
            read({"y": [0, 10**5000], "a:label": [0, 1]})
        huge = np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64)
        assert predictions({"y": huge, "a": huge}).classes == (str(2**64 - 2), str(2**64 - 1))
        wide = [-1, 2**63]
        assert predictions({"y": wide, "a": wide}).classes == ("-1", str(2**63))
        letters = np.array([b"x", b"z"])
        assert predictions({"y": letters, "a": letters}).classes == ("x", "z")
        days = np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]")
        assert predictions({"y": [0, 1], "a": [0, 1], "d": days}, cluster="d").clusters == 2
        lists = pl.DataFrame({"y": [0, 1], "a": [0, 1], "tokens": [[1], [2, 3]]})
        assert predictions(lists, models=["a"]).n == 2

    def test_nothing_and_too_much(self) -> None:
        with pytest.raises(UsageError, match="give at least one path"):
            read()
        with pytest.raises(UsageError, match="cannot be joined"):
            read(predictions(WIDE), WIDE)
        with pytest.raises(UsageError, match="models= names no model"):
            read(WIDE, models=[])
        with pytest.raises(UsageError, match="on_mismatch is one of error, intersect"):
            read(WIDE, on_mismatch="ignore")
        with pytest.raises(EvidenceError, match="no column 'gold' for the truth"):
            read(WIDE, truth="gold")


class TestSeveralSources:
    def test_joined_by_id_whatever_the_order(self, build: Build) -> None:
        """Bug B9: pairs matched by position. Shuffled rows must change nothing."""
        order = np.random.default_rng(4).permutation(12).tolist()
        one = build("a", {"id": IDS, "y": TRUTH, "a": A})
        other = build("b", rows({"id": IDS, "y": TRUTH, "b": B}, order))
        joined = predictions(one, other)
        assert joined.models == ("a", "b")
        same(joined, predictions(WIDE))
        columns = joined.columns("labels")
        assert columns.truth.tolist() == TRUTH
        assert columns.predictions.tolist() == [A, B]

    def test_truth_in_a_file_of_its_own(self, build: Build) -> None:
        truth = build("truth", {"id": IDS, "y": TRUTH})
        one = build("a", {"id": IDS, "a": A})
        other = build("b", {"id": IDS[::-1], "b": B[::-1]})
        same(predictions(truth, one, other), predictions(WIDE))

    def test_many_files(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(8)
        models = {f"m{place:02d}": rng.integers(0, 2, 12).tolist() for place in range(40)}
        files = []
        for name, column in models.items():
            order = rng.permutation(12).tolist()
            table = rows({"id": IDS, "y": TRUTH, "pred": column}, order)
            files.append(write_csv(tmp_path / f"{name}.csv", table))
        joined = predictions(*files)
        assert joined.models == tuple(models)
        same(joined, predictions({"id": IDS, "y": TRUTH, **models}))

    def test_names_from_files(self, tmp_path: Path) -> None:
        for folder in ("one", "two"):
            (tmp_path / folder).mkdir()
        table: Table = {"id": IDS, "y": TRUTH, "pred": A}
        paths = [write_csv(tmp_path / folder / "preds.csv", table) for folder in ("one", "two")]
        assert predictions(*paths).models == ("one/preds", "two/preds")
        assert predictions(*paths, models=["x", "z"]).models == ("x", "z")

    def test_names_from_columns_where_a_file_has_several(self, tmp_path: Path) -> None:
        wide = write_csv(tmp_path / "wide.csv", WIDE)
        more = write_csv(tmp_path / "c.csv", {"id": IDS, "guess": B})
        assert predictions(wide, more).models == ("a", "b", "c")
        assert predictions(wide, more, models=["c", "a"]).models == ("c", "a")
        named = predictions(wide, more, models={"new": "guess", "old": "a"})
        assert set(named.models) == {"new", "old"}

    def test_ids_as_numbers_and_text(self, tmp_path: Path) -> None:
        file = write_csv(tmp_path / "b.csv", {"id": [2, 1, 0], "b": [1, 0, 0]})
        frame = pd.DataFrame({"id": [0.0, 1.0, 2.0], "y": [0, 0, 1], "a": [0, 1, 1]})
        parquet = tmp_path / "a.parquet"
        frame.to_parquet(parquet)
        for first in (frame, parquet):
            assert predictions(first, file).columns("labels").truth.tolist() == [0, 0, 1]

    def test_weights_and_clusters_may_come_from_one_source(self, build: Build) -> None:
        one = build("a", {"id": IDS, "y": TRUTH, "a": A, "group": ["g", "h"] * 6})
        other = build("b", {"id": IDS, "b": B, "weight": [0.5] * 12})
        joined = predictions(one, other, cluster="group")
        assert joined.clusters == 2
        assert joined.weighted

    def test_truths_that_only_look_different(self, build: Build) -> None:
        one = build("a", {"id": IDS, "y": TRUTH, "a": A})
        other = build("b", {"id": IDS, "y": [float(v) for v in TRUTH], "b": B})
        same(predictions(one, other), predictions(WIDE))

    def test_repeats_are_part_of_the_key(self, build: Build) -> None:
        ids, repeat = IDS[:6] * 2, [1] * 6 + [2] * 6
        truth = TRUTH[:6] * 2
        order = list(range(11, -1, -1))
        one = build("a", {"id": ids, "repeat": repeat, "y": truth, "a": A})
        other = build("b", rows({"id": ids, "repeat": repeat, "b": B}, order))
        joined = predictions(one, other)
        assert joined.clusters == 6
        assert joined.columns("labels").predictions.tolist() == [A, B]

    def test_by_position_only_if_asked(self, build: Build) -> None:
        one, other = build("a", {"y": TRUTH, "a": A}), build("b", {"y": TRUTH, "b": B})
        with pytest.raises(EvidenceError, match=r"no column of item ids.*id=False pairs them by"):
            read(one, other)
        same(predictions(one, other, id=False), predictions(WIDE, id=False))

    def test_by_position_needs_equal_lengths_and_truths(self, build: Build) -> None:
        one, short = build("a", {"y": TRUTH, "a": A}), build("b", {"y": TRUTH[:-1], "b": B[:-1]})
        with pytest.raises(EvidenceError, match=r"equal numbers of rows; .* has 12, .* has 11"):
            read(one, short, id=False)
        shifted = build("c", {"y": TRUTH[1:] + TRUTH[:1], "b": B})
        with pytest.raises(EvidenceError, match="disagree on the truth of 8 items"):
            read(one, shifted, id=False)

    @settings(max_examples=10, deadline=None)
    @given(st.permutations(list(range(12))), st.permutations(list(range(12))))
    def test_any_order_of_both(self, first: list[int], second: list[int]) -> None:
        joined = predictions(
            rows({"id": IDS, "y": TRUTH, "a": A}, first), rows({"id": IDS, "b": B}, second)
        )
        same(joined, predictions(WIDE))


class TestMismatch:
    def test_unmatched_items_are_counted_and_named(self, build: Build) -> None:
        one = build("a", {"id": IDS, "y": TRUTH, "a": A})
        other = build("b", {"id": [*IDS[:9], "x1", "x2"], "b": [*B[:9], 0, 0]})
        match = (
            r"lacks 2 items that others have \('x1', 'x2'\); .* lacks 3 items that others have "
            r"\('item-10', 'item-11', 'item-9'\).*9 common items with on_mismatch='intersect'"
        )
        with pytest.raises(EvidenceError, match=match):
            read(one, other)

    def test_the_common_items_are_kept_with_a_note(self, build: Build) -> None:
        one = build("a", {"id": IDS, "y": TRUTH, "a": A})
        other = build("b", {"id": [*IDS[:9], "x1"], "b": [*B[:9], 0]})
        joined = predictions(one, other, on_mismatch="intersect")
        assert joined.n == 9
        assert joined.columns("labels").predictions.tolist() == [A[:9], B[:9]]
        (note,) = joined.notes
        assert note.code == "items-dropped"
        assert note.message.startswith("4 items were not in every source and are left out, 9 are")
        assert dict(joined.summary().details)["items-dropped"] == note.message

    def test_ids_that_are_spelt_differently_are_told(self, build: Build) -> None:
        one = build("a", {"id": ["007", "008"], "y": [0, 1], "a": [0, 1]})
        other = build("b", {"id": ["7", "8"], "b": [0, 1]})
        with pytest.raises(EvidenceError, match="may be one item: write ids alike"):
            read(one, other)

    def test_nothing_in_common(self, build: Build) -> None:
        one = build("a", {"id": ["p", "q"], "y": [0, 1], "a": [0, 1]})
        other = build("b", {"id": ["r", "s"], "b": [0, 1]})
        with pytest.raises(EvidenceError, match="no item in common"):
            read(one, other, on_mismatch="intersect")

    def test_repeated_ids_are_counted_and_named(self, build: Build) -> None:
        one = build("a", {"id": IDS, "y": TRUTH, "a": A})
        other = build("b", {"id": [*IDS, IDS[3], IDS[3], IDS[5]], "b": [*B, 0, 0, 0]})
        match = r"has rows with the same 'id' \('item-3', 'item-5' …\), and .* has not"
        for policy in ("error", "intersect"):
            with pytest.raises(EvidenceError, match=match):
                read(one, other, on_mismatch=policy)

    def test_rows_without_an_id(self, build: Build) -> None:
        one = build("a", {"id": IDS, "y": TRUTH, "a": A})
        other = build("b", {"id": [*IDS[:-1], None], "b": B})
        at = r"the first at (line|row|position) \d+"
        with pytest.raises(EvidenceError, match=rf"has 1 row without an id, {at};"):
            read(one, other)

    def test_truths_that_disagree(self, build: Build) -> None:
        other_truth = [*TRUTH[:-2], 1, 0]
        one = build("a", {"id": IDS, "y": TRUTH, "a": A})
        other = build("b", {"id": IDS, "y": other_truth, "b": B})
        match = r"disagree on the truth of 2 items \(item 'item-10': .?0.?, .?1.?; item 'item-11'"
        with pytest.raises(EvidenceError, match=match):
            read(one, other)

    def test_a_truth_missing_in_one_file(self, build: Build) -> None:
        one = build("a", {"id": IDS, "y": TRUTH, "a": A})
        other = build("b", {"id": IDS, "y": [*TRUTH[:-1], None], "b": B})
        with pytest.raises(EvidenceError, match=r"truth of 1 item \(item 'item-11': .*missing"):
            read(one, other)

    def test_a_missing_prediction_names_its_own_line(self, tmp_path: Path) -> None:
        one = write_csv(tmp_path / "a.csv", {"id": IDS, "y": TRUTH, "a": A})
        broken: Table = {"id": IDS[::-1], "b": [*B[::-1][:4], None, *B[::-1][5:]]}
        other = write_csv(tmp_path / "b.csv", broken)
        with pytest.raises(AmbiguousEvidence, match=r"column 'b' of .*b\.csv .* at line 6"):
            read(one, other)

    def test_twins(self) -> None:
        with pytest.raises(EvidenceError, match="source 1 and source 2 both have a model 'a'"):
            read({"id": IDS, "y": TRUTH, "a": A}, {"id": IDS, "a": A})
        with pytest.raises(EvidenceError, match="no model 'z'; the sources have 'a', 'b'"):
            read({"id": IDS, "y": TRUTH, "a": A}, {"id": IDS, "b": B}, models=["z"])
        with pytest.raises(UsageError, match="is in 2 of the sources"):
            read({"id": IDS, "y": TRUTH, "a": A}, {"id": IDS, "a": A}, models={"m": "a"})


class TestLongForm:
    def test_pivoted_by_id(self, build: Build) -> None:
        order = np.random.default_rng(1).permutation(24).tolist()
        for table in (LONG, rows(LONG, order)):
            evidence = predictions(build("long", table))
            assert evidence.models == ("a", "b")
            same(evidence, predictions(WIDE))

    def test_the_order_of_items_is_that_of_the_first_model(self, build: Build) -> None:
        evidence = predictions(build("long", LONG))
        assert evidence.columns("labels").predictions.tolist() == [A, B]
        assert evidence.columns("labels").truth.tolist() == TRUTH

    def test_models_are_chosen(self, build: Build) -> None:
        source = build("long", LONG)
        assert predictions(source, models=["b"]).models == ("b",)
        with pytest.raises(EvidenceError, match="no model 'z'; it has 'a', 'b'"):
            read(source, models=["z"])
        with pytest.raises(UsageError, match="in long form models= is a list"):
            read(source, models={"a": "prediction"})

    def test_label_beside_a_truth_is_the_prediction(self, build: Build) -> None:
        table = dict(LONG)
        table["label"] = table.pop("prediction")
        same(predictions(build("long", table)), predictions(WIDE))
        table["prediction"] = table["label"]
        table["label"] = table.pop("truth")
        same(predictions(build("again", table)), predictions(WIDE))

    def test_scores_and_probabilities(self, build: Build) -> None:
        table: Table = {
            "id": [1, 2, 1, 2],
            "model": ["a", "a", "b", "b"],
            "y": ["n", "p", "n", "p"],
            "score": [0.1, 0.7, 0.3, 0.9],
            "p(p)": [0.2, 0.8, 0.4, 1.0],
            "comment": ["w", "x", "y", "z"],
        }
        source = build("long", table)
        assert predictions(source).positive is None
        with pytest.raises(AmbiguousEvidence, match="Which class is positive, 'n' or 'p'"):
            assay.compare(source, measure="roc_auc")
        evidence = predictions(source, positive="p")
        assert evidence.columns("scores").predictions.tolist() == [[0.1, 0.7], [0.3, 0.9]]

    def test_repeats(self, build: Build) -> None:
        table: Table = {
            "id": ["x", "x", "y", "y"] * 2,
            "repeat": [1, 2, 1, 2] * 2,
            "model": ["a"] * 4 + ["b"] * 4,
            "y": [0, 0, 1, 1] * 2,
            "prediction": [0, 1, 1, 1, 0, 0, 0, 1],
        }
        evidence = predictions(build("long", table))
        assert (evidence.n, evidence.clusters) == (4, 2)

    @pytest.mark.parametrize(
        ("drop", "options", "match"),
        [
            (23, {}, r"model 'a', lacks 1 item that others have \('item-11'\)"),
            (23, {"on_mismatch": "intersect"}, ""),
        ],
    )
    def test_unmatched(self, build: Build, drop: int, options: dict[str, Any], match: str) -> None:
        source = build("long", rows(LONG, [p for p in range(24) if p != drop]))
        if match:
            with pytest.raises(EvidenceError, match=match):
                read(source, **options)
        else:
            evidence = predictions(source, **options)
            assert evidence.n == 11
            assert evidence.notes[0].code == "items-dropped"

    @pytest.mark.parametrize(
        ("column", "place", "value", "match"),
        [
            ("item", 0, IDS[1], r"Values of 'item' occur more than once, for instance 'item-1' "),
            ("item", 0, None, r"1 row without an id, the first at (line [12]|row 1|position 0);"),
            ("truth", 0, 1, r"disagree on the truth of 1 item"),
            ("truth", 0, None, r"the truth of 1 item"),
            ("prediction", 0, None, r"column 'prediction' of .* 1 value is missing"),
            ("model", 0, None, "must name a model in every row"),
        ],
    )
    def test_bad_rows(self, build: Build, column: str, place: int, value: Any, match: str) -> None:
        table = {name: list(cells) for name, cells in LONG.items()}
        table[column][place] = value
        with pytest.raises(AssayError, match=match):
            read(build("long", table))

    def test_by_position_the_rows_of_each_model_are_numbered(self) -> None:
        assert read(LONG, id=False).n == read(LONG).n
        uneven = {name: cells[:-1] for name, cells in LONG.items()}
        with pytest.raises(EvidenceError, match="as many of each"):
            read(uneven, id=False)

    def test_without_ids_the_same_truths_are_the_same_items(self) -> None:
        table = {name: cells for name, cells in LONG.items() if name != "item"}
        assert read(table).models == read(LONG).models

    def test_without_ids_other_truths_cannot_be_paired(self) -> None:
        table = {name: cells for name, cells in LONG.items() if name != "item"}
        table["truth"] = [*TRUTH, *TRUTH[1:], TRUTH[0]]
        with pytest.raises(EvidenceError, match="no column of item ids"):
            read(table)


class TestUnpaired:
    def test_each_source_keeps_its_items(self, build: Build) -> None:
        one = build("a", {"id": IDS, "y": TRUTH, "a": A})
        other = build("b", {"id": ["x", "z"], "y": [0, 1], "b": [1, 1]})
        evidence = unpaired(one, other)
        assert [part.n for part in evidence.parts] == [12, 2]
        assert evidence.models == ("a", "b")
        assert evidence.n == 14
        summary = evidence.summary()
        assert summary.kind == "unpaired predictions"
        assert summary.description == (
            "Predictions on different items: a on 12 items, b on 2 items."
        )
        assert evidence.select("b").parts[0].n == 2
        with pytest.raises(EvidenceError, match="no model 'z'"):
            evidence.select("z")

    def test_no_ids_are_needed(self) -> None:
        evidence = unpaired({"y": TRUTH, "a": A}, {"y": [0, 1], "b": [1, 1]})
        assert [part.n for part in evidence.parts] == [12, 2]

    def test_names_as_asked(self) -> None:
        sources = ({"y": TRUTH, "a": A}, {"y": [0, 1], "b": [1, 1]})
        assert unpaired(*sources, models=["new", "old"]).models == ("new", "old")

    def test_a_long_table_is_split(self, build: Build) -> None:
        table: Table = {
            "id": [1, 2, 3, 9],
            "model": ["a", "a", "a", "b"],
            "y": [0, 1, 1, 0],
            "prediction": [0, 1, 0, 1],
        }
        evidence = unpaired(build("long", table))
        assert [part.n for part in evidence.parts] == [3, 1]
        assert evidence.models == ("a", "b")

    def test_one_wide_table_is_paired(self) -> None:
        with pytest.raises(UsageError, match="paired=False needs a source for each model"):
            read(WIDE, paired=False)
