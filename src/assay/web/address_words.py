"""What an address may say, on any page, and what is said of words that no page knows."""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache

from assay.compare import guide
from assay.core.formatting import clean, listed, shorten
from assay.web import study_form
from assay.web.page_state import ANSWER, ASKING, EXPLORING, LISTS, READING, SAME
from assay.web.simulation_presets import SCENES

_OTHERS = (
    *(
        "table",
        "name",
        "narrow",
        "show",
        "correction",
        "aggregate",
        "filter",
        "kind",
        "dataset",
        "by",
    ),
    *("people", "judge", "predictions", "leave", "bias", "chosen"),
    *study_form.TEXTS,
    *study_form.LISTS,
    *("scene", "n", "difference", "discordant", "sd", "search", "question", "step"),
)
_STARTS = (
    *(ANSWER, "utm_", "fbclid", "gclid", "_"),
    *(f"{name}-" for name in ("target", "task", "groups", "ignore", "known")),
)
"""How names begin of answers to questions, of what links get on their way, and of what is said of a study's file."""
MOST = 60


def strangers(pairs: Iterable[tuple[str, str]]) -> str:
    """What is said of names that no page knows; nothing where there are none."""
    known = known_names()
    unknown = [
        name
        for name, _ in pairs
        if name not in known and not name.startswith(_STARTS) and name.strip()
    ]
    if not unknown:
        return ""
    told = listed((f"“{shorten(clean(name), MOST)}”" for name in dict.fromkeys(unknown)), most=3)
    close = [
        get_close_matches(name[:MOST], sorted(known), n=1, cutoff=0.75) for name in unknown[:1]
    ]
    hint = f" Did you mean “{close[0][0]}”?" if close[0] and len(set(unknown)) == 1 else ""
    return f"The address says {told}, which no page knows. It was left out.{hint}"


@cache
def known_names() -> frozenset[str]:
    """Every name that some page reads in its address."""
    knobs = {knob.name for scene in SCENES for knob in scene.knobs}
    choices = {scene.choice[0] for scene in SCENES if scene.choice is not None}
    asked = {one.key for one in guide.questions()}
    return frozenset({
        *READING, *LISTS, *ASKING, *EXPLORING, *SAME, *_OTHERS, "unit", "level", *knobs, *choices, *asked,
    })  # fmt: skip
