"""One name, one idea: no two modules of the package define classes of one name, and kinds of arrays have one home.

A stranger who meets `Question` in a signature should know which one it is without opening the imports.
"""

import ast
import re
from collections import defaultdict
from pathlib import Path

import assay

PACKAGE = Path(assay.__file__).parent


def test_no_two_classes_have_one_name() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name != "_Package":  # what loads parts late
                homes[node.name].append(path.relative_to(PACKAGE).as_posix())
    twice = {name: files for name, files in homes.items() if len(files) > 1}
    assert not twice, f"give one of each pair another name, that of its subject: {twice}"


def test_kinds_of_arrays_have_one_home() -> None:
    kind = re.compile(r"NDArray\[np\.(float64|int64|intp|bool_)\]")
    written = {
        path.relative_to(PACKAGE).as_posix()
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name != "arrays.py" and kind.search(path.read_text(encoding="utf-8"))
    }
    assert not written, (
        f"write FloatArray, IntArray, IndexArray or BoolArray of core/arrays.py: {written}"
    )
