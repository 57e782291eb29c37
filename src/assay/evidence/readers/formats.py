"""Files as tables that DuckDB reads: which format, which columns, where a record stands.

Text is read as text and typed by us, so that the label 01 stays 01.
"""

import csv
import os
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

from assay.core.errors import EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.core.sqlite_files import MAGIC, first_bytes
from assay.evidence.cell_questions import which_names
from assay.evidence.cell_text import number_of, plural, quoted, shortened
from assay.evidence.duckdb_connection import parts_of, pattern
from assay.evidence.names import has_role
from assay.evidence.readers.file_tables import (
    FIRST,
    HEAD,
    MAX_COLUMNS,
    MAX_LINE,
    PIECE,
    ZIP,
    FileTable,
    Format,
    Packing,
    as_utf8,
    checked_names,
    damage,
    head_text,
    opened,
    packing,
    spaced_names,
)
from assay.evidence.readers.heading_rows import (
    Sheet,
    Split,
    is_plain,
    is_regular,
    plain_split,
    sheet_of_text,
    split_text,
)
from assay.evidence.readers.json_files import open_jsonl
from assay.evidence.readers.latex_rows import cells_of_latex
from assay.evidence.rows_sql import Run, column_type, identifier, literal

FORMATS = "CSV (.csv, .tsv, also .gz), Parquet (.parquet) and JSON lines (.jsonl, .ndjson)"
MOST_WORDS = 3
"""Words of a line up to which it may be one prediction."""
_LATER = 300
"""Records of the sample that are from the middle, and from the end."""
_EXTENSIONS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
}
_CODE = {".pkl", ".pickle", ".joblib", ".pt", ".pth", ".ckpt", ".sav", ".dill"}
_OPENED = {
    ".npz": "numpy.load({!r})",
    ".npy": "dict(zip(['truth', 'a', 'b'], numpy.load({!r}).T))",
    ".feather": "pandas.read_feather({!r})",
    ".h5": "pandas.read_hdf({!r})",
    ".html": "pandas.read_html({!r})[0]",
    ".htm": "pandas.read_html({!r})[0]",
    ".yaml": "yaml.safe_load(open({!r}))",
    ".yml": "yaml.safe_load(open({!r}))",
}
"""How Python opens what assay does not, by the end of its name."""
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x80\x02", "a pickle"),
    (b"\x80\x03", "a pickle"),
    (b"\x80\x04", "a pickle"),
    (b"\x80\x05", "a pickle"),
    (b"\x93NUMPY", "a numpy array file"),
    (ZIP, "a zip archive (numpy .npz, PyTorch, Excel …)"),
    (b"\x89HDF", "an HDF5 file"),
    (b"ARROW1\x00", "an Arrow file"),
    (b"x\x9c", "a compressed pickle"),
)


def check_path(source: str | Path) -> Path:
    """An existing local file that is no program in disguise, or a folder of Parquet parts."""
    text = str(source)
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+:/", text):  # a Path makes one slash of two
        raise EvidenceError(f"{shortened(text)} is an address; assay reads local files only")
    try:
        there = Path(text).expanduser().exists()
        path = Path(text).expanduser().resolve()
        directory, present = path.is_dir(), path.is_file()
    except PermissionError as error:
        raise EvidenceError(f"{text} cannot be read: {error.strerror}") from None
    except (OSError, ValueError, RuntimeError):
        if os.path.islink(Path(text).expanduser()):  # noqa: PTH114 (of a name too long it is False)
            raise EvidenceError(f"{text} is a link that leads to no file: name the file") from None
        raise EvidenceError(f"{shortened(text)} cannot be the name of a file") from None
    parts = parts_of(path) if directory else [path]
    for part in parts:
        _check_readable(str(part))
    if not parts:
        raise EvidenceError(f"{text} is a folder without Parquet files; give the files themselves")
    if there and not present and not directory:
        raise EvidenceError(
            f"{text} is a pipe or a device, and evidence is read more than once: save it to a file first"
        )
    if not present and not directory:
        raise EvidenceError(f"there is no file {text}")
    return path


def _check_readable(name: str) -> None:
    """Refuse the name of a file that no message could print, and no engine takes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = name.encode("utf-8", "backslashreplace").decode()
        raise EvidenceError(f"the name {shown} is not UTF-8 text: rename the file") from None


def open_file(path: Path, title: str, run: Run, names: Sequence[str] = ()) -> FileTable:
    """Recognise the format of a file and read its column names and first rows."""
    try:
        if path.is_dir():
            return _open_parquet(path, title, run)
        form, compressed = _recognise(path, title)
        if form == "csv":
            return _open_csv(path, title, compressed=compressed, given=names)
        if form == "jsonl":
            return open_jsonl(path, title, compressed=compressed)
        return _open_parquet(path, title, run)
    except damage() as error:
        reason = getattr(error, "strerror", None) or error
        raise EvidenceError(f"{title} cannot be read: {reason}") from None


def _recognise(path: Path, title: str) -> tuple[Format, Packing]:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    head = first_bytes(path, 4096)
    if not head:
        raise EvidenceError(f"{title} is empty")
    compressed = packing(head)
    if compressed != "none":
        with opened(path, compressed=compressed) as unpacked:
            head = unpacked.read(4096)
        if head.startswith(MAGIC):
            raise EvidenceError(f"{title} is a compressed SQLite database; unpack it first")
        suffixes = suffixes[:-1] if suffixes and suffixes[-1] in (".gz", ".zst") else suffixes
    _refuse_code(head, suffixes[-1] if suffixes else "", title)
    if head.startswith(b"PAR1"):
        if compressed != "none":
            raise EvidenceError(f"{title} is a compressed Parquet file; unpack it first")
        return "parquet", "none"
    form = _EXTENSIONS.get(suffixes[-1]) if suffixes else None
    if form == "parquet":
        raise EvidenceError(f"{title} is called Parquet but does not begin like a Parquet file")
    return form or _by_content(head, title), compressed


def _refuse_code(head: bytes, suffix: str, title: str) -> None:
    """Files that can run code when loaded, or that hold no table, are refused unread."""
    if head.startswith(MAGIC):
        raise EvidenceError(
            f"{title} is an SQLite database. If `assay run` made it, open it first: assay.Store.open({title!r}). From "
            "any other database, write the predictions as CSV or Parquet"
        )
    kind = next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)
    if suffix in _OPENED and not str(kind).endswith("pickle"):
        call = _OPENED[suffix].format(title)
        raise EvidenceError(
            f"assay does not read {suffix} files, Python does: assay.compare({call}). "
            f"Write the predictions as {FORMATS} for the command line"
        )
    if kind is None and suffix in _CODE:
        kind = f"a {suffix} file"
    if kind is not None:
        raise EvidenceError(
            f"{title} is {kind}; loading such files can run code, so assay does not. Write the predictions as {FORMATS}"
        )
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise EvidenceError(f"{title} is UTF-16 text; save it as UTF-8")


def _by_content(head: bytes, title: str) -> Format:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        return "jsonl"
    lines = head.split(b"\n")
    if b"\x00" not in head and re.search(rb"[,;\t|]", lines[0]):
        return "csv"
    text = b"\n".join(lines[: max(1, len(lines) - 1)]).decode("utf-8", "replace")
    if b"\x00" not in head and len(lines) > 2:
        words = max(
            len(line.split()) for line in text.splitlines()
        )  # a label, perhaps of two words, a line
        if words <= MOST_WORDS or is_regular(split_text(text)[-1]):
            return "csv"
    raise EvidenceError(f"{title} has an unknown format; assay reads {FORMATS}")


def small_sheet(path: Path, title: str, given: Sequence[str] = ()) -> Sheet | None:
    """A small CSV file, read whole, perhaps with a title, several rows of names or notes, or in an encoding of Excel.

    None of other files, and of those that cannot be read: the engine says where they are wrong.
    """
    if path.is_dir() or path.stat().st_size > HEAD:
        return None
    head = first_bytes(path, 4)
    if head.startswith(ZIP) or packing(head) != "none" or path.suffix.lower() in _OPENED:
        return None
    named = not given and path.suffix.lower() in (".csv", ".tsv", ".tab", ".txt", ".tex", ".md")
    try:
        if named and (text := _other_text(path.read_bytes(), title)) is not None:
            return sheet_of_text(split_text(text), plain=True)
        if _recognise(path, title)[0] != "csv":
            return None
        text = as_utf8(path.read_bytes(), title)
        if not text.strip("\r\n"):
            return None
        found = split_text(text)
    except csv.Error:
        return None
    split = plain_split(found)
    sheet = None if given or is_plain(split.rows) else sheet_of_text(found)
    return sheet or (None if text[0] in "\r\n" else _plain_sheet(text, split, given, title))


def _plain_sheet(text: str, split: Split, given: Sequence[str], title: str) -> Sheet | None:
    """A table whose rows all have as many cells as there are names, each on its line."""
    try:
        (split,) = split_text(text, split.mark, strict=True) if '"' in text else [split]
    except csv.Error:
        return None
    names, header = _column_names(split.rows, given, title)
    lines, rows = split.lines[int(header) :], split.rows[int(header) :]
    if not rows or len(names) < 2 or any(len(row) != len(names) for row in rows):
        return None
    return Sheet(names, rows, lines, plain=True)


_NOT_WESTERN = re.compile("[À-ÿ]{3}|Ã[\x80-¿]")
"""Letters that follow each other so where Cyrillic, Greek or damaged UTF-8 text is taken for Western."""


_CHINESE = re.compile(rb"[\x00-\x7f]*+(?:(?:[\xa1-\xf7][\xa1-\xfe])++[\x00-\x7f]*+)++")
_NO_WORD = re.compile(rb"[\xa1-\xbf][\xc0-\xff]|[\xc0-\xff][\xa1-\xbf]")
"""Letters in pairs of bytes, as Excel writes them in China, some of which are no letters of the West."""
_RULE = re.compile(r"(?m)^(?:[ \t|+]*[-=]+\+[-=+]*[|+]?|={3,}[= ]*)[ \t]*$")
"""A line that is drawn across a table, as Emacs and databases print it."""
_MARKDOWN = re.compile(r"(?m)^.*\|.*\n[ \t]*\|?[ \t]*:?-{2,}[-:| \t]*\n(?:.*\|.*(?:\n|\Z))+")
"""A table of markdown: names, a rule, rows."""


def _other_text(data: bytes, title: str) -> str | None:
    """Text as Excel saves it (UTF-16, or the code page of Western Europe), or of a table that is drawn; else None.

    Of prose with one table of markdown it is the table.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        text = data.decode()
        if _RULE.search(text):
            return _RULE.sub("", text)
        tables = list(_MARKDOWN.finditer(text))
        if len(tables) > 1:
            raise EvidenceError(
                f"{title} has {len(tables)} tables: copy the one that you mean to a file of its own"
            )
        if tables and tables[0][0].strip() != text.strip():
            return "\n" * text.count("\n", 0, tables[0].start()) + tables[0][0]
        return cells_of_latex(text) if "\\\\" in text else None
    except UnicodeDecodeError:
        if _CHINESE.fullmatch(data) and _NO_WORD.search(data):
            return data.decode("gb18030", "replace")
        text = data.decode("cp1252", "replace")
        return None if {"\0", "\ufffd"} & {*text} or _NOT_WESTERN.search(text) else text


def _open_csv(
    path: Path, title: str, *, compressed: Packing, given: Sequence[str] = ()
) -> FileTable:
    text, complete = head_text(path, title, compressed=compressed, most=MAX_LINE)
    if not text.lstrip("\r\n") or text[0] in "\r\n":
        raise EvidenceError(f"line 1 of {title} is empty; it must name the columns")
    try:
        delimiter, _, records = plain_split(split_text(text))
    except csv.Error as error:
        raise EvidenceError(f"{title} is not a CSV file: {error}") from None
    records = records[:FIRST]
    names, header = _column_names(records, given, title)
    records = [record for record in records[int(header) :] if record]
    rows = [record for record in records if len(record) == len(names)]
    # a row too wide may yet be read
    whole = complete and len(rows) == len(records) < FIRST - header
    rows = rows if complete else rows[:-1]
    if not complete and compressed == "none":
        rows += _later_rows(path, delimiter, len(names))
    # strictness is the default; saying strict_mode=true loses every row of a \r\n file (DuckDB 2.0)
    line_end = {"\r\n": r"\r\n", "\r": r"\r"}.get(_line_end(text), r"\n")
    types = ", ".join(f"{literal(f'c{place}')}: 'VARCHAR'" for place in range(len(names)))
    sql = (
        f"read_csv({literal(pattern(path))}, auto_detect=false, "
        f"header={str(header).lower()}, "
        f"new_line={literal(line_end)}, "
        f"delim={literal(delimiter)}, quote='\"', escape='\"', nullstr='', "
        f"max_line_size={MAX_LINE}, compression={literal(compressed)}, "
        f"columns={{{types}}})"
    )
    return FileTable(
        path=path,
        title=title,
        format="csv",
        compressed=compressed,
        names=names,
        fields=tuple((f"c{place}", "text") for place in range(len(names))),
        sql=sql,
        sample=dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {},
        whole=whole,
        delimiter=delimiter,
        header=header,
    )


def _later_rows(path: Path, delimiter: str, width: int) -> list[list[str]]:
    """Records from the middle and the end of a CSV file, which may be sorted by what matters."""
    size = path.stat().st_size
    found: list[list[str]] = []
    with path.open("rb") as stream:
        for start in (size // 2, size - PIECE // 4):
            stream.seek(max(0, start))
            lines = stream.read(PIECE // 4).split(b"\n")[1:-1]  # the first and last may be cut
            text = [line.decode("utf-8", "replace").rstrip("\r") for line in lines[:_LATER]]
            try:
                records = list(csv.reader(text, delimiter=delimiter))
            except csv.Error:
                continue
            found += [record for record in records if len(record) == width]
    return found


def _column_names(
    records: Sequence[Sequence[str]], given: Sequence[str], title: str
) -> tuple[tuple[str, ...], bool]:
    """The names of the columns, and whether the first line held names (then it is no data)."""
    first, *others = records
    numbers = any(number_of(name) is not None for name in first)
    cells = [set(column) for column in zip_longest(*others)]
    new = len(first) - sum(name in column for name, column in zip(first, cells, strict=False))
    named = not first[0] or (any(map(has_role, first)) and (len(first) > 1 or not given))
    again = new <= (len(first) > 1) and not named  # perhaps the id alone is new
    data = numbers or again
    if given:
        if len(given) != len(first):
            raise UsageError(f"names= has {len(given)} names; {title} has {len(first)} columns")
        return checked_names(given, title), not data
    if len(set(first)) < len(first):
        repeated = sorted(name for name, times in Counter(first).items() if times > 1)
        why = f"Its first line ({quoted(first, 20)}) has {quoted(repeated)} more than once."
        raise AmbiguousEvidence([which_names(title, len(first), why)])
    if data and (again or all(number_of(name) is not None for name in first)):
        held = "numbers" if numbers else "values of other lines"
        why = f"Its first line holds {held} ({quoted(first, 20)})."
        raise AmbiguousEvidence([which_names(title, len(first), why)])
    return checked_names(spaced_names(first), title), True


def _line_end(text: str) -> str:
    """What ends the header, quotes respected: DuckDB finds no rows where it guesses wrong."""
    inside = False
    for place, mark in enumerate(text):
        if mark == '"':
            inside = not inside
        elif mark in "\r\n" and not inside:
            return "\r\n" if text[place : place + 2] == "\r\n" else mark
    return "\n"


def _open_parquet(path: Path, title: str, run: Run) -> FileTable:
    files = ", ".join(literal(pattern(file)) for file in parts_of(path))
    # a folder may keep a column in the names of its folders (country=DE), as Spark writes it
    sql = f"read_parquet([{files}], hive_partitioning={str(path.is_dir()).lower()})"
    try:
        described = _described(path, sql, run)
    except EvidenceError as error:
        reason = str(error).removeprefix("the data cannot be read: ")
        raise EvidenceError(f"{title} cannot be read as Parquet: {reason}") from None
    names = tuple(described)
    if len(names) > MAX_COLUMNS:
        raise EvidenceError(f"{title} has {plural(len(names), 'column')}; at most {MAX_COLUMNS:,}")
    return FileTable(
        path=path,
        title=title,
        format="parquet",
        compressed="none",
        names=names,
        fields=tuple((identifier(name), column_type(kind)) for name, kind in described.items()),
        sql=sql,
        sample=None,
    )


def _described(path: Path, sql: str, run: Run) -> dict[str, str]:
    """Types of the columns by name; a file that is read again, and is the same, is not asked again."""
    facts = None if path.is_dir() else path.stat()
    known = {} if facts is None else _kept(path, facts.st_ino, facts.st_mtime_ns, facts.st_size)
    if not known:
        known.update(run(f"select * from {sql} limit 0").columns())  # noqa: S608
    return known


@lru_cache(maxsize=16)
def _kept(path: Path, *facts: int) -> dict[str, str]:  # noqa: ARG001
    """Room for what is known of a file, told from a changed one by these facts."""
    return {}
