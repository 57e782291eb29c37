"""What was observed: files, frames and objects become predictions, scores, preferences or ratings.

`reading.py` is the door: `look` says what a source is and what is open, `read` gives its evidence. The
readers in readers/ know the forms that evidence comes in; `names.py` is the vocabulary of column names,
`reading_options.py` every option a user may give. `predictions.py`, `scores.py`, `preferences.py` and `ratings.py` are
what comes out. The rest turns evidence into what methods take: counts, columns, ranks.
"""
