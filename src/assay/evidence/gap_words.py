"""Words and messages that stand where a value is not there: timeout, pending, not labelled."""

import re

from assay.evidence.cell_text import MISSING_WORDS

GAPS = MISSING_WORDS | {
    *("—", "–", "--", "---", "n.a.", "na.", "fail", "failed", "timeout", "oom", "error", "err"),
    *("unknown", "n.d.", "n. d.", "nd", "k.a.", "k. a.", "invalid", "not tested", "not done"),
    *("not available", "refused", "refuse", "declined", "qns", "unsure", "abstain", "abstained"),
    *("pending", "queued", "running", "to do", "todo", "tbd", "tba"),
    *("no answer", "no response", "don't know", "dont know", "dk", "indeterminate", "inconclusive"),
    *("uninterpretable", "not applicable", "crash", "crashed", "dnf", "time out", "timed out"),
    *("t/o", "tle", "mem", "memout", "x", "nat", "<na>", "#n/a", "#div/0!", "#value!", "#num!"),
}
"""Words for a number that is not there."""
UNGRADED = frozenset({
    "", "nan", "na", "n/a", "#n/a", "null", "<na>", "nat", "-", "--", "?", "not labelled", "not labeled", "unlabelled",
    "unlabeled", "not graded", "not rated", "not annotated",
})  # fmt: skip
"""What people write where nobody graded an item."""
_FAILURE = re.compile(
    r"(?:api ?)?(?:error|exception|traceback|timeout|failed)\s*+[:(\[]", re.IGNORECASE
)
"""How a message stands where an answer was due: Error: rate limit."""


def stands_for_nothing(text: str) -> bool:
    """Whether a word or a message stands where a value is not there: timeout, Error: rate limit."""
    word = text.strip().lower()
    return word in GAPS or _FAILURE.match(word) is not None
