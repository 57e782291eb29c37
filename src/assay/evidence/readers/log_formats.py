"""Which reader is for which file or folder, recognised by content."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.sqlite_files import MAGIC
from assay.evidence.folders import files_of
from assay.evidence.readers import (
    every_eval_ever,
    experiments,
    exported_answers,
    helm,
    inspect_logs,
    langsmith,
    lighteval,
    lm_eval,
    openml,
    pass_at_k,
    run_tables,
    sklearn_results,
    trec,
    wandb_log,
    weka,
)
from assay.evidence.readers.arff import header_names, is_arff
from assay.evidence.readers.file_tables import ZIP
from assay.evidence.readers.log_files import MAX_LINE, head_of
from assay.evidence.readers.log_items import Log

READERS: dict[str, Callable[[Path, str], list[Log]]] = {
    "lm-evaluation-harness": lm_eval.find,
    "Inspect": inspect_logs.find,
    "HELM": helm.find,
    "Every Eval Ever": every_eval_ever.find,
    "pass@k": pass_at_k.find,
    "lighteval": lighteval.find,
    "trec_eval": trec.find,
    **{tool: partial(exported_answers.find, tool=tool) for tool in exported_answers.ANSWERS},
}
TABLES: dict[str, Callable[..., list[dict[str, Any]]]] = {
    "Weka": weka.records,
    "scikit-learn": sklearn_results.records_of_file,
    **{tool: partial(experiments.records, tool=tool) for tool in experiments.TOOLS},
}
"""Formats of scores by fold or data set."""
PREDICTIONS = "OpenML"

_LINES: dict[str, tuple[set[str], set[str]]] = {
    "lm-evaluation-harness": ({"doc_id"}, {"filtered_resps", "resps"}),
    "Every Eval Ever": ({"evaluation_id", "sample_id", "evaluation"}, {"evaluation_name"}),
    "pass@k": ({"task_id", "passed"}, {"passed"}),
    "trec_eval": (trec.LINE, trec.LINE),
    **exported_answers.LINES,
}
"""Keys of a line: all of the first set, and one of the second."""
_DOCUMENTS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("pass@k", (rb'^\s*\{\s*"date"\s*:', rb'"eval"\s*:\s*\{', rb'"base_status"\s*:')),
    ("Inspect", (rb'^\s*\{\s*"version"\s*:\s*\d+\s*,', rb'"eval"\s*:\s*\{')),
    (
        "Every Eval Ever",
        (rb'"evaluation_id"\s*:', rb'"(?:evaluation_results|eval_library|model_info)"\s*:'),
    ),
    ("HELM", (rb"^\s*\[\s*\{", rb'"instance_id"\s*:', rb'"stats"\s*:')),
    ("lm-evaluation-harness", (rb'^\s*\[\s*\{\s*"doc_id"\s*:', rb'"doc"\s*:')),
    *exported_answers.DOCUMENTS,
    ("trec_eval", (trec.DOCUMENT,)),
    (
        "lm-evaluation-harness",
        (rb'^\s*\{\s*"results"\s*:\s*\{', rb'"(?:alias|[^",]+,[^"]+|[a-z0-9_]+_stderr)"\s*:'),
    ),
)
"""What the beginning of a JSON document must hold."""
_ENDINGS = (".jsonl", ".jsonl.gz", ".json", ".eval", ".parquet")
_SUMMARISED = {"lm-evaluation-harness", "Every Eval Ever"}
"""Harnesses whose JSON documents are summaries of files beside them."""


def recognise(path: Path) -> str | None:
    """The harness or tool that wrote a file, None where it is an ordinary table or unknown."""
    head = head_of(path) if path.is_file() else b""
    if head.startswith(ZIP):
        first = head[30 : 30 + int.from_bytes(head[26:28], "little")].decode("utf-8", "replace")
        known = path.suffix == ".eval" or inspect_logs.MEMBERS.fullmatch(first)
        return "Inspect" if known else None
    if head.startswith(b"PAR1"):
        return _by_footer(path)
    if head.lstrip().startswith((b"{", b"[")):
        return _by_line(head, path) or _by_document(head, path)
    if head.startswith(MAGIC):
        return experiments.of_database(path)
    if head.startswith(wandb_log.MAGIC):
        return "W&B"
    names = header_names(head)
    if trec.is_trec(head):
        return "trec_eval"
    if langsmith.is_langsmith(names):
        return "LangSmith"
    runs = run_tables.of_columns(names)
    if runs is not None:
        return runs
    if names >= weka.COLUMNS:
        return "Weka"
    if names >= openml.COLUMNS and is_arff(head):
        return PREDICTIONS
    return "scikit-learn" if sklearn_results.is_dump(names) else None


def _by_footer(path: Path) -> str | None:
    """The tool whose columns the footer of a Parquet file names."""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - 8))
        size = int.from_bytes(stream.read(4), "little")
        stream.seek(max(0, path.stat().st_size - 8 - size))
        footer = stream.read(min(size, 2**22))
    if all(word in footer for word in (b"model_response", b"metric", b"doc")):
        return "lighteval"
    return "scikit-learn" if sklearn_results.is_parquet(footer) else None


def _by_line(head: bytes, path: Path) -> str | None:
    """The harness whose lines have these keys, judged by the first line."""
    line = head.split(b"\n", 1)[0]
    if b"\n" not in head and path.name.endswith((".jsonl", ".jsonl.gz")):
        line = head_of(path, MAX_LINE).split(b"\n", 1)[0]  # documents can be long
    try:
        keys = set(msgspec.json.decode(line, type=dict[str, msgspec.Raw]))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        if not re.search(rb"\b(?:NaN|Infinity)\b|\\u[dD][89a-fA-F]", line):  # see log_files.decoded
            return None
        keys = {key.decode() for key in re.findall(rb'"([a-z_]{1,40})"\s*:', line)}
    for name, (every, some) in _LINES.items():
        if every <= keys and some & keys:
            return name
    return None


def _by_document(head: bytes, path: Path) -> str | None:
    for name, patterns in _DOCUMENTS:
        if all(re.search(pattern, head) for pattern in patterns):
            return name
    runs = experiments.of_document(head)
    if runs is not None:
        return runs
    return "scikit-learn" if sklearn_results.is_document(head, path) else None


def known_files(path: Path) -> list[tuple[Path, str]]:
    """A file, or the files inside a folder, that some reader knows, with its kind.

    In a folder only files of items count: summaries would bring in the same items again. Links to
    folders are not followed.
    """
    if not path.is_dir():
        kind = recognise(path)
        return [] if kind is None else [(path, kind)]
    runs = experiments.of_folder(path)
    if runs is not None:
        return [(path, runs)]
    found = []
    for file in files_of(path):
        kind = recognise(file) if file.name.endswith(_ENDINGS) else None
        if kind in READERS and not (file.suffix == ".json" and kind in _SUMMARISED):
            found.append((file, str(kind)))
    return found
