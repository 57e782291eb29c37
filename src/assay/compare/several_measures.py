"""Several measures and slices in one comparison: every question of the family decided together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.compare.choose import Rule, choose
from assay.compare.comparison_result import assumed, comparison_of
from assay.compare.design import Design, read_design
from assay.compare.findings import Findings, Settings
from assay.compare.item_procedures import clusters_at_once, labels_at_once, simultaneous_findings
from assay.compare.multivariate_tests import joint_tests
from assay.compare.score_gaps import gap_notes
from assay.compare.several_sentences import summary_of
from assay.core.checks import check_margin
from assay.core.errors import EvidenceError, UsageError
from assay.core.notes import Note, note
from assay.core.results import Choice, Comparison, Comparisons, TestOutcome
from assay.core.rng import stream
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.scores import Scores
from assay.evidence.slices import slices_of
from assay.hypotheses.pair_families import adjusted_p_values, pair_levels
from assay.hypotheses.simultaneous import (
    Member,
    check_defined,
    families_of,
    joint_replicates,
    member_of,
    pairs_of,
)
from assay.hypotheses.simultaneous_labels import label_members
from assay.kernels.tails import alpha_of

Evidence = Predictions | Unpaired | Scores
Margins = float | Mapping[str, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPart:
    """One measure on the whole evidence or on a slice of it."""

    slice: str | None
    design: Design
    rule: Rule
    choice: Choice
    found: Findings

    def tested(self, levels: Sequence[float], settings: Settings) -> Sequence[TestOutcome]:
        """The test of every pair by itself, each at a level of its own."""
        if self.found.retest is not None:
            return self.found.retest(levels)
        return [self._test(place, level, settings) for place, level in enumerate(levels)]

    def _test(self, place: int, level: float, settings: Settings) -> TestOutcome:
        a, b, _ = self.found.pairs[place]
        if self.found.test is not None:
            return self.found.test(a, b, level)
        return self.rule.run(self.design, replace(settings, level=level)).pairs[place][2]


def compare_together(
    evidence: Evidence,
    measures: Sequence[Any],
    settings: Settings,
    *,
    margin: Margins,
    sliced_by: str | None,
    **options: Any,
) -> Comparisons:
    """One comparison for each measure and slice, adjusted over all of their pairs."""
    _check_measures(measures)
    pieces: dict[str | None, Evidence] = {None: evidence}
    if sliced_by is not None:
        pieces.update(slices_of(evidence))
    parts: list[MeasuredPart] = []
    left_out: list[Note] = []
    for name, piece in pieces.items():
        for measure in measures:
            try:
                parts.append(part_of(piece, name, measure, margin, settings, options))
            except EvidenceError as error:
                left_out.append(_left_out(name, error))
    _check_margins(margin, parts)
    parts, compared = decided_together(parts, settings, left_out)
    questions = sum(len(part.found.pairs) for part in parts)
    joint, refused = joint_tests(
        [part.design for part in parts if part.slice is None], level=settings.level
    )
    return Comparisons(
        evidence=evidence.summary(),
        parts=compared,
        level=settings.level,
        baseline=options["baseline"],
        adjustment=parts[0].found.adjustment,
        questions=questions,
        sentence=summary_of(compared, sliced_by, settings.level, questions),
        does_not_say=parts[0].design.does_not_say,
        sliced_by=sliced_by,
        joint=joint,
        notes=tuple(dict.fromkeys([*left_out, *refused, *_notes(parts)])),
        seed=settings.seed,
    )


def decided_together(
    parts: list[MeasuredPart], settings: Settings, left_out: list[Note]
) -> tuple[list[MeasuredPart], tuple[Comparison, ...]]:
    """The parts with the pairs of all of them adjusted as one family, and their comparisons."""
    if by_max_t(parts[0].design):
        parts = _with_max_t(parts, settings, left_out)
    else:
        parts = _with_holm(parts, settings)
    questions = sum(len(part.found.pairs) for part in parts)
    return parts, tuple(_compared(part, settings, questions) for part in parts)


def _check_measures(measures: Sequence[Any]) -> None:
    if not measures:
        raise UsageError("give at least one measure, such as accuracy or f1")
    names = [str(one) for one in measures]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"measure {twice} is named twice")


def part_of(
    piece: Evidence,
    name: str | None,
    measure: Any,
    margin: Margins,
    settings: Settings,
    options: dict[str, Any],
) -> MeasuredPart:
    """One measure on one body of evidence, tested but not yet adjusted."""
    design = read_design(piece, measure=measure, **options)
    if isinstance(margin, Mapping):
        own = margin.get(design.measure.called, margin.get(design.measure.name))
    else:
        own = margin
    design = read_design(piece, measure=measure, margin=check_margin(own), **options)
    rule, choice = choose(design)
    if by_max_t(design):  # drawn once, for all measures together
        found = Findings(pairs=(), adjustment="max-t")
    else:
        found = rule.run(design, settings)
    return MeasuredPart(slice=name, design=design, rule=rule, choice=choice, found=found)


def _check_margins(margin: Margins, parts: Sequence[MeasuredPart]) -> None:
    if not isinstance(margin, Mapping):
        return
    compared = {part.design.measure.called for part in parts}
    known = compared | {part.design.measure.name for part in parts}
    unknown = [name for name in margin if name not in known]
    if unknown:
        raise UsageError(
            f"a margin for {', '.join(map(str, unknown))}, which is not compared; measures are "
            f"{', '.join(sorted(compared))}"
        )


def by_max_t(design: Design) -> bool:
    return design.kind == "many" and design.unit == "item"


def _left_out(name: str | None, error: EvidenceError) -> Note:
    """What stands in the place of a slice that cannot be compared; the whole must be."""
    if name is None:
        raise error
    return note("slice-left-out", slice=name, why=error)


def _with_holm(parts: list[MeasuredPart], settings: Settings) -> list[MeasuredPart]:
    """Holm over the pairs of all parts, each interval at the level of its own step."""
    outcomes = [one for part in parts for _, _, one in part.found.pairs]
    alone = [_p_alone(one) for one in outcomes]
    defined = [place for place, p in enumerate(alone) if p is not None]
    p = np.array([alone[place] for place in defined], dtype=np.float64)
    steps: dict[int, tuple[float, float]] = {}
    if defined:
        levels, _ = pair_levels(p, "holm", alpha_of(settings.level))
        adjusted = adjusted_p_values(p, "holm")
        pairs = zip(levels.tolist(), adjusted.tolist(), strict=True)
        steps = dict(zip(defined, pairs, strict=True))
    decided, place = [], 0
    for part in parts:
        own = [steps.get(place + pair) for pair in range(len(part.found.pairs))]
        at = [settings.level if step is None else 1.0 - step[0] for step in own]
        tested = part.tested(at, settings)
        found = [
            (a, b, one if step is None else _at_step(again, *step, settings.level))
            for (a, b, one), again, step in zip(part.found.pairs, tested, own, strict=True)
        ]
        place += len(own)
        held = "holm" if len(outcomes) > 1 else part.found.adjustment
        decided.append(
            replace(part, found=replace(part.found, pairs=tuple(found), adjustment=held))
        )
    return decided


def _p_alone(outcome: TestOutcome) -> float | None:
    """The p-value of a pair by itself, before any adjustment within its part."""
    before = dict(outcome.details).get("p_unadjusted")
    return before if isinstance(before, float) else outcome.p_value


def _at_step(found: TestOutcome, own: float, p_value: float, level: float) -> TestOutcome:
    """A pair tested again at the level of its step, with its adjusted p-value."""
    effect = found.effect
    interval = effect.interval and replace(effect.interval, level=level)
    again = ("p_unadjusted", "individual_level", "p_adjusted")
    return replace(
        found,
        p_value=p_value,
        effect=replace(effect, interval=interval),
        details=(
            ("p_unadjusted", _p_alone(found)),
            ("individual_level", 1.0 - own),
            *(one for one in found.details if one[0] not in again),
        ),
    )


def _with_max_t(
    parts: list[MeasuredPart], settings: Settings, left_out: list[Note]
) -> list[MeasuredPart]:
    """One multiplier for the pairs of all measures and slices; slices without one are left out.

    Label measures of one body of evidence are drawn together, others on their own.
    """
    kept: list[MeasuredPart] = []
    for part in parts:
        try:
            check_defined(part.design.items, part.design.measure)
            kept.append(part)
        except EvidenceError as error:
            left_out.append(_left_out(part.slice, error))
    members: dict[int, Member] = {}
    for places in _drawn_together(kept):
        first = places[0]
        seed = settings.seed if first == 0 else int(stream(settings.seed, first).integers(2**32))
        try:
            found = _members([kept[place] for place in places], settings.n_resamples, seed)
        except EvidenceError as error:
            left_out.append(_left_out(kept[first].slice, error))
            continue
        members.update(zip(places, found, strict=True))
    families = families_of([members[place] for place in sorted(members)], level=settings.level)
    return [
        replace(kept[place], found=simultaneous_findings(kept[place].design, settings, family))
        for place, family in zip(sorted(members), families, strict=True)
    ]


def _drawn_together(parts: Sequence[MeasuredPart]) -> list[list[int]]:
    """Places of parts by the draws they share: label measures of one body of evidence."""
    groups: dict[tuple[int, int], list[int]] = {}
    for place, part in enumerate(parts):
        alone = 0 if part.rule.run is labels_at_once else place + 1
        groups.setdefault((id(part.design.evidence), alone), []).append(place)
    return list(groups.values())


def _members(parts: Sequence[MeasuredPart], n_resamples: int, seed: int) -> list[Member]:
    evidence = parts[0].design.items
    pairs = pairs_of(evidence.models, parts[0].design.baseline)
    measures = [part.design.measure for part in parts]
    if parts[0].rule.run is labels_at_once:
        return label_members(evidence, measures, pairs, n_resamples, seed)
    if parts[0].design.of_means:
        from assay.compare.mean_families import mean_member

        return [mean_member(parts[0].design, pairs, n_resamples=n_resamples, seed=seed)]
    if parts[0].rule.run is clusters_at_once:
        from assay.hypotheses.cluster_jackknife import deleted_member

        return [deleted_member(evidence, measures[0], pairs, n_resamples, seed)]
    found = joint_replicates(evidence, measures[0], n_resamples, seed)
    return [member_of(found, pairs, evidence.n)]


def _notes(parts: Sequence[MeasuredPart]) -> list[Note]:
    """What is said of the evidence and of families as wholes; outcomes carry their own notes."""
    of_evidence = [one for part in parts for piece in part.design.parts for one in piece.notes]
    of_evidence += [
        one
        for part in parts
        if isinstance(part.design.evidence, Scores)
        for one in gap_notes(part.design, part.design.evidence)
    ]
    taken = [one for part in parts for one in assumed(part.design)]
    return [*of_evidence, *taken, *(one for part in parts for one in part.found.notes)]


def _compared(part: MeasuredPart, settings: Settings, questions: int) -> Comparison:
    return comparison_of(
        part.design, part.choice, part.found, settings, slice=part.slice, questions=questions
    )
