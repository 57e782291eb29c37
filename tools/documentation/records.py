"""Pages that come from records: methods, measures, the public names, the cells of the calibration."""

import gzip
import json
import math
import pkgutil
from importlib.resources import files
from inspect import isclass, signature, unwrap
from typing import Any

import assay
from assay.core.methods import Method, catalogue
from assay.measures.registry import measures
from calibration.words import HEADINGS

BEYOND = (
    "plots.displays.RocDisplay", "plots.displays.PrecisionRecallDisplay", "plots.displays.CalibrationDisplay",
    "plots.displays.ComparisonDisplay", "report.margin_slider.margin_slider",
)  # fmt: skip
"""Public names below the package itself."""


def record_pages() -> dict[str, str]:
    """The text of every page by its place in the site."""
    return {
        "docs/catalogue/methods.md": methods_page(),
        "docs/catalogue/measures.md": measures_page(),
        "docs/catalogue/api.md": api_page(),
        "docs/catalogue/calibration.md": calibration_page(),
    }


def methods_page() -> str:
    """Every method with the facts of its record, by family."""
    families: dict[str, list[Method]] = {}
    for method in catalogue().values():
        families.setdefault(method.family, []).append(method)
    lines = [
        "# Catalogue of methods",
        "",
        f"{len(catalogue())} methods. Each is `assay.NAME(…)` in Python and `assay test NAME` at the terminal; "
        "`assay methods NAME` shows the same. Formulas and worked examples are on the pages of the families.",
    ]
    for family, members in sorted(families.items()):
        lines += ["", f"## {family.replace('_', ' ')}", ""]
        for method in members:
            lines += [f"### {method.id}", "", *_facts(method, family), ""]
    return "\n".join(lines) + "\n"


def _facts(method: Method, family: str) -> list[str]:
    call = f"assay.{method.id}{signature(unwrap(method.function))}"
    told = {
        "Takes": method.takes,
        "Generalises over": ", ".join(method.unit),
        "Assumes": "; ".join(method.assumes),
        "Reference": method.reference,
        "The same elsewhere": f"`{method.same_as}`" if method.same_as else "",
    }
    facts = [f"- {name}: {text}" for name, text in told.items() if text]
    return [
        f"*{method.question}* [More](../methods/{family}.md#{method.id.replace('_', '-')})",
        "",
        *facts,
        "",
        f"```text\n{call}\n```",
    ]


def measures_page() -> str:
    """Every measure with direction, range and what it needs."""

    def end(value: float) -> str:
        return "∞" if value == math.inf else "−∞" if value == -math.inf else f"{value:g}"

    rows = [
        f"| [`{name}`](../measures.md#{name.replace('_', '-')}) | {one.title} | {one.direction} | "
        f"{end(one.low)} to {end(one.high)} | {one.needs} | {'two' if one.two_classes else 'any'} |"
        for name, one in measures().items()
    ]
    head = [
        "# Catalogue of measures",
        "",
        f"{len(rows)} measures; your own is a function of truth and prediction. What a model brings decides which "
        "apply: labels, scores of the positive class, probabilities, values, or losses by item.",
        "",
        "| measure | in words | better | range | needs | classes |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *rows]) + "\n"


def api_page() -> str:
    """The public names with their signatures and docstrings: what is called first, what is caught last."""
    groups: dict[str, list[str]] = {"Functions": [], "Displays": [], "Results": [], "Errors": []}
    for name in [*assay.__all__, *BEYOND]:
        folder, _, last = f"assay.{name}".rpartition(".")
        found = pkgutil.resolve_name(f"{folder}:{last}")  # `compare` is a folder too
        if not callable(found):
            continue
        kind, words = "Functions", f"autofunction:: assay.{name}"
        if isclass(found):
            error = issubclass(found, Exception)
            kind = "Errors" if error else "Displays" if name in BEYOND else "Results"
            words = f"autoclass:: assay.{name}" + ("" if error else "\n   :members:")
        groups[kind].append(f"### {name}\n\n```{{eval-rst}}\n.. {words}\n```\n")
    head = (
        "# API reference\n\nMethods (`assay.mcnemar` and the others) are in the "
        "[catalogue](methods.md), figures in [Figures](../plots.md).\n"
    )
    return "\n".join([head, *(f"## {kind}\n\n" + "\n".join(one) for kind, one in groups.items())])


def calibration_page() -> str:
    """A page on which a person finds the cell of their design; it needs no network."""
    tables = json.loads(
        gzip.decompress((files("assay.compare") / "calibration.json.gz").read_bytes())
    )["tables"]
    kept = [_table(one) for one in tables]
    data = json.dumps(kept, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")
    cells = sum(len(one["cells"]) for one in kept)
    return f"""# Find the cell of your design

How often does the method that decides err in a design like yours? Choose your question and type the numbers of your
design, as many as you know: the nearest of the {cells:,} simulated cells are shown, the nearest first. A test should
have a false-positive rate of at most 5 %, an interval a coverage of 95 %. All cells are on the pages
[levels](../calibration.md), [clusters](../calibration-clusters.md) and [boards](../calibration-boards.md);
`assay compare` prints the rate of your own design where there is a cell near it.

```{{raw}} html
<p><label>Your question<br><select id="table" style="max-width: 100%"></select></label></p>
<p id="inputs" style="display: flex; flex-wrap: wrap; gap: 0.6em 1.2em"></p>
<div id="cells" style="overflow-x: auto"></div>
<script type="application/json" id="calibration">{data}</script>
<script>{_FINDER}</script>
```
"""


PARAMETERS = {
    "p": "error rate", "n": "items", "n_a": "items of A", "n_b": "items of B",
    "discordant": "share that only one gets right", "prevalence": "share of positives", "recall": "recall",
    "precision": "precision", "ties": "scores", "auc": "AUC", "correlation": "correlation of the two scores",
    "shape": "distribution", "clusters": "clusters", "sizes": "sizes of clusters",
    "icc": "correlation within clusters", "null": "models that are alike", "noise": "noise", "k": "models",
    "runs": "runs of each model", "learner": "learner", "population": "data", "design": "splits",
}  # fmt: skip
"""What the parameters of worlds are called by people; the n of data sets is theirs."""
VALUES = {"binormal": "continuous", "full": "all", "partial": "all but one"}
MEASURED = {
    "level": "false-positive rate at α = {alpha}",
    "family_wise": "chance of any false claim at α = {alpha}",
    "coverage": "coverage of the {level} % interval",
}
"""What a person looks for, in words; widths and power are on the pages of the tables."""


def _table(table: dict[str, Any]) -> dict[str, Any]:
    method = catalogue().get(table["procedure"])
    measure = table["measure"] if table["world"] in ("label_measures", "scores") else None
    asked = "How large is it?" if method is None else method.question
    named = "default interval" if method is None else f"assay.{method.id}"
    units = {"n": "data sets"} if table["world"] == "datasets" else {}
    return {
        "world": HEADINGS[table["world"]],
        "name": f"{f'{measure}: ' if measure else ''}{asked} ({named})",
        "parameters": [(PARAMETERS | units)[name] for name in table["parameters"]],
        "cells": [
            {
                "at": [VALUES.get(value, value) for value in cell["at"]],
                "measured": {
                    _in_words(key): value[0]
                    for key, value in cell["measured"].items()
                    if key.partition("@")[0] in MEASURED
                },
            }
            for cell in table["cells"]
        ],
    }


def _in_words(key: str) -> str:
    kind, _, alpha = key.partition("@")
    return MEASURED[kind].format(alpha=alpha.lstrip("0"), level=f"{100 * (1 - float(alpha)):g}")


_FINDER = """
(function () {
  const tables = JSON.parse(document.getElementById("calibration").textContent);
  const choice = document.getElementById("table"), inputs = document.getElementById("inputs");
  const place = document.getElementById("cells");
  tables.forEach((one, k) => {
    let group = [...choice.children].find((each) => each.label === one.world);
    if (!group) {
      group = document.createElement("optgroup");
      group.label = one.world;
      choice.append(group);
    }
    group.append(new Option(one.name, k));
  });
  const number = (text) => (text === "" || isNaN(Number(text)) ? null : Number(text));
  const scale = (x) => (x > 0 && x < 1 ? Math.log(x / (1 - x)) : x > 0 ? Math.log(x) : x);
  function distance(at, wanted) {
    return at.reduce((sum, value, k) => {
      const want = wanted[k];
      if (want === "") return sum;
      const n = number(want), have = number(value);
      if (n === null || have === null) return sum + (String(value) === want ? 0 : 5);
      return sum + Math.abs(scale(n) - scale(have));
    }, 0);
  }
  function show() {
    const table = tables[choice.value];
    const wanted = Array.from(inputs.querySelectorAll("input, select")).map((one) => one.value.trim());
    const found = table.cells.map((cell) => [distance(cell.at, wanted), cell]);
    found.sort((a, b) => a[0] - b[0]);
    const near = found.slice(0, 10).map((one) => one[1]);
    const kinds = [...new Set(near.flatMap((cell) => Object.keys(cell.measured)))];
    const grid = document.createElement("table");
    grid.className = "table";
    const row = (cells, tag) => {
      const line = grid.insertRow();
      cells.forEach((text) => {
        const cell = document.createElement(tag);
        cell.textContent = text;
        line.appendChild(cell);
      });
    };
    row([...table.parameters, ...kinds], "th");
    near.forEach((cell) =>
      row([...cell.at.map(String), ...kinds.map((kind) => {
        const value = cell.measured[kind];
        return value === undefined || value === null ? "" : (100 * value).toFixed(1) + " %";
      })], "td"));
    place.replaceChildren(grid);
  }
  function ask() {
    inputs.replaceChildren();
    const table = tables[choice.value];
    table.parameters.forEach((name, k) => {
      const values = [...new Set(table.cells.map((cell) => cell.at[k]))];
      const words = values.some((value) => number(value) === null);
      const label = document.createElement("label");
      const input = document.createElement(words ? "select" : "input");
      if (words) ["", ...values].forEach((value) => input.add(new Option(value || "any", value)));
      else {
        input.size = 10;
        input.placeholder = Math.min(...values) + " to " + Math.max(...values);
      }
      label.append(name, document.createElement("br"), input);
      input.addEventListener("input", show);
      inputs.append(label);
    });
    show();
  }
  choice.addEventListener("change", ask);
  ask();
})();
"""
