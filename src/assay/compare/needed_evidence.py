"""How much evidence would settle an undecided pair: the plan of its own test, with this evidence as the pilot."""

from assay.compare.choose import can_be_sequential
from assay.compare.design import Design
from assay.compare.findings import Settings
from assay.compare.verdict import POWER, holds_at_every_look
from assay.core.errors import AssayError
from assay.core.results import Needed, TestOutcome
from assay.evidence.predictions import Unpaired
from assay.evidence.scores import Scores
from assay.kernels.tails import alpha_of
from assay.plan.sample_size import units_for_margin


def needed_evidence(
    design: Design,
    settings: Settings,
    pair: tuple[str, str, TestOutcome],
    *,
    questions: int,
) -> Needed | None:
    """The units that give 80 % power at the margin, all models together; None where they are at hand.

    They are those of `assay.plan` with the two models as its pilot, at the level that each of so many
    ``questions`` has by Bonferroni. A test that no plan is for is scaled by the width of its interval.
    """
    effect, margin = pair[2].effect, design.margin
    if margin is None or effect.interval is None:
        return None
    groups = _groups(design, pair)
    looked_at = holds_at_every_look(pair[2].method)
    units = None if looked_at else _planned(design, settings, pair, questions)
    if units is None:
        units = units_for_margin(effect.interval, effect.n, margin, power=POWER)
    elif groups:
        units *= len(groups)
    if units <= effect.n:
        return None
    return Needed(
        units=units,
        unit=effect.unit,
        have=effect.n,
        power=POWER,
        margin=margin,
        groups=groups,
        sequential=not looked_at and can_be_sequential(design),
    )


def _groups(design: Design, pair: tuple[str, str, TestOutcome]) -> tuple[int, ...]:
    """How many units each of the two has, where each has its own."""
    evidence = design.evidence
    if design.kind == "level":
        return ()
    if isinstance(evidence, Scores):
        if evidence.unit != "seed":
            return ()
        runs = evidence.runs(design.scored)
        return tuple(len(runs[model]) for model in pair[:2])
    if isinstance(evidence, Unpaired):
        return tuple(part.n for part in evidence.select(*pair[:2]).parts)
    return ()


def _planned(
    design: Design, settings: Settings, pair: tuple[str, str, TestOutcome], questions: int
) -> int | None:
    """What `assay.plan` says; None where it has no plan for this test, or none from this evidence."""
    from assay.plan.pilot import pose_from
    from assay.plan.planning_facts import PlanFacts, PlanSetting
    from assay.plan.size_solver import units_for

    against = design.kind == "level"
    setting = PlanSetting(
        level=1.0 - alpha_of(settings.level) / questions,
        unit=design.unit,
        closed=questions > 1,
        n_resamples=max(100, settings.n_resamples),
        seed=settings.seed,
    )
    models = pair[:1] if against else pair[:2]
    measure = design.scored if isinstance(design.evidence, Scores) else design.measure
    try:
        question = pose_from(
            design.evidence.select(*models),
            measure,
            PlanFacts(against=design.against if against else None),
            setting,
            drawn=pair[2] if pair[2].seed is not None else None,
        ).question
    except AssayError:  # no spread to plan with, or a test without a plan
        return None
    margin = design.margin or 0.0
    if question.power is None or margin > min(question.reach):
        return None
    return units_for(question, POWER, margin).n
