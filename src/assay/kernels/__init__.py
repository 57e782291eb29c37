"""Arithmetic: arrays in, arrays out, with no names, files or results.

A file is one formula or distribution (`binomial.py`, `delong.py`, `signed_ranks.py`, `bootstrap_intervals.py`);
methods in estimates/ and hypotheses/ put evidence in and results out. Anything that is needed twice,
by a method and by its batched form in simulate/, is here once. SciPy's special functions come through
`special.py`, which loads them alone.
"""
