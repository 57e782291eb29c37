"""The advice of the choosing guide in words, for the terminal."""

from assay.compare.guide import Advice
from assay.report.labelled_lines import WIDEST, labelled


def advice_text(advice: Advice, *, width: int = WIDEST) -> str:
    """The advice as lines for the terminal."""
    facts = (
        ("Use", (f"{advice.method}: {advice.question}",)),
        ("Why", (advice.reason,)),
        ("Also shown", advice.beside),
        ("Refused", advice.refused),
        ("Assumes", advice.assumes),
        ("Applies to", (advice.speaks_about,)),
        ("Limits", (advice.does_not_say,)),
        ("Command", (advice.command,)),
        ("Python", (advice.call,)),
        ("Docs", (advice.docs,)),
    )
    lines = ((label, text) for label, texts in facts for text in texts)
    return labelled(lines, width=width, whole=("Command", "Python"))
