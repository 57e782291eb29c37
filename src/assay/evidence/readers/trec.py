"""Scores by query: what `trec_eval -q` and `ir_measures -q` print, and what pytrec_eval gives as JSON."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError
from assay.evidence.readers.log_files import decoded, document, head_of, lines_of
from assay.evidence.readers.log_items import Log, LogAnswer, LogRequest, LogRun, run_of

_MEASURE = rb"(?P<measure>[A-Za-z0-9][\w.@()=,/']*)"
_QUERY = rb"(?P<query>\S+)"
_LINE = re.compile(rb"\s+".join((_MEASURE, _QUERY, rb"(?P<value>\S+)")))
_QUERY_FIRST = re.compile(rb"\t".join((_QUERY, _MEASURE, rb"(?P<value>-?[\d.]+(?:e-?\d+)?|nan)")))
"""As ir_measures has it."""
_RUN = re.compile(rb"\S+\s+Q0\s+\S+\s+\d+\s+[-+.\deE]+\s+\S+")
"""A ranked document, which trec_eval reads and does not write."""
_KNOWN = (
    rb"(?:map|ndcg|P_|recip_rank|Rprec|bpref|recall_|set_|gm_map|infAP|success_|num_|11pt|iprec|relstring|utility|runid"
    rb"|Rndcg|binG|relative_|rbp|unj_|gm_bpref)"
)
_KNOWN_LINE = re.compile(_KNOWN)
_NAMED = re.compile(
    rb"(?:n?DCG|AP|MAP|R?R(?:prec)?|P|Recall|Precision|ERR(?:_IA)?|RBP|Success|Judged|Bpref|infAP|Set\w*|NumRet|NumQ"
    rb"|NumRel|NERR\d+|alpha_\w+|INST|BPM|SDCG|Compat|IPrec|Accuracy|NRBP|nNRBP|P_IA|STREC)(?:[@(].*)?"
)
DOCUMENT = rb'^\s*\{\s*"[^"]*"\s*:\s*\{\s*"' + _KNOWN + rb'[\w.]*"\s*:\s*-?[\d.]'
"""How the JSON of pytrec_eval begins: a query, and in it a measure with its value."""
LINE = {"query_id", "measure", "value"}
"""Keys of a line of `ir_measures -o jsonl`."""
_COUNTS = ("num_", "runid", "relstring", "Num")
"""What is printed beside measures."""


def is_trec(head: bytes) -> bool:
    """Whether the first lines are scores by query with known measures, or ranked documents."""
    lines = [line.strip() for line in head.split(b"\n")[:12] if line.strip()]
    lines = lines[:-1] or lines
    return bool(lines) and any(
        all(one is not None and known(one) for one in map(form.fullmatch, lines))
        for form, known in (
            (_LINE, lambda one: _KNOWN_LINE.match(one["measure"])),
            (_QUERY_FIRST, lambda one: _NAMED.fullmatch(one["measure"])),
            (_RUN, bool),
        )
    )


def find(path: Path, title: str) -> list[Log]:
    """One run; it is named after its file."""
    stem = path.name.split(".")[0]
    read = partial(_read, path, title)
    return [Log(path=path, title=title, harness="trec_eval", model=stem, task="queries", read=read)]


def _read(path: Path, title: str, wanted: LogRequest) -> LogRun:
    scores: dict[str, dict[str, Any]] = {}
    for measure, query, value in _rows(path, title):
        if query != "all" and not measure.startswith(_COUNTS):
            scores.setdefault(query, {})[measure] = value
    if not scores:
        raise EvidenceError(f"{title} has no scores of single queries: run trec_eval with -q")
    answers = [
        LogAnswer(query, found, f"query {query}", place=f"query {query}")
        for query, found in scores.items()
    ]
    return run_of(answers, title, wanted, higher=True)


def _rows(path: Path, title: str) -> Iterator[tuple[str, str, Any]]:
    """Measure, query and value of every line, or of every query of a document."""
    head = head_of(path).lstrip()
    if re.match(DOCUMENT, head):
        for query, found in document(path, title, dict[str, dict[str, Any]]).items():
            for measure, value in found.items():
                yield measure, query, value
        return
    first = head.split(b"\n", 1)[0].strip()
    form = _QUERY_FIRST if _is_query_first(first) else _LINE
    for number, line in lines_of(path, title):
        text = line.strip()
        if head.startswith(b"{"):
            row: dict[str, Any] = decoded(text, dict[str, Any], f"line {number} of {title}")
            yield str(row.get("measure")), str(row.get("query_id")), row.get("value")
            continue
        if _RUN.fullmatch(text):
            raise EvidenceError(
                f"{title} ranks documents and has no scores. Score it with relevance judgements, "
                f"`trec_eval -q QRELS {path.name} > {path.stem}.txt`, and give that file"
            )
        matched = form.fullmatch(text)
        if matched is None:
            raise EvidenceError(f"line {number} of {title} is not measure, query and value")
        measure, query, value = (
            matched[one].decode("utf-8", "replace") for one in ("measure", "query", "value")
        )
        yield measure, query, value


def _is_query_first(line: bytes) -> bool:
    """Whether a line is one of ir_measures: the query stands before the measure."""
    found = _QUERY_FIRST.fullmatch(line)
    return found is not None and _NAMED.fullmatch(found["measure"]) is not None
