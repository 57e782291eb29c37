"""Pictures of what was measured: levels, coverage, folds."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from calibration.designs.criteria import Judged


def draw_figures(judged: Sequence[Judged], folder: Path) -> None:
    """Write every picture there are numbers for."""
    import matplotlib

    matplotlib.use("Agg")
    _dots(judged, folder / "calibration_levels.png", ("level@0.05", "family_wise@0.05"), 5.0, 5.5,
          "rejections under the null, % (nominal 5 %)")  # fmt: skip
    _dots(judged, folder / "calibration_coverage.png", ("coverage@0.05",), 95.0, 93.5,
          "coverage of the 95 % interval, %")  # fmt: skip
    _folds(judged, folder / "calibration_folds.png")


def _name(one: Judged) -> str:
    table = one.table
    if table.world in ("label_measures", "scores"):
        what = {"label_measure": "interval"}.get(table.procedure, table.procedure)
        return f"{table.measure}: {what}"
    return table.procedure


def _dots(
    judged: Sequence[Judged], path: Path, kinds: tuple[str, ...], nominal: float, limit: float,
    label: str,
) -> None:  # fmt: skip
    """One row per procedure, one dot per cell; red dots fall short."""
    import matplotlib.pyplot as plt

    rows: dict[str, list[tuple[float, bool]]] = {}
    for one in judged:
        if one.table.world == "folds" or (
            kinds[0].startswith("coverage") and one.table.answers != "evaluate"
        ):
            continue
        for kind in kinds:
            if kind in one.measured:
                beyond = kind in one.short or kind.replace("level", "size") in one.short
                rows.setdefault(_name(one), []).append((100 * one.measured[kind][0], beyond))
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(8, 0.8 + 0.36 * len(rows)))
    rng = np.random.default_rng(0)
    for place, values in enumerate(rows.values()):
        heights = place + rng.uniform(-0.25, 0.25, len(values))
        colours = ["#c0392b" if beyond else "#34699a" for _, beyond in values]
        axes.scatter([v for v, _ in values], heights, s=9, c=colours, alpha=0.7, linewidths=0)
    axes.axvline(nominal, color="black", linewidth=0.8)
    axes.axvline(limit, color="black", linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(rows)), list(rows))
    axes.invert_yaxis()
    axes.set_xlabel(label)
    _finish(figure, axes, path)


def _folds(judged: Sequence[Judged], path: Path) -> None:
    """Levels by design and procedure, one dot per learner, population and n."""
    import matplotlib.pyplot as plt

    cells = [one for one in judged if one.table.world == "folds"]
    if not cells:
        return
    rows: dict[str, list[tuple[float, int]]] = {}
    for one in sorted(cells, key=lambda one: (str(one.at[2]), one.table.procedure)):
        name = f"{one.at[2]}: {one.table.procedure}"
        rows.setdefault(name, []).append((100 * one.measured["level@0.05"][0], int(one.at[3])))
    figure, axes = plt.subplots(figsize=(8, 0.8 + 0.36 * len(rows)))
    colours = {50: "#e08e3c", 200: "#34699a", 1000: "#1b3a57"}
    rng = np.random.default_rng(0)
    for place, values in enumerate(rows.values()):
        for n in colours:
            mine = [v for v, size in values if size == n]
            heights = place + rng.uniform(-0.25, 0.25, len(mine))
            axes.scatter(mine, heights, s=12, c=colours[n], alpha=0.8, linewidths=0,
                         label=f"n = {n}" if place == 0 else None)  # fmt: skip
    axes.axvline(5.0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(rows)), list(rows))
    axes.invert_yaxis()
    axes.set_xscale("symlog", linthresh=10)
    axes.set_xlim(left=0)
    axes.set_xticks([0, 2.5, 5, 10, 20, 40, 80], ["0", "2.5", "5", "10", "20", "40", "80"])
    axes.set_xlabel("rejections of two exchangeable learners, % (nominal 5 %)")
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(1.0, 0.0))
    _finish(figure, axes, path)


def _finish(figure: Any, axes: Any, path: Path) -> None:
    import matplotlib.pyplot as plt

    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def draw_folds(
    grid: dict[str, Any], plain: dict[str, Any], allowed: dict[str, Any], path: Path
) -> None:
    """One row per procedure, one dot per cell: what its interval misses, equal learners apart from others."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from calibration.allowed_folds_page import default, measured_cells
    from calibration.fold_grid import PROCEDURES, cells

    rows = {
        name: {cell: one["two"][name]["misses"] for cell, one in grid.items()}
        for name in PROCEDURES
    }
    for test in ("corrected", "cautious"):
        name = f"{test} t, 10 x 5 folds, by chance"
        rows[name] = {cell: one["two"]["50"][test]["misses"] for cell, one in plain.items()}
    rows["the default: cautious, with allowance"] = {
        cell.name: default(plain, allowed, cell)[0]["misses"] for cell in measured_cells(plain)
    }
    equal = {cell.name: cell.equal for cell in cells()}
    figure, axes = plt.subplots(figsize=(8, 5.6))
    rng = np.random.default_rng(0)
    for place, found in enumerate(rows.values()):
        for mine, colour, shift in ((True, "#34699a", -0.18), (False, "#d9822b", 0.18)):
            shares = [100 * share for cell, share in found.items() if equal[cell] is mine]
            heights = place + shift + rng.uniform(-0.13, 0.13, len(shares))
            label = (
                ("equal, of one kind" if mine else "unlike, or one with noise")
                if place == 0
                else None
            )
            axes.scatter(shares, heights, s=11, c=colour, alpha=0.65, linewidths=0, label=label)
    axes.legend(loc="lower right", frameon=False, fontsize="small")
    axes.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), lambda x: x**2))
    axes.set_xlim(0, 100)
    axes.set_xticks([0, 1, 5, 10, 20, 40, 60, 80, 100])
    axes.axvline(5.0, color="black", linewidth=0.8)
    axes.axvline(6.0, color="black", linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(rows)), list(rows))
    axes.invert_yaxis()
    axes.set_xlabel("intervals that miss the true difference, % of samples (nominal 5 %)")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.savefig(path, dpi=130, bbox_inches="tight")
    plt.close(figure)
