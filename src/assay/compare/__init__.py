"""From evidence to a verdict: the design is read, a procedure chosen, and one decision object built.

`compare.py` is `assay.compare`: `design.py` reads the design, `choose.py` is the table from designs to
procedures, `item_procedures.py` and `score_procedures.py` run them, `verdict.py` turns an interval into a word,
`comparison_result.py` builds the `Comparison`. Beside it: `several_measures.py`, `learning_curves.py`,
`sequential.py`, the gate (`gate*.py`) and the guide (`guide*.py`). `measured_levels.py` looks up how often a
method erred in our simulations (`calibration.json.gz`).
"""
