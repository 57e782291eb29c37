"""`python -m calibration.replication`: seven tests of two algorithms, after Dietterich and Nadeau and Bengio.

Measures what is missing (resumable, like the calibration) and writes docs/replication.md with its
pictures; --publish writes from what there is.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.kernels.binomial import clopper_pearson_limits
from calibration.designs.cells import Found, at_alpha
from calibration.designs.grid_run import calibrate, merged
from calibration.designs.two_algorithms import EFFECTS, ITEMS, PAIRS, TESTS, replication_jobs
from calibration.words import REPLICATION

HERE = Path(__file__).parent
ROOT = HERE.parent
COLOURS = {
    "two-proportion z": "#8c8c8c", "resampled t": "#c0392b", "10-fold t": "#e08e3c",
    "corrected resampled t": "#34699a", "corrected 10-fold t": "#7fb3d5", "McNemar": "#1e8449",
    "5x2 t": "#7d3c98", "5x2 F": "#c39bd3",
}  # fmt: skip
Cells = Mapping[tuple[Any, ...], Mapping[str, Found]]


def main() -> None:
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    if "--publish" not in sys.argv[1:]:
        calibrate(
            replication_jobs(),
            results,
            report=lambda line: print(line, file=sys.stderr, flush=True),
        )
    found = [one for one in merged(results) if one.table.world == "replication"]
    cells: dict[tuple[Any, ...], dict[str, Found]] = {
        (learner, population, effect): {}
        for learner, population in PAIRS
        for effect in EFFECTS[population]
    }
    for one in found:
        if one.at in cells:
            cells[one.at][one.table.procedure] = one
    cells = {at: tests for at, tests in cells.items() if tests}
    draw(cells, ROOT / "docs" / "pictures")
    (ROOT / "docs" / "replication.md").write_text(page(cells))


def page(cells: Cells) -> str:
    """docs/replication.md: what they found, what we find, and the numbers."""
    return REPLICATION.format(n=ITEMS, levels=_levels(cells), powers=_powers(cells))


def _rate(one: Found) -> float:
    kind = "level" if one.at[2] == 0.0 else "power"
    return one.counts[at_alpha(kind, 0.05)] / (one.replicates or 1)


def _levels(cells: Cells) -> str:
    worlds = [at for at in cells if at[2] == 0.0]
    lines = [
        "| test | " + " | ".join(f"{at[0]}, {at[1]}" for at in worlds) + " |",
        "|---|" + "---|" * len(worlds),
    ]
    for test in TESTS:
        entries = []
        for at in worlds:
            one = cells[at][test]
            hits, size = round(one.counts["level@0.05"]), one.replicates or 0
            low, high = (float(end) for end in clopper_pearson_limits(hits, size, 0.025))
            entries.append(f"{100 * _rate(one):.1f} ({100 * low:.1f}–{100 * high:.1f})")
        lines.append(f"| {test} | " + " | ".join(entries) + " |")
    sizes = sorted({cells[at][TESTS[0]].replicates or 0 for at in worlds})
    lines.append(f"\nReplicates: {sizes[0]:,} to {sizes[-1]:,} of each pair of learners.")
    return "\n".join(lines)


def _powers(cells: Cells) -> str:
    lines = [
        "| learner, population | true difference | " + " | ".join(TESTS) + " |",
        "|---|---|" + "---|" * len(TESTS),
    ]
    for at, tests in cells.items():
        if at[2] == 0.0:
            continue
        difference = 100 * next(iter(tests.values())).facts["difference"]
        rates = " | ".join(f"{100 * _rate(tests[test]):.0f}" for test in TESTS)
        lines.append(f"| {at[0]}, {at[1]} | {difference:.1f} | {rates} |")
    return "\n".join(lines)


def draw(cells: Cells, folder: Path) -> None:
    """Levels as bars with their intervals; power against the true difference."""
    import matplotlib

    matplotlib.use("Agg")
    _draw_levels(cells, folder / "replication_levels.png")
    _draw_powers(cells, folder / "replication_power.png")


def _draw_levels(cells: Cells, path: Path) -> None:
    import matplotlib.pyplot as plt

    worlds = [at for at in cells if at[2] == 0.0]
    figure, axes = plt.subplots(figsize=(8, 4.2))
    for place, at in enumerate(worlds):
        for row, test in enumerate(TESTS):
            one = cells[at][test]
            low, high = clopper_pearson_limits(
                round(one.counts["level@0.05"]), one.replicates or 1, 0.025
            )
            height = row + 0.18 * (place - (len(worlds) - 1) / 2)
            marker = "osD^v"[place % 5]
            axes.plot(
                [100 * float(low), 100 * float(high)], [height] * 2, color="#999", linewidth=1
            )
            axes.plot(100 * _rate(one), height, marker, color=COLOURS[test], markersize=5,
                      label=f"{at[0]}, {at[1]}" if row == 0 else None)  # fmt: skip
    axes.axvline(5, color="black", linewidth=0.8)
    axes.set_yticks(range(len(TESTS)), TESTS)
    axes.invert_yaxis()
    axes.set_xlabel(f"rejections of exchangeable learners, % (nominal 5 %, n = {ITEMS})")
    legend = axes.legend(frameon=False, fontsize=8, loc="lower right")
    for handle in legend.legend_handles:
        if handle is not None:
            handle.set_color("#555")  # type: ignore[attr-defined]
    _finish(figure, [axes], path)


def _draw_powers(cells: Cells, path: Path) -> None:
    import matplotlib.pyplot as plt

    pairs: Sequence[tuple[Any, ...]] = list(dict.fromkeys(at[:2] for at in cells))
    figure, grid = plt.subplots(1, len(pairs), figsize=(3.1 * len(pairs), 3.6), sharey=True)
    panels = [grid] if len(pairs) == 1 else list(grid)
    for axes, pair in zip(panels, pairs, strict=True):
        mine = sorted((at for at in cells if at[:2] == pair), key=lambda at: at[2])
        for test in TESTS:
            points = [
                (
                    100 * cells[at][test].facts["difference"] * (at[2] > 0),
                    100 * _rate(cells[at][test]),
                )
                for at in mine
            ]
            axes.plot(
                *zip(*points, strict=True), "-o", color=COLOURS[test], markersize=3, label=test
            )
        axes.axhline(5, color="black", linewidth=0.6, linestyle=":")
        axes.set_title(f"{pair[0]}\n{pair[1]}", fontsize=9)
        axes.set_xlabel("true difference, points")
    panels[0].set_ylabel("rejections, %")
    panels[-1].legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.02, 0.5))
    _finish(figure, panels, path)


def _finish(figure: Any, panels: Sequence[Any], path: Path) -> None:
    import matplotlib.pyplot as plt

    for axes in panels:
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.savefig(path, dpi=110, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
