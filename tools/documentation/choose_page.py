"""The page docs/choose.md: every question of the choosing guide, and every situation with its advice."""

from assay.compare.guide import GuideQuestion, answer, questions
from assay.core.errors import NotApplicable
from assay.core.formatting import as_sentence

SITUATIONS: dict[str, tuple[dict[str, str], ...]] = {
    "Predictions or losses, item by item": (
        {"have": "predictions", "models": "1", "goal": "estimate"},
        {"have": "predictions", "models": "1", "goal": "estimate", "measure": "f1"},
        {"have": "predictions", "models": "1", "goal": "estimate", "measure": "roc_auc"},
        {"have": "predictions", "models": "1", "goal": "level"},
        {"have": "predictions", "models": "1", "goal": "level", "measure": "f1"},
        {"have": "predictions", "models": "2", "same_items": "yes"},
        {"have": "predictions", "models": "2", "same_items": "yes", "measure": "f1"},
        {"have": "predictions", "models": "2", "same_items": "yes", "measure": "roc_auc"},
        {
            "have": "predictions",
            "models": "2",
            "same_items": "yes",
            "measure": "average_precision",
        },
        {"have": "predictions", "models": "2", "same_items": "yes", "measure": "mse"},
        {"have": "predictions", "models": "2", "same_items": "yes", "clusters": "yes"},
        {
            "have": "predictions",
            "models": "2",
            "same_items": "yes",
            "measure": "f1",
            "clusters": "yes",
        },
        {"have": "predictions", "models": "2", "same_items": "yes", "weights": "yes"},
        {"have": "predictions", "models": "2", "same_items": "no"},
        {"have": "predictions", "models": "2", "same_items": "no", "measure": "roc_auc"},
        {"have": "predictions", "models": "2", "same_items": "no", "measure": "f1"},
        {"have": "predictions", "models": "2", "same_items": "no", "measure": "mse"},
        {"have": "predictions", "models": "3+", "same_items": "yes"},
        {"have": "predictions", "models": "3+", "same_items": "yes", "baseline": "yes"},
        {"have": "predictions", "models": "3+", "same_items": "yes", "measure": "roc_auc"},
    ),
    "Scores by fold": (
        {"have": "folds", "models": "1", "goal": "estimate"},
        {"have": "folds", "models": "1", "goal": "level"},
        {"have": "folds", "models": "2"},
        {"have": "folds", "models": "2", "repeated": "yes"},
        {"have": "folds", "models": "3+"},
        {"have": "folds", "models": "3+", "repeated": "yes"},
    ),
    "Scores by seed or run": (
        {"have": "seeds", "models": "1", "goal": "estimate"},
        {"have": "seeds", "models": "1", "goal": "level"},
        {"have": "seeds", "models": "2"},
        {"have": "seeds", "models": "3+"},
    ),
    "Scores by data set": (
        {"have": "datasets", "models": "1", "goal": "estimate"},
        {"have": "datasets", "models": "1", "goal": "level"},
        {"have": "datasets", "models": "2"},
        {"have": "datasets", "models": "3+"},
        {"have": "datasets", "models": "3+", "baseline": "yes"},
    ),
    "Counts of errors": (
        {"have": "counts", "models": "1", "goal": "estimate"},
        {"have": "counts", "models": "1", "goal": "level"},
        {"have": "counts", "models": "2", "same_items": "yes", "joint": "yes"},
        {"have": "counts", "models": "2", "same_items": "yes", "joint": "no"},
        {"have": "counts", "models": "2", "same_items": "no"},
    ),
    "Summaries and p-values": (
        {"have": "summaries", "summary": "mean-sd-n"},
        {"have": "summaries", "summary": "mean-ranks"},
        {"have": "p-values", "control": "any-false-claim"},
        {"have": "p-values", "control": "share-of-false-claims"},
        {"have": "p-values", "control": "pairs"},
    ),
    "Preferences and ratings": ({"have": "preferences"}, {"have": "ratings"}),
}
"""The situations that the page goes through, by what one has."""

_INTRODUCTION = """# Which test do I need?

Say what you have. The default follows from the design of the evidence, never from a test of its
normality. The same questions are asked by `assay methods --choose`, and every answer is an option there:

    assay methods --choose --have predictions --models 2 --same-items yes --measure f1

You seldom need it: `assay compare` and `assay evaluate` recognise the design in the files and say what
they chose, and why. This page is made from the table they choose by, with
`ASSAY_DOCS=write python -m pytest tests/compare/test_guide.py`. *Decides* is the test that gives the
verdict; *beside* is shown for comparison only."""


def choose_page() -> str:
    """docs/choose.md: the questions, then every situation with its advice."""
    blocks = [_INTRODUCTION, "## The questions", _questions_table()]
    for heading, situations in SITUATIONS.items():
        blocks.append(f"## {heading}")
        blocks += [_situation(answers) for answers in situations]
    return "\n\n".join(blocks) + "\n"


def _questions_table() -> str:
    rows = ["| question | option | answers |", "|---|---|---|"]
    for question in questions():
        flag = f"`--{question.key.replace('_', '-')}`"
        rows.append(f"| {question.text}{_asked_if(question)} | {flag} | {_answers(question)} |")
    return "\n".join(rows)


def _asked_if(question: GuideQuestion) -> str:
    if not question.asked_if:
        return ""
    conditions = [
        f"{key.replace('_', ' ')} is {' or '.join(values)}" for key, values in question.asked_if
    ]
    return f" *(if {', '.join(conditions)})*"


def _answers(question: GuideQuestion) -> str:
    if not question.options:
        return f"a name; `{question.default}` if left out"
    listed = [f"`{word}`{': ' + meaning if meaning else ''}" for word, meaning in question.options]
    default = f"; `{question.default}` if left out" if question.default else ""
    return "; ".join(listed) + default


def _situation(answers: dict[str, str]) -> str:
    more = {key: word for key, word in answers.items() if key != "have"} or answers
    title = ", ".join(_said(key, word) for key, word in more.items())
    try:
        advice = answer(**answers)
    except NotApplicable as error:
        return f"### {title}\n{error}"
    lines = [
        f"### {title}",
        "",
        f"- **Decides:** [{advice.method}]({advice.docs.removeprefix('docs/')}). {as_sentence(advice.reason)}",
    ]
    if advice.beside:
        lines.append(f"- **Beside:** {'; '.join(advice.beside)}.")
    if advice.refused:
        lines.append(f"- **Refused or warned about:** {'; '.join(advice.refused)}.")
    lines += [
        f"- **Applies to** {advice.speaks_about}.",
        "",
        f"      {advice.command}",
        f"      {advice.call}",
    ]
    return "\n".join(lines)


_SAID = {
    ("have", "preferences"): "comparisons of two models at a time",
    ("have", "ratings"): "several raters on the same items",
    ("models", "1"): "one model",
    ("models", "2"): "two models",
    ("models", "3+"): "three or more models",
    ("goal", "estimate"): "how good?",
    ("goal", "level"): "against a level",
    ("same_items", "yes"): "the same items",
    ("same_items", "no"): "different items",
    ("clusters", "yes"): "in clusters",
    ("repeated", "yes"): "five folds repeated",
    ("weights", "yes"): "weighted",
    ("baseline", "yes"): "against one baseline",
    ("joint", "yes"): "the joint table known",
    ("joint", "no"): "only the totals known",
    ("summary", "mean-sd-n"): "a mean, a standard deviation and a number",
    ("summary", "mean-ranks"): "mean ranks and the number of data sets",
    ("control", "any-false-claim"): "p-values: no false claim at all",
    ("control", "share-of-false-claims"): "p-values: a small share of false claims",
    ("control", "pairs"): "p-values of all pairs",
}


def _said(key: str, word: str) -> str:
    return _SAID.get((key, word), f"by {word}" if key == "measure" else word)
