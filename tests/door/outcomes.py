"""Items without a truth: right and wrong, losses, scores of a named measure; wide and long."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.case import Case, Goodness, Scene, asked, certain, defensible, leads
from tests.door.draw import generator, outcomes, rounded, write, write_lines

RATES = {"opus": 0.85, "llama": 0.55}
OL, LO = (("opus", "llama"),), (("llama", "opus"),)


def right_wrong(
    file: str,
    *,
    header: str = "item_id",
    rates: Mapping[str, float] = RATES,
    words: tuple[Any, Any] = (0, 1),
    beside: Mapping[str, Any] | None = None,
    n: int = 200,
) -> Scene:
    """A row for each item, 0 or 1 for each model."""

    def make(folder: Path) -> Goodness:
        rng = generator(file)
        right = {name: outcomes(rng, n, rate) for name, rate in rates.items()}
        shown = {name: np.asarray(words)[column] for name, column in right.items()}
        write(folder / file, {header: [f"q{i}" for i in range(n)], **shown, **(beside or {})})
        return {name: column.astype(float) for name, column in right.items()}

    return Scene((file,), make)


def levels(
    file: str,
    *,
    means: Mapping[str, float],
    spread: float = 0.1,
    header: str = "id",
    sign: int = 1,
    n: int = 150,
    beside: Mapping[str, Any] | None = None,
) -> Scene:
    """A row for each item, a number for each model."""

    def make(folder: Path) -> Goodness:
        drawn = _levels(file, means, spread, n)
        write(folder / file, {header: [f"q{i}" for i in range(n)], **drawn, **(beside or {})})
        return {name: sign * np.asarray(column) for name, column in drawn.items()}

    return Scene((file,), make)


def _levels(seed: str, means: Mapping[str, float], spread: float, n: int) -> dict[str, list[float]]:
    rng = generator(seed)
    hard = rng.normal(0, spread, n)
    noise = {name: rng.normal(0, spread / 2, n) for name in means}
    drawn = {name: mean + hard + noise[name] for name, mean in means.items()}
    return {name: rounded(np.clip(column, 0.001, None), 4) for name, column in drawn.items()}


def long(
    file: str,
    *,
    model: str,
    item: str,
    measure: str,
    values: Mapping[str, Any],
    goodness: Goodness,
    beside: Mapping[str, Any] | None = None,
    items: Any = None,
    lines: bool = False,
) -> Scene:
    """A row for each model and item, in an order of its own."""

    def make(folder: Path) -> Goodness:
        n = len(next(iter(values.values())))
        names = [f"q{i}" for i in range(n)] if items is None else items
        columns: dict[str, Any] = {
            model: [name for name in values for _ in range(n)],
            item: [row for _ in values for row in names],
            **{
                name: [row for _ in values for row in column]
                for name, column in (beside or {}).items()
            },
            measure: [row for column in values.values() for row in column],
        }
        order = generator(file).permutation(n * len(values))
        columns = {name: [column[i] for i in order] for name, column in columns.items()}
        (write_lines if lines else write)(folder / file, columns)
        return goodness

    return Scene((file,), make)


def long_right(file: str, measure: str, *, n: int = 200, **more: Any) -> Scene:
    rng = generator(file)
    right = {name: outcomes(rng, n, rate) for name, rate in RATES.items()}
    words = more.pop("words", (0, 1))
    return long(
        file,
        measure=measure,
        values={name: [words[value] for value in column] for name, column in right.items()},
        goodness={name: column.astype(float) for name, column in right.items()},
        **more,
    )


def long_levels(
    file: str, measure: str, means: Mapping[str, float], *, sign: int = 1, n: int = 120, **more: Any
) -> Scene:
    drawn: dict[str, Any] = _levels(file, means, more.pop("spread", 0.1), n)
    if more.pop("stars", False):
        drawn = {
            name: [int(np.clip(round(value), 1, 5)) for value in column]
            for name, column in drawn.items()
        }
    return long(
        file,
        measure=measure,
        values=drawn,
        goodness={name: sign * np.asarray(column) for name, column in drawn.items()},
        **more,
    )


def _wide() -> list[Case]:
    """0 and 1, or numbers, of each model: what they are must be told or named."""
    both = (leads("--correct", order=OL), leads("--losses", order=LO, said=-1))
    four = {
        "6b_finetuning": 0.2,
        "6b_verification": 0.4,
        "175b_finetuning": 0.6,
        "175b_verification": 0.8,
    }
    best = tuple(("175b_verification", name) for name in list(four)[:3])
    rng = generator("costs")
    costs = {"tokens": rng.integers(100, 900, 200), "latency_ms": rng.integers(200, 3000, 200)}
    ridge = (("ridge", "lasso"),)
    dense = (("dense", "bm25"),)
    unnamed = levels("losses.csv", means={"ridge": 0.3, "lasso": 0.5}, sign=-1)
    ranked = levels("ranked.csv", means={"dense": 0.6, "bm25": 0.45}, header="qid")
    why = "nothing says whether 1 is right or an error"
    return [
        *(
            asked(f"wide-{name}", right_wrong(f"wide_{name}.csv", header=header), why, *both)
            for name, header in (
                ("item", "item_id"),
                ("question", "question"),
                ("unnamed", ""),
                ("test", "test_case"),
            )
        ),
        asked(
            "wide-four",
            right_wrong("gsm8k.csv", header="item", rates=four),
            why,
            leads("--correct", order=best, models=tuple(four)),
            leads("--higher-is-better", order=best, models=tuple(four)),
        ),
        asked(
            "wide-booleans",
            right_wrong("wide_bool.csv", words=("FALSE", "TRUE")),
            "TRUE may be a right answer, or an answer to a yes-or-no question",
            leads("--correct", order=OL),
        ),
        certain(
            "wide-correct-suffix",
            right_wrong("correct_suffix.csv", rates={"opus_correct": 0.85, "llama_correct": 0.55}),
            (("opus_correct", "llama_correct"),),
            "the columns say that 1 is correct",
        ),
        defensible(
            "wide-correct-prefix",
            right_wrong(
                "correct_prefix.csv", rates={"is_correct_opus": 0.85, "is_correct_llama": 0.55}
            ),
            (("is_correct_opus", "is_correct_llama"),),
            "the columns say that 1 is correct",
            ("--correct",),
        ),
        asked(
            "wide-costs",
            right_wrong("costs.csv", header="item", beside=costs),
            "1 may be right or an error; tokens are no model",
            leads("--correct", "--ignore", "tokens,latency_ms", order=OL),
            leads("--correct", "--models", "opus,llama", order=OL),
        ),
        certain(
            "wide-losses-told",
            unnamed,
            ridge,
            "the values are told to be losses",
            options=("--losses",),
        ),
        asked(
            "wide-numbers",
            unnamed,
            "numbers without a truth may be losses, scores or predictions",
            leads("--losses", order=ridge),
            leads("--lower-is-better", order=ridge),
        ),
        certain(
            "wide-loss-suffix",
            levels("loss_suffix.csv", means={"ridge_loss": 0.3, "lasso_loss": 0.5}, sign=-1),
            (("ridge_loss", "lasso_loss"),),
            "the columns say that they hold losses",
        ),
        asked(
            "wide-ranked",
            ranked,
            "nothing says which way is better",
            leads("--higher-is-better", order=dense),
        ),
        defensible(
            "wide-ranked-ndcg",
            ranked,
            dense,
            "nDCG is better higher, and queries are items",
            ("--higher-is-better",),
            options=("--measure", "ndcg@10"),
        ),
        asked(
            "wide-raters",
            right_wrong(
                "raters.csv",
                header="item",
                rates={"ann": 0.8, "bob": 0.5, "cem": 0.3},
                words=(2, 5),
            ),
            "ratings of three people are no models",
            knows=("--higher-is-better",),
        ),
        certain(
            "wide-told-higher",
            ranked,
            dense,
            "the direction is told",
            options=("--higher-is-better",),
        ),
    ]


def _long() -> list[Case]:
    """A row for each model and item: the commonest form of evaluation results."""
    tasks = ["arith" if i % 2 else "logic" for i in range(200)]
    dense, gain = (("dense", "bm25"),), {"dense": 0.6, "bm25": 0.45}
    small, less = (("small_wer", "big_wer"),), {"small_wer": 0.2, "big_wer": 0.32}
    samples = {"sample": [i % 4 for i in range(200)]}
    return [
        certain(
            "long-correct",
            long_right("long_correct.csv", "correct", model="model", item="item"),
            OL,
            "1 is correct by the name of the column",
            n=200,
        ),
        certain(
            "long-is-correct",
            long_right(
                "long_is_correct.jsonl",
                "is_correct",
                model="model",
                item="question_id",
                words=(False, True),
                lines=True,
            ),
            OL,
            "is_correct true is right",
            n=200,
        ),
        certain(
            "long-accuracy",
            long_right("long_acc.csv", "acc", model="model_name", item="doc_id"),
            OL,
            "acc of an item is 1 where it is right",
            n=200,
        ),
        certain(
            "long-passed",
            long_right(
                "long_passed.csv", "passed", model="agent", item="task_id", words=("False", "True")
            ),
            OL,
            "passed is good, and a task of an agent is an item",
            unit=None,
        ),
        certain(
            "long-loss",
            long_levels(
                "long_loss.csv",
                "loss",
                {"opus": 0.3, "llama": 0.5},
                sign=-1,
                model="model",
                item="id",
            ),
            OL,
            "a loss is better lower",
        ),
        certain(
            "long-nll",
            long_levels(
                "long_nll.csv",
                "nll",
                {"opus": 1.3, "llama": 1.5},
                sign=-1,
                model="model",
                item="doc_id",
            ),
            OL,
            "a negative log likelihood is better lower",
        ),
        certain(
            "long-error",
            long_levels(
                "long_error.csv",
                "squared_error",
                {"opus": 0.3, "llama": 0.5},
                sign=-1,
                model="model",
                item="item",
            ),
            OL,
            "an error is better lower",
        ),
        certain(
            "long-ndcg",
            long_levels("long_ndcg.csv", "ndcg@10", gain, model="run", item="query_id"),
            dense,
            "nDCG of each query and run",
            n=120,
        ),
        certain(
            "long-bleu",
            long_levels("long_bleu.csv", "bleu", gain, model="system", item="segment"),
            dense,
            "BLEU is better higher",
        ),
        certain(
            "long-wer",
            long_levels("long_wer.csv", "wer", less, sign=-1, model="system", item="utterance"),
            small,
            "a word error rate is better lower",
        ),
        asked(
            "long-score",
            long_levels("long_score.csv", "score", gain, model="system", item="segment"),
            "a score may be better either way",
            leads("--higher-is-better", order=dense),
        ),
        asked(
            "long-metric",
            long_levels("long_metric.csv", "zeta_v3", gain, model="system", item="segment"),
            "nobody said which way this measure is better",
            leads("--higher-is-better", order=dense),
        ),
        defensible(
            "long-tasks",
            long_right(
                "long_tasks.csv", "correct", model="model", item="item", beside={"task": tasks}
            ),
            OL,
            "items of two tasks",
            ("--ignore", "task"),
            unit=None,
        ),
        defensible(
            "long-samples",
            long_right(
                "long_samples.csv",
                "correct",
                model="model",
                item="question",
                items=[f"q{i // 4}" for i in range(200)],
                beside=samples,
            ),
            OL,
            "four samples of each question",
            ("--repeat", "sample"),
        ),
        asked(
            "long-repeated",
            long_right(
                "long_repeated.csv",
                "correct",
                model="model",
                item="question",
                items=[f"q{i // 4}" for i in range(200)],
            ),
            "several rows of one model and question: nobody said which belong together",
            unit=None,
        ),
        asked(
            "long-raters",
            long_levels(
                "long_raters.csv",
                "rating",
                {"opus": 4.2, "llama": 2.9},
                spread=0.6,
                stars=True,
                model="model",
                item="item",
                items=[f"q{i // 3}" for i in range(120)],
                beside={"rater": ["ann", "bob", "cem"] * 40},
            ),
            "three raters are not pooled without a word",
            leads("--repeat", "rater", "--higher-is-better", order=OL),
            leads("--where", "rater=ann", "--higher-is-better", order=OL, n=40),
        ),
        defensible(
            "long-prompt",
            long_right(
                "long_prompt.csv",
                "correct",
                model="model",
                item="id",
                beside={"prompt": [f"Add {i} and {i}" for i in range(200)]},
            ),
            OL,
            "the prompt describes the item",
            ("--ignore", "prompt"),
        ),
    ]


def _several_measures() -> list[Case]:
    def rouge(folder: Path) -> Goodness:
        drawn = _levels("rouge", {"bart": 0.5, "lead3": 0.4}, 0.1, 100)
        other = _levels("rouge2", {"bart": 0.25, "lead3": 0.35}, 0.05, 100)
        columns = {
            "doc": [f"d{i}" for _ in drawn for i in range(100)],
            "system": [name for name in drawn for _ in range(100)],
            "rouge1": [*other["bart"], *other["lead3"]],
            "rougeL": [*drawn["bart"], *drawn["lead3"]],
        }
        write(folder / "rouge.csv", columns)
        return {name: np.asarray(column) for name, column in drawn.items()}

    bart = (("bart", "lead3"),)
    return [
        asked(
            "long-two-measures",
            Scene(("rouge.csv",), rouge),
            "two measures that disagree: which one decides is not told",
            leads("--measure", "rougeL", order=bart),
        ),
    ]


CASES = [*_wide(), *_long(), *_several_measures()]
