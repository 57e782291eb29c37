"""An evaluation in the forms in which results are published: the Hub's `.eval_results`, and Every Eval Ever.

Both forms hold what a person must say and no data can: which benchmark it was, whose model, who evaluated it.
"""

import hashlib
import json
import math
import re
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args

from assay._version import __version__
from assay.core.errors import NotApplicable, UsageError
from assay.core.file_names import write_whole
from assay.core.formatting import shown, shown_percent
from assay.core.results import Estimate, Evaluation
from assay.evidence.predictions import Predictions
from assay.report.method_titles import named_interval
from assay.report.published_items import PublishedSample, of_items, samples_of

SCHEMA = "0.3.0"
"""The version of the schema of Every Eval Ever that is written."""
Relationship = Literal["first_party", "third_party", "collaborative", "other"]
RELATIONSHIPS: tuple[Relationship, ...] = get_args(Relationship)
Form = Literal["hub", "every-eval-ever"]
FORMS: tuple[Form, ...] = get_args(Form)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """What stands beside the numbers.

    ``benchmark`` is a data set of the Hub (``openai/gsm8k``), ``task`` a task in it; ``organisation`` is who
    evaluated, ``relationship`` what that is to the model: both are asked for by Every Eval Ever alone.
    """

    benchmark: str
    task: str = "default"
    organisation: str | None = None
    relationship: Relationship | None = None
    url: str | None = None
    notes: str | None = None
    at: datetime | None = None

    @property
    def when(self) -> datetime:
        return self.at or datetime.now(UTC)

    @property
    def called(self) -> str:
        """What the evaluation is called in a record of Every Eval Ever."""
        return self.task if self.task != "default" else self.benchmark


Files = dict[PurePosixPath, str]


def files_of(
    result: Evaluation, form: Form, said: Publication, items: Predictions | None = None
) -> Files:
    """The files that are to be published, for each model, by where they belong.

    ``items`` is the evidence with the question of each item as its slices: every answer is published too.
    """
    models = dict.fromkeys(one.model or "model" for one in result.estimates)
    if form == "hub":
        if items is not None:
            raise UsageError("the Hub has no place for single answers: leave out question=")
        return dict(_hub(result, model, said) for model in models)
    found: Files = {}
    for model in models:
        found |= _every_eval_ever(result, model, said, items)
    return found


def write(
    result: Evaluation,
    form: Form,
    said: Publication,
    folder: Path,
    items: Predictions | None = None,
) -> list[Path]:
    """Write the files into a folder; those that are there already are written anew."""
    written = []
    for place, text in files_of(result, form, said, items).items():
        path = folder / place
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}") from None
        write_whole(path, text)
        written.append(path)
    return written


def _hub(result: Evaluation, model: str, said: Publication) -> tuple[PurePosixPath, str]:
    """One entry of `.eval_results`: it has a value and no measure, so there can be one measure only."""
    found = _of_model(result, model)
    if len(found) > 1:
        raise NotApplicable(
            f"the Hub shows one value for a task; name the measure: measure={found[0].measure!r}"
        )
    (one,) = found
    lines = ["- dataset:", f"    id: {_yaml(said.benchmark)}", f"    task_id: {_yaml(said.task)}"]
    lines += [f"  value: {_known(one)!r}", f"  date: {_yaml(said.when.date().isoformat())}"]
    if said.url:
        lines += ["  source:", f"    url: {_yaml(said.url)}"]
    about = "; ".join(filter(None, (said.notes, _uncertainty(one))))
    lines.append(f"  notes: {_yaml(about)}")
    return PurePosixPath(_folder(model), ".eval_results", f"{_folder(said.task)}.yaml"), "\n".join(
        lines
    ) + "\n"


def _uncertainty(one: Estimate) -> str:
    """The interval in words, because the form has no place for it."""
    size = f"n = {one.n} {one.unit}s"
    if one.interval is None:
        return f"{one.measure}, {size}"
    low, high = one.interval.low, one.interval.high
    named = named_interval(one.interval.method)
    return f"{one.measure}, {shown_percent(one.interval.level)} CI [{shown(low)}, {shown(high)}] ({named}), {size}"


def _every_eval_ever(
    result: Evaluation, model: str, said: Publication, items: Predictions | None
) -> Files:
    """The aggregate file of a model, with the interval where the schema has a place for it, and its samples."""
    if said.organisation is None or said.relationship is None:
        raise UsageError(
            "Every Eval Ever asks who evaluated the model: add organisation= and relationship= "
            f"({'|'.join(RELATIONSHIPS)})"
        )
    record = _record(result, model, said)
    samples = "" if items is None else _samples(result, model, said, items, record)
    unique = _unique(json.dumps(record), samples)
    developer, _, name = model.rpartition("/")
    folder = PurePosixPath("data", *map(_folder, (said.benchmark, developer or "unknown", name)))
    found: Files = {}
    if samples:
        place = folder / f"{unique}_samples.jsonl"
        record["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": str(place),
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(samples.encode()).hexdigest(),
            "total_rows": samples.count("\n"),
        }
        found[place] = samples
    text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return {folder / f"{unique}.json": text, **found}


def _record(result: Evaluation, model: str, said: Publication) -> dict[str, Any]:
    stamp = f"{said.when.timestamp():.0f}"
    developer, _, name = model.rpartition("/")
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{said.benchmark}/{model}/{stamp}",
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": said.organisation,
            "evaluator_relationship": said.relationship,
            **({"source_organization_url": said.url} if said.url else {}),
        },
        "eval_library": {"name": "assay", "version": __version__},
        "model_info": {
            "name": name,
            "id": model,
            **({"developer": developer} if developer else {}),
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [_metric(one, said) for one in _of_model(result, model)],
    }


def _unique(*texts: str) -> uuid.UUID:
    """The same for the same files; the collection takes names of version 4 only."""
    return uuid.UUID(bytes=hashlib.sha256("".join(texts).encode()).digest()[:16], version=4)


def _samples(
    result: Evaluation,
    model: str,
    said: Publication,
    items: Predictions,
    record: dict[str, Any],
) -> str:
    """A line for every answer, linked to the result whose mean it is part of."""
    measures = of_items([one.measure for one in _of_model(result, model)])
    lines = (
        _line(sample, _result_id(said, measure), model, said, record["evaluation_id"])
        for measure in measures
        for sample in samples_of(items, model, measure)
    )
    return "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)


def _line(
    sample: PublishedSample, result_id: str, model: str, said: Publication, evaluation_id: str
) -> dict[str, Any]:
    asked = {"raw": sample.question, "reference": sample.reference}
    plain = json.dumps(asked, sort_keys=True, separators=(",", ":"))
    return {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation_id,
        "model_id": model,
        "evaluation_name": said.called,
        "evaluation_result_id": result_id,
        "sample_id": sample.name,
        "sample_hash": hashlib.sha256(plain.encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": asked,
        "output": {"raw": sample.answer},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": answer,
                "extraction_method": "exact_match",
                "is_terminal": True,
            }
            for answer in sample.answer
        ],
        "evaluation": {"score": sample.score, "is_correct": sample.score == 1.0},
    }


def _result_id(said: Publication, measure: str) -> str:
    return f"{said.task}/{measure}"


def _metric(one: Estimate, said: Publication) -> dict[str, Any]:
    from assay.measures.registry import find_measure

    measure = find_measure(one.measure)
    return {
        "evaluation_result_id": _result_id(said, one.measure),
        "evaluation_name": said.called,
        "source_data": {
            "dataset_name": said.benchmark.rpartition("/")[2],
            "source_type": "hf_dataset",
            "hf_repo": said.benchmark,
            "samples_number": one.n,
        },
        "metric_config": {
            "metric_id": one.measure,
            "metric_name": measure.title,
            "lower_is_better": measure.direction == "lower",
            "score_type": "continuous",
            "min_score": measure.low if math.isfinite(measure.low) else "-Infinity",
            "max_score": measure.high if math.isfinite(measure.high) else "Infinity",
            **({"evaluation_description": said.notes} if said.notes else {}),
        },
        "score_details": {"score": _known(one), "uncertainty": _interval(one)},
    }


def _interval(one: Estimate) -> dict[str, Any]:
    found: dict[str, Any] = {"num_samples": one.n}
    if one.interval is not None and math.isfinite(one.interval.width):
        found["confidence_interval"] = {
            "lower": one.interval.low,
            "upper": one.interval.high,
            "confidence_level": one.interval.level,
            "method": named_interval(one.interval.method),
        }
    return found


def _of_model(result: Evaluation, model: str) -> list[Estimate]:
    return [one for one in result.estimates if (one.model or "model") == model]


def _known(one: Estimate) -> float:
    if one.value is None:
        raise NotApplicable(
            f"{one.measure} of {one.model} is undefined, so there is nothing to publish"
        )
    return one.value


def _yaml(text: str) -> str:
    """A text as a quoted scalar of YAML, which takes JSON's quotes."""
    return json.dumps(text, ensure_ascii=False)


def _folder(name: str) -> str:
    """A name as that of a folder or file: no way up, and nothing that a system refuses."""
    return re.sub(r"[^\w.+-]+", "_", name).strip(".") or "_"
