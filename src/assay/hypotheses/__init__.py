"""One question and its answer: functions to a `TestOutcome`, a `FamilyOutcome` or a `Posterior`.

A file is a family by the evidence it takes: `paired_outcomes.py` (McNemar), `paired_scores.py` (t, Wilcoxon),
`resampled_scores.py` (folds), `many_models.py` (Friedman), `friedman_posthoc.py` (Nemenyi), `roc.py` (DeLong),
`multiplicity.py` (Holm), `bayes*.py`, `sequential.py`. The interval beside a default test is its inversion.
A new method is one decorated function, one paragraph in docs/methods and its tests: see CONTRIBUTING.
"""
