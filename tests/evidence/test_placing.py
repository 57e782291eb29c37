"""Scores ranked where they lie: the numbers of memory, bounds that hold, refusals that help."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.results import Comparison, Estimate, Evaluation
from assay.estimates.roc import auc_difference_of, auc_newcombe, auc_score, delong
from assay.evidence import database_areas, lazy_areas, placing
from assay.evidence.lazy import LazyRows
from assay.evidence.placing import Leaves, Question, parts_of_bins
from assay.evidence.predictions import Predictions
from assay.evidence.readers.sources import as_arrays
from assay.hypotheses.roc import delong_test
from assay.kernels.delong import PlacedAreas, placed_areas

KINDS = ("continuous", "tied", "skewed", "huge", "constant", "signed zero")


def drawn(kind: str, n: int = 400, models: int = 3, seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    scores = rng.normal(size=(models, n)) + np.linspace(0.5, 1.0, models)[:, None] * truth
    if kind == "tied":
        scores = np.round(scores)
    elif kind == "skewed":
        scores = np.exp(8.0 * scores)
    elif kind == "huge":
        scores = scores * 1e307
    elif kind == "constant":
        scores = np.full_like(scores, 0.25)
    elif kind == "signed zero":
        scores = np.where(np.abs(scores) < 1.0, np.copysign(0.0, scores), scores)
    return truth.astype(int), scores


def written(folder: Path, truth: Any, scores: Any, name: str = "rows.csv", **more: Any) -> Path:
    columns = {"y": truth, **{f"m{i}:score": row for i, row in enumerate(scores)}, **more}
    rows = list(zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True))
    path = folder / name
    if name.endswith(".jsonl"):
        lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
    else:
        lines = [",".join(columns), *(",".join(map(repr, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def read(*paths: Any, **options: Any) -> Predictions:
    found = assay.read(*paths, truth="y", **options)
    assert isinstance(found, Predictions)
    return found


def agree(found: PlacedAreas, expected: PlacedAreas) -> None:
    np.testing.assert_allclose(found.areas, expected.areas, rtol=1e-14)
    for part in ("of_positives", "of_negatives"):
        np.testing.assert_allclose(
            getattr(found, part), getattr(expected, part), rtol=1e-12, atol=1e-19
        )
    assert (found.n_positive, found.n_negative) == (expected.n_positive, expected.n_negative)


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


class TestExact:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
    def test_is_delongs_of_memory(self, tmp_path: Path, kind: str, name: str) -> None:
        truth, scores = drawn(kind)
        path = written(tmp_path, truth, scores, name)
        agree(read(path, scores="exact").areas(), placed_areas(truth, scores))

    def test_parquet_parts_in_a_folder(self, tmp_path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        truth, scores = drawn("continuous")
        table = pa.table({"y": truth, **{f"m{i}:score": row for i, row in enumerate(scores)}})
        for part in range(2):
            pq.write_table(table.slice(200 * part, 200), tmp_path / f"{part}.parquet")
        agree(read(tmp_path, scores="exact").areas(), placed_areas(truth, scores))

    def test_files_joined_by_id(self, tmp_path: Path) -> None:
        truth, scores = drawn("tied")
        ids = np.array([f"i{place}" for place in range(truth.size)])
        turned = np.random.default_rng(2).permutation(truth.size)
        a = written(tmp_path, truth, scores[:1], "a.csv", id=ids)
        b = written(tmp_path, truth[turned], scores[1:, turned], "b.csv", id=ids[turned])
        header, rest = b.read_text().split("\n", 1)
        b.write_text(header.replace("m1", "m2").replace("m0", "m1") + "\n" + rest)
        found = read(a, b, id="id", scores="exact")
        assert found.models == ("a", "m1", "m2")
        agree(found.areas(), placed_areas(truth, scores))

    def test_a_relation_of_the_user(self) -> None:
        import duckdb
        import pyarrow as pa

        truth, scores = drawn("tied", models=1)
        relation = duckdb.from_arrow(pa.table({"y": truth.astype(bool), "m0:score": scores[0]}))
        agree(read(relation, scores="exact").areas(), placed_areas(truth, scores))

    def test_a_row_may_stand_for_several_items(self, tmp_path: Path) -> None:
        truth, scores = drawn("tied", 60, 2)
        times = np.random.default_rng(5).integers(0, 4, 60)
        path = written(tmp_path, truth, scores, times=times)
        whole = placed_areas(np.repeat(truth, times), np.repeat(scores, times, axis=1))
        agree(read(path, count="times", models=["m0", "m1"], scores="exact").areas(), whole)

    @pytest.mark.parametrize("classes", [("no", "yes"), ("False", "True"), ("1", "2")])
    @pytest.mark.parametrize("turned", [False, True])
    def test_either_class_may_be_positive(
        self, tmp_path: Path, classes: tuple[str, str], turned: bool
    ) -> None:
        truth, scores = drawn("continuous", 80, 2)
        path = written(tmp_path, truth, scores)
        lines = path.read_text().splitlines()
        named = [lines[0], *(classes[int(line[0])] + line[1:] for line in lines[1:])]
        path.write_text("\n".join(named))
        found = read(path, positive=classes[not turned], scores="exact")
        agree(found.areas(), placed_areas(truth != turned, scores))

    @pytest.mark.parametrize("size", [0, 1])
    def test_classes_of_one_item_or_none(self, tmp_path: Path, size: int) -> None:
        truth, scores = np.array([1] * size + [0] * 5), np.linspace(0, 1, 5 + size)[None]
        path = written(tmp_path, truth, scores)
        found = assay.evaluate(path, truth="y", positive=1, measures="roc_auc", scores="exact")
        plain = assay.evaluate(path, truth="y", positive=1, measures="roc_auc")
        assert found.estimates == plain.estimates

    def test_the_number_of_threads_changes_no_bit(self, tmp_path: Path) -> None:
        import duckdb

        truth, scores = drawn("continuous", 5_000, 2)
        path = written(tmp_path, truth, scores)
        found = []
        for threads in (1, 4):
            connection = duckdb.connect(config={"threads": threads})
            areas = read(connection.read_csv(str(path)), scores="exact").areas()
            found.append((areas.areas.tobytes(), areas.covariance.tobytes()))
        assert found[0] == found[1]


class TestBinned:
    @settings(
        max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(
        st.sampled_from(KINDS),
        st.integers(0, 1_000),
        st.integers(6, 60),
        st.sampled_from([1, 2, 4, 32]),
    )
    def test_what_it_says_holds(
        self, tmp_path_factory: Any, kind: str, seed: int, n: int, bins: int
    ) -> None:
        """The area is within its bound, and every interval holds that of the scores themselves."""
        truth, scores = drawn(kind, n, 2, seed)
        if truth.min() == truth.max():
            truth[0] = 1 - truth[0]
        path = written(tmp_path_factory.mktemp("bins"), truth, scores)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(database_areas, "BINS", bins)
            patch.setattr(placing, "BINS", bins)
            patch.setattr(placing, "MOST_PARTS", 2)
            patch.setattr(database_areas, "MOST_PARTS", 2)
            found = read(path, scores="binned").areas()
        exact = placed_areas(truth, scores)
        assert (np.abs(found.areas - exact.areas) <= found.shift + 1e-15).all()
        for contrast in ((1, 0), (0, 1), (1, -1)):
            least, most = found.errors(contrast)
            error = exact.errors(contrast)[0]
            if not np.isnan(error):
                assert least - 1e-9 <= error <= most + 1e-9
        for method in (delong, auc_newcombe, auc_score):
            for place in (0, 1):
                assert _holds(method(found.select([place])), method(exact.select([place])))
        for variant in ("normal", "t"):
            assert _holds(
                auc_difference_of(found, variant=variant), auc_difference_of(exact, variant=variant)
            )

    def test_the_interval_decides(self, monkeypatch: Any, tmp_path: Path) -> None:
        monkeypatch.setattr(database_areas, "BINS", 8)
        monkeypatch.setattr(placing, "BINS", 8)
        for seed in range(12):
            truth, scores = drawn("continuous", 300, 2, seed)
            placed = read(written(tmp_path, truth, scores), scores="binned").areas()
            for variant in ("normal", "t"):
                for level in (0.5, 0.8, 0.95):
                    outcome = delong_test(placed, variant=variant, level=level)
                    interval = outcome.effect.interval
                    assert interval is not None
                    assert outcome.rejects(1 - level) == (not interval.contains(0.0))

    def test_bins_of_one_score_hide_nothing(self, tmp_path: Path) -> None:
        truth, scores = drawn("tied")
        found = read(written(tmp_path, truth, scores), scores="binned").areas()
        assert not found.binned
        agree(found, placed_areas(truth, scores))

    def test_a_crowded_bin_is_cut_again(self, tmp_path: Path) -> None:
        truth, scores = drawn("skewed", 2_000, 1)
        found = read(written(tmp_path, truth, scores), scores="binned").areas()
        assert 0.0 < found.shift[0] < 0.01
        assert abs(found.areas[0] - placed_areas(truth, scores).areas[0]) <= found.shift[0]

    def test_parts_grow_with_the_items_of_a_bin(self) -> None:
        mixed = np.array([True, True, False])
        assert parts_of_bins(np.array([1, 2, 3]), mixed).tolist() == [2**16, 2**17, 1]
        even = np.full(placing.BINS, 3)
        assert parts_of_bins(even, even > 0).tolist() == [1] * placing.BINS
        assert parts_of_bins(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)).tolist() == []

    def test_the_bound_by_hand(self) -> None:
        leaves = Leaves(
            low=np.array([0.0, 0.5]),
            positives=np.array([2, 1]),
            negatives=np.array([3, 2]),
            mixed=np.array([True, False]),
        )
        # six pairs in the mixed bin may each be off by a half, of fifteen
        assert leaves.hidden()[0] == pytest.approx(3 / 15)
        groups = leaves.sorted()
        assert groups.tp.tolist() == [1, 3]
        assert groups.fp.tolist() == [2, 5]
        assert groups.thresholds.tolist() == [0.5, 0.0]


def _holds(wide: Estimate, narrow: Estimate) -> bool:
    (low, high), (inner_low, inner_high) = limits(wide), limits(narrow)
    return low <= inner_low + 1e-9 and inner_high <= high + 1e-9


def compared(path: Path, **options: Any) -> Comparison:
    found = assay.compare(path, truth="y", measure="roc_auc", **options)
    assert isinstance(found, Comparison)
    return found


def codes(found: Comparison | Evaluation) -> set[str]:
    return {one.code for one in found.notes}


class TestWholeAnswers:
    def test_two_models_as_in_memory(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", models=2))
        exact, plain = compared(path, scores="exact"), compared(path)
        assert exact.summary == plain.summary
        assert exact.choice == plain.choice
        assert exact.verdict.outcome.p_value == pytest.approx(
            plain.verdict.outcome.p_value, rel=1e-12
        )
        for one, other in zip(exact.estimates, plain.estimates, strict=True):
            assert limits(one) == pytest.approx(limits(other), rel=1e-12)
        assert codes(exact) - codes(plain) == {"thinned-curves"}

    def test_two_models_in_bins_say_so(self, tmp_path: Path, monkeypatch: Any) -> None:
        monkeypatch.setattr(database_areas, "BINS", 1_000)
        monkeypatch.setattr(placing, "BINS", 1_000)
        path = written(tmp_path, *drawn("continuous", 4_000, 2))
        found, plain = compared(path, scores="binned"), compared(path)
        assert {"binned-scores", "thinned-curves"} <= codes(found)
        assert _holds(found.verdict.outcome.effect, plain.verdict.outcome.effect)
        bound = dict(found.verdict.outcome.effect.details)["bin_bound"]
        assert isinstance(bound, float)
        assert 0.0 < bound < 2e-3

    def test_many_models_hold_together(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", 1_500, 4))
        found = compared(path, scores="exact", rng=3)
        resampled = compared(path, rng=3)
        assert "normal-replicates" in codes(found)
        assert found.adjustment == "max-t"
        for one, other in zip(found.verdicts, resampled.verdicts, strict=True):
            assert (one.a, one.b) == (other.a, other.b)
            assert one.outcome.effect.value == pytest.approx(other.outcome.effect.value)
            wide, narrow = limits(one.outcome.effect), limits(other.outcome.effect)
            assert wide[1] - wide[0] == pytest.approx(narrow[1] - narrow[0], rel=0.06)
        assert compared(path, scores="exact", rng=3) == found

    def test_many_models_decide_by_their_intervals(self, tmp_path: Path) -> None:
        for seed in range(6):
            path = written(tmp_path, *drawn("continuous", 200, 4, seed))
            for level in (0.5, 0.9):
                found = compared(path, scores="binned", level=level, rng=seed)
                for verdict in found.verdicts:
                    interval = verdict.outcome.effect.interval
                    assert interval is not None
                    assert verdict.outcome.rejects(1 - level) == (not interval.contains(0.0))

    def test_models_that_rank_alike_have_an_interval_of_some_width(self, tmp_path: Path) -> None:
        truth, scores = drawn("continuous", 300, 3)
        scores[1] = np.exp(scores[0])
        found = compared(written(tmp_path, truth, scores), scores="exact")
        (alike,) = (one for one in found.verdicts if {one.a, one.b} == {"m0", "m1"})
        assert alike.outcome.p_value == 1.0
        low, high = limits(alike.outcome.effect)
        assert low < 0.0 < high

    def test_against_a_baseline_and_by_gini(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", 600, 3))
        areas = compared(path, scores="exact", baseline="m0")
        gini = assay.compare(path, truth="y", measure="gini", scores="exact", baseline="m0")
        assert isinstance(gini, Comparison)
        assert [(one.a, one.b) for one in areas.verdicts] == [("m1", "m0"), ("m2", "m0")]
        for one, other in zip(areas.verdicts, gini.verdicts, strict=True):
            doubled = [2 * limit for limit in limits(one.outcome.effect)]
            assert limits(other.outcome.effect) == pytest.approx(doubled)

    def test_different_items(self, tmp_path: Path) -> None:
        truth, scores = drawn("continuous", 400, 2)
        a = written(tmp_path, truth[:250], scores[:1, :250], "a.csv")
        b = written(tmp_path, truth[250:], scores[1:, 250:], "b.csv")
        found = [
            assay.compare(assay.read(a, b, truth="y", paired=False, scores=how), measure="roc_auc")
            for how in (None, "exact", "binned")
        ]
        effects = [one.verdict.outcome.effect for one in found if isinstance(one, Comparison)]
        assert limits(effects[1]) == pytest.approx(limits(effects[0]), rel=1e-12)
        assert _holds(effects[2], effects[0])

    def test_a_level_and_a_gate(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", 400, 2))
        words = [
            compared(path, models=["m1"], against=0.6, scores=how).verdict.word
            for how in (None, "exact")
        ]
        assert words[0] == words[1]
        gates = [
            assay.gate(path, truth="y", measures="roc_auc", baseline="m0", margin=0.05, scores=how)
            for how in (None, "exact")
        ]
        assert gates[0].word == gates[1].word

    def test_curves_lie_on_those_of_memory(self, tmp_path: Path) -> None:
        truth, scores = drawn("continuous", models=1)
        path = written(tmp_path, truth, scores)
        found = assay.evaluate(path, truth="y", measures="roc_auc", scores="exact")
        assert [curve.name for curve in found.curves] == [
            "roc_band", "roc_hull", "precision_recall_band"
        ]  # fmt: skip
        plain = assay.evaluate(path, truth="y", measures="roc_auc")
        band, whole = (
            next(curve for curve in one.curves if curve.name == "roc_band")
            for one in (found, plain)
        )
        points = set(zip(whole.column("fpr"), whole.column("tpr"), strict=True))
        assert set(zip(band.column("fpr"), band.column("tpr"), strict=True)) <= points
        assert dict(band.details)["auc"] == pytest.approx(found.estimates[0].value, rel=1e-14)

    def test_labels_are_evaluated_as_ever(self, tmp_path: Path) -> None:
        truth, scores = drawn("continuous", models=1)
        path = written(tmp_path, truth, scores)
        found = assay.evaluate(path, truth="y", threshold=0.5, scores="binned")
        plain = assay.evaluate(path, truth="y", threshold=0.5)
        assert found.estimates == plain.estimates


class TestTooMany:
    """A tiny limit stands for a large file."""

    @pytest.fixture(autouse=True)
    def limit(self, monkeypatch: Any) -> None:
        monkeypatch.setattr(placing, "MOST_SCORES", 500)

    @pytest.mark.parametrize("measure", ["roc_auc", "average_precision", "log_loss"])
    def test_the_choices_are_named(self, tmp_path: Path, measure: str) -> None:
        path = written(tmp_path, drawn("continuous")[0], np.random.default_rng(1).random((2, 400)))
        with pytest.raises(
            EvidenceError, match=r"scores='exact'.*scores='binned'.*scores='memory'"
        ):
            assay.compare(path, truth="y", measure=measure)

    def test_the_command_line_names_its_own_options(self, tmp_path: Path) -> None:
        from click.testing import CliRunner

        from assay.cli.main import cli
        from assay.cli.words import as_typed

        path = written(tmp_path, *drawn("continuous", models=2))
        asked = ["compare", str(path), "--truth", "y", "--measure", "roc_auc", "--format", "json"]
        refused = CliRunner().invoke(cli, asked).exception
        assert isinstance(refused, EvidenceError)
        for option in ("--scores exact", "--scores binned", "--scores memory"):
            assert option in as_typed(str(refused))
        answered = CliRunner().invoke(cli, [*asked, "--scores", "exact"])
        assert answered.exit_code == 0
        assert json.loads(answered.stdout)["kind"] == "comparison"

    def test_memory_if_it_is_said(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", models=2))
        agree(read(path, scores="memory").areas(), read(path, scores="exact").areas())

    def test_labels_beside_scores_lose_only_the_curves(self, tmp_path: Path) -> None:
        truth, scores = drawn("continuous", 600, 1)
        path = written(tmp_path, truth, scores)
        found = assay.evaluate(path, truth="y", threshold=0.5)
        assert not found.curves
        assert codes(found) == {"no-curves"}

    def test_arrays_are_in_memory_already(self) -> None:
        truth, scores = drawn("continuous", 600, 1)
        assert assay.evaluate(
            {"y": truth, "m:score": scores[0]}, truth="y", measures="roc_auc"
        ).curves


class TestRefusals:
    @pytest.mark.parametrize("measure", ["average_precision", "log_loss", "partial_auc[0.1]"])
    def test_measures_that_need_every_score(self, tmp_path: Path, measure: str) -> None:
        path = written(tmp_path, drawn("continuous")[0], np.random.default_rng(1).random((3, 400)))
        for models in (["m0"], ["m0", "m1"], None):
            verb: Any = assay.evaluate if models == ["m0"] else assay.compare
            asked = {"measures" if models == ["m0"] else "measure": measure}
            with pytest.raises(NotApplicable, match="scores='memory'"):
                verb(path, truth="y", models=models, scores="binned", **asked)

    @pytest.mark.parametrize(("role", "word"), [("weight", "weights"), ("cluster", "clusters")])
    def test_weights_and_clusters(self, tmp_path: Path, role: str, word: str) -> None:
        truth, scores = drawn("continuous", models=2)
        path = written(tmp_path, truth, scores, extra=np.arange(truth.size) % 40 + 1)
        verbs: list[tuple[Any, str]] = [(assay.evaluate, "measures"), (assay.compare, "measure")]
        for verb, asked in verbs:
            with pytest.raises(NotApplicable, match="scores='memory'"):
                verb(path, truth="y", scores="exact", **{asked: "roc_auc", role: "extra"})
        with pytest.raises(NotApplicable, match=word):
            read(path, scores="exact", **{role: "extra"}).areas()

    def test_bins_of_what_is_in_memory(self) -> None:
        with pytest.raises(UsageError, match="in memory"):
            assay.read({"y": [0, 1], "m:score": [0.1, 0.2]}, truth="y", scores="binned")

    def test_a_word_that_is_no_choice(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("tied"))
        with pytest.raises(UsageError, match="memory"):
            read(path, scores="sketch")

    def test_scores_of_models(self) -> None:
        with pytest.raises(UsageError, match="scores of models"):
            assay.read({"dataset": ["x", "y"], "a": [0.1, 0.2], "b": [0.2, 0.3]}, scores="exact")

    @pytest.mark.parametrize("wrong", ["nan", "", "inf", "high"])
    def test_what_is_no_score(self, tmp_path: Path, wrong: str) -> None:
        path = written(tmp_path, *drawn("continuous", 40, 1))
        lines = path.read_text().splitlines()
        lines[7] = f"1,{wrong}"
        path.write_text("\n".join(lines))
        with pytest.raises(EvidenceError, match="line 8"):
            read(path, scores="exact")

    def test_a_file_that_grew(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", 40, 1))
        found = read(path, scores="exact")
        path.write_text(path.read_text() + "1,0.5\n")
        with pytest.raises(EvidenceError, match="changed"):
            found.areas()


class TestLazily:
    """The frames of a cluster, by a lazy frame of polars that runs here; Spark has its own test."""

    @staticmethod
    def rows(truth: Any, scores: Any, times: Any) -> LazyRows:
        import narwhals as nw
        import polars as pl

        columns = {"c0": truth, "c1": times, **{f"c{i + 2}": row for i, row in enumerate(scores)}}
        names = {"y": "c0", "times": "c1", **{f"m{i}": f"c{i + 2}" for i in range(len(scores))}}
        frame = nw.from_native(pl.DataFrame(columns).lazy())
        return LazyRows(frame, names, ("a frame",), as_arrays)

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("count", [None, "times"])
    def test_as_in_memory(self, kind: str, count: str | None) -> None:
        truth, scores = drawn(kind, 200, 2)
        times = np.random.default_rng(4).integers(0, 3, 200) if count else np.ones(200, dtype=int)
        rows = self.rows(truth, scores, times)
        whole = placed_areas(np.repeat(truth, times), np.repeat(scores, times, axis=1))
        exact = Question(truth="y", positive="1", scores=("m0", "m1"), count=count, exact=True)
        agree(lazy_areas.place_lazily(rows, exact).areas, whole)
        found = lazy_areas.place_lazily(rows, replace(exact, exact=False)).areas
        assert (np.abs(found.areas - whole.areas) <= found.shift + 1e-15).all()

    def test_bins_are_those_of_files(self, tmp_path: Path) -> None:
        truth, scores = drawn("continuous", 300, 1)
        question = Question(truth="y", positive="1", scores=("m0",), count=None, exact=False)
        (found,) = lazy_areas.leaves_lazily(self.rows(truth, scores, truth), question)
        groups = read(written(tmp_path, truth, scores), scores="binned").ranked("m0")
        np.testing.assert_array_equal(found.sorted().tp, groups.tp)
        np.testing.assert_array_equal(found.sorted().thresholds, groups.thresholds)
