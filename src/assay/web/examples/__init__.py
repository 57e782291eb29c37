"""Examples of the page, made by tools/make_examples.py from data that comes with assay."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleFile:
    """A file that comes with assay, and what it is good for."""

    name: str
    file: str
    title: str
    about: str
    told: tuple[tuple[str, str], ...] = ()
    """What nobody could know from the file, as the address of the page says it."""


EXAMPLES: tuple[ExampleFile, ...] = (
    ExampleFile(
        name="tumours",
        file="tumours.csv",
        title="Three classifiers of tumours",
        about="Labels and probabilities of a forest, a logistic regression and a tree on 190 test "
        "items. Who is better, ROC curves, thresholds and costs.",
        told=(("positive", "malignant"),),
    ),
    ExampleFile(
        name="quiz",
        file="quiz.csv",
        title="Two assistants on a quiz (simulated)",
        about="Five questions about each of 120 passages. Questions on one passage form a cluster; "
        "ignoring that would make intervals too narrow.",
        told=(("models", "assistant_new"), ("models", "assistant_old")),
    ),
    ExampleFile(
        name="folds",
        file="folds.csv",
        title="Ten folds, three times",
        about="Accuracy of three algorithms by fold of a repeated cross-validation, whose folds "
        "share their training data.",
    ),
    ExampleFile(
        name="datasets",
        file="datasets.csv",
        title="Six algorithms on twelve data sets",
        about="Mean accuracies: ranks, a critical-difference diagram and every pair.",
        told=(("measure", "accuracy"),),
    ),
)


def example_file(example: ExampleFile) -> Path:
    return Path(__file__).parent / example.file
