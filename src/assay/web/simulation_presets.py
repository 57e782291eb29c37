"""Scenes for a classroom: which methods meet which world, and what can be moved in it."""

from dataclasses import dataclass, field
from typing import Any, Literal

Question = Literal["error", "coverage"]
SHAPES = (
    ("normal", "normal"),
    ("uniform", "uniform"),
    ("lognormal", "skewed (log-normal)"),
    ("t3", "heavy tails (t with 3 degrees of freedom)"),
    ("zero-inflated", "mostly zeros"),
)
SMALL = (5, 10, 20, 50, 100, 200, 500)
FOLD_TESTS = ("paired_t", "corrected_resampled_t", "cautious_resampled_t")
SPOILT = "Noise on what the second learner sees (0: every rejection is a false positive)"
RATES = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A number of the world that can be moved: its name there, its words, its range, its start."""

    name: str
    words: str
    low: float
    high: float
    start: float
    step: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Methods in a world. ``along`` is what the horizontal axis shows: n, or a parameter."""

    name: str
    question: Question
    title: str
    about: str
    methods: tuple[str, ...]
    world: str
    knobs: tuple[Knob, ...] = ()
    choice: tuple[str, str, tuple[tuple[str, str], ...]] | None = None
    """A parameter of the world with named values: its name, its words, and the values."""
    sizes: tuple[int, ...] = SMALL
    along: str = "n"
    values: tuple[float, ...] = ()
    fixed: dict[str, Any] = field(default_factory=dict)
    lecture: str | None = None
    """The figure of the lecture that this scene is; nothing can be moved in it."""
    counted: int | None = 2000
    """Replicates; None where all outcomes are enumerated."""


def _effect(
    high: float, words: str = "True difference (0: every rejection is a false positive)"
) -> Knob:
    return Knob(name="effect", words=words, low=0.0, high=high, start=0.0, step=high / 50)


SCENES: tuple[Scene, ...] = (
    Scene(
        name="folds",
        question="error",
        title="Folds that share training data",
        about="Two equally good learners (nearest centroid), trained for real on data of the same kind. The paired "
        "t test treats folds as independent. The more repeats, the more often it finds a difference that is not "
        "there. Nadeau and Bengio's correction allows for the shared training data; the cautious t doubles it.",
        methods=FOLD_TESTS,
        world="folds",
        choice=(
            "design", "Cross-validation",
            (
                ("10x10-fold", "ten times ten folds (100 fits)"), ("10x5-fold", "ten times five folds (50 fits)"),
                ("5x5-fold", "five times five folds (25 fits)"), ("10-fold", "ten folds (10 fits)"),
            ),
        ),
        knobs=(_effect(2.0, SPOILT),),
        sizes=(60, 100, 200),
        counted=500,
    ),
    Scene(
        name="learners",
        question="error",
        title="Learners that depend strongly on their training set",
        about="Ten times five folds. How strongly folds correlate depends on the learner, and cannot be estimated "
        "from one data set. Nadeau and Bengio's correction is right for stable learners. It is too small for one "
        "nearest neighbour, which changes most with its training set.",
        methods=FOLD_TESTS,
        world="folds",
        choice=(
            "learners", "Learner",
            (
                ("one-nn-half-features", "one nearest neighbour"), ("centroid", "nearest centroid"),
                ("logistic", "logistic regression"),
            ),
        ),
        knobs=(_effect(2.0, SPOILT),),
        fixed={"design": "10x5-fold"},
        sizes=(60, 100, 200),
        counted=300,
    ),
    Scene(
        name="mean",
        question="error",
        title="A mean against a level",
        about="The t test relies on normality while n is small. The signed-rank test is about the median of "
        "symmetric values. Choose another shape to see the difference.",
        methods=("one_sample_t", "wilcoxon"),
        world="losses",
        choice=("shape", "Shape of the values", SHAPES),
        knobs=(_effect(1.0),),
    ),
    Scene(
        name="pair",
        question="error",
        title="Two models on the same items",
        about="McNemar's test counts only items on which exactly one model is right. With few of "
        "those its false-positive rate is well below the nominal level.",
        methods=("mcnemar",),
        world="paired-labels",
        knobs=(
            _effect(0.05),
            Knob(
                name="discordant", words="Share of items that exactly one gets right",
                low=0.06, high=0.6, start=0.2, step=0.01,
            ),
        ),
        sizes=(20, 50, 100, 200, 500, 1000),
        counted=None,
    ),
    Scene(
        name="level",
        question="error",
        title="One model against an error rate",
        about="The binomial test is exact: its false-positive rate never exceeds the nominal level. With few "
        "errors it is well below it.",
        methods=("binomial",),
        world="proportion",
        knobs=(
            Knob(
                name="effect", words="True difference of the error rate (0: false positives)",
                low=-0.2, high=0.2, start=0.0, step=0.01,
            ),
            Knob(name="p", words="The error rate tested", low=0.21, high=0.6, start=0.25, step=0.01),
        ),
        counted=None,
    ),
    Scene(
        name="tests",
        question="error",
        title="Many tests at once",
        about="Every null hypothesis is true. Without a correction the probability of a false positive grows "
        "with the number of tests.",
        methods=("no correction", "bonferroni", "holm"),
        world="tests",
        lecture="family-wise",
        sizes=(1, 2, 3, 5, 10, 20, 50),
    ),
    Scene(
        name="rate",
        question="coverage",
        title="Intervals of a rate, by n",
        about="How often the interval contains the true rate. With few errors the textbook interval (wald) "
        "covers less than stated. Every outcome is enumerated, nothing is simulated.",
        methods=("wald", "wilson", "clopper_pearson", "mid_p"),
        world="proportion",
        knobs=(Knob(name="p", words="True rate", low=0.01, high=0.5, start=0.05, step=0.01),),
        sizes=(5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300),
        counted=None,
    ),
    Scene(
        name="rates",
        question="coverage",
        title="Intervals of a rate, by the rate",
        about="The same at one n. Near 0 an interval that is symmetric about the estimate covers too little.",
        methods=("wald", "wilson", "clopper_pearson", "mid_p"),
        world="proportion",
        knobs=(Knob(name="n", words="Items", low=5, high=500, start=30, step=1),),
        along="p",
        values=RATES,
        counted=None,
    ),
    Scene(
        name="means",
        question="coverage",
        title="Intervals of a mean, by n",
        about="The t interval of skewed losses needs many items to reach its stated coverage.",
        methods=("mean_t",),
        world="losses",
        choice=("shape", "Shape of the values", SHAPES),
        counted=4000,
    ),
)  # fmt: skip
"""Every scene; the first of a question is where its page starts."""


def scene_of(question: Question, name: str | None) -> Scene | None:
    of_question = [scene for scene in SCENES if scene.question == question]
    if name is None:
        return of_question[0]
    return next((scene for scene in of_question if scene.name == name), None)
