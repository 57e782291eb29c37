"""`assay.toml`: what it may say, and the schema that is published for it."""

import json
import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from assay.compare.gate_file import AssayFile, read_gate_file, schema
from assay.core.errors import UsageError

PUBLISHED = Path(__file__).parents[2] / "docs" / "assay.schema.json"
WHOLE = """
files = ["old.csv", "new.csv"]
seed = 3

[reading]
id = "item"
truth = "y"

[gate]
margin = 0.05
better_by = { f1 = 0.0 }
at_least = { accuracy = 0.9 }
slice = "region"
"""


def written(tmp_path: Path, text: str) -> AssayFile:
    path = tmp_path / "assay.toml"
    path.write_text(text, encoding="utf-8")
    return read_gate_file(path)


def test_the_published_schema_is_todays() -> None:
    """To write it anew: python -c "…schema()", see docs/gate.md."""
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == json.loads(
        msgspec.json.encode(schema())
    )


def test_every_key_of_the_schema_is_described_and_closed() -> None:
    gate = schema()["$defs"]["GateTable"]
    assert gate["additionalProperties"] is False
    assert all("description" in one for one in gate["properties"].values())


def test_a_whole_file(tmp_path: Path) -> None:
    found = written(tmp_path, WHOLE)
    assert found.told() == {"id": "item", "truth": "y"}
    assert found.terms()["at_least"] == {"accuracy": 0.9}
    assert (found.files, found.seed) == (["old.csv", "new.csv"], 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[gate]\nmargni = 0.1", r"\[gate\] has no margni; it may have margin, margins"),
        ("margni = 0.1", "it may have margin, margins"),
        ("[reading]\ntruht = 'y'", r"\[reading\] has no truht; it may have truth, id"),
        ("fiels = []\n[gate]\nmargin = 0.1", "the top of the file has no fiels; it may have files"),
        ("[gate]\nfiles = ['a.csv']", r"\[gate\] has no files: put it at the top"),
        ("[gate]\ntruth = 'y'", r"\[gate\] has no truth: put it under \[reading\]$"),
        ("margin = 0.1\ntruth = 'y'", r"put it under \[reading\], and the terms under \[gate\]"),
        ("[gate]\nat_least = 0.9", "Expected `table | null`"),
        ("[gate", "is not TOML"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        written(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        (WHOLE, True),
        ("margin = 0.005", True),
        ("margin = 0\nmeasures = ['f1']\nbetter_by = { f1 = 0 }", True),
        ("[gate]\non_undecided = 'warn'", True),
        ("margni = 0.1", False),
        ("margin = 0.1\n[gate]\nlevel = 0.9", False),
        ("[gate]\non_undecided = 'ignore'", False),
        ("[gate]\nat_least = 0.9", False),
        ("seed = 3\nmargin = 0.1", False),
    ],
)
def test_the_schema_and_the_reader_agree(tmp_path: Path, text: str, valid: bool) -> None:
    from jsonschema import Draft202012Validator

    assert Draft202012Validator(schema()).is_valid(tomllib.loads(text)) is valid
    if valid:
        written(tmp_path, text)
    else:
        with pytest.raises(UsageError):
            written(tmp_path, text)


def test_every_example_of_the_pages_keeps_to_the_schema() -> None:
    from jsonschema import Draft202012Validator

    texts = [path.read_text(encoding="utf-8") for path in PUBLISHED.parent.rglob("*.md")]
    examples = [
        one
        for text in texts
        for one in re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    ]
    gates = [found for one in examples if "gate" in (found := tomllib.loads(one))]
    assert gates
    for one in gates:
        Draft202012Validator(schema()).validate(one)
