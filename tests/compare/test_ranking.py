"""Many models in one order, with letters that agree with the verdicts."""

from itertools import combinations

import numpy as np

import assay
from assay.compare.ranking import standings

RNG = np.random.default_rng(5)
SCORES = {
    "dataset": [f"d{place}" for place in range(25)],
    **{
        name: RNG.normal(0.7 + shift, 0.03, 25)
        for name, shift in zip("abcd", (0, 0.01, 0.05, 0.08), strict=True)
    },
}


def test_letters_agree_with_the_verdicts_and_ranks_give_the_order() -> None:
    result = assay.compare(SCORES, measure="accuracy", rng=1)
    found = {one.model: one for one in standings(result)}
    ranks = [one.mean_rank or 0.0 for one in standings(result)]
    assert ranks == sorted(ranks)
    assert result.sentence.startswith(f"{standings(result)[0].model} has the best mean rank")
    different = {frozenset((one.a, one.b)): one.different for one in result.verdicts}
    for a, b in combinations("abcd", 2):
        shared = bool(set(found[a].letters or "") & set(found[b].letters or ""))
        assert shared == (not different[frozenset((a, b))])


def test_no_letters_beside_a_baseline() -> None:
    result = assay.compare(SCORES, measure="accuracy", baseline="a", rng=1)
    assert {one.letters for one in standings(result)} == {None}


def test_a_lead_that_is_shared_is_said_to_be() -> None:
    twins = {**SCORES, "twin": SCORES["d"]}
    found = assay.compare(twins, measure="accuracy", rng=1).sentence
    assert found.startswith("d has the best mean rank (shared with twin), but no clear lead over")
    truth, right = [0, 1] * 30, [0, 1] * 28 + [1, 1] * 2
    models = {"a": right, "b": right, "c": [1 - one for one in truth]}
    found = assay.compare(truth, models, rng=1).sentence
    assert found.startswith("a has the highest accuracy (shared with b), but no clear lead over b.")
