"""Data sets: the suite as it is catalogued, and every kind of source."""

import gzip
import hashlib
import json
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_diabetes, load_linnerud, load_wine

from assay.core.errors import EvidenceError, UsageError
from assay.study.catalogues import SUITE, Listed, read_catalogue, suite
from assay.study.datasets import Dataset, Source, made, resolve, resolve_all
from assay.study.preparation import column_kinds


class TestSuite:
    def test_twenty_real_sets_of_every_kind(self) -> None:
        sets = list(suite().values())
        assert len(sets) >= 20
        classes = [one for one in sets if one.task == "classification"]
        assert sum(one.classes == 2 for one in classes) >= 5
        assert sum((one.classes or 0) > 2 for one in classes) >= 5
        assert sum(one.task == "regression" for one in sets) >= 5
        assert any((one.majority_fraction or 0) > 0.9 for one in classes)
        assert sum((one.missing_percent or 0) > 0 for one in sets) >= 5
        assert sum((one.categorical or 0) > 0 for one in sets) >= 5
        assert any(one.group_column for one in sets)
        assert any(one.ordered for one in sets)

    @pytest.mark.parametrize("listed", suite().values(), ids=lambda one: one.name)
    def test_content_is_what_the_catalogue_says(self, listed: Listed) -> None:
        data = resolve(listed.name)
        assert data.fingerprint == listed.fingerprint
        assert (data.n, data.task, data.target) == (listed.rows, listed.task, listed.target)
        numbers, categories, missing = column_kinds(data.X)
        assert len(data.features) == listed.features == len(numbers) + len(categories)
        assert len(categories) == listed.categorical
        assert (data.groups is not None) == (listed.group_column is not None)
        if data.task == "classification":
            counts = np.unique(data.y, return_counts=True)[1]
            assert (counts.size, counts.min()) == (listed.classes, listed.smallest_class)
        if missing:
            assert listed.missing_percent

    @pytest.mark.parametrize(
        "listed", [one for one in suite().values() if one.file], ids=lambda one: one.name
    )
    def test_files_have_their_checksum_and_papers(self, listed: Listed) -> None:
        content = (SUITE / str(listed.file)).read_bytes()
        assert hashlib.sha256(content).hexdigest() == listed.sha256
        assert len(content) == listed.bytes
        assert listed.licence
        assert listed.licence_evidence
        assert listed.creators
        assert listed.obtained_from
        assert listed.notes

    def test_nothing_lies_about_unlisted_and_all_is_small(self) -> None:
        files = {path.name for path in SUITE.iterdir()}
        assert files == {one.file for one in suite().values() if one.file} | {"catalog.json"}
        assert sum(path.stat().st_size for path in SUITE.iterdir()) < 1_500_000

    def test_published_counts(self) -> None:
        assert np.unique(resolve("kr_vs_kp").y, return_counts=True)[1].tolist() == [1527, 1669]
        assert (resolve("titanic").y == "yes").sum() == 500
        assert resolve("abalone").y.mean() == pytest.approx(9.933684, abs=1e-6)
        assert (resolve("travel_mode").y == "yes").sum() == 210

    def test_groups_are_not_features_and_categories_stay(self) -> None:
        titanic = resolve("titanic")
        assert "ticket" not in titanic.features
        assert titanic.groups is not None
        assert len(set(titanic.groups.tolist())) == 929
        age = titanic.X[:, titanic.features.index("age")].astype(float)
        assert np.isnan(age).sum() == 263
        port = titanic.X[:, titanic.features.index("embarked")].tolist()
        assert set(port) == {"C", "Q", "S", None}
        assert set(titanic.X[:, 0].tolist()) == {"1", "2", "3"}  # a class of cabins is no number


class TestFiles:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        rows = ["size,code,colour,patient,cured"]
        rows += [
            f"{i}.5,{i % 3 + 1},{'red' if i % 2 else ''},p{i // 2},{'yn'[i % 2]}" for i in range(8)
        ]
        (tmp_path / "one.csv").write_text("\n".join(rows))
        pl.DataFrame(
            {"x": [1.0, None, 3.0], "target": [1, 2, 1], "z": ["a", "b", None]}
        ).write_parquet(tmp_path / "two.parquet")
        return tmp_path

    def test_csv(self, folder: Path) -> None:
        data = resolve(
            folder / "one.csv", target="cured", groups="patient", categorical=["code"], name="study"
        )
        assert (data.name, data.n, data.task, data.target) == (
            "study",
            8,
            "classification",
            "cured",
        )
        assert data.features == ("size", "code", "colour")
        assert data.X[:2].tolist() == [[0.5, "1", None], [1.5, "2", "red"]]
        assert data.groups is not None
        assert data.groups.tolist()[:3] == ["p0", "p0", "p1"]

    def test_the_last_column_is_the_target_unless_one_is_called_so(self, folder: Path) -> None:
        assert resolve(str(folder / "one.csv")).target == "cured"
        assert resolve(folder / "two.parquet").target == "target"

    def test_parquet_keeps_missing_values(self, folder: Path) -> None:
        data = resolve(folder / "two.parquet")
        assert data.features == ("x", "z")
        assert np.isnan(data.X[1, 0])
        assert data.X[:, 1].tolist() == ["a", "b", None]
        assert data.y.tolist() == [1, 2, 1]

    def test_pattern(self, folder: Path) -> None:
        found = resolve_all(str(folder / "*.[cp]*"))
        assert [data.name for data in found] == ["one", "two"]
        with pytest.raises(UsageError, match=r"stands for 2 data sets \(one, two\)"):
            resolve(str(folder / "*"))
        with pytest.raises(EvidenceError, match="no file matches"):
            resolve(str(folder / "*.tsv"))

    def test_same_content_same_fingerprint_other_content_another(self, folder: Path) -> None:
        first = resolve(folder / "one.csv")
        text = (folder / "one.csv").read_text()
        with gzip.open(folder / "packed.csv.gz", "wt") as file:
            file.write(text)
        (folder / "changed.csv").write_text(text.replace("0.5,1", "0.6,1"))
        assert resolve(folder / "packed.csv.gz").fingerprint == first.fingerprint
        assert resolve(folder / "changed.csv").fingerprint != first.fingerprint

    def test_codes_words_and_numbers(self, tmp_path: Path) -> None:
        path = tmp_path / "kinds.csv"
        path.write_text("zip,level,share,y\n007,none,NA,1.5\n010,low,0.5,2.5\n011,?,1,0.25\n")
        data = resolve(path)
        assert data.task == "regression"
        assert data.X[:, 0].tolist() == ["007", "010", "011"]
        assert data.X[:, 1].tolist() == ["none", "low", None]
        assert np.isnan(data.X[0, 2])

    def test_errors(self, folder: Path) -> None:
        with pytest.raises(UsageError, match="no column 'dose'; it has 'size', 'code'"):
            resolve(folder / "one.csv", target="dose")
        with pytest.raises(EvidenceError, match="target 'colour' is missing in 4 rows"):
            resolve(folder / "one.csv", target="colour")
        with pytest.raises(EvidenceError, match="regression needs numbers"):
            resolve(folder / "one.csv", task="regression")
        with pytest.raises(EvidenceError, match="group column 'colour' has missing"):
            resolve(folder / "one.csv", groups="colour")
        (folder / "alone.csv").write_text("y\n1\n2\n")
        with pytest.raises(EvidenceError, match="no column of features"):
            resolve(folder / "alone.csv")

    def test_a_near_miss_is_named(self) -> None:
        with pytest.raises(UsageError, match="did you mean penguins"):
            resolve("penguin")
        with pytest.raises(UsageError, match="assay datasets"):
            resolve("nowhere/at-all.csv")


class TestCatalogue:
    def folder(self, place: Path, **facts: Any) -> Path:
        content = b"a,b,who,target\n1,2,x,1.5\n2,2,x,2.5\n3,1,y,0.5\n"
        (place / "small.csv").write_bytes(content)
        entry = {
            "name": "small",
            "file": "small.csv",
            "task": "regression",
            "columns": {"a": "numeric", "b": "categorical", "who": "group", "target": "numeric"},
            "sha256": hashlib.sha256(content).hexdigest(),
            **facts,
        }
        (place / "catalog.json").write_text(json.dumps({"version": 1, "datasets": [entry]}))
        return place

    def test_kinds_groups_and_checksum(self, tmp_path: Path) -> None:
        (data,) = resolve_all(self.folder(tmp_path))
        assert data.features == ("a", "b")
        assert data.X.tolist() == [[1.0, "2"], [2.0, "2"], [3.0, "1"]]
        assert data.groups is not None
        assert data.groups.tolist() == ["x", "x", "y"]
        assert data.y.tolist() == [1.5, 2.5, 0.5]

    def test_one_set_of_a_folder(self, tmp_path: Path) -> None:
        assert resolve(f"{self.folder(tmp_path)}/small").name == "small"

    def test_what_the_caller_says_wins(self, tmp_path: Path) -> None:
        data = resolve(self.folder(tmp_path), target="b", groups="a")
        assert (data.target, data.task) == ("b", "classification")

    def test_as_csv(self, tmp_path: Path) -> None:
        (tmp_path / "f.csv").write_text("x,y\n1,a\n2,b\n")
        (tmp_path / "catalog.csv").write_text(
            "name,file,task,target,rows,group_column,surplus\nf,f.csv,classification,y,2,,!\n"
        )
        assert read_catalogue(tmp_path)["f"].rows == 2
        assert resolve(tmp_path).y.tolist() == ["a", "b"]

    def test_an_altered_file_is_refused(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path)
        (folder / "small.csv").write_text("a,b,who,target\n1,2,x,1.5\n2,2,x,2.5\n3,1,y,0.6\n")
        with pytest.raises(EvidenceError, match="not the file that its catalogue describes"):
            resolve(folder)

    def test_a_file_outside_is_refused(self, tmp_path: Path) -> None:
        inner = tmp_path / "inner"
        inner.mkdir()
        with pytest.raises(EvidenceError, match="lies outside"):
            resolve(self.folder(inner, file="../secret.csv", sha256=None))

    def test_a_column_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="no column 'c'"):
            resolve(self.folder(tmp_path, columns={"c": "numeric"}))

    def test_a_ragged_file(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path, sha256=None)
        (folder / "small.csv").write_text("a,b,who,target\n1,2,x,1.5\n2,2,2.5\n")
        with pytest.raises(EvidenceError, match="line 3: 3 cells where the header has 4"):
            resolve(folder)

    def test_no_catalogue_and_a_broken_one(self, tmp_path: Path) -> None:
        with pytest.raises(EvidenceError, match="has no catalogue"):
            resolve(tmp_path)
        (tmp_path / "catalog.json").write_text('{"datasets": [{"file": "x.csv"}]}')
        with pytest.raises(EvidenceError, match=r"no catalogue of data sets: .*name"):
            resolve(tmp_path)

    def test_only_the_suite_names_loaders(self, tmp_path: Path) -> None:
        (tmp_path / "catalog.json").write_text(
            '{"datasets": [{"name": "x", "loader": "load_iris"}]}'
        )
        with pytest.raises(EvidenceError, match="names no file for x"):
            resolve(tmp_path)


class TestMemory:
    FRAME = pd.DataFrame(
        {"x": [1.0, None, 3.0, 4.0], "kind": [1, 2, 1, 2], "who": list("aabb"), "y": list("nyny")},
        index=[5, 6, 7, 8],
    )

    def test_a_pandas_frame_stays_one(self) -> None:
        data = resolve(self.FRAME, target="y", groups="who", categorical=["kind"])
        assert isinstance(data.X, pd.DataFrame)
        assert list(data.X.columns) == ["x", "kind"]
        assert column_kinds(data.X) == (["x"], ["kind"], True)
        assert data.y.tolist() == list("nyny")
        assert self.FRAME["kind"].dtype == np.int64  # the user's frame is as it was

    def test_a_polars_frame(self) -> None:
        data = resolve(pl.from_pandas(self.FRAME), target="y", groups="who")
        assert data.X.shape == (4, 2)
        assert np.isnan(data.X[1, 0])
        assert data.features == ("x", "kind")

    def test_a_frame_must_say_its_target(self) -> None:
        with pytest.raises(UsageError, match="give target="):
            resolve(self.FRAME)
        with pytest.raises(UsageError, match="the frame has no column 'z'"):
            resolve(self.FRAME, target="z")

    def test_bunches(self) -> None:
        wine = resolve(load_wine(), name="wine")
        assert wine.fingerprint == resolve("wine").fingerprint
        assert set(wine.y.tolist()) == {"class_0", "class_1", "class_2"}
        assert resolve(load_diabetes()).task == "regression"
        with pytest.raises(EvidenceError, match="the target has 3 columns"):
            resolve(load_linnerud())

    def test_pairs(self) -> None:
        data = resolve(([[1.0], [2.0], [3.0]], [0.0, 1.0, 1.0]))
        assert (data.task, data.y.tolist()) == ("classification", [0, 1, 1])
        with pytest.raises(EvidenceError, match="3 rows of features but 2 of the target"):
            resolve(([[1.0], [2.0], [3.0]], [0, 1]))
        with pytest.raises(EvidenceError, match="missing in 1 row"):
            resolve(([[1.0], [2.0]], [0.0, float("nan")]))
        with pytest.raises(EvidenceError, match="features are a table"):
            resolve(([1.0, 2.0], [0, 1]))

    def test_sparse_is_refused(self) -> None:
        from scipy.sparse import csr_array

        with pytest.raises(UsageError, match="toarray"):
            resolve((csr_array(np.eye(3)), [0, 1, 0]))

    def test_a_source_with_what_has_to_be_said(self) -> None:
        data = resolve(Source(source=self.FRAME, target="y", name="mine"))
        assert (data.name, data.target) == ("mine", "y")
        (same,) = resolve_all(Source(source="iris"))
        assert same.name == "iris"

    def test_columns_are_left_out(self, tmp_path: Path) -> None:
        path = tmp_path / "people.csv"
        path.write_text("name,age,y\nann,3,0\nbob,4,1\n")
        assert resolve(path, ignore=["name"]).features == ("age",)
        assert resolve(Source(source=path, ignore=("age",), target="y")).features == ("name",)
        with pytest.raises(UsageError, match="no column 'nome'"):
            resolve(path, ignore=["nome"])
        for source in ("iris", ([[1.0], [2.0]], [0, 1])):
            with pytest.raises(UsageError, match="leave the columns out"):
                resolve(source, ignore=["x"])

    def test_itself(self) -> None:
        data = made("d", np.eye(2), np.array([0, 1]), source="memory")
        assert resolve(data) is data
        assert resolve(data, name="other").name == "other"

    def test_other_things(self) -> None:
        with pytest.raises(UsageError, match="got int"):
            resolve(3)


class TestOpenML:
    def test_offline_the_error_says_what_to_do(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        def refuse(*args: object, **kwargs: object) -> None:
            raise OSError("no network in tests")

        monkeypatch.setattr(socket, "create_connection", refuse)
        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
        with pytest.raises(EvidenceError, match=r"cannot be reached.*assay datasets"):
            resolve("openml:61")

    def test_a_number_is_needed(self) -> None:
        with pytest.raises(UsageError, match="takes the number"):
            resolve("openml:iris")

    def test_what_it_makes_of_an_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from sklearn.utils import Bunch

        asked: dict[str, Any] = {}

        def answer(**options: Any) -> Bunch:
            asked.update(options)
            frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": pd.Categorical(["u", None, "v"])})
            target = pd.Series(pd.Categorical(["1", "2", "1"]), name="class")
            return Bunch(data=frame, target=target, details={"name": "toy"})

        monkeypatch.setattr("sklearn.datasets.fetch_openml", answer)
        data: Dataset = resolve("openml:99")
        assert asked["data_id"] == 99
        assert (data.name, data.task, data.target) == ("toy", "classification", "class")
        assert data.source == "https://www.openml.org/d/99"
        assert column_kinds(data.X) == (["a"], ["b"], False)
