"""Single tests, estimates, evaluations, families and posteriors, each in a sentence."""

from assay.core.formatting import (
    capital,
    clean,
    clean_name,
    estimate_digits,
    say_p,
    shown_percent,
    write_estimate,
    write_given,
    write_rounded,
)
from assay.core.method_names import method_name
from assay.core.results import Estimate, Evaluation, FamilyOutcome, Posterior, TestOutcome
from assay.plots.measure_labels import measure_title
from assay.report.effect_scales import OF_ALL, SCALES, UNSIGNED
from assay.report.methods_paragraph import record_of

_OF_TWO = (
    "two-counts", "margins", "paired-table", "clustered-pairs", "two-samples", "pairs",
    "paired-scored-labels", "two-scored-labels", "replicated-pairs", "sized-differences", "fold-score-pairs", "runs",
    "paired-fold-losses", "predictions", "two-predictions",
)  # fmt: skip
"""Evidence of two models, whose effects are differences."""
_SIDES = {"two-sided": "different from", "greater": "greater than", "less": "less than"}


def outcome_sentence(result: TestOutcome) -> str:
    """One test in a sentence: the effect with its interval, and whether it differs from the null."""
    effect = result.effect
    record = record_of(result.method)
    name = effect_name(effect, result.method)
    check = record is not None and record.gives == "check"
    signed = not result.null and effect.measure not in UNSIGNED and not check
    written = write_estimate(effect, signed=signed, null=result.null)
    interval = effect.interval
    head = f"{_opening(name, effect)} = {written.value}"
    if interval is not None:
        head += f" ({shown_percent(interval.level)} CI {written.interval})"
    if result.p_value is None:
        return f"{head}; {say_p(result)}."
    alpha = round(1 - interval.level, 12) if interval is not None else 0.05
    p = say_p(result, alpha=alpha)
    if check:
        found = "a significant" if result.rejects(alpha) else "no significant"
        return f"{head}, {p}: {found} departure from the assumption."
    margin = dict(result.details).get("margin")
    if result.method.startswith("tost_") and isinstance(margin, float):
        return f"{head}: {_equivalence(result, margin, alpha / 2)}."
    if effect.measure in OF_ALL:
        differ = "differ" if result.rejects(alpha) else "do not differ"
        return f"{head}: the models {differ} significantly ({p})."
    verb = "" if result.rejects(alpha) else "not "
    null = write_given(result.null)
    return f"{head}: {verb}significantly {_SIDES[result.alternative]} {null} ({p})."


def outcome_headline(result: TestOutcome) -> str:
    """What a test found, in at most twelve words."""
    if result.p_value is None:
        return "No answer: see the notes"
    interval = result.effect.interval
    alpha = round(1 - interval.level, 12) if interval is not None else 0.05
    record = record_of(result.method)
    found = result.rejects(alpha)
    if record is not None and record.gives == "check":
        return f"{'A' if found else 'No'} significant departure from the assumption"
    margin = dict(result.details).get("margin")
    if result.method.startswith("tost_") and isinstance(margin, float):
        return capital(_equivalence(result, margin, alpha / 2).partition(" (")[0])
    if result.effect.measure in OF_ALL:
        return f"The models {'differ' if found else 'do not differ'} significantly"
    side = _SIDES[result.alternative]
    return f"{'Significantly' if found else 'Not significantly'} {side} {write_given(result.null)}"


def family_headline(result: FamilyOutcome) -> str:
    """How many pairs differ, in at most twelve words."""
    said = family_sentence(result).partition(" (α")[0]
    if dict(result.details).get("confidence_set"):
        return "Which models may be the best"
    if said.startswith("0 of") and len(result.pairs) > 1:
        return f"No clear differences between {len(result.models)} models"
    return said.partition(":")[0].rstrip(".")


def _equivalence(result: TestOutcome, margin: float, alpha: float) -> str:
    """What two one-sided tests say together; the interval beside them leaves alpha out on each side."""
    found = "equivalent" if result.rejects(alpha) else "equivalence is not shown"
    return f"{found} within ±{write_given(margin)} ({say_p(result, alpha=alpha)})"


def effect_name(effect: Estimate, method: str) -> str:
    """What an effect is of; of two models it is a difference."""
    record = record_of(method)
    name = SCALES.get(effect.measure, clean(effect.measure).replace("_", " "))
    if record is not None and effect.measure == record.id:
        return record.name  # a measure of effect, such as Cohen's d
    if effect.measure in SCALES or record is None or record.takes not in _OF_TWO:
        return name
    name = (
        name if "difference" in name.split() else f"difference in {measure_title(effect.measure)}"
    )
    return f"{name.replace('_', ' ')} (A − B)"


def _opening(name: str, effect: Estimate) -> str:
    """The name of an effect at the start of a sentence: in prose, with a capital letter."""
    if name == clean(effect.measure).replace("_", " "):
        name = measure_title(effect.measure).replace("_", " ")
    return f"{name[:1].upper()}{name[1:]}" if name[:1].isascii() else name


def evaluation_sentence(result: Evaluation) -> str:
    """Every measure of every model with its interval, the models of a measure together."""
    said = []
    for measure in dict.fromkeys(one.measure for one in result.estimates):
        digits = estimate_digits(result.estimates, measure)
        models = ", ".join(
            f"{clean_name(one.model or 'model')} {write_estimate(one, finest=digits)}"
            for one in result.estimates
            if one.measure == measure
        )
        said.append(f"{clean(measure)}: {models}")
    return f"{'; '.join(said)} ({shown_percent(result.level)} CI)."


def estimate_sentence(result: Estimate) -> str:
    """One estimate with its interval."""
    name = effect_name(result, result.method)
    if result.model is not None and name.endswith("(A − B)"):  # of one model, chosen among several
        name = f"{clean(result.measure)} of {clean_name(result.model)}"
    written = write_estimate(result, signed=name.endswith("(A − B)"), null=0.0)
    interval = "no interval"
    if result.interval is not None:
        interval = f"{shown_percent(result.interval.level)} CI {written.interval}"
    return f"{_opening(name, result)} = {written.value} ({interval}).{_beside(result)}"


def _beside(result: Estimate) -> str:
    """What else was asked of an estimate: the confidence that A is better, the range of p-values."""
    known = dict(result.details)
    one, two = known.get("confidence_one_sided"), known.get("confidence_two_sided")
    if isinstance(one, float) and isinstance(two, float):
        lower = f"that A has the lower rate: {one:.1%} (one-sided)"
        return f" Confidence {lower}, that the rates differ: {two:.1%} (two-sided)."
    low, high = known.get("p_min"), known.get("p_max")
    if isinstance(low, float) and isinstance(high, float):
        tables = f"{known.get('tables'):,} joint tables that fit"
        return f" Over the {tables}, p ranges from {write_rounded(low, 2)} to {write_rounded(high, 2)}.".replace(
            " 0.", " ."
        )
    return ""


def family_sentence(result: FamilyOutcome) -> str:
    """How many pairs differ."""
    intervals = [o.effect.interval for o in result.outcomes if o.effect.interval is not None]
    alpha = round(1 - intervals[0].level, 12) if intervals else 0.05
    if all(outcome.p_value is None for outcome in result.outcomes):
        return "No pair could be tested: see the notes."
    best = dict(result.details).get("confidence_set")
    if best:
        return f"May be the best ({shown_percent(1 - alpha)} confidence set): {best}."
    different = sum(outcome.rejects(alpha) for outcome in result.outcomes)
    verb = "differs" if different == 1 else "differ"
    return (
        f"{different:,} of {len(result.pairs):,} pairs {verb} significantly "
        f"(α = {write_given(alpha).removeprefix('0')}, {method_name(result.adjustment)} adjustment)."
    )


def posterior_sentence(result: Posterior) -> str:
    """The posterior probabilities of a difference below, within and above the region."""
    left, inside, right = map(_probability, (result.p_left, result.p_rope, result.p_right))
    known = dict(result.details)
    if not result.rope and "errors" in known and "null" in known:
        level = f"{write_given(known['null'])}"
        return f"Posterior probability {left} that the rate is below {level}, {right} that it is above."
    if not result.rope:
        return (
            f"Posterior probability {left} that the difference is negative, "
            f"{right} that it is positive."
        )
    return (
        f"Posterior probability {left} that the difference is below −{write_given(result.rope)}, "
        f"{inside} that it is within ±{write_given(result.rope)}, {right} that it is "
        f"above {write_given(result.rope)}."
    )


def _probability(share: float) -> str:
    """A probability in three digits, which is never written as 0 or 1."""
    if 0.001 <= share <= 0.999:
        return f"{share:.3f}"
    return "< .001" if share < 0.5 else "> .999"
