"""Runs of evaluation logs joined into predictions: by item id, checked by content, never by position.

A run of scores that are all 0 or 1 becomes labels (1 is a right answer), so that methods for right
and wrong apply; other scores stay numbers. Items that were tried several times are clusters.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.core.checks import check_choice
from assay.core.errors import EvidenceError, UsageError
from assay.core.notes import Note, note
from assay.evidence.cell_text import plural, quoted
from assay.evidence.folders import last_parts
from assay.evidence.model_columns import ModelColumns, Needs
from assay.evidence.names import Role
from assay.evidence.prediction_assembly import settle
from assay.evidence.predictions import Origin, Predictions, Unpaired
from assay.evidence.readers.item_join_memory import JoinedPart, align
from assay.evidence.readers.log_files import fingerprint
from assay.evidence.readers.log_items import Item, LogRun, told_apart
from assay.evidence.reading_options import OnMismatch
from assay.evidence.rows_memory import Array

OnUnscored = Literal["error", "drop", "wrong"]
ON_UNSCORED: tuple[OnUnscored, ...] = ("error", "drop", "wrong")

TRUTHS = {"attempts": "attempts", "pairs": "right answer", "scores": "1 for a right answer"}
"""The column that stands for the truth, by the shape of the items."""


def join_runs(
    runs: Sequence[LogRun],
    *,
    key: str | None = None,
    role: Literal["cluster", "slice"] = "cluster",
    by_content: bool = False,
    paired: bool = True,
    policy: OnMismatch = "error",
    unscored: str = "error",
) -> Predictions | Unpaired:
    """Evidence from runs with distinct models: one model each; ``key`` is what clusters, or slices, are by."""
    rule = check_choice(unscored, ON_UNSCORED, "unscored")
    _check_alike(runs)
    notes = [found for run in runs for found in run.notes]
    if by_content:
        runs = [_by_content(run) for run in runs]
    if paired and len(runs) > 1:
        runs = _verified(runs, policy, notes)
    scored = [_scored(run, rule, notes) for run in runs]
    if paired:  # of an item that some run has without any score no pair can be made
        lost = (_ids(run) - _ids(kept) for run, kept in zip(runs, scored, strict=True))
        scored = _without(scored, set().union(*lost))
    if key is not None:
        _check_clusters(scored, key)
    groups = [scored] if paired else [[run] for run in scored]
    by = None if key is None else (role, key)
    parts = tuple(_joined(group, notes, policy, by) for group in groups)
    return parts[0] if paired else Unpaired(parts=parts)


def _check_alike(runs: Sequence[LogRun]) -> None:
    """Runs must be measured by the same kind of score, in the same direction."""
    metrics = "; ".join(f"{run.metric!r} of {run.title}" for run in runs)
    if len({(run.shape, run.higher) for run in runs}) > 1:
        raise EvidenceError(f"these scores cannot be compared: {metrics}")
    guessed = any(found.code == "metric-taken" for run in runs for found in run.notes)
    if guessed and len({run.metric for run in runs}) > 1:
        raise EvidenceError(
            f"the runs have different scores: {metrics}; say which to compare with metric="
        )


def _by_content(run: LogRun) -> LogRun:
    """Items known by what they ask instead of by their id; one that occurs again by its number too."""
    if not all(item.content for item in run.items):
        raise EvidenceError(
            f"{run.title} has no hashes of its items, so id='hash' cannot join them"
        )
    tries = told_apart([f"{item.repeat} {item.content}" for item in run.items])
    names = (known.partition(" ")[2] for known in tries)
    items = (item._replace(id=name) for item, name in zip(run.items, names, strict=True))
    return replace(run, items=tuple(items))


def _ids(run: LogRun) -> set[str]:
    return {item.id for item in run.items}


def _verified(runs: Sequence[LogRun], policy: OnMismatch, notes: list[Note]) -> Sequence[LogRun]:
    """Refuse, or leave out, items that share an id and nothing else; note prompts that differ."""
    contents = _facts(runs, lambda item: item.content)
    prompts = _facts(runs, lambda item: item.prompt)
    titles = " and ".join(run.title for run in runs)
    everywhere = set.intersection(*map(_ids, runs))
    shared = [item for item in contents if item in everywhere]
    wrong = [item for item in shared if _contradict(contents[item])]
    if wrong and policy == "error":
        raise EvidenceError(
            f"{titles} hold different questions or right answers under the same id for {plural(len(wrong), 'item')} "
            f"({quoted(wrong, 3)}). Was the data set changed or shuffled between the runs? To pair items by their "
            "content use id='hash'. To keep the items that agree use on_mismatch='intersect'"
        )
    if wrong:
        if len(wrong) == len(shared):
            raise EvidenceError(f"{titles} have no item in common: all questions differ")
        said = f"{plural(len(wrong), 'item')} differ in content under the same id"
        kept = len(shared) - len(wrong)
        notes.append(note("items-dropped", dropped=len(wrong), kept=kept, listed=said))
        runs = _without(runs, set(wrong))
    unsure = sum("" in contents[item] or len(_kinds(contents[item])) > 1 for item in shared)
    if unsure:
        notes.append(note("items-unverified", titles=titles, count=plural(unsure, "item")))
    other = sum(map(_contradict, prompts.values()))
    if other:
        notes.append(note("prompts-differ", titles=titles, count=other, total=len(prompts)))
    return runs


def _facts(runs: Sequence[LogRun], fact: Callable[[Item], str]) -> dict[str, set[str]]:
    """What the runs say about each item: hashes, each after its kind."""
    found: dict[str, set[str]] = {}
    for run in runs:
        for item in run.items:
            found.setdefault(item.id, set()).add(fact(item))
    return found


def _kinds(hashes: Iterable[str]) -> set[str]:
    return {text.partition(" ")[0] for text in hashes if text}


def _contradict(hashes: set[str]) -> bool:
    """Whether two hashes of one kind differ; other kinds, or none, contradict nothing."""
    return len(hashes - {""}) > len(_kinds(hashes))


def _scored(run: LogRun, rule: OnUnscored, notes: list[Note]) -> LogRun:
    """The run without items that have no score, or with them counted as 0 where that was asked."""
    bare = [item for item in run.items if item.score is None]
    if not bare or run.shape == "pairs":
        return run
    reasons = Counter(item.why for item in bare)
    why = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common(3))
    if rule == "error":
        first = quoted(dict.fromkeys(item.id for item in bare), 3)
        raise EvidenceError(
            f"{run.title} has {plural(len(bare), 'answer')} without a score, of {len(run.items):,}: "
            f"{why}; items {first}. No score is not a wrong answer: leave them out with "
            "unscored='drop', or count them as wrong with unscored='wrong'"
        )
    known = [item.score for item in run.items if item.score is not None]
    if not known:
        raise EvidenceError(f"no answer in {run.title} has a score: {why}")
    if rule == "wrong" and not (run.higher and _are_shares(known)):
        raise UsageError(
            "unscored='wrong' counts a missing score as 0, the worst value of scores from 0 to 1. "
            f"{run.metric!r} of {run.title} is on another scale: use unscored='drop'"
        )
    facts = {"count": len(bare), "total": len(run.items), "model": run.model, "why": why}
    if rule == "drop":
        notes.append(note("unscored-dropped", **facts))
        return replace(run, items=tuple(item for item in run.items if item.score is not None))
    notes.append(note("unscored-wrong", **facts))
    return replace(run, items=tuple(item._replace(score=item.score or 0.0) for item in run.items))


def _are_shares(scores: Iterable[float]) -> bool:
    return all(0.0 <= score <= 1.0 for score in scores)


def _without(runs: Sequence[LogRun], gone: set[str]) -> list[LogRun]:
    kept = [replace(r, items=tuple(i for i in r.items if i.id not in gone)) for r in runs]
    if not all(run.items for run in kept):
        raise EvidenceError("no item is left that every run has a score for")
    return kept


def _check_clusters(runs: Sequence[LogRun], key: str) -> None:
    for run in runs:
        bare = [item.id for item in run.items if item.cluster is None]
        if bare:
            raise EvidenceError(
                f"{plural(len(bare), 'item')} of {len(run.items):,} in {run.title} have no value of "
                f"{key!r}: {quoted(bare, 3)}"
            )


def _joined(
    runs: Sequence[LogRun],
    notes: Iterable[Note],
    policy: OnMismatch,
    by: tuple[Literal["cluster", "slice"], str] | None,
) -> Predictions:
    first = runs[0]
    found = list(notes)
    if first.shape == "attempts":
        runs = [_counted(run) for run in runs]
        _check_attempts(runs)
    repeated = _are_repeats(runs)
    if repeated is None:
        runs = [_averaged(run) for run in runs]
        found.append(note("repeats-averaged", models=", ".join(run.model for run in runs)))
    needs, measure = _kind(runs, averaged=repeated is None)
    if needs == "labels" and first.shape == "scores":
        runs = [_judged(run) for run in runs]
    shaped = [_part(run, needs, repeated=bool(repeated), by=by[0] if by else None) for run in runs]
    joined = align(shaped, by_position=False, policy=policy)
    evidence = settle(
        joined.rows,
        joined.roles,
        joined.models,
        classes=("0", "1") if needs == "labels" and first.shape == "scores" else (),
        notes=(*found, *joined.notes),
    )
    # the checksum of every file that was read
    files = {log.title: fingerprint(log.path) for run in runs for log in run.logs}
    metrics = {run.metric for run in runs}
    origin = Origin(
        measure=first.measure or measure,
        called=first.metric if len(metrics) == 1 else None,
        description=_described(runs, evidence, by),
        details=tuple((f"sha256:{title}", sha) for title, sha in files.items()),
        reported={run.model: run.averages for run in runs if run.reported},
    )
    return replace(evidence, origin=origin)


def _tries(run: LogRun) -> dict[str, list[Item]]:
    """The answers to each item."""
    held: dict[str, list[Item]] = {}
    for item in run.items:
        held.setdefault(item.id, []).append(item)
    return held


def _counted(run: LogRun) -> LogRun:
    """One row per task: how often it was tried (the truth) and how often that passed (the answer)."""
    items = tuple(
        tried[0]._replace(truth=len(tried), answer=sum(int(item.score or 0) for item in tried))
        for tried in _tries(run).values()
    )
    return replace(run, items=items)


def _judged(run: LogRun) -> LogRun:
    """Scores of 0 and 1 as answers, of which 1 is the right one."""
    items = (item._replace(truth=1, answer=int(item.score or 0)) for item in run.items)
    return replace(run, items=tuple(items))


def _check_attempts(runs: Sequence[LogRun]) -> None:
    """One number of attempts per task for all runs: pass@k is worked out from it."""
    known = {item.id: item.truth for item in runs[0].items}
    for run in runs[1:]:
        for item in run.items:
            if known.get(item.id, item.truth) != item.truth:
                raise EvidenceError(
                    f"the runs have different numbers of attempts at task {item.id!r}: "
                    f"{known[item.id]} in {runs[0].title}, {item.truth} in {run.title}. Compare the "
                    "shares that pass with metric='passed', or evaluate pass@k run by run"
                )


def _are_repeats(runs: Sequence[LogRun]) -> bool | None:
    """Whether items were tried several times; None where not all items equally often in all runs."""
    times = {len(tried) for run in runs for tried in _tries(run).values()}
    numbers = {frozenset(item.repeat for item in run.items) for run in runs}
    if times == {1}:
        return False
    alike = len(times) == 1 and len(numbers) == 1 and len(next(iter(numbers))) == min(times)
    return True if alike else None


def _averaged(run: LogRun) -> LogRun:
    """One row per item with the mean of its scores."""
    items = tuple(
        tried[0]._replace(repeat=1, score=float(np.mean([item.score for item in tried])))
        for tried in _tries(run).values()
    )
    return replace(run, items=items)


def _kind(runs: Sequence[LogRun], *, averaged: bool) -> tuple[Needs, str]:
    """What the scores are to assay, and the measure that fits them."""
    first = runs[0]
    if first.shape in ("pairs", "attempts"):
        return "labels" if first.shape == "pairs" else "values", "accuracy"
    if not first.higher:
        return "losses", "mean_loss"
    scores = {item.score or 0.0 for run in runs for item in run.items}
    if scores <= {0.0, 1.0} and not averaged:  # a mean of 1 is no single right answer
        return "labels", "accuracy"
    return "losses", "mean_score" if _are_shares(scores) else "mean_rating"


def _part(
    run: LogRun, needs: Needs, *, repeated: bool, by: Literal["cluster", "slice"] | None
) -> JoinedPart:
    """A run as columns."""
    taken = ("id", "repeat", "cluster", "weight")
    column = f"{run.metric} score" if run.metric in taken else run.metric
    columns = {"id": "id", column: "score" if needs == "losses" else "answer"}
    roles: dict[Role, str] = {"id": "id"}
    if needs != "losses":
        roles["truth"] = TRUTHS[run.shape]
        columns[TRUTHS[run.shape]] = "truth"
    more: dict[Role, bool] = {"weight": run.shape == "weighted", "repeat": repeated}
    for role in (role for role, there in more.items() if there):
        roles[role] = columns[role] = role
    if by is not None and run.shape != "attempts":
        roles[by], columns["cluster"] = "cluster", "cluster"
    named, items = columns.items(), run.items
    arrays = {name: _array([getattr(item, field) for item in items]) for name, field in named}
    of: dict[str, Any] = {needs: column}
    models = {run.model: ModelColumns(**of)}
    return JoinedPart(title=run.title, arrays=arrays, roles=roles, models=models)


def _array(values: Sequence[Any]) -> Array:
    texts = any(isinstance(value, str) for value in values)
    return np.array(values, dtype=object if texts else None)


def _described(runs: Sequence[LogRun], evidence: Predictions, by: tuple[str, str] | None) -> str:
    """What was read, in one sentence."""
    what = sorted({f"{run.metric} of {run.task}" for run in runs})
    answers = plural(evidence.n, "item")
    if "repeat" in evidence.roles:
        items, _ = evidence.rows.distinct([evidence.roles["id"]])
        answers = f"{plural(evidence.n, 'answer')} to {plural(items, 'item')}"
    better = "higher" if runs[0].higher else "lower"
    clusters = "" if evidence.clusters is None else f"; {plural(evidence.clusters, 'cluster')}"
    if by is not None and by[0] == "slice":
        clusters = f"; slices by {by[1]}"
    sources = sorted({f"{run.title} ({run.logs[0].harness})" for run in runs})
    return (
        f"{', '.join(what[:3])} ({better} is better) of {quoted(evidence.models, 8)} on {answers}"
        f"{clusters}; from {', '.join(sources)}."
    )


def named_apart(models: Sequence[str], titles: Sequence[str]) -> list[str]:
    """Names for runs: the model, and what sets the source apart where a model ran more than once."""
    times = Counter(models)
    names = [
        f"{model} ({title})" if times[model] > 1 else model
        for model, title in zip(models, _short(titles), strict=True)
    ]
    if len(set(names)) < len(names):
        raise EvidenceError(f"the same run was given twice: {quoted(titles)}")
    return names


def _short(titles: Sequence[str]) -> list[str]:
    """The last parts of paths, as many as it takes to tell them apart."""
    each = list(dict.fromkeys(titles))
    parts = [title.replace("\\", "/").rstrip("/").split("/") for title in each]
    short = dict(zip(each, last_parts(parts) or each, strict=True))
    return [short[title] for title in titles]


def chosen(runs: Sequence[LogRun], asked: Any) -> list[LogRun]:
    """The runs of the models asked for; as many new names as there are runs rename them in order."""
    if asked is None:
        return list(runs)
    if isinstance(asked, Mapping):
        raise UsageError("models= of logs is a list of names; a log has one model")
    names = [asked] if isinstance(asked, str) else [str(name) for name in asked]
    by_model = {run.model: run for run in runs}
    if all(name in by_model for name in names):
        return [by_model[name] for name in dict.fromkeys(names)]
    if len(set(names)) == len(runs):
        return [replace(run, model=name) for run, name in zip(runs, names, strict=True)]
    unknown = [name for name in names if name not in by_model]
    raise EvidenceError(f"no model {quoted(unknown)}; the logs have {quoted(by_model, 20)}")
