"""Files of every format, and files that are damaged or pretend."""

import gzip
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import assay
from assay.core.errors import AssayError, EvidenceError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.reading import read
from tests.evidence.forms import predictions

GOOD = "y,a\n1,1\n0,1\n0,0\n"
MANY = "1,1\n0,1\n" * 60_000


@pytest.fixture(autouse=True, params=["in memory", "by the engine"])
def how_small_files_are_read(request: pytest.FixtureRequest) -> None:
    if request.param == "by the engine":
        request.getfixturevalue("engine")


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


class TestFormats:
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("t.csv", GOOD),
            ("t.CSV", GOOD),
            ("t.tsv", GOOD.replace(",", "\t")),
            ("semicolons.csv", GOOD.replace(",", ";")),
            ("pipes.csv", GOOD.replace(",", "|")),
            ("crlf.csv", GOOD.replace("\n", "\r\n")),
            ("cr.csv", GOOD.replace("\n", "\r")),
            ("mark.csv", "\ufeff" + GOOD),
            ("blank.csv", GOOD.replace("0,1\n", "\n0,1\n\n")),
            ("unfinished.csv", GOOD.rstrip("\n")),
            ("quoted.csv", '"y","a"\n"1","1"\n0,1\n"0",0\n'),
            ("spaced.csv", "y,a\n1, 1\n0, 1\n0, 0\n"),
            ("t.txt", GOOD),
            ("no_extension", GOOD),
            ("t.jsonl", '{"y":1,"a":1}\n{"a":1.0,"y":0}\n\n{"y":"0","a":0}\n'),
            ("t.ndjson", '{"y":1,"a":1}\n{"y":0,"a":1}\n{"y":0,"a":0}'),
            ("t.json", '{"y":true,"a":true}\n{"y":false,"a":true}\n{"y":false,"a":false}\n'),
            ("data", '{"y":1,"a":1}\n{"y":0,"a":1}\n{"y":0,"a":0}\n'),
        ],
    )
    def test_text(self, tmp_path: Path, name: str, content: str) -> None:
        tally = predictions(written(tmp_path, name, content)).tally()
        assert tally.rows.tolist() == [[0, 0], [0, 1], [1, 1]]
        packed = written(tmp_path, f"{name}.gz", gzip.compress(content.encode()))
        assert predictions(packed).tally().rows.tolist() == [[0, 0], [0, 1], [1, 1]]

    def test_the_names_of_packed_files(self, tmp_path: Path) -> None:
        path = written(tmp_path, "run.csv.gz", gzip.compress(b"y_true,y_pred\n0,1\n1,1\n"))
        assert predictions(path).models == ("run",)

    def test_parquet_by_content(self, tmp_path: Path) -> None:
        path = tmp_path / "anything"
        pd.DataFrame({"y": [1, 0], "a": [1, 1]}).to_parquet(path)
        assert predictions(path).n == 2

    def test_quoted_cells_over_several_lines_are_counted_as_lines(self, tmp_path: Path) -> None:
        path = written(tmp_path, "t.csv", 'y,a\n"x\n\ny",z\nz,\n')
        with pytest.raises(AmbiguousEvidence, match=r"column 'a' .* 1 value is missing.* line 5"):
            read(path)


class TestReadAgain:
    def test_a_changed_parquet_file_is_looked_at_anew(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        for models in (["a"], ["a", "b"], ["c"], list("defghijklmopqrstuvwx")):
            pd.DataFrame({"y": [1, 0], **{m: [1, 0] for m in models}}).to_parquet(path)
            for _ in range(2):
                assert predictions(path, truth="y").models == tuple(models)

    def test_many_files(self, tmp_path: Path) -> None:
        for number in (*range(20), *range(20)):
            path = tmp_path / f"{number}.parquet"
            pd.DataFrame({"y": [1, 0], f"m{number}": [1, 1]}).to_parquet(path)
            assert predictions(path, truth="y").models == (f"m{number}",)


class TestEncodingsOfExcel:
    @pytest.fixture(autouse=True)
    def how_small_files_are_read(self) -> None:
        """Such files are small, and read whole."""

    TEXT = "id,y,forêt,arbre\r\n" + "1,été,été,hiver\r\n2,hiver,hiver,hiver\r\n" * 9

    @pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig"])
    def test_the_same_as_in_utf_8(self, tmp_path: Path, encoding: str) -> None:
        """Words with accents are the same classes however Excel saved them."""
        content = self.TEXT.replace("id,", "nr,").encode(encoding)
        found = predictions(written(tmp_path, "t.csv", content), id=False)
        assert found.models == ("forêt", "arbre")
        assert found.classes == ("hiver", "été")

    def test_a_cell_longer_than_any_is_no_traceback(self, tmp_path: Path) -> None:
        content = ("y,a\né," + "x" * 200_000).encode("cp1252")
        with pytest.raises(AssayError, match="is not UTF-8"):
            read(written(tmp_path, "t.csv", content))

    @pytest.mark.parametrize("encoding", ["cp1251", "koi8-r"])
    def test_other_code_pages_are_refused(self, tmp_path: Path, encoding: str) -> None:
        content = "y,a,b\nлето,лето,зима\nзима,зима,зима\n".encode(encoding)
        with pytest.raises(EvidenceError, match=r"line 2 of .* is not UTF-8"):
            read(written(tmp_path, "t.csv", content))


class TestDamagedCsv:
    @pytest.mark.parametrize(
        ("content", "match"),
        [
            ("", "is empty"),
            ("\n\n", "line 1 of .* is empty; it must name the columns"),
            ("y,a\n1," + "x" * 200_000 + "\n", "field larger than field limit"),
            ("\n" + GOOD, "line 1 of .* is empty; it must name the columns"),
            ("y,a\n", "has no rows of data"),
            ("y,a", "has no rows of data"),
            ("1,0\n0,0\n", r"What are the columns of .* called\? Its first line holds numbers"),
            ("y,a,a\n1,0,0\n", r"What are the columns of .* called\?.* 'a' more than once"),
            ("y,,a\n1,0,0\n", "column 2 of .* has no name"),
            ("y,a\n1,1\n1\n", "line 3 of .* has 1 cell; the header names 2 columns"),
            ("y,a\n1,1\n1,0,1\n", "line 3 of .* has 3 cells; the header names 2 columns"),
            ("y,a\n" + MANY + "1\n", "line 120002 of .* has 1 cell"),
            ('y,a\n1,1\n1,"x\n1,0\n', "line 3 of .* quote that is not closed"),
            ('y,a\n1,1\n"x"z,1\n', "line 3 of .* quote that is not closed, or text after"),
            ("y,a\r\n" + MANY, "line ends are mixed"),
            ("y,a\n1,\x00\n", "line 2 of .* NUL byte"),
            ("y,a\n" + MANY + "1,\x00\n", "'.x00' at line 120002 has a NUL byte"),
            (b"y,a\n1,caf\xc3\xa9\n0,caf\xe9\n", "line 3 of .* is not UTF-8"),
            (b"y,a\n" + MANY.encode() + b"1,caf\xe9\n", "line 120002 of .* is not UTF-8"),
            (("y,a\n" + MANY).encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
            ("y,a\n1,1\n1," + "x" * 3_000_000 + "\n", "line 3 of .* longer than 2,000,000 bytes"),
            ('y,a\n1,1\n1,"' + "x" * 3_000_000 + '"\n', "line 3 of .* longer than 2,000,000 bytes"),
            ("y" * 3_000_000 + ",a\n1,1\n", "line 1 of .* longer than 2,000,000 bytes"),
            (",".join(f"c{p}" for p in range(20_000)) + "\n", "20,000 columns; assay reads up to"),
        ],
        ids=range(24),
    )
    def test_file_and_line_are_named(
        self, tmp_path: Path, content: str | bytes, match: str
    ) -> None:
        path = written(tmp_path, "t.csv", content)
        with pytest.raises(AssayError, match=match):
            read(path)

    def test_a_million_columns(self, tmp_path: Path) -> None:
        path = written(tmp_path, "t.csv", ",".join(["c"] * 1_000_000) + "\n")
        with pytest.raises(AssayError, match=r"more than once|columns; assay reads up to"):
            read(path)

    def test_missing_words_among_numbers(self, tmp_path: Path) -> None:
        path = written(tmp_path, "t.csv", "y,a\n1,1\n0,NA\n1,0\n")
        with pytest.raises(AmbiguousEvidence, match=r"What does a blank mean.*1 value is missing"):
            read(path)

    def test_the_same_words_are_classes_among_words(self, tmp_path: Path) -> None:
        path = written(tmp_path, "t.csv", "y,a\nNA,NA\nZA,NA\n")
        assert predictions(path).classes == ("NA", "ZA")

    @pytest.mark.parametrize("cut", [10, 25])
    def test_damaged_gzip(self, tmp_path: Path, cut: int) -> None:
        packed = gzip.compress(("y,a\n" + MANY).encode())
        path = written(tmp_path, "t.csv.gz", packed[:cut] + b"zz" + packed[cut + 2 : -8])
        with pytest.raises(EvidenceError, match=r"t\.csv\.gz"):
            read(path)

    def test_packed_lines_that_break_off(self, tmp_path: Path) -> None:
        """Longer than what is looked at first, so that the engine meets the end."""
        numbers = np.random.default_rng(1).random((9000, 2))
        lines = "".join(
            f'{{"dataset": "d{n}", "a": {a}, "b": {b}}}\n' for n, (a, b) in enumerate(numbers)
        )
        packed = gzip.compress(lines.encode())
        path = written(tmp_path, "t.jsonl.gz", packed[: len(packed) * 9 // 10])
        with pytest.raises(EvidenceError, match=r"t\.jsonl\.gz cannot be read: it is damaged"):
            assay.read(path, measure="accuracy")


class TestDamagedJson:
    GOOD_LINE = '{"y":1,"a":1}\n{"y":0,"a":1}\n'

    @pytest.mark.parametrize("before", [1, 60_000], ids=["early", "late"])
    @pytest.mark.parametrize(
        ("line", "match"),
        [
            ('{"y":1,"a":0,"a":1}\n', "line {n} of .* has the key 'a' twice"),
            ('{"y":1,"a":\n', "line {n} of .* is not JSON"),
            ("[1, 2]\n", "line {n} of .* is a list, not an object"),
            ('{"y":1}\n', "column 'a' .* 1 value is missing, the first at line {n}"),
            ('{"y":1,"a":null}\n', "column 'a' .* 1 value is missing, the first at line {n}"),
            ('{"y":1,"a":NaN}\n', "'NaN' at line {n} is not a finite number"),
            ('{"y":1,"a":Infinity}\n', "'Infinity' at line {n} is not a finite number"),
            ('{"y":1,"a":1e400}\n', "'?(1e400|inf)'? at line {n} is not a finite number"),
        ],
    )
    def test_the_line_is_named(self, tmp_path: Path, line: str, match: str, before: int) -> None:
        path = written(tmp_path, "t.jsonl", self.GOOD_LINE * before + line)
        with pytest.raises(AssayError, match=match.replace("{n}", str(2 * before + 1))):
            read(path)

    @pytest.mark.parametrize(
        ("content", "match"),
        [
            ("{}\n{}\n", "no objects with named values"),
            ('{"y":1,"a":' + "[" * 20_000 + "]" * 20_000 + "}\n", "line 1 of .* nested too deeply"),
            ('{"y":1,"a":' + "9" * 5000 + "}\n", "line 1 of .* number of thousands of digits"),
            ('{"y":1,"a":"' + "x" * 20_000_000 + '"}\n', "line 1 of .* longer than 16,000,000"),
            ('{"y":1,"a":' + "9" * 5_000 + "}\n", "line 1 of "),
            (b'{"y":1,"a":"\xff"}\n', "line 1 of .* is not UTF-8"),
            ('\ufeff{"y":1,"a":1}\n', "byte order mark"),
        ],
        ids=range(7),
    )
    def test_whole_files(self, tmp_path: Path, content: str | bytes, match: str) -> None:
        with pytest.raises(EvidenceError, match=match):
            read(written(tmp_path, "t.jsonl", content))

    def test_an_array_of_objects(self, tmp_path: Path) -> None:
        path = written(tmp_path, "t.json", '[{"y":1,"a":1},{"y":0,"a":1},{"y":0,"a":0}]')
        assert predictions(path).tally().rows.tolist() == [[0, 0], [0, 1], [1, 1]]

    def test_a_late_line_that_is_not_text(self, tmp_path: Path) -> None:
        content = (self.GOOD_LINE * 60_000).encode() + b'{"y":1,"a":"\xff"}\n'
        with pytest.raises(EvidenceError, match="not UTF-8"):
            read(written(tmp_path, "t.jsonl", content))


class TestDamagedParquet:
    @pytest.mark.parametrize("content", [b"PAR1" + b"x" * 100 + b"PAR1", b"PAR1"])
    def test_garbage(self, tmp_path: Path, content: bytes) -> None:
        with pytest.raises(EvidenceError, match=r"t\.parquet cannot be read as Parquet"):
            read(written(tmp_path, "t.parquet", content))

    def test_cut_off(self, tmp_path: Path) -> None:
        frame = pd.DataFrame({"y": np.arange(5000) % 2, "a": np.arange(5000) % 3})
        frame.to_parquet(tmp_path / "whole.parquet")
        half = (tmp_path / "whole.parquet").read_bytes()[:-500]
        with pytest.raises(EvidenceError, match="cannot be read as Parquet"):
            read(written(tmp_path, "t.parquet", half))

    def test_damaged_pages(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"y": rng.integers(0, 2, 5000), "a:score": rng.random(5000)})
        frame.to_parquet(tmp_path / "whole.parquet")
        damaged = bytearray((tmp_path / "whole.parquet").read_bytes())
        damaged[20:2000] = rng.bytes(1980)
        path = written(tmp_path, "t.parquet", bytes(damaged))
        with pytest.raises(EvidenceError, match=r"t\.parquet"):
            predictions(path).columns("scores")

    def test_only_the_name_is_parquet(self, tmp_path: Path) -> None:
        with pytest.raises(EvidenceError, match="does not begin like a Parquet file"):
            read(written(tmp_path, "t.parquet", GOOD))


class Explosive:
    def __reduce__(self) -> Any:
        return (exec, ("raise SystemExit('a pickle was run')",))


class TestRefusedUnread:
    @pytest.mark.parametrize("name", ["t.pkl", "t.csv", "t", "t.joblib", "t.parquet"])
    @pytest.mark.parametrize("protocol", [2, 3, 4, 5])
    def test_pickles(self, tmp_path: Path, name: str, protocol: int) -> None:
        path = written(tmp_path, name, pickle.dumps(Explosive(), protocol=protocol))
        with pytest.raises(EvidenceError, match="loading such files can run code"):
            read(path)

    @pytest.mark.parametrize("name", ["t.pkl", "t.pickle", "t.joblib", "t.pt"])
    def test_by_extension(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(EvidenceError, match="loading such files can run code"):
            read(written(tmp_path, name, pickle.dumps(Explosive(), protocol=0)))

    def test_numpy_files(self, tmp_path: Path) -> None:
        np.save(tmp_path / "t.npy", np.array([Explosive()], dtype=object))
        np.savez(tmp_path / "t.npz", a=np.zeros(3))
        for name in ("t.npy", "t.npz"):
            with pytest.raises(EvidenceError, match=r"Write the predictions as CSV"):
                read(tmp_path / name)

    @pytest.mark.parametrize(
        ("name", "call"),
        [
            ("t.npz", "numpy.load({!r})"),
            ("t.npy", "dict(zip(['truth', 'a', 'b'], numpy.load({!r}).T))"),
            ("t.feather", "pandas.read_feather({!r})"),
            ("t.html", "pandas.read_html({!r})[0]"),
            ("t.yaml", "yaml.safe_load(open({!r}))"),
        ],
    )
    def test_the_line_of_python_that_compares_them(
        self, tmp_path: Path, name: str, call: str
    ) -> None:
        """What the message names is a call that `assay.compare` takes."""
        frame = pd.DataFrame({"truth": [0, 1] * 50, "a": [0, 1] * 50, "b": [1, 0] * 50})
        path = tmp_path / name
        columns: dict[str, Any] = {str(name): of.to_numpy() for name, of in frame.items()}
        write: dict[str, Callable[[], object]] = {
            "t.npz": lambda: np.savez(path, **columns),
            "t.npy": lambda: np.save(path, frame.to_numpy()),
            "t.feather": lambda: frame.to_feather(path),
            "t.html": lambda: path.write_text("<table></table>"),
            "t.yaml": lambda: path.write_text("- {truth: 0, a: 0, b: 1}\n" * 9),
        }
        write[name]()
        with pytest.raises(EvidenceError) as raised:
            read(path)
        assert f"assay.compare({call.format(str(path))})" in str(raised.value)
        if name in ("t.npz", "t.npy", "t.feather"):
            opened = eval(call.format(str(path)), {"numpy": np, "pandas": pd})  # noqa: S307
            assert assay.compare(opened).verdict.sentence.startswith("a is better")
            if name == "t.npz":
                opened.close()

    def test_packed_pickles(self, tmp_path: Path) -> None:
        packed = gzip.compress(pickle.dumps(Explosive()))
        with pytest.raises(EvidenceError, match="is a pickle"):
            read(written(tmp_path, "t.csv.gz", packed))

    @pytest.mark.parametrize(
        "content", [b"\x01\x02\x03", b"words without commas\n", b"\x00,\x00\n"]
    )
    def test_unknown_formats(self, tmp_path: Path, content: bytes) -> None:
        with pytest.raises(EvidenceError, match="has an unknown format; assay reads CSV"):
            read(written(tmp_path, "t.xyz", content))


class TestPaths:
    @pytest.mark.parametrize(
        ("path", "match"),
        [
            ("nowhere.csv", r"there is no file nowhere\.csv"),
            ("/", "is a directory"),
            ("https://example.org/t.csv", "local files only"),
            ("s3://bucket/t.parquet", "local files only"),
            ("a\x00b.csv", "cannot be the name of a file|there is no file"),
            (Path("https://example.org/t.csv"), "is an address; assay reads local files only"),
            ("x" * 5000, "cannot be the name of a file|there is no file"),
        ],
    )
    def test_refused(self, path: str, match: str) -> None:
        with pytest.raises(EvidenceError, match=match):
            read(path)
