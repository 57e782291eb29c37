"""An evaluation in the forms in which results are published: the Hub's `.eval_results`, and Every Eval Ever.

Both forms hold what a person must say and no data can: which benchmark it was, whose model, who evaluated it.
"""

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
from assay.core.results import Estimate, Evaluation
from assay.report.method_titles import named_interval

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


def files_of(result: Evaluation, form: Form, said: Publication) -> dict[PurePosixPath, str]:
    """The files that are to be published, a file for each model, by where they belong."""
    models = dict.fromkeys(one.model or "model" for one in result.estimates)
    return dict(_FORMS[form](result, model, said) for model in models)


def write(result: Evaluation, form: Form, said: Publication, folder: Path) -> list[Path]:
    """Write the files into a folder; those that are there already are written anew."""
    written = []
    for place, text in files_of(result, form, said).items():
        path = folder / place
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}") from None
        written.append(path)
    return written


def _hub(result: Evaluation, model: str, said: Publication) -> tuple[PurePosixPath, str]:
    """One entry of `.eval_results`: it has a value and no measure, so there can be one measure only."""
    found = _of_model(result, model)
    if len(found) > 1:
        raise NotApplicable(
            f"the Hub shows one value for a task; name the measure: --measure {found[0].measure}"
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
    return f"{one.measure}, {one.interval.level:.0%} CI [{low:.4g}, {high:.4g}] ({named}), {size}"


def _every_eval_ever(
    result: Evaluation, model: str, said: Publication
) -> tuple[PurePosixPath, str]:
    """The aggregate file of a model, with the interval where the schema has a place for it."""
    if said.organisation is None or said.relationship is None:
        raise UsageError(
            "Every Eval Ever asks who evaluated the model: add --organisation NAME and --relationship "
            f"{'|'.join(RELATIONSHIPS)}"
        )
    stamp = f"{said.when.timestamp():.0f}"
    developer, _, name = model.rpartition("/")
    record = {
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
    text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    unique = uuid.uuid5(uuid.NAMESPACE_URL, text)
    benchmark = _folder(said.benchmark)
    place = PurePosixPath(
        "data", benchmark, _folder(developer or "unknown"), _folder(name), f"{unique}.json"
    )
    return place, text


def _metric(one: Estimate, said: Publication) -> dict[str, Any]:
    from assay.measures.registry import find_measure

    measure = find_measure(one.measure)
    return {
        "evaluation_result_id": f"{said.task}/{one.measure}",
        "evaluation_name": said.task if said.task != "default" else said.benchmark,
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


_FORMS = {"hub": _hub, "every-eval-ever": _every_eval_ever}
