"""Results made by hand, so that what is rendered never depends on what was computed."""

import math
from dataclasses import replace
from itertools import combinations

from assay.core.notes import Note
from assay.core.results import (
    Choice,
    Comparison,
    Comparisons,
    Curve,
    Estimate,
    Evaluation,
    EvidenceSummary,
    FamilyOutcome,
    Interval,
    Needed,
    Posterior,
    TestOutcome,
    Verdict,
)
from assay.core.vocabulary import Direction, VerdictWord

HOSTILE = (
    "<script>alert(1)</script>",
    "a|b",
    "=cmd()",
    "\\input{x}",
    "@team",
    "x" * 200,
    "\u202egpj.exe",
    "\x1b[31mred\x1b[0m\x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
    "-2+3",
    "$\\frac{",
    "_hidden",
    "line one\nline two\r\tend",
    "`code` **bold** [link](http://evil.example)",
    '" onmouseover="alert(1)',
    "*star",
    "[bracket]",
    "{{ 7 * 7 }}",
    "[bold red]markup[/]",
    "www.evil.example",
    "",
)


def estimate(
    model: str | None,
    value: float | None,
    low: float,
    high: float,
    *,
    measure: str = "accuracy",
    method: str = "wilson",
    n: int = 1000,
    notes: tuple[Note, ...] = (),
) -> Estimate:
    return Estimate(
        measure=measure,
        value=value,
        interval=Interval(low=low, high=high, level=0.95, method=method),
        method=method,
        n=n,
        unit="item",
        model=model,
        notes=notes,
    )


def outcome(
    value: float,
    low: float,
    high: float,
    p: float | None,
    *,
    method: str = "mcnemar",
    interval: str = "tango",
    measure: str = "accuracy",
    statistic: float | None = 2.26,
    null: float = 0.0,
    notes: tuple[Note, ...] = (),
) -> TestOutcome:
    return TestOutcome(
        method=method,
        statistic=statistic,
        p_value=p,
        effect=estimate(None, value, low, high, measure=measure, method=interval),
        null=null,
        notes=notes,
        details=(("only_a", 62), ("only_b", 37), ("variant", "score")),
    )


def verdict(
    a: str,
    b: str,
    found: TestOutcome,
    word: VerdictWord,
    *,
    direction: Direction = "higher",
    margin: float | None = None,
    needed: Needed | None = None,
) -> Verdict:
    heads = {
        "better": f"{a} is better than {b}",
        "worse": f"{a} is worse than {b}",
        "equivalent": f"{a} and {b} are equivalent",
        "undecided": f"No clear difference between {a} and {b}",
    }
    return Verdict(
        word=word,
        a=a,
        b=b,
        sentence=f"{heads[word]} in {found.effect.measure}.",
        outcome=found,
        direction=direction,
        margin=margin,
        different=not found.effect.interval.contains(0.0) if found.effect.interval else False,
        needed=needed,
    )


def evidence(*models: str, n: int = 1000) -> EvidenceSummary:
    return EvidenceSummary(
        kind="predictions",
        sources=("predictions.csv",),
        models=models,
        n=n,
        unit="item",
        description=f"labels of {len(models)} models on the same {n:,} items, 2 classes",
        truth="y",
        classes=("no", "yes"),
    )


DOES_NOT_SAY = "Training was not repeated, so this does not compare the learning algorithms."


def two_models(a: str = "forest", b: str = "logistic") -> Comparison:
    """Two models, the same items, right or wrong: the first is better."""
    decided = outcome(0.025, 0.0034, 0.0467, 0.0238)
    found = verdict(a, b, decided, "better", margin=0.01)
    return Comparison(
        evidence=evidence(a, b),
        measure="accuracy",
        direction="higher",
        level=0.95,
        margin=0.01,
        baseline=None,
        choice=Choice(
            method="mcnemar",
            reason="two models, right or wrong on the same items: only the items on which they "
            "differ tell them apart",
        ),
        estimates=(estimate(a, 0.846, 0.8223, 0.867), estimate(b, 0.821, 0.796, 0.8435)),
        verdicts=(found,),
        also=(
            ("McNemar, exact", outcome(0.025, 0.0034, 0.0467, 0.0297, statistic=None)),
            (
                "two proportions z: ignores the pairing",
                outcome(
                    0.025, -0.0075, 0.0574, 0.133, method="two_proportions_z", interval="miettinen"
                ),
            ),
        ),
        sentence=found.sentence,
        does_not_say=DOES_NOT_SAY,
        notes=(Note(code="tested-once", message="each model was trained once"),),
        seed=7,
    )


def lower_is_better() -> Comparison:
    """A measure in which less is better; undecided, with what it would take."""
    decided = outcome(
        -0.0123, -0.0391, 0.0145, 0.3664, method="paired_t", interval="paired_t", measure="log_loss"
    )
    needed = Needed(units=14_200, unit="item", have=1000, power=0.8, margin=0.01)
    found = verdict(
        "gbm", "net", decided, "undecided", direction="lower", margin=0.01, needed=needed
    )
    found = replace(found, p_better=0.566, p_equivalent=0.381, p_worse=0.053)
    return Comparison(
        evidence=evidence("gbm", "net"),
        measure="log_loss",
        direction="lower",
        level=0.95,
        margin=0.01,
        baseline=None,
        choice=Choice(method="paired_t", reason="log loss is a mean over the same items"),
        estimates=(
            estimate("gbm", 0.4012, 0.371, 0.4314, measure="log_loss", method="mean_t"),
            estimate("net", 0.4135, 0.3822, 0.4448, measure="log_loss", method="mean_t"),
        ),
        verdicts=(found,),
        sentence=found.sentence,
        does_not_say=DOES_NOT_SAY,
        seed=11,
        posteriors=(
            Posterior(
                method="bayes_normal",
                p_left=0.566,
                p_rope=0.381,
                p_right=0.053,
                rope=0.01,
                effect=decided.effect,
                prior="flat, every difference as probable beforehand",
                a="gbm",
                b="net",
            ),
        ),
    )


def against_level() -> Comparison:
    """One model against a level: the effect is the accuracy itself."""
    decided = outcome(0.846, 0.822, 0.8678, 3e-22, method="binomial", interval="binomial", null=0.7)
    found = verdict("forest", "level 0.7", decided, "better")
    return Comparison(
        evidence=evidence("forest"),
        measure="accuracy",
        direction="higher",
        level=0.95,
        margin=None,
        baseline=None,
        choice=Choice(method="binomial", reason="one model, right or wrong, against a level"),
        estimates=(estimate("forest", 0.846, 0.8223, 0.867),),
        verdicts=(found,),
        sentence=found.sentence,
        seed=None,
    )


def many_models(k: int = 6, *, baseline: bool = False, names: tuple[str, ...] = ()) -> Comparison:
    """k models on the same items with simultaneous intervals; margin 0.02."""
    models = names or tuple(f"model-{place:02d}" for place in range(1, k + 1))
    # accuracies fall along a curve; half-widths differ a little from pair to pair
    accuracy = {name: round(0.9 - 0.012 * place**0.9, 6) for place, name in enumerate(models)}
    pairs = (
        [(name, models[0]) for name in models[1:]] if baseline else list(combinations(models, 2))
    )
    verdicts, beliefs = [], []
    for place, (a, b) in enumerate(pairs):
        difference = accuracy[a] - accuracy[b]
        half = 0.016 + 0.002 * math.sin(place)
        low, high = round(difference - half, 6), round(difference + half, 6)
        difference = round(difference, 6)
        word: VerdictWord = "undecided"
        if low > -0.02 and high < 0.02:
            word = "equivalent"
        elif low > 0 or high < 0:
            word = "better" if low > 0 else "worse"
        p = float(f"{min(1.0, math.exp(-2.4 * (difference / half) ** 2)):.3g}")
        decided = outcome(
            difference, low, high, p, method="simultaneous_bootstrap",
            interval="simultaneous_bootstrap",
        )  # fmt: skip
        believed = belief(a, b, decided)
        found = verdict(a, b, decided, word, margin=0.02)
        beliefs.append(believed)
        verdicts.append(
            replace(
                found,
                p_better=believed.p_right,
                p_equivalent=believed.p_rope,
                p_worse=believed.p_left,
            )
        )
    return Comparison(
        evidence=evidence(*models),
        measure="accuracy",
        direction="higher",
        level=0.95,
        margin=0.02,
        baseline=models[0] if baseline else None,
        choice=Choice(
            method="simultaneous_bootstrap",
            reason=f"{len(models)} models on the same items: one bootstrap of all of them",
        ),
        estimates=tuple(
            estimate(name, value, round(value - 0.021, 6), round(value + 0.019, 6))
            for name, value in accuracy.items()
        ),
        verdicts=tuple(verdicts),
        omnibus=outcome(0.0, 0.0, 0.0, 2e-9, method="cochran_q", statistic=51.3),
        sentence=f"{models[0]} has the highest accuracy.",
        does_not_say=DOES_NOT_SAY,
        seed=3,
        posteriors=tuple(beliefs),
    )


def belief(a: str, b: str, decided: TestOutcome) -> Posterior:
    """Shares of a logistic posterior about the difference, the rope ±0.02."""
    value = decided.effect.value or 0.0
    right, below = (
        round(1.0 / (1.0 + math.exp(-side * value / 0.004 + 5.0)), 6) for side in (1.0, -1.0)
    )
    return Posterior(
        method="bayes_normal",
        p_left=below,
        p_rope=round(1.0 - right - below, 6),
        p_right=right,
        rope=0.02,
        effect=decided.effect,
        prior="flat, every difference as probable beforehand",
        a=a,
        b=b,
    )


def roc_curve(model: str, bend: float, points: int = 60) -> Curve:
    """A smooth curve y = x^bend with a band that narrows at its ends."""
    fpr = tuple(round((place / (points - 1)) ** 2, 6) for place in range(points))
    tpr = tuple(round(x**bend, 6) for x in fpr)
    half = tuple(round(0.08 * math.sqrt(x * (1 - x)) + 0.01, 6) for x in fpr)
    return Curve(
        name="roc",
        model=model,
        columns=(
            ("fpr", fpr),
            ("tpr", tpr),
            ("low", tuple(round(max(y - h, 0.0), 6) for y, h in zip(tpr, half, strict=True))),
            ("high", tuple(round(min(y + h, 1.0), 6) for y, h in zip(tpr, half, strict=True))),
        ),
        details=(("level", 0.95),),
    )


def shifted(by: float, *values: float) -> tuple[float, float, float]:
    value, low, high = (round(number + by, 6) for number in values)
    return value, low, high


def evaluation(*models: str) -> Evaluation:
    """Three measures of each model, ROC curves, and a note on one estimate."""
    names = models or ("forest", "logistic", "tree")
    few = Note(code="small-counts", message="only 7 positives: intervals rest on few cases")
    estimates: list[Estimate] = []
    for place, name in enumerate(names):
        down = 0.03 * place
        estimates += [
            estimate(name, *shifted(-down, 0.846, 0.8223, 0.867)),
            estimate(
                name, *shifted(-down, 0.91, 0.893, 0.927), measure="roc_auc", method="delong"
            ),
            estimate(
                name, *shifted(down, 0.401, 0.371, 0.431), measure="log_loss",
                method="mean_t", notes=(few,) if place == 0 else (),
            ),
        ]  # fmt: skip
    return Evaluation(
        evidence=evidence(*names),
        estimates=tuple(estimates),
        level=0.95,
        notes=(Note(code="imbalance", message="7% of the items are positive"),),
        seed=5,
        curves=tuple(roc_curve(name, 0.12 + 0.08 * place) for place, name in enumerate(names)),
    )


def undefined() -> Evaluation:
    """A measure that is undefined: no value, no interval, but a note."""
    reason = Note(code="undefined", message="no positive was predicted, precision is undefined")
    empty = Estimate(
        measure="precision",
        value=None,
        interval=None,
        method="clopper_pearson",
        n=50,
        unit="item",
        model="constant",
        notes=(reason,),
    )
    return Evaluation(evidence=evidence("constant", n=50), estimates=(empty,), level=0.95)


def family() -> FamilyOutcome:
    """Three pairs answered together, adjusted by Holm."""
    return FamilyOutcome(
        method="mcnemar",
        models=("a", "b", "c"),
        pairs=(("a", "b"), ("a", "c"), ("b", "c")),
        outcomes=(
            outcome(0.03, 0.01, 0.05, 0.0004),
            outcome(0.05, 0.029, 0.071, 3e-22),
            outcome(0.02, -0.002, 0.042, 0.0504),
        ),
        adjustment="holm",
        omnibus=outcome(0.0, 0.0, 0.0, 1e-12, method="cochran_q", statistic=31.2),
    )


def hostile() -> Comparison:
    """Every pair of names that try to break out of a renderer."""
    return many_models(names=HOSTILE)


def several(a: str = "forest", b: str = "logistic") -> Comparisons:
    """Two measures, whole and in two slices, decided together."""
    parts = []
    words = ((None, 0.02, "better"), ("north", 0.03, "better"), ("<b>", 0.0, "undecided"))
    for measure, shift in (("accuracy", 0.0), ("f1", 0.01)):
        for slice_, value, word in words:
            whole = two_models(a, b)
            found = outcome(*shifted(value + shift, 0.0, -0.015, 0.015), 0.02, measure=measure)
            parts.append(
                replace(
                    whole,
                    measure=measure,
                    slice=slice_,
                    adjustment="holm",
                    family=6,
                    verdicts=(verdict(a, b, found, word),),  # type: ignore[arg-type]
                    estimates=tuple(replace(one, measure=measure) for one in whole.estimates),
                    curves=(),
                )
            )
    joint = outcome(
        *(1.2, 0.4, math.inf, 0.004), method="hotelling_paired", measure="mahalanobis_squared"
    )
    return Comparisons(
        evidence=evidence(a, b),
        parts=tuple(parts),
        level=0.95,
        baseline=None,
        adjustment="holm",
        questions=6,
        sentence=f"{a} is better than {b} in accuracy and f1.",
        does_not_say="Nothing is said about the learning algorithms.",
        sliced_by="region",
        joint=(("Hotelling's T² of all measures", joint),),
        notes=(Note(code="slice-left-out", message="slice south: no items of one class"),),
        seed=7,
    )
