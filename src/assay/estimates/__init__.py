"""One number and its interval: functions from counts, values or evidence to an `Estimate`.

A file is a family of methods by what is estimated (`proportions.py`, `means.py`, `roc.py`, `runs.py`), each
with its record. `default_intervals.py` picks the interval of a measure, `evaluate.py` is `assay.evaluate`.
`resampling_cells.py` is what a bootstrap sees of the evidence. A new interval is a function in its family.
"""
