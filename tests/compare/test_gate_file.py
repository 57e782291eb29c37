"""`assay.toml`: what it may say, and the schema that is published for it."""

import json
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
        ("[gate]\nmargni = 0.1", "unknown field `margni`.*it may have files"),
        ("margni = 0.1", "it may have margin, margins"),
        ("[reading]\ntruht = 'y'", "unknown field `truht`"),
        ("[gate]\nat_least = 0.9", "Expected `object | null`"),
        ("[gate", "is not TOML"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        written(tmp_path, text)
