"""Scores by query as `trec_eval -q` prints them: measure, query, value."""

import re
from functools import partial
from pathlib import Path

from assay.core.errors import EvidenceError
from assay.evidence.readers.log_files import lines_of
from assay.evidence.readers.log_items import Item, Log, LogRun, Wanted, chosen_metric, score_of

_LINE = re.compile(rb"(?P<measure>[A-Za-z][\w.@]*)\s+(?P<query>\S+)\s+(?P<value>\S+)\s*")
_KNOWN = re.compile(
    rb"(?:map|ndcg|P_|recip_rank|Rprec|bpref|recall_|set_|gm_map|infAP|success_|num_|11pt|iprec|relstring|utility|runid)"
)
_COUNTS = ("num_", "runid", "relstring")
"""What trec_eval prints beside measures."""


def is_trec(head: bytes) -> bool:
    """Whether the first lines are those of trec_eval, with its measures and for single queries."""
    lines = [line for line in head.split(b"\n")[:12] if line.strip()]
    found = [_LINE.fullmatch(line.strip()) for line in lines[:-1] or lines]
    return bool(found) and all(one is not None and _KNOWN.match(one["measure"]) for one in found)


def find(path: Path, title: str) -> list[Log]:
    """One run; it is named after its file."""
    stem = path.name.split(".")[0]
    read = partial(_read, path, title)
    return [Log(path=path, title=title, harness="trec_eval", model=stem, task="queries", read=read)]


def _read(path: Path, title: str, wanted: Wanted) -> LogRun:
    scores: dict[str, dict[str, str]] = {}
    for number, line in lines_of(path, title):
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise EvidenceError(f"line {number} of {title} is not measure, query and value")
        measure, query, value = (
            found[one].decode("utf-8", "replace") for one in ("measure", "query", "value")
        )
        if query != "all" and not measure.startswith(_COUNTS):
            scores.setdefault(measure, {})[query] = value
    if not scores:
        raise EvidenceError(f"{title} has no scores of single queries: run trec_eval with -q")
    metric, notes = chosen_metric(wanted.metric, list(scores), title)
    items = []
    for query, value in scores[metric].items():
        score, why = score_of(value, f"query {query} of {title}")
        items.append(Item(id=query, score=score, content=f"query {query}", why=why))
    return LogRun(metric=metric, items=tuple(items), notes=notes)
