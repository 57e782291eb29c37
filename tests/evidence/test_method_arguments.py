"""Any file to any method: a right answer, or an error that says what is needed and a way that works."""

import inspect
import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import assay
from assay.cli.main import cli
from assay.core.errors import AssayError, EvidenceError, NotApplicable, UsageError
from assay.core.methods import Method, catalogue
from assay.core.vocabulary import TAKES
from assay.core.wire import to_json
from assay.evidence.argument_shapes import SHAPES
from assay.evidence.method_arguments import arguments_of
from assay.evidence.method_source import SourceOptions
from assay.report.option_names import as_typed
from tests.evidence.tables import TABLES, written
from tests.shapes import OPTIONS
from tests.study.finished import one_dataset, several_datasets

METHODS = list(catalogue().values())
FILES = ("predictions", "model-predictions", "two-predictions")
"""Shapes that cannot be typed."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tables")
    for name, rows in TABLES.items():
        (place / f"{name}.csv").write_text(written(rows))
    (place / "noise.csv").write_bytes(bytes(range(256)))
    (place / "letter.txt").write_text("no table at all\n")
    return place


def fitting(method: Method, told: dict[str, Any]) -> dict[str, Any]:
    """Options that keep a method fast, and those it cannot do without."""
    accepted = inspect.signature(method.function).parameters
    quick = {"n_resamples": 99, "rng": 1, "margin": 0.1, **told}
    return {
        **{name: value for name, value in quick.items() if name in accepted},
        **OPTIONS.get(method.id, {}),
    }


def sources(folder: Path) -> Iterator[tuple[str, Any]]:
    """Tables in memory, as they are in files but faster to open, and files that are no tables."""
    for name, rows in TABLES.items():
        if len(rows) > 1 and name != "bare":
            header, *body = rows
            columns = [
                ["" if cell == "" else str(cell) for cell in one] for one in zip(*body, strict=True)
            ]
            yield name, dict(zip(map(str, header), columns, strict=True))
    for name in ("header_only.csv", "bare.csv", "empty.csv", "noise.csv", "letter.txt"):
        yield name, folder / name


@pytest.mark.parametrize("takes", TAKES)
def test_every_file_to_every_shape(takes: str, folder: Path) -> None:
    methods = [method for method in METHODS if method.takes == takes]
    answered, refusals = 0, []
    for path, source in sources(folder):
        try:
            found, told, _ = arguments_of(
                methods[0], [source], SourceOptions(n=12, no_information=0.5)
            )
        except AssayError as error:
            refusals.append((path, str(error)))
            continue
        for method in methods:
            with suppress(EvidenceError, UsageError):
                method.function(*found, **fitting(method, told))
                answered += 1
    ways = (
        "`assay test",
        "`assay.",
        "`assay methods",
    )  # to type, of data in memory to call, or to look up
    assert not [path for path, error in refusals if not any(way in error for way in ways)]
    assert answered or takes in ("two-predictions", "two-scored-labels", "judged")


@pytest.mark.parametrize("method", [m for m in METHODS if m.takes not in FILES], ids=lambda m: m.id)
def test_command_and_call_of_every_refusal_give_one_answer(method: Method) -> None:
    words = shlex.split(SHAPES[method.takes].command(method))
    answer = CliRunner().invoke(cli, [*words[1:], "--format", "json"], catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    typed = json.loads(answer.stdout)
    called = eval(SHAPES[method.takes].call(method), {"assay": assay})  # noqa: S307
    if isinstance(called, tuple):  # adjusted p-values
        assert called == tuple(one["adjusted"] for one in typed)
    else:
        assert json.loads(to_json(called)) == typed


def test_grades_of_people_and_a_judge_are_in_the_columns_named(tmp_path: Path) -> None:
    """Nothing in a file says who is the judge, so that no file is read as such without a word."""
    people = [1, 0, 1, 1, 0, 1, 0, 1, 1, 0]
    rows = [*zip(people, people, strict=True), *((None, one) for one in people)]
    path = tmp_path / "grades.csv"
    path.write_text(
        "human,gpt\n" + "".join(f"{'' if one is None else one},{two}\n" for one, two in rows)
    )
    words = ["test", "judged_mean", str(path), "--columns", "human,gpt", "--format", "json"]
    answer = CliRunner().invoke(cli, words, catch_exceptions=False)
    expected = assay.judged_mean(*map(list, zip(*rows, strict=True)))
    assert json.loads(answer.stdout)["value"] == expected.value
    bare = CliRunner().invoke(cli, words[:3])
    assert bare.exit_code != 0


def test_every_shape_has_its_reader_and_its_words() -> None:
    assert set(SHAPES) == set(TAKES)


def run(folder: Path, name: str, *files: str, **options: Any) -> Any:
    return getattr(assay, name)(*(folder / f"{file}.csv" for file in files), **options)


def table(name: str) -> dict[str, np.ndarray[Any, Any]]:
    header, *rows = TABLES[name]
    return {
        str(key): np.array(values)
        for key, values in zip(header, zip(*rows, strict=True), strict=True)
    }


class TestFromItems:
    def test_labels_become_counts_and_tables(self, folder: Path) -> None:
        columns = table("labels")
        right = {name: columns[name] == columns["y"] for name in "ab"}
        errors = int((~right["a"]).sum())
        assert run(folder, "wilson", "one_model") == assay.wilson(errors, 24)
        paired = [
            int(np.sum((right["a"] == one) & (right["b"] == two)))
            for one, two in ((1, 1), (1, 0), (0, 1), (0, 0))
        ]
        assert run(folder, "mcnemar", "labels") == assay.mcnemar(*paired)
        assert run(folder, "paired_t", "labels") == assay.paired_t(right["a"], right["b"])
        matrix = [
            [int(np.sum((columns["y"] == t) & (columns["a"] == p))) for p in (0, 1)] for t in (0, 1)
        ]
        kappa = run(folder, "cohens_kappa", "one_model")
        assert kappa.value == pytest.approx(assay.cohens_kappa(matrix).value)

    def test_two_files_are_different_items(self, folder: Path) -> None:
        found = run(folder, "two_proportions_z", "one_model", "words")
        errors = int((table("labels")["y"] != table("labels")["a"]).sum())
        assert found == assay.two_proportions_z(errors, 24, errors, 24)

    def test_the_same_items_are_refused_with_the_counts(self, folder: Path) -> None:
        with pytest.raises(NotApplicable, match="Use mcnemar, which compares pairs") as found:
            run(folder, "two_proportions_z", "labels")
        assert "`assay.two_proportions_z(2, 24, 0, 24)`" in str(found.value)
        assert "--a 2 24 --b 0 24`" in as_typed(found.value.for_both)

    def test_counts_of_a_table(self, folder: Path) -> None:
        assert run(folder, "wilson", "counts") == assay.wilson(20, 100)
        assert run(folder, "fisher_exact", "two_counts") == assay.fisher_exact(20, 100, 25, 100)
        assert run(folder, "margins_range", "margins") == assay.margins_range(20, 25, 100)
        assert run(folder, "mcnemar", "paired_counts") == assay.mcnemar(50, 10, 4, 36)
        for name in ("confusion", "confusion_named"):
            assert run(folder, "no_information_rate", name) == assay.no_information_rate(
                [[50, 10], [4, 36]]
            )

    def test_folds_and_clusters(self, folder: Path) -> None:
        columns = table("labels_folds")
        losses = [(columns[name] != columns["y"]).astype(float) for name in "ab"]
        expected = assay.paired_cv_bayle(*losses, columns["fold"])
        assert run(folder, "paired_cv_bayle", "labels_folds") == expected
        columns = table("scored_folds")
        expected = assay.cv_auc(columns["y"], columns["a"], columns["fold"])
        assert run(folder, "cv_auc", "scored_folds") == expected
        columns = table("labels_clusters")
        right = (columns["a"] == columns["y"]).astype(float)
        assert run(folder, "cluster_mean", "labels_clusters") == assay.cluster_mean(
            right, columns["cluster"]
        )

    def test_scores_of_a_model_are_not_taken_for_labels(self, folder: Path) -> None:
        with pytest.raises(NotApplicable, match="brings probabilities and scores"):
            run(folder, "mcnemar", "scored")

    def test_predicted_values_are_not_compared_as_if_they_were_scores(self, folder: Path) -> None:
        with pytest.raises(NotApplicable, match=r"assay\.compare"):
            run(folder, "paired_t", "values")


class TestFromScores:
    def test_the_unit_and_the_folds_speak_for_themselves(self, folder: Path) -> None:
        columns = table("folds")
        found = run(folder, "corrected_resampled_t", "folds")
        assert found == assay.corrected_resampled_t(columns["a"], columns["b"], folds=8)
        assert run(folder, "paired_t", "folds").effect.unit == "fold"
        assert run(folder, "wilcoxon", "datasets_long").effect.unit == "dataset"

    def test_repeats_and_folds_make_five_by_two(self, folder: Path) -> None:
        scores = {(m, r, k): s for m, r, k, s in TABLES["repeats"][1:]}
        differences = [[scores["a", r, k] - scores["b", r, k] for k in range(2)] for r in range(5)]  # type: ignore[operator]
        assert run(folder, "alpaydin_5x2_f", "repeats") == assay.alpaydin_5x2_f(differences)

    def test_several_measures_are_criteria(self, folder: Path) -> None:
        rows = TABLES["measures"][1:]
        a, b = (np.array([row[2:] for row in rows if row[0] == m], dtype=float) for m in "ab")
        assert run(folder, "hotelling_paired", "measures") == assay.hotelling_paired(a, b, folds=8)
        by_fold = run(folder, "manova", "measures")
        assert [one.code for one in by_fold.notes][-1] == "folds-overlap"
        assert replace(by_fold, notes=()) == replace(assay.manova({"a": a, "b": b}), notes=())
        with pytest.raises(UsageError, match="measure='accuracy'"):
            run(folder, "paired_t", "measures")

    def test_folds_within_data_sets(self, folder: Path) -> None:
        scores = {(d, m, k): s for d, m, k, s in TABLES["datasets_folds"][1:]}
        a, b = (
            np.array([[scores[f"d{d}", m, k] for k in range(4)] for d in range(5)], dtype=float)
            for m in "ab"
        )
        expected = assay.bayes_hierarchical(a, b, folds=4, rng=1)
        assert run(folder, "bayes_hierarchical", "datasets_folds", rng=1) == expected

    def test_a_missing_cell_is_named(self, folder: Path) -> None:
        with pytest.raises(EvidenceError, match=r"d2 of b.*skillings_mack"):
            run(folder, "friedman", "gaps")
        assert run(folder, "skillings_mack", "gaps").p_value is not None

    def test_more_models_than_two_must_be_chosen(self, folder: Path) -> None:
        with pytest.raises(EvidenceError, match=r"models=\['a', 'b'\]"):
            run(folder, "wilcoxon", "datasets")


class TestFromNumbers:
    def test_a_column_called_y_is_not_lost(self, folder: Path) -> None:
        with pytest.raises(EvidenceError, match="pass the columns of numbers themselves"):
            run(folder, "paired_t", "called_y")
        method, path = catalogue()["paired_t"], folder / "called_y.csv"
        found, _, _ = arguments_of(method, [path], SourceOptions(columns=("x", "y")))
        np.testing.assert_array_equal(found, [table("called_y")["x"], table("called_y")["y"]])

    def test_unequal_columns_are_unpaired_and_holes_are_refused(self, folder: Path) -> None:
        expected = assay.mann_whitney([1.5, 2.5, 1.1, 0.7], [2.5, 3.5, 2.0])
        assert run(folder, "mann_whitney", "ragged") == expected
        with pytest.raises(EvidenceError, match="empty in row 2, but has values below it"):
            run(folder, "mann_whitney", "hole")
        with pytest.raises(EvidenceError, match="'inf' at line 3 is not a finite number"):
            run(folder, "paired_t", "infinite")
        with pytest.raises(EvidenceError, match=r"at line \d+ is not a number"):
            run(folder, "paired_t", "mixed")

    def test_p_values_know_their_pairs(self, folder: Path) -> None:
        expected = assay.shaffer([0.01, 0.04, 0.2], [("x", "y"), ("x", "z"), ("y", "z")])
        assert run(folder, "shaffer", "p_values") == expected
        assert run(folder, "holm", "p_values") == assay.holm([0.01, 0.04, 0.2])

    def test_summaries(self, folder: Path) -> None:
        assert run(folder, "mean_summary", "summary") == assay.mean_summary(0.8, 0.05, 10)


class TestResamplingFiles:
    def test_nested_losses(self, folder: Path) -> None:
        columns = table("nested")
        losses = np.column_stack([columns[f"without_{k}"] for k in (1, 2, 3)])
        assert run(folder, "nested_cv", "nested") == assay.nested_cv(losses, columns["fold"])

    def test_repeats_of_nested_losses_are_stacked(self, tmp_path: Path) -> None:
        header, *rows = TABLES["nested"]
        other = [(row[0], *row[:0:-1]) for row in rows]
        path = tmp_path / "nested.csv"
        path.write_text(
            written([("repeat", *header), *((1, *r) for r in rows), *((2, *r) for r in other)])
        )
        layers = [np.array([row[1:] for row in part], dtype=float) for part in (rows, other)]
        folds = np.array([[row[0] for row in rows]] * 2)
        assert assay.nested_cv(path) == assay.nested_cv(np.stack(layers), folds)

    def test_a_fold_without_its_column_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "nested.csv"
        path.write_text("fold,without_1,without_2\n1,0,0\n2,0,0\n3,0,1\n")
        with pytest.raises(EvidenceError, match=r"Fold '3' has none.*without_3"):
            assay.nested_cv(path)

    def test_bootstrap_losses(self, folder: Path) -> None:
        rows = TABLES["bootstrap"][1:]
        fitted = np.array([row[0] for row in rows], dtype=float)
        left_out = np.array([[np.nan if v == "" else v for v in row[1:]] for row in rows]).T
        assert run(folder, "bootstrap_632", "bootstrap") == assay.bootstrap_632(fitted, left_out)
        with pytest.raises(UsageError, match=r"assay\.bootstrap_632_plus\("):
            run(folder, "bootstrap_632_plus", "bootstrap")

    def test_bootstrap_labels_know_the_no_information_rate(self, folder: Path) -> None:
        rows = TABLES["bootstrap_labels"][1:]
        truth = np.array([row[0] for row in rows])
        fitted = (truth != np.array([row[1] for row in rows])).astype(float)
        left_out = np.array(
            [[np.nan if v == "" else float(v != row[0]) for v in row[2:]] for row in rows]
        ).T
        expected = assay.bootstrap_632_plus(fitted, left_out, 0.5)
        assert run(folder, "bootstrap_632_plus", "bootstrap_labels") == expected
        assert run(folder, "out_of_bag", "bootstrap_labels") == assay.out_of_bag(left_out)


def as_frame(path: Path) -> Any:
    return pd.read_csv(path)


def as_mapping(path: Path) -> Any:
    return {name: column.to_numpy() for name, column in pd.read_csv(path).items()}


class TestInPython:
    @pytest.mark.parametrize("form", [as_frame, as_mapping, assay.read, str])
    @pytest.mark.parametrize(
        ("name", "file"),
        [
            *[("mcnemar", "labels"), ("wilson", "one_model"), ("paired_t", "labels")],
            *[("friedman", "datasets"), ("wilcoxon_pairs", "datasets"), ("paired_t", "folds")],
            *[("kruskal_wallis", "seeds"), ("delong_test", "scored"), ("cv_bayle", "one_fold")],
        ],
    )
    def test_every_form_gives_the_same(
        self, folder: Path, form: Callable[[Path], Any], name: str, file: str, tmp_path: Path
    ) -> None:
        path = folder / f"{file}.csv"
        if file == "one_fold":
            path = tmp_path / "one_fold.csv"
            pd.read_csv(folder / "labels_folds.csv").drop(columns="b").to_csv(path, index=False)
        function = getattr(assay, name)
        assert function(form(path)) == function(path)

    def test_a_mapping_of_groups_stays_one(self) -> None:
        groups = {"a": [1.0, 2.0, 3.0], "b": [2.0, 4.0]}
        found, expected = assay.kruskal_wallis(groups), assay.kruskal_wallis(list(groups.values()))
        assert found.p_value == expected.p_value
        assert ("mean rank: b", 3.75) in found.details

    def test_arrays_beside_evidence_are_refused(self, folder: Path) -> None:
        with pytest.raises(AssayError):
            assay.paired_t(folder / "folds.csv", [1.0, 2.0])


class TestStudies:
    def test_a_finished_study_is_evidence(self) -> None:
        result = several_datasets()
        assert assay.manova(result) == assay.manova(assay.read(result))
        first = assay.read(result, measure="accuracy")
        assert assay.friedman(result).p_value == assay.friedman(first).p_value

    def test_what_a_study_does_not_tell_is_asked_for(self) -> None:
        result = one_dataset()
        with pytest.raises(
            UsageError, match=r"say which with assay\.read\(…, measure='accuracy'\)"
        ):
            assay.paired_t(result)
        with pytest.raises(NotApplicable, match=r"holds scores of 'nb', 'tree' by fold"):
            assay.wilson(result)


class TestCommand:
    def test_options_name_columns(self, folder: Path) -> None:
        words = ["test", "wilson", str(folder / "labels.csv"), "--columns", "b", "--format", "json"]
        answer = CliRunner().invoke(cli, words)
        assert answer.exit_code == 0
        assert '"model"' in answer.output or "error_rate" in answer.output

    @pytest.mark.parametrize(
        "words",
        [
            ["bonferroni_dunn", "datasets.csv", "--control", "b"],
            ["mean_t", "--values", "1,2,4", "--weights", "1,1,2"],
            ["paired_bootstrap", "three_models.csv", "--models", "a,c", "--resamples", "99"],
            ["hotelling_one_sample", "criteria.csv", "--null", "0.1,0.2"],
            ["corrected_resampled_t", "folds.csv", "--n-test", "10", "--n-train", "90"],
            ["nemenyi_from_ranks", "ranks.csv", "--n", "12"],
            ["bootstrap_632_plus", "bootstrap.csv", "--no-information", "0.5"],
        ],
    )
    def test_options_reach_the_method(self, words: list[str], folder: Path) -> None:
        named = [str(folder / word) if word.endswith(".csv") else word for word in words]
        answer = CliRunner().invoke(cli, ["test", *named], catch_exceptions=False)
        assert answer.exit_code == 0, answer.output

    def test_nothing_given_says_what_is_needed(self) -> None:
        with pytest.raises(UsageError, match=re.escape("`assay test mcnemar --table 50 10 4 36`")):
            CliRunner().invoke(cli, ["test", "mcnemar"], catch_exceptions=False)


class TestClustersIgnored:
    EVIDENCE: ClassVar[dict[str, Any]] = {
        "truth": [0, 1] * 10,
        "a": [0, 1] * 8 + [1, 0] * 2,
        "b": [0, 1] * 8 + [1, 1] * 2,
        "group": [place // 2 for place in range(20)],
    }

    def test_is_noted_in_python_and_from_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "p.csv"
        rows = zip(*self.EVIDENCE.values(), strict=True)
        path.write_text("\n".join(",".join(map(str, row)) for row in (self.EVIDENCE, *rows)))
        for evidence in (self.EVIDENCE, path, assay.read(path)):
            codes = {one.code for one in assay.mcnemar(evidence).notes}
            assert "clusters-ignored" in codes
        done = CliRunner().invoke(cli, ["test", "mcnemar", str(path)])
        assert "clusters-ignored" in done.output
        assert "Use cluster_difference" in " ".join(done.output.split())

    def test_not_by_methods_that_take_them_in(self) -> None:
        for run in (assay.paired_bootstrap, assay.cluster_difference):
            assert "clusters-ignored" not in {one.code for one in run(self.EVIDENCE).notes}

    def test_not_without_clusters(self) -> None:
        plain = {name: own for name, own in self.EVIDENCE.items() if name != "group"}
        assert "clusters-ignored" not in {one.code for one in assay.mcnemar(plain).notes}


class TestFoldsShareTrainingData:
    SCORES: ClassVar[dict[str, Any]] = {
        "fold": [1, 2, 3, 4, 5, 6],
        "a": [0.81, 0.79, 0.84, 0.80, 0.77, 0.83],
        "b": [0.78, 0.80, 0.79, 0.76, 0.75, 0.80],
    }

    @pytest.mark.parametrize("method", ["paired_t", "wilcoxon", "sign_test", "friedman"])
    def test_methods_that_do_not_allow_for_it_say_so(self, method: str) -> None:
        found = getattr(assay, method)(self.SCORES)
        assert [one.code for one in found.notes].count("folds-overlap") == 1
        by_dataset = {**self.SCORES, "dataset": list("uvwxyz")}
        del by_dataset["fold"]
        assert "folds-overlap" not in [one.code for one in getattr(assay, method)(by_dataset).notes]

    def test_methods_of_folds_know_it(self) -> None:
        assert "folds-overlap" not in [
            one.code for one in assay.corrected_resampled_t(self.SCORES).notes
        ]
