"""How much evidence is needed, before there is any: power, sample size, and what a study could find.

`plan.py` is `assay.plan`. `test_choice.py` says which test a plan is for, `item_questions.py` and
`algorithm_questions.py` describe it, `power_means.py`, `power_proportions.py` and `power_ranks.py` are its
power, and `size_solver.py` finds n, power or difference from the other two. Never from an observed difference.
"""
