"""The figures of the lecture on methodology (seeds 002), each by its name, from our own methods."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assay.core.checks import check_choice, check_count
from assay.core.results import Curve, Simulation, SimulationCell
from assay.core.rng import Rng, seed_of, stream
from assay.hypotheses.assumptions import dagostino
from assay.simulate.answer_collection import REPLICATES
from assay.simulate.error_rates import AnswerWeights, rate_of
from assay.simulate.sentences import sentence_of
from assay.simulate.simulate import simulate
from assay.simulate.worlds import make_world

ALPHA = 0.05
SIZES = (5, 10, 20, 50, 100, 200, 500)
BOUNDARY, BINS = 4.0, 40
"""Histograms of standardised means: from minus to plus this, in so many bins."""
UNIFORM = float(1.0 / np.sqrt(12.0))
"""The standard deviation of U(0, 1) - 0.5."""


class LectureFigure(NamedTuple):
    """A figure of the lecture: what it shows, and how it is made."""

    summary: str
    draw: Callable[[int | None, Rng], Simulation]


def lecture_figure(name: str, *, replicates: int | None = None, rng: Rng = None) -> Simulation:
    """A figure of the lecture by its name; ``FIGURES`` lists them."""
    key = check_choice(name.replace("_", "-"), FIGURES, "lecture")
    if replicates is not None:
        check_count(replicates, "replicates", at_least=100)
    made = FIGURES[key].draw(replicates, rng)
    return replace(made, title=FIGURES[key].summary)


def _one_sample_t(replicates: int | None, rng: Rng) -> Simulation:
    """Both populations in one figure: N(0, 1) and U(0, 1) - 0.5."""
    seed = seed_of(rng)
    parts = [
        simulate("one_sample_t", world=world, sd=sd, n=SIZES, replicates=replicates, rng=seed)
        for world, sd in (("normal", 1.0), ("uniform", UNIFORM))
    ]
    return joined(parts)


def _paired_t(replicates: int | None, rng: Rng) -> Simulation:
    return simulate(
        "paired_t", world="normal", mean=100.0, sd=5.0, n=SIZES, replicates=replicates, rng=rng
    )


def _paired_t_missed(replicates: int | None, rng: Rng) -> Simulation:
    return simulate(
        "paired_t", world="normal", mean=100.0, sd=5.0, effect=[0.5, 1.0, 2.0], n=SIZES,
        replicates=replicates, rng=rng,
    )  # fmt: skip


def _binomial(replicates: int | None, rng: Rng) -> Simulation:
    return simulate("binomial", world="proportion", p=0.25, n=SIZES, replicates=replicates, rng=rng)


def _binomial_missed(replicates: int | None, rng: Rng) -> Simulation:
    return simulate(
        "binomial", world="proportion", p=0.25, effect=[-0.02, -0.05, -0.1], n=SIZES,
        replicates=replicates, rng=rng,
    )  # fmt: skip


def _family_wise(replicates: int | None, rng: Rng) -> Simulation:
    """All nulls are true: any rejection is a false alarm."""
    seed, sizes = seed_of(rng), (1, 2, 3, 5, 10, 20, 50)
    corrected = simulate(
        ["bonferroni", "holm"], world="tests", n=sizes, replicates=replicates, rng=seed
    )
    return joined([_uncorrected(sizes, replicates or REPLICATES, seed), corrected])


def _uncorrected(sizes: tuple[int, ...], replicates: int, seed: int) -> Simulation:
    """The same p-values, taken as they are."""
    world = make_world("tests")
    weights = AnswerWeights(np.ones(replicates), replicates)
    cells = []
    for place, n in enumerate(sizes):
        p_values = world.draw(replicates, n, stream(seed, place))["p_values"]
        rate = rate_of(p_values.min(axis=1) <= ALPHA, weights)
        cells.append(
            SimulationCell(
                method="no correction",
                world="tests",
                n=n,
                effect=0.0,
                alpha=ALPHA,
                quantity="family-wise error",
                value=rate.value,
                interval=rate.interval,
                replicates=replicates,
            )
        )
    return Simulation(
        title="",
        question="error",
        methods=("no correction",),
        worlds=(("tests", world.parameters),),
        cells=tuple(cells),
        sentence="",
        seed=seed,
    )


def _small_means(replicates: int | None, rng: Rng) -> Simulation:
    """Means of uniform samples, standardised; d'Agostino's test of all of them (normaltest)."""
    seed, count = seed_of(rng), replicates or 10_000
    world = make_world("uniform", sd=UNIFORM)
    cells, curves = [], []
    for place, n in enumerate((1, 2, 5, 10, 30)):
        values = world.draw(count, n, stream(seed, place), takes="sample")["values"]
        standard = values.mean(axis=1) / (UNIFORM / np.sqrt(n))
        outcome = dagostino(standard)
        p = outcome.p_value
        facts = dict(outcome.details)
        shape = tuple((key, facts[key]) for key in ("skewness", "kurtosis") if key in facts)
        cells.append(
            SimulationCell(
                method="dagostino",
                world="uniform",
                n=n,
                effect=0.0,
                alpha=None,
                quantity="p of normality",
                value=p,
                interval=None,
                replicates=count,
                details=shape,
            )
        )
        curves.append(_outline(standard, n, p))
    return Simulation(
        title="",
        question="means",
        methods=("dagostino",),
        worlds=(
            (
                "uniform",
                tuple((name, value) for name, value in world.parameters if name in ("shape", "sd")),
            ),
        ),
        cells=tuple(cells),
        sentence=sentence_of(cells),
        curves=tuple(curves),
        seed=seed,
    )


def _outline(standard: np.ndarray, n: int, p: float | None) -> Curve:
    edges = np.linspace(-BOUNDARY, BOUNDARY, BINS + 1)
    centre = (edges[1:] + edges[:-1]) / 2.0
    density = np.histogram(standard, bins=edges)[0] / standard.size / np.diff(edges)
    normal = np.exp(-(centre**2) / 2.0) / np.sqrt(2.0 * np.pi)
    columns = {"value": centre, "density": density, "normal": normal}
    return Curve(
        name="means of samples",
        model=f"n = {n}",
        columns=tuple((name, tuple(map(float, values))) for name, values in columns.items()),
        details=(("p_normality", p),),
    )


def joined(parts: list[Simulation]) -> Simulation:
    """Several simulations as one."""
    cells = tuple(cell for part in parts for cell in part.cells)
    return replace(
        parts[0],
        methods=tuple(dict.fromkeys(cell.method for cell in cells)),
        worlds=tuple(dict(world for part in parts for world in part.worlds).items()),
        cells=cells,
        sentence=sentence_of(cells),
        options=(),
    )


FIGURES: dict[str, LectureFigure] = {
    "one-sample-t": LectureFigure(
        "Type I errors of the one-sample t-test on N(0, 1) and on U(0, 1) - 0.5", _one_sample_t
    ),
    "paired-t": LectureFigure(
        "Type I errors of the paired t-test, two samples from N(100, 5)", _paired_t
    ),
    "paired-t-missed": LectureFigure(
        "Type II errors of the paired t-test, N(100, 5) against means 0.5, 1 and 2 higher",
        _paired_t_missed,
    ),
    "binomial": LectureFigure(
        "Type I errors of the binomial test against an accuracy of 0.75", _binomial
    ),
    "binomial-missed": LectureFigure(
        "Type II errors of the binomial test against an accuracy of 0.75, truly 0.77, 0.80 and 0.85",
        _binomial_missed,
    ),
    "small-means": LectureFigure(
        "Means of small and larger samples from U(0, 1) - 0.5, with the normality test",
        _small_means,
    ),
    "family-wise": LectureFigure(
        "Family-wise error by the number of tests, without and with correction", _family_wise
    ),
}
"""The figures by name."""
