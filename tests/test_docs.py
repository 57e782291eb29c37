"""What is not documented does not exist: methods, notes, measures, commands and options."""

import re
from pathlib import Path

import pytest

from assay.cli.main import VERBS, cli
from assay.core.methods import Method, catalogue
from assay.core.notes import MESSAGES
from assay.measures.registry import measures

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
SOURCE = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
TESTS = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("*.py"))


def headings(path: Path) -> set[str]:
    text = path.read_text() if path.exists() else ""
    return set(re.findall(r"^##+ `?([^`\n]+?)`?$", text, flags=re.MULTILINE))


@pytest.mark.parametrize("method", catalogue().values(), ids=lambda m: m.id)
def test_every_method_has_its_paragraph(method: Method) -> None:
    page = f"docs/methods/{method.family}.md"
    assert method.id in headings(ROOT / page), (
        f"{page} has no heading '## {method.id}': write its paragraph"
    )


@pytest.mark.parametrize("code", MESSAGES)
def test_every_note_is_explained_raised_and_tested(code: str) -> None:
    assert code in headings(DOCS / "notes.md"), (
        f"docs/notes.md has no heading '## {code}': explain the note"
    )
    assert (
        f'note("{code}"' in SOURCE
        or f'note(\n        "{code}"' in SOURCE
        or SOURCE.count(f'"{code}"') > 1
    ), (
        f"nothing in src/ raises the note {code!r}: raise it, or take it out of MESSAGES in core/notes.py"
    )
    assert f'"{code}"' in TESTS, f"no test meets the note {code!r}: add one that does"


@pytest.mark.parametrize("name", measures())
def test_every_measure_is_explained(name: str) -> None:
    assert name in headings(DOCS / "measures.md"), (
        f"docs/measures.md has no heading '## {name}': explain it"
    )


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_and_option_is_documented(verb: str) -> None:
    page = (DOCS / "commands.md").read_text()
    assert verb in headings(DOCS / "commands.md"), (
        f"docs/commands.md has no heading '## {verb}': explain it"
    )
    command = cli.get_command(None, verb)  # type: ignore[arg-type]
    assert command is not None
    for parameter in command.params:
        for option in parameter.opts:
            if option.startswith("--"):
                assert f"`{option}" in page, (
                    f"docs/commands.md does not explain {verb} {option}: add it"
                )


def test_no_absolute_paths_of_machines() -> None:
    for path in [*DOCS.rglob("*.md"), ROOT / "README.md"]:
        found = re.search(r"\S*/(work|root|home)/\S*", path.read_text())
        assert not found, (
            f"{path} names {found and found[0]!r}, a place of one machine: write a relative path"
        )
