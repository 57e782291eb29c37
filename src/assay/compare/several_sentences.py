"""The words of several comparisons that were decided together."""

from collections.abc import Sequence
from dataclasses import replace

from assay.compare.verdict import ahead_first
from assay.core.formatting import listed, shown_percent, write_estimate
from assay.core.results import Comparison, Verdict
from assay.core.vocabulary import TURNED

MOST_SLICES = 8
"""Slices that a summary names for each word; the table has all."""


def summary_of(
    parts: Sequence[Comparison], sliced_by: str | None, level: float, questions: int
) -> str:
    """What was found in each measure, then in the slices, then what holds it together."""
    whole = [part for part in parts if part.slice is None]
    sentences = [_overall(whole)]
    if sliced_by is not None:
        sentences += [_in_slices(parts, measure, sliced_by) for measure in _measures(parts)]
    sentences.append(held_sentence(parts, level, questions))
    return " ".join(filter(None, sentences))


def _overall(whole: Sequence[Comparison]) -> str:
    if len(whole) == 1:
        return whole[0].sentence
    if any(len(part.verdicts) != 1 for part in whole):
        return " ".join(f"By {part.measure}: {part.sentence}" for part in whole)
    seen = [(f"{part.measure}{_size(part)}", ahead_first(part, part.verdict)) for part in whole]
    rivals = {part.verdicts[0].b for part in whole}
    rival = rivals.pop() if len(rivals) == 1 else "chance"  # each measure has a chance of its own
    if rival == "chance":
        seen = [(name, replace(verdict, b=rival)) for name, verdict in seen]
    pair = f"{whole[0].verdicts[0].a} and {rival}"
    clauses = []
    for (ahead, behind, word), names in _grouped(seen).items():
        if word in TURNED:
            clauses.append(f"{ahead} is {word} than {behind} in {names}")
        elif word == "equivalent":
            clauses.append(f"{pair} are equivalent in {names}")
        else:
            between = f" between {pair}" if not clauses else ""
            clauses.append(f"{'no' if clauses else 'No'} clear difference{between} in {names}")
    return f"{'; '.join(clauses)}."


def second_leads(parts: Sequence[Comparison]) -> bool:
    """Whether the second model of the one pair is ahead in the first question that is decided."""
    decided = [part for part in parts if part.verdicts[0].word in TURNED]
    first = (decided or parts)[0]
    return ahead_first(first, first.verdict).a != first.verdicts[0].a


def _size(part: Comparison) -> str:
    """By how much a pair differs, where there is a difference; a level is no second model."""
    verdict = part.verdicts[0]
    if verdict.word not in TURNED or verdict.outcome.null:
        return ""
    effect = verdict.outcome.effect
    written = write_estimate(effect, null=0.0, margin=verdict.margin).value
    return f" (by {written.lstrip('−')})"


def _in_slices(parts: Sequence[Comparison], measure: str, sliced_by: str) -> str:
    """One pair: who is better in which slices; many models: how many pairs differ."""
    inside = [part for part in parts if part.slice is not None and part.measure == measure]
    if not inside:
        return ""
    several = f" by {measure}" if len(_measures(parts)) > 1 else ""
    if all(len(part.verdicts) == 1 for part in inside):
        seen = [(str(part.slice), ahead_first(part, part.verdict)) for part in inside]
        said = "; ".join(
            f"{ahead} is {word} in {names}"
            if word in TURNED
            else f"{'no clear difference' if word == 'undecided' else word} in {names}"
            for (ahead, _, word), names in _grouped(seen).items()
        )
        return f"In slices of {sliced_by}{several}: {said}."
    different = sum(verdict.different for part in inside for verdict in part.verdicts)
    total = sum(len(part.verdicts) for part in inside)
    return (
        f"In slices of {sliced_by}{several}: {different:,} of {total:,} pairs differ significantly."
    )


def _grouped(seen: Sequence[tuple[str, Verdict]]) -> dict[tuple[str, str, str], str]:
    """Where each verdict was found, the decided ones first: (model ahead, the other, word) to names."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for name, verdict in sorted(seen, key=lambda one: one[1].word not in TURNED):
        decided = verdict.word in TURNED
        key = (verdict.a, verdict.b, verdict.word) if decided else ("", "", verdict.word)
        groups.setdefault(key, []).append(name)
    return {key: listed(names, most=MOST_SLICES) for key, names in groups.items()}


def held_sentence(parts: Sequence[Comparison], level: float, questions: int) -> str:
    """What keeps the family-wise error rate, where there are several comparisons."""
    if questions < 2:
        return ""
    by = {"holm": "Holm's correction", "max-t": "The simultaneous (max-t) adjustment"}
    share = shown_percent(round(1 - level, 12))
    return (
        f"{by.get(parts[0].adjustment, 'A correction')} over the {questions:,} comparisons keeps the family-wise error "
        f"rate at {share}."
    )


def _measures(parts: Sequence[Comparison]) -> list[str]:
    return list(dict.fromkeys(part.measure for part in parts))
