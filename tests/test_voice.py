"""The voice of what users read: plain statistical English, no riddles (decision 0110)."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.notes import LEVELS, MESSAGES, level_of
from tests.compare.test_verdict_posteriors import DESIGNS

PACKAGE = Path(assay.__file__).parent
LAYERS = (
    "cli", "compare", "core", "estimates", "evidence", "hypotheses", "plan", "plots", "report", "simulate", "store",
    "study", "web",
)  # fmt: skip
FORBIDDEN = (
    "told apart", "tell apart", "tell them apart", "speaks about", "speaks of", "decides nothing", "Nothing is said",
    "held together", "hold together", "is promised", "what it promises", "made-up", "that no better one replaces",
    "scores best", "do not settle it", "a prior that says little", "leave it open", "leaves it open", "took no part",
    "met every item", "meet every item", "known to ±", "says no format", "higher than of", "lower than of",
)  # fmt: skip
EXEMPT = {"report/lecture_words.py"}
"""Modules that quote the lectures, whose words are theirs."""
PAGES = [
    *sorted((PACKAGE.parents[1] / "docs").glob("*.md")),
    *sorted((PACKAGE.parents[1] / "docs" / "methods").glob("*.md")),
    *sorted((PACKAGE.parents[1] / "docs" / "tutorials").glob("*.md")),
    PACKAGE.parents[1] / "README.md",
]
QUOTING = {"lectures.md"}
MOST_WORDS = 22
HELD = [*PAGES, *sorted((PACKAGE.parents[1] / "docs" / "coming-from").glob("*.md"))]
"""Pages whose every sentence is as short as those of the terminal: all but those on the inside."""
ERRORS = {
    "EvidenceError", "NotApplicable", "UsageError", "MissingDependency", "refused", "Question", "Answer", "_answer",
    "Wrong", "failed",
}  # fmt: skip
"""What makes an error, a question or its answer of a message."""
OF_OTHERS = ("--log_samples", "")
"""An option of lm-evaluation-harness."""
PAGE_FILES = [
    *sorted((PACKAGE / "web" / "templates").glob("*.j2")),
    *sorted((PACKAGE / "web" / "static").glob("*.js")),
]
CASUAL = ("cry wolf", "At it", "hang on", "hang together", "how sure", "promised", "promises")
MODULES = [
    path
    for layer in LAYERS
    for path in sorted((PACKAGE / layer).rglob("*.py"))
    if str(path.relative_to(PACKAGE)) not in EXEMPT
]


def shown_texts(tree: ast.AST) -> list[str]:
    """The strings of a module that are not docstrings."""
    notes = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes
    ]


def words_of(sentence: str) -> int:
    """How many words a sentence has; numbers with their signs and the level of a note are none."""
    told = re.sub(r"^\*(?:Warning|Caution|Remark)\.\* ", "", sentence.strip())
    return sum(any(letter.isalpha() for letter in word) for word in told.split())


def sentences_of(text: str) -> list[str]:
    """The sentences of prose; a full stop, a question mark or an exclamation mark ends one."""
    return re.split(r"(?<=[.?!])\s+(?=[A-Z`*“\[{])", text)


def prose_of(page: str) -> list[str]:
    """The paragraphs and items of lists of a page, without code, tables, headings and addresses.

    What follows a label in bold and is separated by semicolons is a list (``- **Beside:** a; b``).
    """
    text = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    text = re.sub(r"^(?: {4,}|\||#|!).*$", "", text, flags=re.MULTILINE)
    text = re.sub(
        r"^- \*\*.*:\*\* .*$",
        lambda found: found[0].replace("; ", "\n\n"),
        text,
        flags=re.MULTILINE,
    )
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) |: )", text)
    return [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(block.split())) for block in blocks]


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_riddles(module: Path) -> None:
    for text in shown_texts(ast.parse(module.read_text(encoding="utf-8"))):
        for phrase in FORBIDDEN:
            assert phrase not in text, text


def written_out(node: ast.AST, *, typed: bool = False) -> str | None:
    """A string as a reader sees it, X for what is filled in; of `either` the words for Python or those typed."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "either":
        return written_out(node.args[1 if typed else 0], typed=typed)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [written_out(side, typed=typed) for side in (node.left, node.right)]
        return None if sides == [None, None] else "".join(side or "X" for side in sides)
    if isinstance(node, ast.JoinedStr):
        parts = (one.value if isinstance(one, ast.FormattedValue) else one for one in node.values)
        return "".join(written_out(one, typed=typed) or "X" for one in parts)
    return None


def errors_of(module: Path) -> list[ast.expr]:
    """The messages of a module: what is raised as an error of ours, is refused, or is asked."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = {"text", "said"}
    found = []
    for call in calls:
        name = ast.unparse(call.func).rsplit(".", 1)[-1]
        if name in ERRORS:
            found += call.args[:1]
            found += [word.value for word in call.keywords if word.arg in named]
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
@pytest.mark.parametrize("typed", [False, True], ids=["python", "terminal"])
def test_errors_are_short_sentences(module: Path, *, typed: bool) -> None:
    for message in errors_of(module):
        text = re.sub(r"`[^`]*`", "X", written_out(message, typed=typed) or "")
        for sentence in sentences_of(text):
            assert words_of(sentence) <= MOST_WORDS, sentence


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_errors_name_arguments_in_python(module: Path) -> None:
    """Options of the command line are typed there; a command in backticks may have some."""
    if module.parent.name in ("cli", "web"):
        return
    for message in errors_of(module):
        text = re.sub(r"`[^`]*`", "X", written_out(message) or "")
        assert not re.search(r"(?<![\w-])--[a-z]", text.replace(*OF_OTHERS)), text


@pytest.mark.parametrize("page", PAGE_FILES, ids=lambda path: path.name)
def test_no_riddles_on_the_page(page: Path) -> None:
    text = " ".join(re.sub(r"<[^>]*>", " ", page.read_text(encoding="utf-8")).split())
    assert not [phrase for phrase in (*FORBIDDEN, *CASUAL) if phrase in text]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_no_riddles_in_the_docs(page: Path) -> None:
    text = " ".join(page.read_text(encoding="utf-8").split())
    found = [phrase for phrase in FORBIDDEN if phrase in text and page.name not in QUOTING]
    assert not found, (
        f"{page.name} has {found}: say it in plain statistical English (decision 0110)"
    )


@pytest.mark.parametrize("page", HELD, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_pages_have_short_sentences(page: Path) -> None:
    for block in prose_of(page.read_text(encoding="utf-8")):
        for sentence in sentences_of(block):
            listed = " · " in sentence or sentence.startswith(("Reference", "Short, "))
            assert listed or words_of(sentence) <= MOST_WORDS, sentence


@pytest.mark.parametrize("code", MESSAGES)
def test_notes_are_short_sentences(code: str) -> None:
    for sentence in sentences_of(MESSAGES[code]):
        told = re.sub(r"\{\w+:([^{}|]*)\|(?:[^{}]|\{[^{}]*\})*\}", r"\1", sentence)
        assert words_of(re.sub(r"\{[^{}]*\}", "X", told)) <= MOST_WORDS, sentence


@pytest.mark.parametrize("code", MESSAGES)
def test_every_note_has_a_level_that_its_page_says(code: str) -> None:
    assert level_of(code) in LEVELS
    page = (Path(__file__).parents[1] / "docs" / "notes.md").read_text(encoding="utf-8")
    _, _, rest = page.partition(f"\n## {code}\n")
    assert rest.lstrip("\n").startswith(f"*{level_of(code).capitalize()}.*"), code


@pytest.mark.parametrize(("evidence", "options", "method"), DESIGNS)
def test_verdicts_are_short_sentences(evidence: Any, options: dict[str, Any], method: str) -> None:
    del method
    found = assay.compare(evidence, n_resamples=199, rng=1, margin=0.02, **options)
    for text in (found.sentence, *(verdict.sentence for verdict in found.verdicts)):
        assert not text.startswith(found.measure), text
        for sentence in sentences_of(text):
            assert words_of(sentence) <= MOST_WORDS, sentence
