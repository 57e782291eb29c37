"""Imports point left only: every import in the package is read and judged."""

import ast
import re
from pathlib import Path

import pytest

import assay

PACKAGE = Path(assay.__file__).parent
FLOW = [
    "core", "kernels", "reference", "evidence", "measures", "estimates", "hypotheses",
    "plan", "compare", "simulate", "selftest", "plots", "report",
]  # fmt: skip
EDGES = {"cli", "web"}
MAY_USE = {layer: set(FLOW[: place + 1]) for place, layer in enumerate(FLOW)}
MAY_USE["kernels"] = {"core", "kernels"}
MAY_USE["store"] = {"core", "evidence", "store"}
MAY_USE["study"] = {"core", "kernels", "evidence", "measures", "store", "study"}
for edge in EDGES:
    MAY_USE[edge] = {*FLOW, "store", "study", edge}
MAY_USE["cli"].add("web")  # `assay serve` starts the page; nothing else imports it

DOTTED = re.compile(r"assay(\.[a-z_]+){2,}")
"""A module as text, which `import_module` would load."""
BY_NAME = {
    "core/methods.py": "the catalogue loads every family, when it is asked for",
    "compare/estimators.py": "a study trains estimators, when they are given in place of evidence",
}
"""Modules that may name layers to their right as text, and why."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def imported_layers(tree: ast.AST) -> set[str]:
    """The layers of assay that a module imports: at the top, inside functions, or by a dotted name."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names += [node.value] if DOTTED.fullmatch(node.value) else []
    parts = [name.split(".") for name in names if name.startswith("assay.")]
    return {part[1] for part in parts if (PACKAGE / part[1]).is_dir()}


def uses_the_package(tree: ast.AST) -> bool:
    """Whether the package itself is imported, or one of its public names: a way round the layers."""
    nodes = list(ast.walk(tree))
    whole = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    public = [
        alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module == "assay"
        for alias in node.names
    ]
    return "assay" in whole or not all((PACKAGE / name).is_dir() for name in public)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_left(module: Path) -> None:
    place = module.relative_to(PACKAGE).parts
    if len(place) == 1:
        return  # the package itself offers every public name
    tree = ast.parse(module.read_text())
    name = "/".join(place)
    assert not any(isinstance(n, ast.ImportFrom) and n.level for n in ast.walk(tree)), (
        f"{name} has a relative import: write the whole name, from assay.…"
    )
    assert not uses_the_package(tree), (
        f"{name} imports the package, which offers every layer: import from the module that has it"
    )
    right = imported_layers(tree) - MAY_USE[place[0]]
    assert name in BY_NAME or not right, (
        f"{name} imports {sorted(right)}, and {place[0]}/ may use {sorted(MAY_USE[place[0]])} only: "
        "move what it needs to the left, or the caller to the right (docs/inside/architecture.md)"
    )


def test_only_the_command_that_serves_it_imports_the_page() -> None:
    users = {
        module.relative_to(PACKAGE).as_posix()
        for module in MODULES
        if "web" in imported_layers(ast.parse(module.read_text()))
        and module.relative_to(PACKAGE).parts[0] != "web"
    }
    others = users - {"cli/serve.py"}
    assert not others, (
        f"{others} import web/, which only cli/serve.py may: start the page by that command"
    )


def test_a_planted_upward_import_is_seen() -> None:
    tree = ast.parse("def f():\n    from assay.report.views import view\n")
    assert imported_layers(tree) == {"report"}
    assert not imported_layers(tree) <= MAY_USE["estimates"]
    assert imported_layers(ast.parse('import_module("assay.compare.verdict")')) == {"compare"}


@pytest.mark.parametrize("line", ["import assay", "from assay import mcnemar"])
def test_the_package_as_a_way_round_is_seen(line: str) -> None:
    assert uses_the_package(ast.parse(line))
    assert not uses_the_package(ast.parse("from assay import plots"))


def test_every_folder_has_a_place_in_the_flow() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    new = folders - set(MAY_USE)
    assert not new, f"{new} have no place in the flow: enter them in FLOW or MAY_USE of this file"
