"""Results as OpenML and Weka 3.9 write them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def openml_predictions(
    path: Path,
    rows: Sequence[tuple[int, int, int, str, str]],
    *,
    classes: Sequence[str] = ("setosa", "versi color"),
    confidences: bool = True,
) -> Path:
    """``rows`` are (repeat, fold, row_id, prediction, truth)."""
    names = ",".join(f"'{name}'" if " " in name else name for name in classes)
    lines = [
        "% OpenML run predictions",
        "@RELATION openml_task_59_predictions",
        "@ATTRIBUTE repeat NUMERIC",
        "@ATTRIBUTE fold NUMERIC",
        "@ATTRIBUTE row_id NUMERIC",
        f"@ATTRIBUTE prediction {{{names}}}",
        f"@ATTRIBUTE correct {{{names}}}",
    ]
    if confidences:
        lines += [f"@ATTRIBUTE 'confidence.{name}' NUMERIC" for name in classes]
    lines += ["", "@DATA"]
    for repeat, fold, row, prediction, truth in rows:
        cells = [str(repeat), str(fold), str(row), f"'{prediction}'", f"'{truth}'"]
        if confidences:
            cells += ["0.75" if name == prediction else "0.25" for name in classes]
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n")
    return path


WEKA = (
    "Key_Dataset", "Key_Run", "Key_Fold", "Key_Scheme", "Key_Scheme_options",
    "Key_Scheme_version_ID", "Date_time", "Number_of_training_instances",
    "Number_of_testing_instances", "Percent_correct", "Root_mean_squared_error", "Summary",
)  # fmt: skip


def weka_rows(scores: Mapping[tuple[str, int, int, str, str], Any]) -> list[list[str]]:
    """Rows by (data set, run, fold, scheme, options)."""
    return [
        [
            *(dataset, str(run), str(fold), scheme, options),
            *("-217733168393644444", "2.026E7", "135", "15"),
            *("?" if score is None else repr(score), "0.25", "?"),
        ]
        for (dataset, run, fold, scheme, options), score in scores.items()
    ]


def weka_csv(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    lines = [",".join(WEKA)]
    lines += [",".join(f"'{c}'" if " " in c else c for c in row) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def weka_arff(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    text = {"Key_Dataset", "Key_Scheme", "Key_Scheme_options", "Key_Scheme_version_ID", "Summary"}
    lines = ["@relation InstanceResultListener", ""]
    lines += [f"@attribute {name} {'string' if name in text else 'numeric'}" for name in WEKA]
    lines += ["", "@data"]
    lines += [",".join(f"'{c}'" if " " in c else c for c in row) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path
