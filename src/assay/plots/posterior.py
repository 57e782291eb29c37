"""Posteriors of a difference: probabilities of left, rope and right, as bars, density or simplex."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.compare.verdict import beliefs_as_listed
from assay.core.errors import UsageError
from assay.core.formatting import clean, shown_percent, write_chance, write_estimate, write_given
from assay.core.results import Comparison, Estimate, Posterior
from assay.core.vocabulary import Direction, known_side
from assay.hypotheses.bayes import bayes_correlated_t, bayes_sign
from assay.plots.curve_bands import tidy
from assay.plots.forest import pair_labels
from assay.plots.measure_labels import measure_label, short_names
from assay.plots.number_ticks import LETTER
from assay.plots.style import (
    BLUE,
    FAINT,
    INK,
    PAGE,
    PAPER,
    RULE,
    TEXT,
    VERMILION,
    new_axes,
    own_axes,
    plain,
    styled,
    text_size,
    wide,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Pair = tuple[str, str]
WRITTEN = 0.08
"""Below this a probability does not fit into its part of the bar."""
PARTS: tuple[dict[str, Any], ...] = (
    {"facecolor": VERMILION, "alpha": 0.5, "lw": 0},
    {"facecolor": RULE, "alpha": 1.0, "lw": 0},
    {"facecolor": BLUE, "alpha": 0.8, "lw": 0},
)
"""The look of left, rope and right: in grey they are middle, light and dark."""
NAME_WIDTH = 18
HANDLE = 5
"""Letters as wide as a patch of the legend with the gap behind it."""
MOST_ROWS = 60
"""More rows than this are not readable in one figure; the rest is counted below it."""


def posterior(
    result: Any,
    *,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the probabilities that a difference is below, within and above the rope, as bars.

    One bar for each posterior: of a comparison, or of pairs such as ``bayes_signed_rank_pairs``
    gives; or a mapping of names to three probabilities. What is left of the rope speaks for the
    second model where higher is better.

    Examples
    --------
    >>> posterior({("tree", "net"): (0.1, 0.2, 0.7)}).get_yticklabels()[0].get_text()
    'tree − net'
    """
    rows, direction = _rows(result)
    left_out = len(rows) - MOST_ROWS
    rows = rows[:MOST_ROWS]
    with styled():
        axes = new_axes(PAGE, 1.25 + 0.34 * len(rows), shape="rows") if ax is None else own_axes(ax)
        for place, (_, one) in enumerate(rows):
            _draw_bar(axes, one, place)
        labels = [label for label, _ in rows]
        axes.set_yticks(range(len(rows)), labels)
        plain(*axes.get_yticklabels())
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(0, 1)
        axes.tick_params(axis="y", length=0)
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        more = f"\n… {left_out:,} more not drawn" if left_out > 0 else ""
        axes.set_xlabel(f"posterior probability{more}")
        taken = max((len(line) for label in labels for line in label.split("\n")), default=0)
        _draw_legend(axes, [one for _, one in rows], direction, taken=taken)
    return axes


def posterior_density(
    result: Any, other: Any = None, *, ax: "Axes | None" = None, **options: Any
) -> "Axes":
    """Draw the density of a difference, the rope shaded: for ``bayes_correlated_t``.

    From the scores of two models by fold, that is called with ``options`` (``rope``, ``folds``).
    Other posteriors are draws that a result does not keep; ``posterior`` draws their probabilities.

    Examples
    --------
    >>> from assay.hypotheses.bayes import bayes_correlated_t
    >>> found = bayes_correlated_t([0.81, 0.84, 0.86], [0.8, 0.8, 0.82], rope=0.01, folds=3)
    >>> posterior_density(found).get_xlabel()
    'mean difference'
    """
    result = _worked_out(bayes_correlated_t, result, other, options)
    ((label, found), *others), direction = _rows(result)
    details = dict(found.details)
    mean, scale, df = (details.get(name) for name in ("mean", "scale", "df"))
    if others or not (isinstance(mean, float) and isinstance(scale, float) and scale > 0):
        raise UsageError(
            "a density is drawn of one bayes_correlated_t with some spread, whose posterior is a t "
            "distribution; use posterior"
        )
    low, high = min(mean - 4.5 * scale, -found.rope), max(mean + 4.5 * scale, found.rope)
    edges = (low, -found.rope, found.rope, high)
    with styled():
        axes = new_axes(PAGE, 3.6) if ax is None else own_axes(ax)
        for (start, end), part in zip(pairwise(edges), PARTS, strict=True):
            x = np.linspace(start, end, 200)
            y = _t_density((x - mean) / scale, float(df or 1))
            axes.fill_between(x, 0, y, zorder=1, **part)
            axes.plot([end, end], [0, y[-1]], color=INK, lw=0.8, zorder=2)
        x = np.linspace(low, high, 401)
        y = _t_density((x - mean) / scale, float(df or 1))
        axes.plot(x, y, color=INK, lw=1.4, zorder=3)
        axes.axvline(0.0, color=INK, lw=0.8)
        axes.set_ylim(bottom=0.0)
        tidy(axes)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        measure = found.effect.measure.replace("mean_difference", "mean difference")
        name = measure if not label else f"{label}, {measure}"
        plain(axes.set_xlabel(measure_label(name, direction)))
        _draw_legend(axes, [found], direction, written=True)
    return axes


def _worked_out(method: Any, result: Any, other: Any, options: dict[str, Any]) -> Any:
    """A result as it is; of plain scores, alone (differences) or of two models, what the method finds."""
    if isinstance(result, Posterior | Comparison):
        if other is not None or options:
            named = ", ".join(options) or "a second argument"
            raise UsageError(f"{named} goes with scores; a result has all that is drawn")
        return result
    return method(result, other, **options)


def simplex(result: Any, other: Any = None, *, ax: "Axes | None" = None, **options: Any) -> "Axes":
    """Draw the posterior of the three shares in a triangle: for ``bayes_sign`` with a rope.

    From the scores of two models by data set, that is called with ``options`` (``rope``).

    Each point is a mixture of the three corners: on how many units like these the second model is
    ahead, neither, or the first. The lines part the triangle by which share is the largest, and
    the probability of each part is written at its corner.

    Examples
    --------
    >>> from assay.hypotheses.bayes import bayes_sign
    >>> found = bayes_sign([3.0, 2.0, 4.0, 1.0], [1.0, 1.0, 1.0, 1.1], rope=0.5)
    >>> len(simplex(found).texts)
    3
    """
    result = _worked_out(bayes_sign, result, other, options)
    details = dict(result.details) if isinstance(result, Posterior) else {}
    weights = [details.get(f"weight_{name}") for name in ("left", "rope", "right")]
    known = [float(weight) for weight in weights if isinstance(weight, int | float)]
    if len(known) < 3 or not result.rope:
        raise UsageError(
            "a simplex is drawn of bayes_sign with a rope, whose posterior is a Dirichlet "
            "distribution; use posterior"
        )
    with styled():
        axes = new_axes(4.6, 4.2, shape="square") if ax is None else own_axes(ax)
        if min(known) > 0.0:
            _draw_dirichlet(axes, known)
        else:
            _draw_edge(axes, known)
        _draw_triangle(axes, result)
    return axes


def _rows(result: Any) -> tuple[list[tuple[str, Posterior]], Direction | None]:
    if isinstance(result, Posterior):
        return [("", result)], None
    if isinstance(result, Comparison) and result.posteriors:
        found = beliefs_as_listed(result)
        labels = pair_labels([(str(one.a), str(one.b)) for one in found])
        if len(found) < len(result.posteriors):  # not of these pairs
            found = result.posteriors
            labels = [clean(one.method).replace("_", " ") for one in found]
        return list(zip(labels, found, strict=True)), known_side(result.direction)
    if isinstance(result, Mapping) and result:
        named = _named(list(result))
        return list(zip(named, map(_as_posterior, result.values()), strict=True)), None
    raise UsageError(
        "a posterior figure takes the result of bayes_correlated_t, bayes_sign, bayes_signed_rank "
        "and the like. Or a mapping of pairs to them, or a comparison that has some. Got "
        f"{type(result).__name__}"
    )


def _as_posterior(given: Any) -> Posterior:
    """A posterior, or three probabilities: below, within and above the rope."""
    if isinstance(given, Posterior):
        return given
    shares = [float(one) for one in given] if isinstance(given, Sequence) else []
    if len(shares) != 3 or min(shares) < 0.0 or not math.isclose(sum(shares), 1.0, abs_tol=1e-6):
        raise UsageError(
            "a posterior is drawn of bayes_correlated_t and the like, or of three probabilities (below, "
            f"within, above) that sum to 1; got {given!r}"
        )
    effect = Estimate(measure="", value=None, interval=None, method="given", n=0, unit="item")
    left, rope, right = shares
    return Posterior(
        method="given", p_left=left, p_rope=rope, p_right=right, rope=math.nan, effect=effect
    )


def _named(given: Sequence[Any]) -> list[str]:
    """Pairs, or whatever the posteriors are called."""
    if all(isinstance(one, tuple) for one in given):
        return pair_labels([(str(a), str(b)) for a, b in given])
    return list(short_names(list(map(str, given)), 2 * NAME_WIDTH))


def _draw_bar(axes: "Axes", one: Posterior, place: int) -> None:
    """The three parts side by side, each with its number, and the effect at the right."""
    start = 0.0
    digits = 2 if one.rope else 3  # those of the tables
    for share, part in zip(_shares(one), PARTS, strict=True):
        axes.barh(place, share, left=start, height=0.62, **part)
        if start and share:  # seen where both sides are the same grey
            axes.plot([start, start], [place - 0.31, place + 0.31], color=INK, lw=0.8)
        if share >= (WRITTEN if text_size() == TEXT else 4 * WRITTEN):
            axes.text(
                start + share / 2, place, write_chance(share, digits), ha="center", va="center_baseline",
                bbox={"facecolor": PAPER, "edgecolor": "none", "alpha": 0.75, "pad": 1.0},
                size=text_size() - 0.5,
            )  # fmt: skip
        start += share
    if one.effect.value is None:
        return
    numbers = str(write_estimate(one.effect, signed=True)).replace("-", "\u2212")
    axes.text(
        1.02, place, numbers, va="center", size=text_size() - 0.5,
        transform=axes.get_yaxis_transform(),
    )  # fmt: skip


def _shares(one: Posterior) -> tuple[float, float, float]:
    return one.p_left, one.p_rope, one.p_right


def _parts(rope: float) -> tuple[str, str, str]:
    if rope == 0.0:
        return "below 0", "", "above 0"
    if math.isnan(rope):
        return "second better", "practically equal", "first better"
    return (
        f"below \u2212{write_given(rope)}",
        f"within ±{write_given(rope)}",
        f"above {write_given(rope)}",
    )


def _draw_legend(
    axes: "Axes",
    found: Sequence[Posterior],
    direction: Direction | None,
    *,
    written: bool = False,
    taken: int = 0,
) -> None:
    """What the parts are; with ``written`` their probabilities too. Names left of it have ``taken`` letters."""
    from matplotlib.patches import Patch

    ropes = {one.rope for one in found}
    words = list(_parts(ropes.pop())) if len(ropes) == 1 else ["below", "within", "above the rope"]
    level = found[0].effect.interval.level if found[0].effect.interval else None
    if direction is not None:
        ahead = ("second better", "practically equal", "first better")
        ahead = ahead if direction == "higher" else ahead[::-1]
        words = [f"{word}: {who}" for word, who in zip(words, ahead, strict=True)]
    if written:
        words = [f"{word}: {p:.3f}" for word, p in zip(words, _shares(found[0]), strict=True)]
    kept = [place for place in range(3) if place != 1 or any(one.rope != 0 for one in found)]
    handles = [Patch(**part) for part in PARTS]
    title = (
        f"right: difference with {shown_percent(level)} credible interval"
        if level and not written
        else None
    )
    letters = taken + sum(len(words[place]) + HANDLE for place in kept)
    fits = text_size() == TEXT and letters * LETTER * TEXT <= wide(PAGE)
    legend = axes.legend(
        [handles[place] for place in kept], [words[place] for place in kept], loc="lower left",
        bbox_to_anchor=(0.0, 1.0), ncols=3 if fits else 1,
        borderaxespad=0.2, fontsize=text_size() - 1.0, title=title, alignment="left",
        title_fontsize=text_size() - 1.0, columnspacing=1.2, handletextpad=0.5,
    )  # fmt: skip
    plain(*legend.get_texts())


def _t_density(t: Any, df: float) -> Any:
    """Student's density, for the curve only: every probability comes with the result."""
    log_scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
    return np.exp(log_scale - (df + 1) / 2 * np.log1p(t * t / df))


def _draw_dirichlet(axes: "Axes", weights: Sequence[float]) -> None:
    """Levels of the density on a grid of the triangle, each a share of its peak."""
    steps = 120
    left, right = np.meshgrid(np.arange(1, steps) / steps, np.arange(1, steps) / steps)
    keep = left + right < 1 - 0.5 / steps
    left, right = left[keep], right[keep]
    rope = 1 - left - right
    logs = sum(
        (weight - 1) * np.log(share)
        for weight, share in zip(weights, (left, rope, right), strict=True)
    )
    density = np.exp(logs - np.max(logs))
    x, y = _corner(left, rope, right)
    levels = [0.05, 0.2, 0.4, 0.6, 0.8, 1.001]
    for level, following in pairwise(levels):
        axes.tricontourf(
            x, y, density, levels=[level, following], colors=[BLUE], alpha=0.12 + 0.5 * level,
            zorder=1,
        )  # fmt: skip


def _draw_edge(axes: "Axes", weights: Sequence[float]) -> None:
    """What was never seen has no share: the posterior lies on an edge, or in a corner."""
    corners = np.eye(3)[[place for place, weight in enumerate(weights) if weight > 0.0]]
    if len(corners) == 1:
        axes.plot(*_corner(*corners[0]), "o", color=BLUE, ms=10, zorder=4)
        return
    first, second = (weight for weight in weights if weight > 0.0)
    share = (np.arange(80) + 0.5) / 80
    logs = (first - 1) * np.log1p(-share) + (second - 1) * np.log(share)
    strength = np.exp(logs - logs.max())
    for start, alpha in zip(share - 1 / 160, strength, strict=True):
        ends = [(1 - at) * corners[0] + at * corners[1] for at in (start, start + 1 / 80)]
        axes.plot(
            *zip(*(_corner(*end) for end in ends), strict=True), color=BLUE, alpha=float(alpha),
            lw=7, solid_capstyle="butt", zorder=2,
        )  # fmt: skip


def _corner(left: Any, rope: Any, right: Any) -> tuple[Any, Any]:
    """Left at the lower left, right at the lower right, rope on top."""
    return right + rope / 2 + 0.0 * left, rope * math.sqrt(3) / 2


def _draw_triangle(axes: "Axes", one: Posterior) -> None:
    corners = [_corner(*shares) for shares in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    axes.plot(*zip(*corners, corners[0], strict=True), color=INK, lw=1.2, zorder=3)
    middle = _corner(1 / 3, 1 / 3, 1 / 3)
    for edge in ((0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5)):
        axes.plot(*zip(middle, _corner(*edge), strict=True), color=FAINT, lw=0.9, zorder=2)
    places = (("left", -0.05), ("center", 0.05), ("right", -0.05))
    for (x, y), name, share, (align, drop) in zip(
        corners, _parts(one.rope), _shares(one), places, strict=True
    ):
        axes.text(
            x, y + drop, f"{name}\nprobability {share:.3f}", ha=align,
            va="bottom" if drop > 0 else "top", linespacing=1.3,
        )  # fmt: skip
    axes.set_aspect("equal")
    axes.set_xlim(-0.05, 1.05)
    axes.set_ylim(-0.16, 1.04)
    axes.set_axis_off()
