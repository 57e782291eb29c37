"""The examples of the lectures, and the commands that take them."""

from collections.abc import Iterable

FOLDS_A = (0.05, 0.01, 0.08, 0.05, 0.01)
FOLDS_B = (0.03, 0.03, 0.04, 0.01, 0.04)
MOONEY_1 = ((87, 83, 88, 82, 85), (82, 78, 83, 77, 80))
MOONEY_2 = ((90, 93, 80, 85, 77), (82, 76, 85, 75, 82))
TRUTH = (1, 1, 0, 0, 0, 1, 0, 1, 0, 1)
SCORES = (0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25)
M1, M2 = ((150, 40), (60, 250)), ((250, 45), (5, 200))
COSTS = ((-1, 100), (1, 0))
RANKS = {"RF": 1.7, "k-NN": 3.2, "naive Bayes": 2.5, "C4.5": 3.4}

FIVE_BY_TWO = (
    (-0.0347, -0.0119), (0.0227, -0.0094), (-0.0148, 0.0197), (0.0065, 0.038), (0.0037, -0.0123),
)  # fmt: skip
"""Ten differences of a 5x2 cross-validation, an example of ours."""

DEMSAR = (
    (0.763, 0.768, 0.771, 0.798), (0.599, 0.591, 0.59, 0.569), (0.954, 0.971, 0.968, 0.967),
    (0.628, 0.661, 0.654, 0.657), (0.882, 0.888, 0.886, 0.898), (0.936, 0.931, 0.916, 0.931),
    (0.661, 0.668, 0.609, 0.685), (0.583, 0.583, 0.563, 0.625), (0.775, 0.838, 0.866, 0.875),
    (1, 1, 1, 1), (0.94, 0.962, 0.965, 0.962), (0.619, 0.666, 0.614, 0.669),
    (0.972, 0.981, 0.975, 0.975), (0.957, 0.978, 0.946, 0.97),
)  # fmt: skip
"""AUC of four C4.5 variants on 14 data sets (Demšar 2006, table 6)."""


def rows(table: Iterable[Iterable[float]]) -> str:
    """A table as it is typed: rows between semicolons."""
    return ";".join(",".join(map(str, row)) for row in table)


ERRORS_100 = "assay test wald --errors 20 --n 100"
ERRORS_10000 = "assay test wald --errors 2000 --n 10000"
DIFFERENCE_100 = "assay test wald_difference --a 25 100 --b 20 100"
DIFFERENCE_1000 = "assay test wald_difference --a 250 1000 --b 200 1000"
FOLDS = "assay test kfold_paired_t --a 0.05,0.01,0.08,0.05,0.01 --b 0.03,0.03,0.04,0.01,0.04"
ROC = (
    "assay test delong --truth 1,1,0,0,0,1,0,1,0,1 "
    "--scores 0.95,0.93,0.87,0.85,0.85,0.85,0.76,0.53,0.43,0.25"
)
COST = 'assay test label_permutation --table "{}" --measure "total_cost[{}]"'
QUANTILE = "assay test mean_summary --mean 0 --sd {sd:g} --n {n} --level {level}"
FIVE_BY_TWO_T = f'assay test dietterich_5x2_t --rows "{rows(FIVE_BY_TWO)}"'
FRIEDMAN = f'assay test friedman --rows "{rows(DEMSAR)}"'
DIAGRAM = 'assay test nemenyi_from_ranks --ranks "RF=1.7,k-NN=3.2,naive Bayes=2.5,C4.5=3.4" --n 34'
