"""Places of the source that can be changed, and mutants drawn from them: the operators are cosmic-ray's.

Left out are text, annotations, arguments with their defaults, decorators, messages of refusals and assertions: what is
said, not what is computed. Operators whose change no statistics would survive are left out too: arithmetic becomes
arithmetic, bits become bits, and equality does not become identity.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.operators.provider import OperatorProvider

UNUSED = {"RemoveDecorator", "ExceptionReplacer", "VariableReplacer", "VariableInserter"}
KINDS = (
    {"Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"},
    {"RShift", "LShift", "BitOr", "BitAnd", "BitXor"},
    {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"},
    {"Is", "IsNot"},
    {"UAdd", "USub", "Invert", "Not", "Delete"},
)
WORDS = {"fstring", "raise_stmt", "annassign", "param", "parameters", "decorator", "assert_stmt"}
BLOCKS = ("suite", "file_input")

Mutant = dict[str, Any]


def drawn(root: Path, files: list[Path], seed: int, sample: int) -> Iterator[Mutant]:
    """Mutants of places drawn at random: each place once, all alike, changed in one way of those it has."""
    chance = random.Random(seed)
    pool = [(path, *entry) for path in files for entry in sorted(places(path).items())]
    print(f"{sample} of {len(pool)} places", flush=True)
    for path, (_, _, kind, *lines), ways in chance.sample(pool, sample):
        name, occurrence = chance.choice(ways)
        before = path.read_text()
        after = MutationVisitor.mutate_code(before, OperatorProvider()[name](), occurrence)
        pairs = zip(before.splitlines(), _aligned(before, after), strict=True)
        yield {
            "file": path.relative_to(root).as_posix(),
            "kind": kind,
            "operator": name,
            "lines": lines,
            "changes": [[at, a, b] for at, (a, b) in enumerate(pairs, 1) if a != b],
        }


def _aligned(before: str, after: str) -> list[str]:
    """The lines of the mutant, as many as before: an operator over several lines may take some away."""
    old, new = before.splitlines(), after.splitlines()
    same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    return [*new[: same + 1], *[""] * (len(old) - len(new)), *new[same + 1 :]]


def changed(text: str, mutant: Mutant) -> str:
    """The text of a file with the mutant in it."""
    lines = text.splitlines()
    for at, before, after in mutant["changes"]:
        if lines[at - 1] != before:
            raise ValueError(f"{mutant['file']}:{at} has changed since the mutant was drawn")
        lines[at - 1] = after
    return "\n".join(lines)


def places(path: Path) -> dict[tuple[Any, ...], list[tuple[str, int]]]:
    """Every place that an operator changes, (line, column, kind, lines that run it), with (operator, occurrence)."""
    nodes = list(ast_nodes(get_ast(path.read_text())))
    nodes = [node for node in nodes if node.type not in ("name", "newline", "string", "endmarker")]
    found = defaultdict(list)
    for name in filter(_is_used, OperatorProvider()):
        operator = OperatorProvider()[name]()
        spots = [(node, spot) for node in nodes for spot in operator.mutation_positions(node)]
        for occurrence, (node, (start, _)) in enumerate(spots):
            if (lines := _lines(node)) is not None:
                found[(*start, name.split("_")[0], *lines)].append((name, occurrence))
    return found


def _is_used(name: str) -> bool:
    kind, *change = name.split("_")
    return kind not in UNUSED and not any(
        (change[0] in alike) != (change[1] in alike) for alike in KINDS if len(change) == 2
    )


def _lines(node: Any) -> tuple[int, ...] | None:
    """The lines of the statement, or of the part of its head; none outside functions; None for mere words."""
    above = [node]
    while above[-1].parent is not None:
        above.append(above[-1].parent)
    inner = next(place for place, one in enumerate(above) if one.type in BLOCKS)
    statement = above[:inner]
    if any(one.type in WORDS for one in statement) or statement[-1].type == "funcdef":
        return None
    if not any(one.type in ("funcdef", "lambdef") for one in above[inner:]):
        return ()
    is_head = any(child.type in BLOCKS for child in getattr(statement[-1], "children", []))
    shown = node if is_head else statement[-1]
    last, column = shown.end_pos  # a statement ends where the next line begins
    return tuple(range(shown.start_pos[0], last + (column > 0)))
