"""Many models by a label measure at once, from the counts of their answers."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import EvidenceError, NotApplicable
from assay.hypotheses.paired_labels import paired_delta
from assay.hypotheses.simultaneous import simultaneous_bootstrap
from assay.hypotheses.simultaneous_labels import simultaneous_delta
from tests.hypotheses.laws import limits


def labels(
    seed: int, n: int, errors: list[float], classes: int = 2, rare: float = 0.5
) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    if classes == 2:
        truth = (rng.random(n) < rare).astype(int)
    found: dict[str, Any] = {"truth": truth}
    for place, wrong in enumerate(errors):
        other = (truth + rng.integers(1, classes, n)) % classes
        found[f"m{place}"] = np.where(rng.random(n) < wrong, other, truth)
    return found


class TestSimultaneousDelta:
    @pytest.mark.parametrize(("measure", "classes"), [("f1", 2), ("mcc", 3), ("f1_macro", 4)])
    def test_differences_and_errors_are_those_of_the_pairs(
        self, measure: str, classes: int
    ) -> None:
        evidence = labels(1, 200, [0.1, 0.2, 0.25], classes)
        family = simultaneous_delta(evidence, measure=measure, rng=1)
        for (a, b), one in zip(family.pairs, family.outcomes, strict=True):
            alone = paired_delta(evidence, measure=measure, models=(a, b))
            assert one.effect.value == pytest.approx(alone.effect.value)
            assert one.effect.standard_error == pytest.approx(alone.effect.standard_error)
            assert abs(one.statistic or 0.0) == pytest.approx(abs(alone.statistic or 0.0))
            assert (one.p_value or 0.0) > (alone.p_value or 0.0)

    def test_two_models_are_the_pair(self) -> None:
        evidence = labels(2, 150, [0.1, 0.2])
        (one,) = simultaneous_delta(evidence, rng=1).outcomes
        alone = paired_delta(evidence)
        assert limits(one.effect.interval) == pytest.approx(
            limits(alone.effect.interval), abs=0.004
        )
        assert one.p_value == pytest.approx(alone.p_value, abs=0.01)

    def test_near_the_bootstrap_with_many_items(self) -> None:
        evidence = labels(3, 20_000, [0.1, 0.11, 0.12], classes=3)
        found, drawn = (
            run(evidence, measure="f1_macro", rng=1)
            for run in (simultaneous_delta, simultaneous_bootstrap)
        )
        for one, other in zip(found.outcomes, drawn.outcomes, strict=True):
            assert limits(one.effect.interval) == pytest.approx(
                limits(other.effect.interval), abs=0.001
            )

    def test_the_multiplier_is_the_studentized_range_of_independent_models(self) -> None:
        """Equal independent variances: the largest of all differences is Tukey's, in the limit."""
        evidence = labels(4, 30_000, [0.2] * 5)
        details = dict(
            simultaneous_delta(evidence, measure="accuracy", rng=1, n_resamples=39_999).details
        )
        expected = stats.studentized_range.ppf(0.95, 5, np.inf) / np.sqrt(2)
        assert details["multiplier"] == pytest.approx(expected, abs=0.03)

    def test_the_order_of_models_is_irrelevant(self) -> None:
        evidence = labels(5, 150, [0.1, 0.2, 0.3])
        turned = {name: evidence[name] for name in ("truth", "m2", "m0", "m1")}
        one = simultaneous_delta(evidence, rng=1)
        found = dict(zip(one.pairs, one.outcomes, strict=True))
        other = simultaneous_delta(turned, rng=1)
        for (a, b), outcome in zip(other.pairs, other.outcomes, strict=True):
            same = found.get((a, b)) or found[b, a]
            assert outcome.p_value == same.p_value

    def test_baseline(self) -> None:
        evidence = labels(6, 150, [0.1, 0.2, 0.3])
        family = simultaneous_delta(evidence, baseline="m1", rng=1)
        assert family.pairs == (("m0", "m1"), ("m2", "m1"))

    def test_models_that_no_item_tells_apart(self) -> None:
        evidence = labels(7, 100, [0.1, 0.3])
        family = simultaneous_delta({**evidence, "copy": evidence["m0"]}, rng=1)
        outcome = family.outcomes[family.pairs.index(("m0", "copy"))]
        assert outcome.p_value == 1.0
        assert limits(outcome.effect.interval)[1] > 0.01
        assert {note.code for note in outcome.notes} == {"no-disagreement"}

    def test_answers_where_resamples_would_lose_the_class(self) -> None:
        evidence = labels(8, 150, [0.02, 0.05, 0.1], rare=0.015)
        assert evidence["truth"].sum() in (1, 2, 3)
        with pytest.raises(NotApplicable, match="resamples"):
            simultaneous_bootstrap(evidence, measure="recall", rng=1, n_resamples=199)
        family = simultaneous_delta(evidence, measure="recall", rng=1)
        assert all(one.effect.interval is not None for one in family.outcomes)

    def test_covers_together_with_a_rare_class(self) -> None:
        """Three models of recall 0.6, 0.8 and 0.96 on 20 rare items: the bootstrap covers 82 %."""
        rng = np.random.default_rng(11)
        recalls, covered, total = (0.6, 0.8, 0.96), 0, 200
        for seed in range(total):
            truth = (rng.random(200) < 0.1).astype(int)
            models = {
                f"m{place}": np.where(truth == 1, rng.random(200) < recall, rng.random(200) < 0.01)
                for place, recall in enumerate(recalls)
            }
            evidence = {"truth": truth, **{name: one.astype(int) for name, one in models.items()}}
            family = simultaneous_delta(
                evidence, measure="balanced_accuracy", rng=seed, n_resamples=499
            )
            gaps = [(recalls[a] - recalls[b]) / 2.0 for a, b in ((0, 1), (0, 2), (1, 2))]
            covered += all(
                low <= gap <= high
                for gap, (low, high) in zip(
                    gaps, (limits(one.effect.interval) for one in family.outcomes), strict=True
                )
            )
        assert 0.90 <= covered / total <= 0.995

    def test_undefined_measures_are_refused(self) -> None:
        truth = np.zeros(30, int)
        evidence = {"truth": truth, "a": truth, "b": 1 - truth, "c": truth}
        with pytest.raises(NotApplicable, match="undefined here"):
            simultaneous_delta(evidence, measure="recall", rng=1)

    def test_one_model(self) -> None:
        with pytest.raises(EvidenceError, match="two models"):
            simultaneous_delta(labels(9, 50, [0.1]))

    def test_clusters_go_elsewhere(self) -> None:
        evidence = {**labels(10, 60, [0.1, 0.2]), "group": np.arange(60) // 5}
        with pytest.raises(NotApplicable, match="use simultaneous_bootstrap"):
            simultaneous_delta(assay.read(evidence, cluster="group"))
