"""The questions that tables leave open, with the option to add for every answer."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from assay.core.measure_names import better_side
from assay.core.questions import Answer, Question
from assay.evidence.cell_text import quoted
from assay.evidence.names import known_as, names_raters

MOST = 6
"""Answers that are listed one by one."""
_FEW = 3
"""Columns up to which each is offered to be left out alone."""
_BINARY = ("0", "1")


def question(code: str, text: str, *answers: Answer) -> Question:
    return Question(code=code, text=text, answers=answers)


def answer(text: str, **arguments: Any) -> Answer:
    """An answer, and the option that says the same as the arguments in Python."""
    option = " ".join(_typed(name, value) for name, value in arguments.items())
    return Answer(text=text, option=option, arguments=arguments)


def _typed(name: str, value: Any) -> str:
    if name == "lower_is_better":
        return "--lower-is-better" if value else "--higher-is-better"
    if name == "id" and value is False:
        return "--by-position"
    option = f"--{name.replace('_', '-')}"
    listed = ",".join(value) if isinstance(value, list) else str(value)
    return option if value is True else f"{option} {shlex.quote(listed)}"


def the_models(names: Sequence[str], text: str) -> Answer:
    return answer(text, models=list(names))


def left_out(names: Sequence[str], text: str) -> Answer:
    return answer(text, ignore=list(names))


def _truth(name: str, text: str) -> Answer:
    return answer(text, truth=name)


def _only(column: str, words: Sequence[str], text: str = "only {!r}") -> tuple[Answer, ...]:
    """An answer for each word of a column: the rows that have it count."""
    kept = {word: f"{column}={word}" for word in words}
    return tuple(answer(text.format(word), where=where) for word, where in kept.items())


def which_truth(title: str, candidates: Sequence[str], words: Sequence[str] = ()) -> Question:
    """No column is known as the truth, and the values cannot stand without one.

    Unless their ``words`` judge answers: two of them say which are right, more grade them.
    """
    named = [name for name in candidates if known_as(name, "truth")]
    why = f"{quoted(named)} could be it." if named else "None is called truth, y, label or target."
    return question(
        "truth",
        f"Which column of {title} holds the truth? {why}",
        *(_truth(name, f"{name!r} is the truth") for name in candidates[:MOST]),
        *(
            answer(
                f"there is none: {word!r} says that an answer is right", correct=True, positive=word
            )
            for word in (words if len(words) == 2 else ())
        ),
        *(
            [answer("there is none: they grade answers", lower_is_better=False)]
            if len(words) > 2
            else []
        ),
    )


def which_truth_file(titles: Sequence[str]) -> Question:
    """Files with a column of one name: truths in one of them, predictions in the others."""
    return question(
        "truth",
        "Which file holds the truth? All have a column of the same name.",
        *(_truth(title, f"{title} does") for title in titles[:MOST]),
    )


def or_truth_in(questions: Sequence[Question], titles: Sequence[str]) -> list[Question]:
    """The questions, of which those about values may also be answered by the file that holds the truth."""
    files = tuple(_truth(title, f"{title} holds the truth") for title in titles[:MOST])
    return [
        replace(one, answers=(*one.answers, *files)) if one.code == "values" else one
        for one in questions
    ]


def which_values(
    title: str,
    models: Sequence[str],
    *,
    truths: Sequence[str],
    levels: Sequence[str] = (),
    what: str = "numbers",
    judged: tuple[str, str] | None = None,
) -> Question:
    """Numbers by item without a truth: right answers, losses or scores, perhaps grades of people and a judge.

    ``levels`` are the two values where there are no others; of words their meaning says which is right.
    """
    what = " and ".join(levels) or what
    answers = [*_graded(judged, tuple(levels)), *_meanings(tuple(levels))]
    answers += [_truth(n, f"{n!r} is the truth, the others predict it") for n in truths[:3]]
    if len(truths) > 3:
        answers.append(answer("another column is the truth", truth="COL"))
    untold = " No column is named as the truth." if truths else ""
    return question(
        "values", f"What do the {what} of {quoted(models)} in {title} mean?{untold}", *answers
    )


def _graded(judged: tuple[str, str] | None, levels: tuple[str, ...]) -> list[Answer]:
    """That some columns hold people's grades and others a judge's."""
    if judged is None:
        return []
    people, judge = judged
    named = (quoted(names.split(",")) for names in judged)
    text = "{} are people's grades of a part, {} a judge's of all".format(*named)
    binary = levels == _BINARY
    right = {"correct": True} if binary else {}
    text += "; 1 is right" if binary else ""
    return [answer(text, truth=people, judge=judge, **right)]


def _meanings(levels: tuple[str, ...]) -> list[Answer]:
    """What numbers by item can be; of two words their meaning says which is right."""
    if levels == _BINARY:
        return [answer("1 is a right answer", correct=True), answer("1 is an error", losses=True)]
    if levels:
        return [
            answer("they say which answers are right", correct=True),
            answer("they say which answers are bad", losses=True),
        ]
    return [
        answer("losses or errors: lower is better", losses=True),
        answer("scores: higher is better", lower_is_better=False),
    ]


def _units(*, items: bool, **more: Any) -> list[Answer]:
    words = {
        "dataset": "a data set or task: the answer applies to new data sets",
        "fold": "a fold of cross-validation",
        "seed": "a run with another seed",
        "item": "an item (a question, a patient, an image)",
    }
    said = {unit: text for unit, text in words.items() if items or unit != "item"}
    return [answer(text, unit=unit, **more) for unit, text in said.items()]


def which_column_unit(title: str) -> Question:
    """A row for each model, and columns that are only numbered."""
    return question(
        "unit", f"What is a column of {title}?", *_units(items=False, models_in_rows=True)
    )


def which_unit(
    title: str,
    *,
    items: bool = True,
    truths: Sequence[str] = (),
    in_rows: bool = False,
    scores: Sequence[str] = (),
) -> Question:
    """Nothing says what a row is; where it may be an item, one of ``truths`` may be the truth."""
    answers = _units(items=items)
    if items and not any(better_side(name) == "higher" for name in scores):
        answers.append(answer("an item, and the numbers are losses", losses=True))
    if in_rows:
        answers.append(answer("a model, and the columns are data sets", models_in_rows=True))
    answers += [_truth(name, f"an item whose truth is {name!r}") for name in truths[:MOST]]
    return question("unit", f"What is a row of {title}?", *answers)


def which_level(title: str, levels: Sequence[Sequence[str]]) -> Question:
    """Nested results whose keys tell at no level, or at several, that they name models."""
    return question(
        "models",
        f"Which keys of {title} name the models?",
        *(the_models(names, quoted(names, 3)) for names in levels),
    )


def which_models(
    title: str,
    truth: str | None,
    unsure: Sequence[str],
    likely: Sequence[str],
    why: str,
    truths: Sequence[str] = (),
) -> Question:
    """Some columns may be models and may be something else."""
    every = [*likely, *(name for name in unsure if name not in likely)]
    of = "" if truth is None else f" of {truth!r}"
    answers = []
    if likely and len(likely) < len(every):
        text = f"{quoted(unsure)} {'is' if len(unsure) == 1 else 'are'} no model"
        answers.append(left_out(list(unsure), text))
    if 1 < len(unsure) <= _FEW and len(every) > 2:
        answers += [left_out([name], f"only {name!r} is not a model") for name in unsure]
    if likely and len(unsure) > 1:
        answers.append(the_models(list(unsure), "these alone are the models"))
    if every:
        answers.append(the_models(every, "these are the models"))
    answers += [_truth(name, f"{name!r} is the truth") for name in truths[:MOST]]
    if not answers:
        answers.append(answer("the columns that hold predictions", models=["A", "B"]))
    return question("models", f"Which columns of {title} are predictions{of}? {why}", *answers)


def which_rows(title: str, column: str, words: Sequence[str]) -> Question:
    """Rows of training and test data in one table."""
    return question(
        "rows",
        f"Which rows of {title} are used? Column {column!r} has {quoted(words)}.",
        *_only(column, words[:MOST]),
    )


def which_tasks(title: str, column: str, words: Sequence[str]) -> Question:
    """Items of several tasks in one table: all of them, or one."""
    one = which_rows(title, column, words)
    ways = (
        answer(f"all; rows of one {column!r} form a cluster", cluster=column),
        answer("all, as independent items", unit="item"),
    )
    return replace(one, answers=(*ways, *one.answers))


def which_positive(classes: Sequence[str], measure: str | None = None, why: str = "") -> Question:
    """Two classes, and a measure that treats them differently."""
    of = f" {measure} treats the two differently." if measure else why
    return question(
        "positive",
        f"Which class is positive, {' or '.join(map(repr, classes))}?{of}",
        *(answer(f"{name!r} is the positive class", positive=name) for name in classes),
    )


def which_scores_turned(
    title: str, scores: Sequence[str], turned: Sequence[str], other: str, why: str
) -> Question:
    """Scores that are lower for the positive class, beside others or although the class was told."""
    rest = [name for name in scores if name not in turned]
    if rest:
        first = the_models(rest, f"{quoted(turned)}: leave out, or write the negative")
    else:
        first = answer(f"yes, {other!r} is the positive class", positive=other)
    return question(
        "turned",
        f"Do low scores indicate the positive class in {title}? {why}",
        first,
        answer(
            "no, high scores indicate it; these models are worse than chance", lower_is_better=False
        ),
    )


def what_of_gaps(where: str, count: int, first: str, *, wrong: bool) -> Question:
    """Cells of a model that are empty."""
    cells = "value is" if count == 1 else "values are"
    return question(
        "missing",
        f"What does a blank mean? {where} has a blank: {count:,} {cells} missing, the first at {first}.",
        *_rules_of_gaps(wrong=wrong),
    )


def what_of_failed_runs(where: str, count: int, first: str) -> Question:
    """Runs with a seed that have no score."""
    runs = "run has" if count == 1 else "runs have"
    return question(
        "missing",
        f"What does a blank mean? In {where} {count:,} {runs} no score, the first at {first}. "
        "If these runs failed, leaving them out favours their model; write the score they deserve.",
        answer("they were not run: leave them out", missing="complete"),
    )


def what_of_failures(column: str, value: str, *, wrong: bool) -> Question:
    """A number that scripts write where a model failed."""
    return question(
        "missing",
        f"What does {value} in column {column!r} mean? It looks like a code for a missing value: "
        "no other value is near it.",
        *_rules_of_gaps(wrong=wrong),
    )


def _rules_of_gaps(*, wrong: bool) -> tuple[Answer, ...]:
    said = {"wrong": "no answer is a wrong answer"} if wrong else {}
    said["complete"] = "leave out the rows in which any model has a gap"
    return tuple(answer(text, missing=how) for how, text in said.items())


def _tried(item: str, repeat: str, text: str = "") -> Answer:
    text = text or f"each item was tried several times, numbered by {repeat!r}"
    return answer(text, id=item, repeat=repeat)


def _of_raters(item: str, raters: str) -> list[Answer]:
    """Ratings of one item by several people: the answer is about these people or about any like them."""
    these = _tried(
        item, raters, f"each item has a rating of each {raters!r}; the answer applies to these"
    )
    any_like = answer(
        "the same, and the answer applies to others like them", **these.arguments, cluster=raters
    )
    return [these, any_like]


def what_of_repeats(
    title: str,
    column: str,
    others: Iterable[str] = (),
    often: tuple[str, int] | None = None,
    *,
    models: Iterable[str] = (),
    datasets: bool = False,
    clusters: bool = True,
    by_position: bool = True,
) -> Question:
    """One id in several rows: they are not independent, or of one model each, which one of ``models`` names."""
    together = f"rows of one {column!r} form a cluster"
    # first who the models are: clusters alone would pool them
    answers = [answer(f"{name!r} names the models", models=[name]) for name in models]
    answers += [answer(together, cluster=column)] if clusters else []
    means = f"{column!r} names data sets; their scores are averaged"
    answers += [answer(means, unit="dataset", repeat=name) for name in list(others)[:datasets]]
    for name in list(others)[:2]:
        answers += _of_raters(column, name) if names_raters(name) else [_tried(column, name)]
    if by_position:
        answers.append(answer(f"the rows are independent; ignore {column!r}", id=False))
    seen = "" if often is None else f", for instance {often[0]!r} {often[1]} times"
    return question(
        "independence",
        f"Are the rows of {title} independent? Values of {column!r} occur more than once{seen}.",
        *answers,
    )


def which_crossed(title: str, column: str, run: str, words: Sequence[str]) -> Question:
    """Runs that are numbered anew for every value of ``column``."""
    return question(
        "unit",
        f"What does {column!r} of {title} name? Each of its values has every {run!r}.",
        answer(f"{column!r} names the models", models=[column]),
        answer(
            f"data sets or tasks, averaged over {run!r}: the answer applies to new ones",
            unit="dataset",
        ),
        *_only(column, words[:2], "only {!r} counts"),
    )


def which_kinds(title: str, what: str, columns: Sequence[str]) -> Question:
    """Several scores of one place, which a column of words that has no part yet tells apart."""
    return question(
        "models",
        f"What tells the rows of {title} apart? There are {what}.",
        *(answer(f"{name!r} names the models", models=[name]) for name in columns[:MOST]),
    )


def which_repeats(title: str, item: str, repeat: str) -> Question:
    """A model has several scores with the same ``repeat``, one for each ``item``."""
    words = f"one answer to {item!r}, asked again for every {repeat!r}"
    text = f"What is a row of {title}? A model has several values with the same {repeat!r}."
    tasks = f"the score on a data set or task {item!r}, averaged over {repeat!r}"
    return question("repeats", text, _tried(item, repeat, words), answer(tasks, unit="dataset"))


def which_measure(
    title: str, measures: Sequence[str], judged: tuple[str, str] | None = None
) -> Question:
    return question(
        "measure",
        f"Which measure of {title} is compared? It has {quoted(measures, 20)}.",
        *_graded(judged, ()),
        *(answer(f"compare by {name}", measure=name) for name in measures[:MOST]),
    )


def classes_or_values(truth: str, *, few: bool) -> Question:
    """Whole numbers such as grades, whose wrong answers lie near the right ones."""
    said = {
        "accuracy": "classes: an answer is right or wrong",
        "mae": "values: the size of an error matters",
    }
    if few:
        said["kappa_quadratic"] = "ordered classes: agreement, with larger errors weighted more"
    return question(
        "measure",
        f"Are the whole numbers of {truth!r} classes or values? The answer can depend on it.",
        *(answer(text, measure=name) for name, text in said.items()),
    )


def which_design(splits: int, numbered: int = 0) -> Question:
    """Scores of splits that may be folds, repeated folds or random splits; their numbers may name so many folds."""
    answers = [
        answer(
            f"{folds} folds, repeated {splits // folds} times", folds=folds, repeats=splits // folds
        )
        for folds in ([numbered] if numbered else (10, 5, 2))
        if splits % folds == 0 and splits > folds
    ]
    if not numbered:
        answers.append(answer(f"one run of {splits} folds", folds=splits))
        answers.append(answer("random splits with this share of test items", test_share=0.3))
    return question(
        "design",
        f"How were the {splits} splits made? Their test sets overlap differently.",
        *answers,
    )


def which_task_unit(title: str, column: str) -> Question:
    """Items of several tasks."""
    return question(
        "unit",
        f"What does the answer generalise to? {title} has items of several values of {column!r}.",
        left_out([column], "new items; every item counts once"),
        answer(f"new tasks; every {column} counts once", unit="dataset"),
    )


def one_score_each(title: str, models: Sequence[str], *, columns: int = 2) -> Question:
    """A table of results: one number of each model says nothing about spread; several may be data sets."""
    in_rows = answer("the columns are data sets and the rows models", models_in_rows=True)
    return question(
        "spread",
        (
            f"{title} has one score per model ({quoted(models)}), so their variation is unknown. "
            "Give the predictions by item, or the scores by data set, fold or seed."
        ),
        *((in_rows,) if columns > 1 else ()),
    )


def which_data_sets(title: str, strange: Sequence[str]) -> Question:
    """Columns of a table of models whose numbers are far above those of all others: likes, or ratings of Elo."""
    return question(
        "models",
        f"Which columns of {title} are data sets? Only {quoted(strange)} "
        f"{'has' if len(strange) == 1 else 'have'} numbers above 100.",
        left_out(list(strange), f"all but {quoted(strange)}"),
        answer("all of them", models_in_rows=True),
    )


def which_direction(measure: str, low: float = 0.0, high: float = 0.0) -> Question:
    """A measure that nobody knows, or values that cannot be what they are called."""
    odd = low if low < 0.0 else high
    why = (
        f" {measure} is never {odd:g}: is it a negated loss, a difference or another measure?"
        if odd
        else ""
    )
    return question(
        "direction",
        f"Which is better, higher or lower values of {measure}?{why}",
        answer("higher is better", lower_is_better=False),
        answer("lower is better", lower_is_better=True),
        answer("the name of a measure that assay knows", measure="NAME"),
    )


_ROWS_COUNT = {
    "weight": ("how much a row counts", "yes, it is an importance weight"),
    "count": ("how many items a row stands for", "yes, this many"),
}


def which_importance(title: str, column: str, role: str) -> Question:
    """A column called weight whose numbers may be kilograms, or count beside items of their own."""
    asked, yes = _ROWS_COUNT[role]
    return question(
        role,
        f"Does {column!r} of {title} say {asked}?",
        answer(yes, **{role: column}),
        left_out([column], "no, it describes the item"),
    )
