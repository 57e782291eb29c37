"""One name, one idea: no two modules of the package define classes of one name.

A stranger who meets `Question` in a signature should know which one it is without opening the imports.
"""

import ast
from collections import defaultdict
from pathlib import Path

import assay

PACKAGE = Path(assay.__file__).parent


def test_no_two_classes_have_one_name() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path.relative_to(PACKAGE).as_posix())
    twice = {name: files for name, files in homes.items() if len(files) > 1}
    assert not twice, f"give one of each pair another name, that of its subject: {twice}"
