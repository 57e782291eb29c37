"""The words of several comparisons that were decided together."""

from collections.abc import Sequence

from assay.core.number_formatting import shown_percent
from assay.core.results import Comparison
from assay.core.text_formatting import listed, write_estimate
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
    if all(len(part.verdicts) == 1 for part in whole):
        first = whole[0].verdicts[0]
        rivals = {part.verdicts[0].b for part in whole}
        rival = first.b if len(rivals) == 1 else "chance"  # each measure has a chance of its own
        words = dict.fromkeys(part.verdicts[0].word for part in whole)
        sized = [(f"{part.measure}{_size(part)}", part.verdicts[0].word) for part in whole]
        if len(words) == 1 and first.word in TURNED:
            names = listed([name for name, _ in sized], most=MOST_SLICES)
            return f"{first.a} is {first.word} than {rival} in {names}."
        return f"{first.a} against {rival}: {_by_word(sized)}."
    return " ".join(f"By {part.measure}: {part.sentence}" for part in whole)


def _size(part: Comparison) -> str:
    """By how much a pair differs, where there is a difference; a level is no second model."""
    verdict = part.verdicts[0]
    if verdict.word not in TURNED or verdict.outcome.null:
        return ""
    effect = verdict.outcome.effect
    written = write_estimate(effect, null=0.0, margin=verdict.margin).value
    return f" (by {written.lstrip('−')})"


def _in_slices(parts: Sequence[Comparison], measure: str, sliced_by: str) -> str:
    """One pair: the word in each slice; many models: who is best in each."""
    inside = [part for part in parts if part.slice is not None and part.measure == measure]
    if not inside:
        return ""
    several = f" by {measure}" if len(_measures(parts)) > 1 else ""
    if all(len(part.verdicts) == 1 for part in inside):
        words = _by_word([(str(part.slice), part.verdicts[0].word) for part in inside])
        return f"In slices of {sliced_by}{several}: {words}."
    different = sum(verdict.different for part in inside for verdict in part.verdicts)
    total = sum(len(part.verdicts) for part in inside)
    return (
        f"In slices of {sliced_by}{several}: {different:,} of {total:,} pairs differ significantly."
    )


def _by_word(found: Sequence[tuple[str, str]]) -> str:
    groups: dict[str, list[str]] = {}
    for name, word in found:
        groups.setdefault(word, []).append(name)
    said = {"undecided": "no clear difference"}
    return "; ".join(
        f"{said.get(word, word)} in {listed(names, most=MOST_SLICES)}"
        for word, names in groups.items()
    )


def held_sentence(parts: Sequence[Comparison], level: float, questions: int) -> str:
    """What keeps the family-wise error rate, where there are several comparisons."""
    if questions < 2:
        return ""
    by = {"holm": "Holm's correction", "max-t": "Simultaneous intervals (max-t)"}
    share = shown_percent(round(1 - level, 12))
    return (
        f"{by.get(parts[0].adjustment, 'A correction')} over the {questions:,} comparisons keeps the family-wise error "
        f"rate at {share}."
    )


def _measures(parts: Sequence[Comparison]) -> list[str]:
    return list(dict.fromkeys(part.measure for part in parts))
