"""Names that no file can have, at every door that takes one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import AssayError
from assay.core.file_names import path_of

TABLE = {"truth": [0, 1] * 20, "a": [0, 1] * 20, "b": [1, 1] * 20}
STUDY = "measures = ['accuracy']\nlearners.t.estimator = 'sklearn.tree.DecisionTreeClassifier'\n"


def as_data_set(name: str) -> Any:
    path = Path("study.toml")
    path.write_text(f"{STUDY}datasets = [{name.encode('unicode_escape').decode()!r}]\n")
    return assay.Study.from_toml(path)


@pytest.mark.parametrize("name", ["x" * 5_000, "[" * 5_000, "a\0b", "a\ud800b"])
@pytest.mark.parametrize(
    "door",
    [
        path_of, assay.look, assay.Store.open, assay.read_study, assay.Study.from_toml, as_data_set,
        lambda name: assay.board(TABLE, ledger=name),
        lambda name: assay.gate(TABLE, baseline="a", config=name),
    ],
)  # fmt: skip
def test_is_refused_in_words(
    door: Callable[[str], Any], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by `make fuzz`: a name too long ended in an error of Python at stores, data sets and ledgers."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssayError) as told:
        door(name)
    str(told.value).encode()


def test_a_name_that_is_not_there_is_a_name(tmp_path: Path) -> None:
    assert path_of(tmp_path / "absent" / "file") == tmp_path / "absent" / "file"
