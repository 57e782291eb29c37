"""Runs of evaluation logs joined into predictions: by item id, checked by content, never by position.

A run of scores that are all 0 or 1 becomes labels (1 is a right answer), so that methods for right
and wrong apply; other scores stay numbers. Items that were tried several times are clusters.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.core.checks import check_choice
from assay.core.errors import EvidenceError, UsageError
from assay.core.notes import Note, note
from assay.core.results import Details
from assay.evidence.cell_text import plural, quoted
from assay.evidence.names import Role
from assay.evidence.prediction_assembly import settle
from assay.evidence.predictions import Origin, Predictions, Unpaired
from assay.evidence.readers.item_join_memory import Part, align
from assay.evidence.readers.logs import Item, LogRun, fingerprint
from assay.evidence.readers.mismatch import OnMismatch
from assay.evidence.roles import ModelColumns, Needs
from assay.evidence.rows_memory import Array

OnUnscored = Literal["error", "drop", "wrong"]
ON_UNSCORED: tuple[OnUnscored, ...] = ("error", "drop", "wrong")

RIGHT = "1 for a right answer"
"""The column that stands for the truth where scores say right or wrong."""


def join_runs(
    runs: Sequence[LogRun],
    *,
    key: str | None = None,
    by_content: bool = False,
    paired: bool = True,
    policy: OnMismatch = "error",
    unscored: str = "error",
) -> Predictions | Unpaired:
    """Evidence from runs with distinct models: one model each; ``key`` is what clusters are by."""
    rule = check_choice(unscored, ON_UNSCORED, "unscored")
    _check_alike(runs)
    notes = [found for run in runs for found in run.notes]
    if by_content:
        runs = [_by_content(run) for run in runs]
    if paired and len(runs) > 1:
        runs, found = _verified(runs, policy)
        notes += found
    scored = []
    for run in runs:
        kept, found = _scored(run, rule)
        scored.append(kept)
        notes += found
    if paired:
        scored = _without(scored, _lost(runs, scored))
    clustered = key is not None
    for run in scored if key is not None else ():
        _check_clusters(run, key)
    if paired:
        return _joined(scored, notes, policy, clustered=clustered)
    parts = [_joined([run], notes, policy, clustered=clustered) for run in scored]
    return Unpaired(parts=tuple(parts))


def _check_alike(runs: Sequence[LogRun]) -> None:
    """Runs must be measured by the same kind of score, in the same direction."""
    if len({(run.shape, run.higher) for run in runs}) > 1:
        raise EvidenceError(f"these scores cannot be compared: {_metrics(runs)}")
    guessed = any(found.code == "metric-taken" for run in runs for found in run.notes)
    if guessed and len({run.metric for run in runs}) > 1:
        raise EvidenceError(
            f"the runs have different scores: {_metrics(runs)}; say which to compare with metric="
        )


def _metrics(runs: Sequence[LogRun]) -> str:
    return "; ".join(f"{run.metric!r} of {run.title}" for run in runs)


def _by_content(run: LogRun) -> LogRun:
    """Items known by what they ask instead of by their id; one that occurs again by its number too."""
    if not all(item.content for item in run.items):
        raise EvidenceError(
            f"{run.title} has no hashes of its items, so id='hash' cannot join them"
        )
    seen: Counter[tuple[str, int]] = Counter()
    items = []
    for item in run.items:
        seen[item.content, item.repeat] += 1
        times = seen[item.content, item.repeat]
        items.append(item._replace(id=item.content if times == 1 else f"{item.content} #{times}"))
    return replace(run, items=tuple(items))


def _verified(runs: Sequence[LogRun], policy: OnMismatch) -> tuple[list[LogRun], list[Note]]:
    """Refuse, or leave out, items that share an id and nothing else; note prompts that differ."""
    contents = _by_item(runs, lambda item: item.content)
    prompts = _by_item(runs, lambda item: item.prompt)
    titles = " and ".join(run.title for run in runs)
    shared = [item for item, held in contents.items() if len(held) == len(runs)]
    wrong = [item for item in shared if _differ(contents[item])]
    if wrong and policy == "error":
        raise EvidenceError(
            f"{titles} hold different questions or right answers under the same id for "
            f"{plural(len(wrong), 'item')} ({quoted(wrong, 3)}): was the data set changed or "
            "shuffled between the runs? To pair equal items whatever their ids use id='hash'; to "
            "keep the items that agree use on_mismatch='intersect'"
        )
    notes = []
    if wrong:
        if len(wrong) == len(shared):
            raise EvidenceError(f"{titles} have no item in common: all questions differ")
        dropped = f"{plural(len(wrong), 'item')} differ in content under the same id"
        notes.append(
            note("items-dropped", dropped=len(wrong), kept=len(shared) - len(wrong), listed=dropped)
        )
        runs = _without(runs, set(wrong))
    unsure = sum(not _comparable(contents[item]) for item in shared)
    if unsure:
        notes.append(note("items-unverified", titles=titles, count=plural(unsure, "item")))
    other = sum(_differ(held) for held in prompts.values())
    if other:
        notes.append(note("prompts-differ", titles=titles, count=other, total=len(prompts)))
    return list(runs), notes


def _by_item(runs: Sequence[LogRun], fact: Any) -> dict[str, list[set[str]]]:
    """What each run says about each item."""
    found: dict[str, list[set[str]]] = {}
    for run in runs:
        mine: dict[str, set[str]] = {}
        for item in run.items:
            mine.setdefault(item.id, set()).add(fact(item))
        for name, facts in mine.items():
            found.setdefault(name, []).append(facts)
    return found


def _comparable(held: Sequence[set[str]]) -> bool:
    """Whether all runs say something, by the same kind of hash."""
    kinds = {text.partition(" ")[0] for facts in held for text in facts}
    return len(kinds) == 1 and "" not in kinds


def _differ(held: Sequence[set[str]]) -> bool:
    """Whether runs contradict each other; other kinds of hashes, or none, contradict nothing."""
    known = [{text for text in facts if text} for facts in held]
    by_kind: dict[str, set[str]] = {}
    for text in set().union(*known):
        kind = text.partition(" ")[0] if " " in text else ""
        by_kind.setdefault(kind, set()).add(text)
    return any(len(texts) > 1 for texts in by_kind.values())


def _scored(run: LogRun, rule: OnUnscored) -> tuple[LogRun, list[Note]]:
    """The run without items that have no score, or with them counted as 0 where that was asked."""
    if run.shape == "pairs":
        return run, []
    bare = [item for item in run.items if item.score is None]
    if not bare:
        return run, []
    reasons = Counter(item.why for item in bare)
    why = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common(3))
    first = quoted(dict.fromkeys(item.id for item in bare), 3)
    if rule == "error":
        raise EvidenceError(
            f"{run.title} has {plural(len(bare), 'answer')} without a score, of {len(run.items):,}: "
            f"{why}; items {first}. No score is not a wrong answer: leave them out with "
            "unscored='drop', or count them as wrong with unscored='wrong'"
        )
    facts = {"count": len(bare), "total": len(run.items), "model": run.model, "why": why}
    if len(bare) == len(run.items):
        raise EvidenceError(f"no answer in {run.title} has a score: {why}")
    if rule == "drop":
        items = tuple(item for item in run.items if item.score is not None)
        return replace(run, items=items), [note("unscored-dropped", **facts)]
    known = [item.score for item in run.items if item.score is not None]
    if not run.higher or any(not 0.0 <= score <= 1.0 for score in known):
        raise UsageError(
            f"unscored='wrong' counts a missing score as 0, which is the worst only of scores from "
            f"0 to 1; {run.metric!r} of {run.title} is another kind: use unscored='drop'"
        )
    items = tuple(i if i.score is not None else i._replace(score=0.0) for i in run.items)
    return replace(run, items=items), [note("unscored-wrong", **facts)]


def _lost(runs: Sequence[LogRun], scored: Sequence[LogRun]) -> set[str]:
    """Items that some run has without any score: no pair can be made of them."""
    lost: set[str] = set()
    for run, kept in zip(runs, scored, strict=True):
        if kept is not run:
            lost |= {item.id for item in run.items} - {item.id for item in kept.items}
    return lost


def _without(runs: Sequence[LogRun], gone: set[str]) -> list[LogRun]:
    if not gone:
        return list(runs)
    kept = [replace(r, items=tuple(i for i in r.items if i.id not in gone)) for r in runs]
    if not all(run.items for run in kept):
        raise EvidenceError("no item is left that every run has a score for")
    return kept


def _check_clusters(run: LogRun, key: str | None) -> None:
    bare = [item.id for item in run.items if item.cluster is None]
    if bare:
        raise EvidenceError(
            f"{plural(len(bare), 'item')} of {len(run.items):,} in {run.title} have no value of "
            f"{key!r}: {quoted(bare, 3)}"
        )


def _joined(
    runs: Sequence[LogRun], notes: Iterable[Note], policy: OnMismatch, *, clustered: bool
) -> Predictions:
    first = runs[0]
    found = list(notes)
    repeats = _repeats(runs) if first.shape == "scores" else 1
    if repeats is None:
        runs = [_averaged(run) for run in runs]
        found.append(note("repeats-averaged", models=", ".join(run.model for run in runs)))
    if first.shape == "attempts":
        _check_attempts(runs)
    kind, measure = _kind(runs, averaged=repeats is None)
    shaped = [_part(run, kind, repeated=(repeats or 1) > 1, clustered=clustered) for run in runs]
    joined = align(shaped, by_position=False, policy=policy)
    evidence = settle(
        joined.rows,
        joined.roles,
        joined.models,
        classes=("0", "1") if kind == "labels" and first.shape == "scores" else (),
        notes=(*found, *joined.notes),
    )
    origin = Origin(
        measure=measure, description=_described(runs, evidence), details=_provenance(runs)
    )
    return replace(evidence, origin=origin)


def _repeats(runs: Sequence[LogRun]) -> int | None:
    """How often every item was tried, if that is one number for all items of all runs."""
    times = {count for run in runs for count in Counter(item.id for item in run.items).values()}
    numbers = {frozenset(item.repeat for item in run.items) for run in runs}
    if times == {1}:
        return 1
    alike = len(times) == 1 and len(numbers) == 1 and len(next(iter(numbers))) == min(times)
    return min(times) if alike else None


def _averaged(run: LogRun) -> LogRun:
    """One row per item with the mean of its scores."""
    held: dict[str, list[Item]] = {}
    for item in run.items:
        held.setdefault(item.id, []).append(item)
    items = tuple(
        tried[0]._replace(repeat=1, score=float(np.mean([i.score for i in tried])))
        for tried in held.values()
    )
    return replace(run, items=items)


def _kind(runs: Sequence[LogRun], *, averaged: bool) -> tuple[Needs, str]:
    """What the scores are to assay, and the measure that fits them."""
    first = runs[0]
    if first.shape == "pairs":
        return "labels", first.measure or "accuracy"
    if first.shape == "attempts":
        return "values", first.measure or "pass@1"
    if not first.higher:
        return "losses", "mean_loss"
    binary = all(item.score in (0.0, 1.0) for run in runs for item in run.items)
    if binary and not averaged:  # a mean of 1 is no single right answer
        return "labels", "accuracy"
    shares = all(0.0 <= (item.score or 0.0) <= 1.0 for run in runs for item in run.items)
    return "losses", "mean_score" if shares else "mean_rating"


def _part(run: LogRun, kind: Needs, *, repeated: bool, clustered: bool) -> Part:
    """A run as columns."""
    roles: dict[Role, str] = {"id": "id"}
    column = (
        run.metric
        if run.metric not in ("id", "repeat", "cluster", "weight")
        else f"{run.metric} score"
    )
    items: Sequence[Item] = run.items
    arrays: dict[str, Array]
    if run.shape == "attempts":
        counts = _attempts(run)
        arrays = {
            "id": _texts(list(counts)),
            "attempts": np.array([n for n, _ in counts.values()]),
            column: np.array([c for _, c in counts.values()]),
        }
        roles["truth"] = "attempts"
    elif run.shape == "pairs":
        arrays = {
            "id": _texts([item.id for item in items]),
            "right answer": _texts([item.truth for item in items]),
            column: _texts([item.answer for item in items]),
        }
        roles["truth"] = "right answer"
    else:
        scores = np.array([item.score for item in items], dtype=np.float64)
        arrays = {"id": _texts([item.id for item in items])}
        arrays[column] = scores.astype(np.int64) if kind == "labels" else scores
        if kind == "labels":
            arrays[RIGHT] = np.ones(len(items), dtype=np.int64)
            roles["truth"] = RIGHT
        if run.shape == "weighted":
            arrays["weight"] = np.array([item.weight for item in items], dtype=np.float64)
            roles["weight"] = "weight"
        if repeated:
            arrays["repeat"] = np.array([item.repeat for item in items])
            roles["repeat"] = "repeat"
    if clustered and run.shape != "attempts":
        arrays["cluster"] = _texts([item.cluster for item in items])
        roles["cluster"] = "cluster"
    of: dict[str, Any] = {kind: column}
    columns = ModelColumns(**of)
    return Part(title=run.title, arrays=arrays, roles=roles, models={run.model: columns})


def _attempts(run: LogRun) -> dict[str, tuple[int, int]]:
    """Attempts and correct ones of every task."""
    counts: dict[str, tuple[int, int]] = {}
    for item in run.items:
        tried, passed = counts.get(item.id, (0, 0))
        counts[item.id] = (tried + 1, passed + int(item.score or 0))
    return counts


def _check_attempts(runs: Sequence[LogRun]) -> None:
    """One number of attempts per task for all runs: pass@k is worked out from it."""
    known = _attempts(runs[0])
    for run in runs[1:]:
        for task, (tried, _) in _attempts(run).items():
            if task in known and known[task][0] != tried:
                raise EvidenceError(
                    f"the runs have different numbers of attempts at task {task!r}: "
                    f"{known[task][0]} in {runs[0].title}, {tried} in {run.title}. Compare the "
                    "shares that pass with metric='passed', or evaluate pass@k run by run"
                )


def _texts(values: Sequence[Any]) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _described(runs: Sequence[LogRun], evidence: Predictions) -> str:
    """What was read, in one sentence."""
    first = runs[0]
    what = sorted({f"{run.metric} of {run.task}" for run in runs})
    answers = plural(evidence.n, "item")
    if "repeat" in evidence.roles:
        items, _ = evidence.rows.distinct([evidence.roles["id"]])
        answers = f"{plural(evidence.n, 'answer')} to {plural(items, 'item')}"
    better = "higher" if first.higher else "lower"
    clusters = "" if evidence.clusters is None else f"; {plural(evidence.clusters, 'cluster')}"
    sources = sorted({f"{run.title} ({run.harness})" for run in runs})
    return (
        f"{', '.join(what[:3])} ({better} is better) of {quoted(evidence.models, 8)} on {answers}"
        f"{clusters}; from {', '.join(sources)}."
    )


def _provenance(runs: Sequence[LogRun]) -> Details:
    """The checksum of every file that was read."""
    files = {part.title: part.path for run in runs for part in run.pooled or (run,)}
    return tuple((f"sha256:{title}", fingerprint(path)) for title, path in files.items())


def named_apart(models: Sequence[str], titles: Sequence[str]) -> list[str]:
    """Names for runs: the model, and what sets the source apart where a model ran more than once."""
    if len(set(models)) == len(models):
        return list(models)
    twice = {model for model, count in Counter(models).items() if count > 1}
    names = [
        f"{model} ({title})" if model in twice else model
        for model, title in zip(models, _short(titles), strict=True)
    ]
    if len(set(names)) < len(names):
        raise EvidenceError(f"the same run was given twice: {quoted(titles)}")
    return names


def _short(titles: Sequence[str]) -> list[str]:
    """The last parts of paths, as many as it takes to tell them apart."""
    split = [title.replace("\\", "/").rstrip("/").split("/") for title in titles]
    for depth in range(1, max(map(len, split)) + 1):
        short = ["/".join(parts[-depth:]) for parts in split]
        if len(set(short)) == len(set(titles)):
            return short
    return list(titles)


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
