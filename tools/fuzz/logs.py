"""Strange logs and results of other tools, and the doors they knock at.

Logs as the harnesses write them are changed where they hold values (JSON, cells of Parquet, ARFF and CSV, tables of
TOML, members of archives) and in their bytes.
"""

import copy
import io
import json
import math
import random
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.evidence.readers import classic_results as classic
from tests.evidence.readers import code_logs as code
from tests.evidence.readers import harness_logs as harness
from tests.evidence.readers.zips import DEFLATE, STORED, ZSTD, Entry, write_zip
from tools.fuzz.attempts import Attempt, knock, printable

HALF = "x\ud800y"
NESTED = 600
STRANGE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 0.5, -0.25, 1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf,
    2**31, 2**63, -(2**63) - 1, 10**400, "", " ", "x", "nan", "NaN", "C", "yes", "1e999", "0.5", "inf", "١",
    HALF, "\x00", "a\nb", "é\u202e", "/", "..", "a/b,c", "x" * 70_000, [], {}, [[]], [None], [1, 0], [1, [0.5, 0.5]],
    [-3.0, 2], [1e308, 1e-308], ["a", "b"], {"a": 1}, {"a": {"b": [1]}}, {"": ""}, {"id": [1, 2]}, [HALF], {HALF: HALF},
)  # fmt: skip
WORDS = (
    "", "?", "nan", "inf", "1e999", "9" * 5_000, "'", '"', "''", '"a""b"', "'a\\'b'", "\\", "{0 1}", "%", "@data",
    "@relation", " " * 5_000, ",", ",,,,", "\x00", "é", "0x1", "1_000", "１", "-0", "true", "[", "]", "=", "'''",
    "# x", "1979-05-27", "x." * 2_000 + "x", "[" * 3_000, "nan = nan", "{a = 1}", "1e308",
)  # fmt: skip
OPTIONS: dict[str, tuple[Any, ...]] = {
    "metric": (None, None, None, "exact_match", "f1", "passed", "pass@1", "pass@99", "match", "is_correct", "x"),
    "task": (None, None, "*", "x"),
    "cluster": (None, None, None, "passage.id", "topic", "task", "sub_split", "question"),
    "slice": (None, None, None, None, "task", "topic"),
    "unscored": ("error", "drop", "drop", "wrong"),
    "id": (None, None, "hash"),
    "on_mismatch": ("error", "intersect", "intersect"),
    "paired": (True, True, False),
    "models": (None, None, None, ["a", "b"], "a"),
    "measure": (None, None, None, "accuracy", "Percent_correct", "x"),
    "folds": (None, None, None, 2),
}  # fmt: skip


class Mutant(NamedTuple):
    """The folder of a strange log, the file in it that was changed, and what was done to it."""

    base: str
    folder: Path
    path: Path
    what: str


# What is changed: logs as the harnesses write them


def bases(root: Path) -> dict[str, Path]:
    """A small log of every kind in a folder of its own."""
    scores = [1.0, 0.0, 1.0, 0.5]
    inspected = [
        harness.inspect_sample(
            n, {"match": grade, "judge": {"tone": n / 4, "fact": 1}}, epoch=epoch
        )
        for epoch in (1, 2)
        for n, grade in enumerate("CIPN")
    ]
    reduced = [harness.inspect_reduction("match", "pass_at_2", dict.fromkeys(range(4), 1))]
    made: dict[str, Callable[[Path], Any]] = {
        "lm-eval": lambda at: harness.lm_eval_run(
            at, "a", {"t": harness.lm_samples(scores), "u": harness.lm_samples([[1, 0], [1, 1]], "f1")}
        ),
        "lm-eval losses": lambda at: harness.lm_eval_run(
            at,
            "a",
            {
                "t": harness.lm_samples([[-3.5, 4], [-2.0, 2]], "word_perplexity"),
                "u": harness.lm_samples([[0, [0.5, 0.5]], [1, [0.2, 0.8]]], "brier_score"),
            },
        ),
        "inspect": lambda at: harness.inspect_eval(at / "a.eval", "a", inspected, reductions=reduced),
        "inspect journal": lambda at: harness.inspect_eval(
            at / "a.eval", "a", inspected, finished=False, method=DEFLATE
        ),
        "inspect json": lambda at: harness.inspect_json(
            at / "a.json", "a", inspected, reductions=reduced
        ),
        "helm": lambda at: harness.helm_run(
            at,
            "a",
            [
                harness.helm_record(f"id{n}", [harness.helm_stat("exact_match", one)], trial=trial)
                for trial in range(2)
                for n, one in enumerate(scores)
            ],
        ),
        "every eval ever": lambda at: harness.eee_files(
            at, "u", [harness.eee_row(str(n), one) for n, one in enumerate(scores)]
        ),
        "human-eval": lambda at: code.human_eval(at / "a.jsonl", {"t": [True, False], "u": [True, True]}),
        "evalplus": lambda at: code.evalplus(
            at / "a_eval_results.json", {"t": [("pass", "fail"), ("pass", "pass")], "u": [("fail", None)] * 2}
        ),
        "lighteval": lambda at: harness.lighteval_details(
            at, "a", [(f"q{n}", {"em": one, "f1": 0.5}) for n, one in enumerate(scores)]
        ),
        "openml": lambda at: classic.openml_predictions(
            at / "a.arff", [(0, n % 2, n, "setosa", "setosa") for n in range(4)]
        ),
        "weka": lambda at: classic.weka_csv(at / "r.csv", classic.weka_rows(_weka())),
        "weka arff": lambda at: classic.weka_arff(at / "r.arff", classic.weka_rows(_weka())),
        "scikit-learn": lambda at: _written(at / "s.json", json.dumps(_validated())),
        "scikit-learn search": lambda at: _written(at / "s.json", json.dumps(_search())),
        "scikit-learn csv": lambda at: _written(at / "s.csv", _as_csv(_search())),
        "workbook": lambda at: _workbook(at / "w.xlsx"),
        "study": lambda at: _written(at / "study.toml", STUDY),
    }  # fmt: skip
    for place, make in enumerate(made.values()):
        (root / str(place)).mkdir(parents=True)
        make(root / str(place))
    return {name: root / str(place) for place, name in enumerate(made)}


STUDY = """
name = "small"
seed = 3
measures = ["accuracy", "log_loss"]
datasets = ["iris", "wine"]
[resampling]
scheme = "cv"
folds = 3
[learners.nb]
estimator = "sklearn.naive_bayes.GaussianNB"
[learners.tree]
steps = ["sklearn.preprocessing.StandardScaler", "sklearn.tree.DecisionTreeClassifier"]
params = {decisiontreeclassifier__max_depth = 2}
tune = {decisiontreeclassifier__min_samples_leaf = [1, 5]}
inner_folds = 2
[curves.learning]
points = 3
[curves.noise]
on = "labels"
levels = [0.0, 0.4]
"""


def _workbook(path: Path) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["item", "truth", "a", "b"], *([n, n % 2, 1, 0] for n in range(4))):
        book.active.append(row)
    book.save(path)
    return path


def _weka() -> dict[tuple[str, int, int, str, str], Any]:
    return {
        (dataset, run, 1, scheme, ""): 90.0 + run
        for dataset in ("iris", "weather data")
        for run in (1, 2)
        for scheme in ("weka.J48", "weka.ZeroR")
    }


def _validated() -> dict[str, Any]:
    one: dict[str, Any] = {"fit_time": [1.0, 1.0], "score_time": [0.1, 0.1]}
    one |= {"test_accuracy": [0.5, 0.75], "indices": {"train": [[0], [1]], "test": [[1], [0]]}}
    return {"a": one, "b": {**one, "test_accuracy": [0.25, 0.5]}}


def _search() -> dict[str, Any]:
    return {
        "mean_fit_time": [0.1, 0.1],
        "params": [{"C": 1}, {"C": 2}],
        "split0_test_score": [0.5, 0.6],
        "split1_test_score": [0.7, 0.8],
    }


def _as_csv(table: dict[str, Any]) -> str:
    rows = [list(table), *map(list, zip(*table.values(), strict=True))]
    return "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


# How it is changed


def mutant(known: dict[str, Path], folder: Path, seed: int, number: int) -> Mutant:
    """A copy of a log, changed once or several times; it can be made again by its number."""
    rng = random.Random(f"{seed} {number}")
    base = rng.choice(list(known))
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(known[base], folder)
    path = rng.choice(sorted(one for one in folder.rglob("*") if one.is_file()))
    change = changed_bytes if rng.random() < 0.25 else BY_SUFFIX.get(path.suffix, changed_bytes)
    return Mutant(base, folder, path, change(path, rng))


def _json(path: Path, rng: random.Random) -> str:
    return _rewritten(path, rng, [path.read_text("utf-8")])


def _lines(path: Path, rng: random.Random) -> str:
    return _rewritten(path, rng, path.read_text("utf-8").splitlines())


def _rewritten(path: Path, rng: random.Random, texts: Sequence[str]) -> str:
    """JSON documents with some values replaced, taken away, doubled or renamed."""
    values = [json.loads(text) for text in texts]
    what = [changed_values(values, rng) for _ in range(rng.choice((1, 1, 1, 2, 5)))]
    path.write_bytes("\n".join(map(json.dumps, values)).encode("utf-8", "surrogatepass"))
    if rng.random() < 0.05:
        text = path.read_text("utf-8", "surrogatepass")
        deep = "[" * NESTED * rng.choice((1, 20)) + "]" * NESTED * rng.choice((1, 20))
        path.write_text(
            re.sub(r"(?<=: )[^,{}\[\]]+", deep, text, count=1), "utf-8", "surrogatepass"
        )
        what.append("nested")
    return f"{path.name}: {'; '.join(what)}"


def changed_values(values: list[Any], rng: random.Random) -> str:
    """One change at a random depth of a JSON value; values deep inside are as likely as those on top."""
    holders = list(_holders(values)) or [values]
    if not holders[0]:
        values.append(None)
    holder = rng.choice(holders)
    key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    way = rng.choice(("set", "set", "set", "set", "all", "drop", "twice", "rename"))
    value = copy.deepcopy(rng.choice(STRANGE))
    if way == "all" and isinstance(key, str):
        for other in holders:
            if isinstance(other, dict) and key in other:
                other[key] = value
    elif way == "drop":
        del holder[key]
    elif way == "twice" and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    elif way == "rename" and isinstance(holder, dict):
        holder[str(value)[:50]] = holder.pop(key)
    else:
        holder[key] = value
    return f"{way} {key!r:.30} {value!r:.30}"


def _holders(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list) and value:
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _holders(inner)


def _archive(path: Path, rng: random.Random) -> str:
    """A member of an archive changed as JSON, or the archive's own claims about it."""
    from assay.evidence.readers.zip_archive import Archive

    whole = Archive.open(path, path.name, lambda _: True)
    members = {name: whole.read(name) for name in whole.members}
    changed = rng.choice(list(members))
    inner = path.with_name("member.json")
    inner.write_bytes(members[changed])
    what = _json(inner, rng) if rng.random() < 0.8 else changed_bytes(inner, rng)
    members[changed] = inner.read_bytes()
    inner.unlink()
    method = rng.choice((STORED, DEFLATE, ZSTD))
    entries = [Entry(name=name, data=data, method=method) for name, data in members.items()]
    if rng.random() < 0.2:
        false = {
            "size": rng.choice((0, 2**31)),
            "crc": 0,
            "mode": 0o120777,
            "flags": 1,
            "frames": 3,
        }
        key = rng.choice(list(false))
        entries[0] = Entry(**{**vars(entries[0]), key: false[key]})
    write_zip(path, entries)
    return f"{changed} {what}"


def _parts(path: Path, rng: random.Random) -> str:
    """A part of a workbook changed as text."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    changed = rng.choice(list(parts))
    inner = path.with_name("part.xml")
    inner.write_bytes(parts[changed])
    what = changed_text(inner, rng) if rng.random() < 0.8 else changed_bytes(inner, rng)
    if rng.random() < 0.2:
        far = (
            inner.read_bytes()
            .replace(b'r="B2"', b'r="XFD1048576"')
            .replace(b'r="2"', b'r="1048576"')
        )
        inner.write_bytes(far)
    parts[changed] = inner.read_bytes()
    inner.unlink()
    with zipfile.ZipFile(path, "w") as book:
        for name, data in parts.items():
            book.writestr(name, data)
    return f"{changed} {what}"


def _parquet(path: Path, rng: random.Random) -> str:
    """Cells of a table changed as values, where Parquet can hold them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = pq.read_table(path).to_pylist()
    what = changed_values(rows, rng)
    table = io.BytesIO()
    try:
        pq.write_table(pa.Table.from_pylist(rows), table)
    except (pa.ArrowException, OverflowError, TypeError, UnicodeError, AttributeError):
        return changed_bytes(path, rng)
    path.write_bytes(table.getvalue())
    return what


def changed_text(path: Path, rng: random.Random) -> str:
    """A word, a cell or a line of text replaced, taken away or doubled."""
    parts = re.split(r"([,\n= ])", path.read_text("utf-8"))
    what = []
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        place, word = rng.randrange(len(parts)), rng.choice(WORDS)
        way = rng.choice(("set", "set", "drop", "twice", "insert"))
        parts[place] = {
            "set": word,
            "drop": "",
            "twice": parts[place] * 2,
            "insert": parts[place] + word,
        }[way]
        what.append(f"{way} {place} {word!r:.20}")
    path.write_text("".join(parts), "utf-8", "surrogatepass")
    return "; ".join(what)


def changed_bytes(path: Path, rng: random.Random) -> str:
    data = bytearray(path.read_bytes())
    way = rng.choice(("flip", "flip", "flip", "cut", "insert", "drop", "repeat", "tail"))
    for _ in range(rng.choice((1, 1, 3, 10))):
        at = rng.randrange(len(data) + 1)
        if way == "flip" and at < len(data):
            data[at] = rng.randrange(256)
        elif way == "insert":
            data[at:at] = rng.choice(
                (b"\x00", b"\xff", b"\xed\xa0\x80", b"\n", b'"', b"[" * 2_000, b" " * 70_000)
            )
        elif way == "drop":
            del data[at : at + rng.choice((1, 4, 50))]
        elif way == "repeat":
            data[at:at] = data[at : at + 200] * rng.choice((1, 30))
        elif way == "tail" and len(data) > 300:
            data[-rng.randrange(1, 300)] = rng.randrange(256)
    path.write_bytes(data[: rng.randrange(len(data) + 1)] if way == "cut" else data)
    return f"{path.name}: bytes {way}"


BY_SUFFIX: dict[str, Callable[[Path, random.Random], str]] = {
    ".json": _json,
    ".jsonl": _lines,
    ".eval": _archive,
    ".parquet": _parquet,
    ".xlsx": _parts,
    ".arff": changed_text,
    ".csv": changed_text,
    ".toml": changed_text,
}


# The doors


def read_and_answer(mutant: Mutant, sound: Path, rng: random.Random) -> Callable[[], None]:
    """Read the log, alone or beside a sound one, and ask for what its reader would be asked for."""
    import assay

    asked = {name: rng.choice(values) for name, values in OPTIONS.items() if rng.random() < 0.4}
    asked = {name: value for name, value in asked.items() if value is not None}
    source = mutant.folder if rng.random() < 0.5 and mutant.base in FOLDERS else mutant.path
    beside = [sound] if rng.random() < 0.5 else []

    def door() -> None:
        if mutant.path.suffix == ".toml":
            from assay.study.spec import Study

            printable(repr(Study.from_toml(mutant.path)))
            return
        reading = assay.look(source, *beside, **asked)
        printable(reading.sentence)
        evidence = reading.evidence()
        printable(repr(evidence.summary()))
        if rng.random() < 0.3:
            printable(str(assay.evaluate(evidence, rng=1, n_resamples=19)))
        elif rng.random() < 0.3:
            printable(str(assay.compare(evidence, rng=1, n_resamples=19)))

    return door


FOLDERS = (
    "lm-eval",
    "lm-eval losses",
    "inspect",
    "inspect journal",
    "helm",
    "every eval ever",
    "lighteval",
)


def opened(folder: Path, seed: int) -> Callable[[int], Attempt]:
    """A strange log, alone or beside a sound one, by its number."""
    known = bases(folder / "bases")

    def attempt(number: int) -> Attempt:
        strange = mutant(known, folder / "mutant", seed, number)
        first = min(one for one in known[strange.base].rglob("*") if one.is_file())
        sound = known[strange.base] if strange.base in FOLDERS else first
        door = read_and_answer(strange, sound, random.Random(f"{seed} {number} door"))
        return Attempt(f"{strange.base}: {strange.what}", knock(door))

    return attempt
