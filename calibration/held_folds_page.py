"""The page docs/folds.md, written from what was counted; the lesson stands here, the figures in the results."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.simulate.worlds.folds import read_design
from calibration.allowed_folds_page import NAMES, hardly_learning, in_short
from calibration.fold_cells_page import chance_by_cell, dearest, samples_said, tuned
from calibration.fold_grid import cells as all_cells
from calibration.fold_grid_page import CERTAIN, LIMIT, by_cell, exceeds, sections
from calibration.model_sets import section
from calibration.plain_folds_page import attempts, by_chance, by_price, causes

Kept = dict[str, Any]

HEAD = """# Comparing learning algorithms on one data set

A lesson with its figures. Every number below is counted in simulated worlds whose truth is known.
`python -m calibration.held_folds` writes this page from `calibration/results`. Worlds and learners are in
`calibration/fold_worlds.py`.
"""

LESSON = """## Two questions
**These fitted models**: how do the models that were trained do on new items? Items are the units. Give predictions
item by item: `assay compare predictions.csv --truth y`. **The algorithms**: which does better when trained on
samples like this one? Then training sets vary too, and one data set shows only one of them. `compare` names the
question it answers in the line *Applies* and says how to ask the other.

## What goes wrong
Folds reuse the same items for training again and again, so their scores are not independent. The *naive* t test
divides their spread by the square root of their number. It treats repeats as new evidence: more repeats give smaller
p-values without more data. Nadeau and Bengio's correction, `t = mean / (s √(1/J + n_test/n_train))`, assumes how
strongly folds
correlate. Where learners depend much on their training set (1-NN), folds correlate more. The corrected test then errs
too often as well. No test is exact for every learner (Bengio and Grandvalet 2004).

![False differences and missed differences of each procedure](pictures/folds_levels.png)

There is one dot for each cell (population, learners, number of items). Ten procedures are on stratified folds, the
two t tests also on folds dealt by chance. The last row is the default, with its allowance where it was counted.
Blue: equal learners of one kind called different. Orange: intervals of unlike
learners, or of one with noise, that miss the true difference.
A 95 % interval should miss in 5 % (line); dotted, the limit of 6 %.

## What to do
**Train each algorithm on ten repeats of five folds, dealt by chance, and double the correction**:
`cautious_resampled_t`, `t = mean / (s √(1/J + 2 n_test/n_train))`. The target is the expected difference at the
training size used, four fifths of the items. An algorithm that may hardly beat the most frequent class varies more
than splits of one sample show. For such ones `compare` allows for more (section *Learners that hardly learn*).

```python
import assay
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
models = {"lr": make_pipeline(StandardScaler(), LogisticRegression()), "tree": DecisionTreeClassifier()}
result = assay.compare(models, X, y)                # 50 fits of each
result = assay.compare(models, X, y, fits=25)       # at half the price
result = assay.compare(models, X, y, cv=10)         # or as cv says: decided by the corrected t
result = assay.compare({"lr": models["lr"]}, X, y, against=0.95)  # one algorithm beside a level
```

Items that belong together (visits of a patient) are tested together with `groups=`, one group for each row of X.
In a study `resampling = "valid"`, or `[resampling]` with `scheme = "valid"` and `fits = 50`. `compare` uses this
test for scores of five folds that are repeated twice or more (`RepeatedKFold(n_splits=5, n_repeats=10)`). It compares
two algorithms, many (each pair, Holm-adjusted), or one with a level (`cautious_t_one`), for classes and numbers. For
other folds it uses the corrected t and shows this test with `--details`. It also prints the level measured for the
design.
`assay plan scores-by-fold.csv --algorithms --difference 0.02` shows the power of 10, 25, 50, 100 and 500 fits before
they are made.

**In class**: open `assay serve`, Learn, *Folds that share training data* and *Learners that depend strongly on
their training set*. Change the folds, the learner, and the noise that makes two learners differ. The naive, the
corrected and the cautious t answer the same simulated samples.
"""


def page(
    kept: Kept,
    cells: Sequence[Any],
    procedures: Kept,
    plain: Kept,
    tried: Kept,
    allowed: Kept,
    sets: Kept,
) -> str:
    """The lesson first, then what was measured of procedures, then cell by cell."""
    equal = [cell for cell in cells if cell.effect == 0.0 and cell.name in kept]
    unequal = [cell for cell in cells if cell.effect > 0.0 and cell.name in kept]
    parts = [HEAD]
    if plain and allowed:
        parts.append(_in_short(plain, allowed))
    parts.append(LESSON)
    if plain:
        parts += [by_price(plain), tuned(plain), by_chance(plain, procedures)]
        parts.append(hardly_learning(plain, allowed, causes(tried)))
        parts.append(attempts(tried))
    parts += [_CANDIDATES, section(sets), _powers(kept, unequal), sections(procedures), _LIMITS]
    parts += [_prices(kept, equal), _levels(kept, equal), _powers_by_cell(kept, unequal)]
    parts += [chance_by_cell(plain) if plain else "", by_cell(procedures)]
    lacking = len(all_cells()) - len(plain)
    if lacking:
        parts.append(
            f"Not yet measured by chance: {lacking} of {len(all_cells())} cells; `python -m "
            "calibration.plain_folds` goes on.\n"
        )
    return "\n".join(part for part in parts if part)


def _in_short(plain: Kept, allowed: Kept) -> str:
    """What holds and what does not, before all else."""
    lines = [
        "## What holds, and what does not\n",
        "Asked of a default at no more than 60 fits, in every cell of the grid: level at most 6 % and coverage at "
        "least 93 %. Its size-adjusted power was to be 0.8 of the corrected t's. The default is the cautious t over "
        "ten repeats of five folds, with an allowance for algorithms that hardly learn.\n",
        *in_short(plain, allowed),
        f"- {samples_said(plain)} {dearest(plain)}.",
        "- **Published figures**: four methods of mlr3inferr agree in kind with the study behind it (section "
        "*Beside the study*).",
        "",
    ]
    return "\n".join(lines)


_CANDIDATES = """## Every candidate, and where it is
| candidate | method | figures, or what argues against it |
| --- | --- | --- |
| correction doubled (from Nadeau and Bengio 2003) | `cautious_resampled_t`, `cautious_t_one` | the default |
| correction as published | `corrected_resampled_t`, `corrected_t_one` | beside the default in every table |
| conservative z, repeated holdout on disjoint halves | `conservative_z` | *What else was tried*, *Ten procedures* |
| subsamples, rate estimated (Politis, Romano) | `subsampling_t`, `conservative_z(quarters=)` | *What else was tried* |
| nested cross-validation of a difference (Bates et al.) | `nested_cv_difference` | *Ten procedures*, 60 and 120 fits |
| its fast form: each pair of folds fitted once | `nested_cv_run` | the same numbers, 60 fits and not 100 |
| replace-one variance (Austern and Zhou) | `replace_one_z` | 135 fits for 50 items, 5,010 for 2,000: beyond the price |
| bootstrap, cross-validated inside, centred at the estimate (Jiang et al.) | `bootstrap_cv_t` | *What else was tried* |
| .632+ (Efron and Tibshirani) | `bootstrap_632_plus` | one learner; trains on 63 % of the items: another target |
| learning curve of disjoint parts, extrapolated to the size used | `extrapolated_t` | *What else was tried* |
| confidence set of models (Lei 2020) | `cv_confidence_set` | the first question; *Confidence sets of models* |
| central limit theorem of Bayle et al. | `paired_cv_bayle`, `cv_bayle` | the first question; *Ten procedures* |
| correlation estimated from the folds | none | shows least where it is needed most (decision 0284) |
| degrees of freedom by moments | none | t and normal differ by 2.5 % at 50 fits; intervals lack up to half |
| delete-a-fold and half-sample jackknives | none | *What else was tried*: excluded by level or power |
| 5 x 2 folds | `dietterich_5x2_t`, `alpaydin_5x2_f` | levels up to 16 % ([calibration](calibration.md)) |

"""

_LIMITS = """## What this does not say
Losses are 0 and 1 or squared errors. Areas, F scores and other measures that are not means over items are not
measured
here. Neither are forests, boosting and large networks. Cells of few samples show large errors only. The test
of items (the first question) is far more powerful where it answers what is asked.
"""


def _prices(kept: Kept, cells: Sequence[Any]) -> str:
    rows = []
    for name in next(iter(kept.values()))["designs"]:
        found = [
            (kept[cell.name]["replicates"], kept[cell.name]["designs"][name]) for cell in cells
        ]
        columns = []
        for test in ("corrected", "cautious"):
            shares = [one[test]["rejects"] for _, one in found]
            over = sum(
                exceeds(share, count) for share, (count, _) in zip(shares, found, strict=True)
            )
            columns.append(
                f"{min(shares):.1%} | {np.mean(shares):.1%} | {max(shares):.1%} | {over or '–'}"
            )
        rows.append(f"| {read_design(name).splits} | {_said(name)} | {' | '.join(columns)} |")
    counts = [kept[cell.name]["replicates"] for cell in cells]
    return "\n".join(
        [
            "## Other folds at the same price\n",
            "Folds dealt by chance, other worlds (`calibration/held_folds.py`). Rejections of equal algorithms "
            f"at a nominal 5 %, over {len(cells)} cells ({min(counts):,} to {max(counts):,} samples each). The "
            f"table has the least, the mean and the worst. *above*: cells with a level above {LIMIT:.0%} "
            f"(one-sided {CERTAIN:.1%} Monte-Carlo bound).\n",
            "| fits | splits | corrected t: least | mean | worst | above | cautious t: least | mean | worst | "
            "above |",
            "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
        ]
    )


def _said(name: str) -> str:
    design = read_design(name)
    return (
        f"{design.repeats} x {design.folds} folds"
        if design.repeats > 1
        else f"{design.folds} folds"
    )


def _levels(kept: Kept, cells: Sequence[Any]) -> str:
    rows = []
    for cell in cells:
        of = kept[cell.name]["designs"]
        shares = [
            of["10-fold"]["corrected"], of["10x10-fold"]["corrected"], of["10x5-fold"]["corrected"],
            of["10x5-fold"]["cautious"], of["5x5-fold"]["cautious"],
        ]  # fmt: skip
        listed = " | ".join(f"{one['rejects']:.1%}" for one in shares)
        rows.append(
            f"| {NAMES[cell.learner]} | {cell.population} | {cell.n:,} | {kept[cell.name]['replicates']:,} | "
            f"{listed} |"
        )
    return "\n".join(
        [
            "## Level by cell\n",
            "| learner | population | items | samples | corrected, 10 folds | corrected, 10 x 10 | "
            "corrected, 10 x 5 | cautious, 10 x 5 | cautious, 5 x 5 |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
        ]
    )


def _powers(kept: Kept, cells: Sequence[Any]) -> str:
    """Size-adjusted power beside that of the corrected t at equal fits, and coverage."""
    covered = [kept[cell.name]["designs"]["10x5-fold"]["cautious"]["covers"] for cell in cells]
    chosen, ratios, rows = in_between(kept, cells), _ratios(kept, cells), []
    if not chosen:
        return ""
    for cell in chosen:
        held, other = _both_adjusted(kept, cell)
        of = kept[cell.name]["designs"]
        rows.append(
            f"| {NAMES[cell.learner]} | {cell.population} | {cell.n} | {100 * of['10x5-fold']['truth']:.1f} | "
            f"{other:.0%} | {held:.0%} | {held / other:.2f} | {of['5x10-fold']['corrected']['rejects']:.0%} | "
            f"{of['10x5-fold']['cautious']['rejects']:.0%} |"
        )
    least = "met" if min(ratios) >= 0.8 else "not met"
    return "\n".join(
        [
            "## Power and coverage\n",
            "*Size-adjusted*: rejections with the critical value that makes the level 5 % in the cell without a "
            "difference. A larger correction only stretches the interval: adjusted, both tests of the same splits "
            "have the same power. Asked for was 0.8 of the corrected t's at equal fits, where that has a power of 0.5 "
            f"to 0.9. It is {least}. In these {len(rows)} cells the cautious t on 10 x 5 folds has "
            f"{min(ratios):.2f} to {max(ratios):.2f} times the power of the corrected t on 5 x 10 folds. "
            f"The average is {np.mean(ratios):.2f}.\n",
            "| learner | population | items | true difference, points | corrected t, 5 x 10: adjusted | cautious t, "
            "10 x 5: adjusted | ratio | corrected t: as it is | cautious t: as it is |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
            "The last two columns are the price of caution: the power that you get. The corrected t has more of it, "
            "and more false differences. In these worlds (nearest centroid, 1-NN, logistic regression; "
            f"{len(cells)} cells) the cautious interval covers the true difference in {min(covered):.1%} to "
            f"{max(covered):.1%}. All of it is without the allowance for learners that hardly learn. A table at the "
            "end has all cells.\n",
        ]
    )


def in_between(kept: Kept, cells: Sequence[Any]) -> list[Any]:
    """Cells in which the corrected t has an adjusted power of 0.5 to 0.9."""
    return [cell for cell in cells if 0.5 <= _both_adjusted(kept, cell)[1] <= 0.9]


def _ratios(kept: Kept, cells: Sequence[Any]) -> list[float]:
    """There the default's adjusted power over that of the corrected t at equal fits."""
    pairs = [_both_adjusted(kept, cell) for cell in in_between(kept, cells)]
    return [held / other for held, other in pairs]


def _both_adjusted(kept: Kept, cell: Any) -> tuple[float, float]:
    of, equal = (kept[one.name]["designs"] for one in (cell, cell._replace(effect=0.0)))
    held, other = (_adjusted(of[name], equal[name]) for name in ("10x5-fold", "5x10-fold"))
    return held, other


def _powers_by_cell(kept: Kept, cells: Sequence[Any]) -> str:
    rows = []
    for cell in cells:
        of = kept[cell.name]["designs"]
        held, other = _both_adjusted(kept, cell)
        rows.append(
            f"| {NAMES[cell.learner]} | {cell.population} | {cell.n} | {100 * of['10x5-fold']['truth']:.1f} | "
            f"{of['10x5-fold']['corrected']['rejects']:.0%} | "
            f"{of['10x5-fold']['cautious']['rejects']:.0%} | {held:.0%} | "
            f"{of['5x10-fold']['corrected']['rejects']:.0%} | {other:.0%} | "
            f"{of['10x5-fold']['cautious']['covers']:.1%} |"
        )
    return "\n".join(
        [
            "## Power, cell by cell\n",
            "Rejections of unequal algorithms, 50 fits of each, folds dealt by chance; *covers*: how often the "
            "cautious interval "
            "holds the true difference.\n",
            "| learner | population | items | true difference, points | corrected, 10 x 5 | cautious, 10 x 5 | "
            "adjusted | corrected, 5 x 10 | adjusted | covers |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
        ]
    )


def _adjusted(found: dict[str, Any], equal: dict[str, Any]) -> float:
    """The share of statistics beyond the 95 % point of those without a difference."""
    critical = equal["quantiles"][94]
    return float(1.0 - np.interp(critical, found["quantiles"], np.linspace(0.01, 0.99, 99)))
