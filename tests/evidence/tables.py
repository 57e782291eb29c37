"""Small files of every kind that a user may hand to a method, right or wrong for it."""

import numpy as np

Rows = list[tuple[object, ...]]


def written(rows: Rows) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def _items() -> dict[str, Rows]:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 24)
    a, b, c = (np.where(rng.random(24) < right, truth, 1 - truth) for right in (0.95, 0.9, 0.85))
    scores = np.round(rng.random((2, 24)) * 0.6 + 0.4 * truth, 3)
    values = np.round(rng.normal(size=(3, 24)), 3)
    values[1:] = np.round(values[0] + 0.5 * values[1:], 3)
    n = range(24)
    return {
        "labels": [("id", "y", "a", "b"), *zip(n, truth, a, b, strict=True)],
        "one_model": [("id", "y", "a"), *zip(n, truth, a, strict=True)],
        "three_models": [("y", "a", "b", "c"), *zip(truth, a, b, c, strict=True)],
        "words": [
            ("y", "a"),
            *(
                ("cat" if t else "dog", "cat" if p else "dog")
                for t, p in zip(truth, a, strict=True)
            ),
        ],
        "scored": [("y", "a", "b"), *zip(truth, *scores, strict=True)],
        "scored_folds": [
            ("y", "fold", "a"),
            *((t, i % 4, s) for i, (t, s) in enumerate(sorted(zip(truth, scores[0], strict=True)))),
        ],
        "labels_folds": [
            ("y", "fold", "a", "b"),
            *((t, i % 4, p, q) for i, (t, p, q) in enumerate(zip(truth, a, b, strict=True))),
        ],
        "labels_clusters": [
            ("y", "cluster", "a"),
            *((t, i % 6, p) for i, (t, p) in enumerate(zip(truth, a, strict=True))),
        ],
        "two_clusters": [
            ("y", "cluster", "a", "b"),
            *((t, i % 6, p, q) for i, (t, p, q) in enumerate(zip(truth, a, b, strict=True))),
        ],
        "values": [("y", "a", "b"), *zip(*values, strict=True)],
        "losses": [("a_loss", "b_loss"), *zip(np.abs(values[0]), np.abs(values[1]), strict=True)],
        "one_class": [("y", "a", "b"), *((1, 1, i % 2) for i in range(8))],
        "perfect": [("y", "a", "b"), *((i % 2, i % 2, i % 2) for i in range(8))],
        "one_row": [("y", "a", "b"), (1, 1, 0)],
    }


def _scores() -> dict[str, Rows]:
    rng = np.random.default_rng(4)

    def score() -> float:
        return round(0.8 + 0.05 * rng.normal(), 4)

    return {
        "folds": [("fold", "a", "b"), *((k, score(), score()) for k in range(8))],
        "repeats": [
            ("model", "repeat", "fold", "accuracy"),
            *((m, r, k, score()) for m in "ab" for r in range(5) for k in range(2)),
        ],
        "measures": [
            ("model", "fold", "accuracy", "f1"),
            *((m, k, score(), score()) for m in "ab" for k in range(8)),
        ],
        "datasets": [
            ("dataset", "a", "b", "c"),
            *((f"d{i}", score(), score(), score()) for i in range(8)),
        ],
        "datasets_long": [
            ("dataset", "model", "accuracy"),
            *((f"d{i}", m, score()) for i in range(8) for m in "ab"),
        ],
        "datasets_folds": [
            ("dataset", "model", "fold", "accuracy"),
            *((f"d{i}", m, k, score()) for i in range(5) for m in "ab" for k in range(4)),
        ],
        "seeds": [("seed", "a", "b"), *((i, score(), score()) for i in range(6))],
        "gaps": [
            ("dataset", "a", "b", "c"),
            *((f"d{i}", score(), "" if i == 2 else score(), score()) for i in range(6)),
        ],
        "constant": [("dataset", "a", "b"), *((f"d{i}", 0.5, 0.5) for i in range(5))],
        "one_dataset": [("dataset", "a", "b"), ("d", 0.8, 0.7)],
    }


def _numbers() -> dict[str, Rows]:
    rng = np.random.default_rng(5)
    sample = np.round(rng.normal(size=(9, 3)), 3).tolist()
    left_out = [
        ["" if rng.random() < 0.6 else int(rng.random() < 0.4) for _ in range(9)] for _ in range(12)
    ]
    truth = [i % 2 for i in range(12)]
    return {
        "one_column": [("x",), *((row[0],) for row in sample)],
        "two_columns": [("x", "z"), *((row[0], row[1]) for row in sample)],
        "three_columns": [("u", "v", "w"), *map(tuple, sample)],
        "called_y": [("x", "y"), *((row[0], row[1]) for row in sample)],
        "ragged": [("x", "z"), (1.5, 2.5), (2.5, 3.5), (1.1, 2.0), (0.7, "")],
        "hole": [("x", "z"), (1.5, 2.5), ("", 3.5), (1.1, 2.0)],
        "infinite": [("x", "z"), (1.5, 2.5), ("inf", 3.5), (1.1, 2.0)],
        "mixed": [("x", "z"), (1.5, 2.5), ("oops", 3.5), (1.1, 2.0)],
        "binary": [("a", "b"), (1, 0), (1, 1), (0, 0), (1, 0), (0, 1)],
        "confusion": [("cat", "dog"), (50, 10), (4, 36)],
        "confusion_named": [("truth", "cat", "dog"), ("cat", 50, 10), ("dog", 4, 36)],
        "counts": [("errors", "n"), (20, 100)],
        "two_counts": [("model", "errors", "n"), ("a", 20, 100), ("b", 25, 100)],
        "margins": [("errors_a", "errors_b", "n"), (20, 25, 100)],
        "paired_counts": [("both_right", "only_a", "only_b", "both_wrong"), (50, 10, 4, 36)],
        "summary": [("mean", "sd", "n"), (0.8, 0.05, 10)],
        "effect": [("value", "standard_error"), (0.02, 0.01)],
        "ranks": [("model", "rank"), ("a", 1.5), ("b", 2.0), ("c", 2.5)],
        "sized": [
            ("difference", "size"),
            *(
                (row[0], size)
                for row, size in zip(sample, (3, 3, 3, 3, 3, 6, 6, 6, 6), strict=True)
            ),
        ],
        "p_values": [("a", "b", "p"), ("x", "y", 0.01), ("x", "z", 0.04), ("y", "z", 0.2)],
        "nested": [
            ("fold", "without_1", "without_2", "without_3"),
            *((k, i % 2, (i + k) % 2, int(i == 1)) for k in (1, 2, 3) for i in range(3)),
        ],
        "bootstrap": [
            ("fitted", *(f"s{i}" for i in range(9))),
            *((int(i == 3), *row) for i, row in enumerate(left_out)),
        ],
        "bootstrap_labels": [
            ("y", "fitted", *(f"s{i}" for i in range(9))),
            *((t, t, *row) for t, row in zip(truth, left_out, strict=True)),
        ],
        "criteria": [
            ("unit", "accuracy", "f1"),
            *((f"u{i}", *row[:2]) for i, row in enumerate(sample)),
        ],
        "words_only": [("name", "colour"), ("a", "red"), ("b", "blue")],
        "header_only": [("y", "a", "b")],
        "bare": [(50, 10), (4, 36)],
        "empty": [],
    }


def _judgements() -> dict[str, Rows]:
    rng = np.random.default_rng(6)
    winners = ("model_a", "model_b", "model_a", "model_b", "tie (bothbad)")
    marks = rng.integers(1, 4, size=(12, 3)).tolist()
    return {
        "arena": [
            ("model_a", "model_b", "winner"),
            *((a, b, w) for a in "xyz" for b in "xyz" if a != b for w in winners),
        ],
        "duels": [("winner", "loser", "count"), ("x", "y", 5), ("y", "x", 3), ("z", "x", 2)],
        "raters": [("item", "ann", "bob", "cy"), *((i, *row) for i, row in enumerate(marks))],
        "raters_long": [
            ("item", "rater", "rating"),
            *((i, r, row[r]) for i, row in enumerate(marks) for r in range(3)),
        ],
    }


TABLES: dict[str, Rows] = {**_items(), **_scores(), **_numbers(), **_judgements()}
