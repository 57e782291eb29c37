"""JSON documents: columns, records and mappings in one object; objects a line stay what they are."""

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.evidence.readers.json_files import json_document

TRUTH, GOOD = ["a", "b", "a", "b"], ["a", "b", "a", "a"]


def written(folder: Path, content: Any) -> Path:
    path = folder / "found.json"
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    "content",
    [
        {"truth": TRUTH, "good": GOOD},
        {"version": 2, "rows": [{"truth": t, "good": g} for t, g in zip(TRUTH, GOOD, strict=True)]},
        {
            f"q{i}": {"truth": t, "good": g}
            for i, (t, g) in enumerate(zip(TRUTH, GOOD, strict=True))
        },
    ],
)
def test_one_document_is_a_table(tmp_path: Path, content: Any) -> None:
    found = assay.read(written(tmp_path, content))
    assert (found.models, found.n) == (("good",), 4)


def test_a_key_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.json"
    path.write_text('{"truth": ["a", "b"], "good": ["a", "b"], "good": ["b", "a"]}')
    with pytest.raises(assay.EvidenceError, match="has the key 'good' twice"):
        assay.read(path)


@pytest.mark.parametrize(
    "text", ['{"id": 1, "y": 0}\n{"id": 2, "y": 1}', '{"id": 1, "y": 0}', "[1, 2]", "{}", "{"]
)
def test_what_is_no_document(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    assert json_document(path, "other.json") is None
