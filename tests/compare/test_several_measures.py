"""Several measures and slices: one family of questions, each interval the one that decides."""

import math
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Comparisons
from assay.core.wire import from_json, to_json
from assay.report.headline import headline_of_several
from assay.report.several_view import _beside as beside_tables
from assay.report.several_view import view_of_comparisons

RNG = np.random.default_rng(5)
N = 500
TRUTH = RNG.integers(0, 2, N)
REGION = RNG.choice(["north", "south", "east"], N)


def labels(error: float, seed: int) -> Any:
    return np.where(np.random.default_rng(seed).random(N) < error, 1 - TRUTH, TRUTH)


PAIR = {"truth": TRUTH, "a": labels(0.10, 1), "b": labels(0.22, 2)}
THREE = {**PAIR, "c": labels(0.2, 3)}
SLICED = {**PAIR, "region": REGION}


def table(n: int, *, seed: int = 0, models: str = "ab", unit: str = "dataset") -> dict[str, Any]:
    """Scores in two measures, a row per model and unit."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(0, 0.1, n)
    rows = [
        (f"{unit}{place}", model, 0.7 + shared[place] + 0.03 * (model == "a") + rng.normal(0, 0.02))
        for place in range(n)
        for model in models
    ]
    places, names, scores = zip(*rows, strict=True)
    return {
        unit: list(places),
        "model": list(names),
        "accuracy": list(scores),
        "log_loss": [1 - score + rng.normal(0, 0.01) for score in scores],
    }


class TestSeveralMeasures:
    def test_holm_over_measures_is_holm_by_hand(self) -> None:
        measures = ["accuracy", "f1", "mcc"]
        found = assay.compare(PAIR, measure=measures, rng=1)
        alone = [assay.compare(PAIR, measure=m, rng=1).verdict.outcome.p_value for m in measures]
        assert [v.outcome.p_value for v in found.verdicts] == pytest.approx(assay.adjust(alone))
        assert found.adjustment == "holm"
        assert found.questions == 3

    def test_the_interval_decides_also_after_the_adjustment(self) -> None:
        for seed in range(6):
            data = {"truth": TRUTH, "a": labels(0.15, seed), "b": labels(0.2, seed + 50)}
            found = assay.compare(data, measure=["accuracy", "f1"], rng=1)
            for verdict in found.verdicts:
                interval = verdict.outcome.effect.interval
                assert interval is not None
                assert verdict.outcome.p_value is not None
                assert (verdict.outcome.p_value <= 0.05) == (not interval.contains(0.0))

    def test_one_measure_in_a_list_is_that_measure(self) -> None:
        found = assay.compare(PAIR, measure=["accuracy"], rng=1)
        alone = assay.compare(PAIR, measure="accuracy", rng=1)
        assert found.part().verdict.outcome.effect == alone.verdict.outcome.effect
        assert found.part().verdict.outcome.p_value == alone.verdict.outcome.p_value

    def test_three_models_are_held_together_by_one_multiplier(self) -> None:
        found = assay.compare(THREE, measure=["accuracy", "f1"], rng=1)
        alone = assay.compare(THREE, measure="accuracy", rng=1)
        assert found.adjustment == "max-t"
        assert found.questions == 6
        ratios = []
        for one, other in zip(found.part("accuracy").verdicts, alone.verdicts, strict=True):
            wide, narrow = one.outcome.effect.interval, other.outcome.effect.interval
            assert wide is not None
            assert narrow is not None
            assert one.outcome.p_value >= other.outcome.p_value  # type: ignore[operator]
            # the multiplier stretches intervals on the scale without ends, atanh
            spans = [math.atanh(i.high) - math.atanh(i.low) for i in (wide, narrow)]
            ratios.append(spans[0] / spans[1])
        assert ratios == pytest.approx([ratios[0]] * 3)
        assert 1.0 <= ratios[0] < 1.15  # accuracy and F1 hang together, so it costs little

    def test_a_baseline_keeps_its_pairs(self) -> None:
        found = assay.compare(THREE, measure=["accuracy", "f1"], baseline="b", rng=1)
        assert found.questions == 4
        assert {verdict.b for verdict in found.verdicts} == {"b"}

    def test_margins_belong_to_measures(self) -> None:
        margins = {"accuracy": 0.5, "f1": 0.001}
        found = assay.compare(PAIR, measure=["accuracy", "f1"], margin=margins, rng=1)
        assert found.part("accuracy").verdict.word == "equivalent"
        assert found.part("f1").verdict.word == "better"
        assert found.part("f1").margin == 0.001

    def test_the_summary_names_every_measure_and_the_adjustment(self) -> None:
        found = assay.compare(PAIR, measure=["accuracy", "f1"], rng=1)
        assert "a is better than b in accuracy (by 0.138) and f1 (by 0.141)." in found.sentence
        assert "Holm's correction over the 2 comparisons" in found.sentence
        assert "Holm-adjusted over 2 comparisons" in found.verdicts[0].sentence

    def test_the_winner_is_named_in_every_measure(self) -> None:
        """One model calls more items positive: it wins in recall and loses in precision."""
        rng = np.random.default_rng(9)
        eager = np.where(rng.random(N) < 0.4, 1, labels(0.02, 7))
        shy = np.where(rng.random(N) < 0.4, 0, labels(0.02, 8))
        found = assay.compare(
            {"truth": TRUTH, "shy": shy, "eager": eager}, measure=["precision", "recall"], rng=1
        )
        assert [verdict.word for verdict in found.verdicts] == ["better", "worse"]
        assert found.sentence.startswith("shy is better than eager in precision (by 0.")
        assert "; eager is better than shy in recall (by 0." in found.sentence
        brief = found.summary()
        assert "shy better" in brief
        assert "eager better" in brief
        details = found.summary(details=True)
        assert "worse" not in brief + details.split("also shown")[0]
        rows = [line.split()[:3] for line in details.splitlines() if line.endswith("better")]
        assert ["precision", "shy", "eager"] in rows
        assert ["recall", "eager", "shy"] in rows
        assert headline_of_several(found) == "shy and eager: each leads in some comparisons"

    def test_the_headline_and_its_figure_are_of_a_difference_that_was_found(self) -> None:
        found = assay.compare(PAIR, measure=["specificity", "accuracy"], rng=1)
        assert headline_of_several(found) == "a is better in 2 of 2 measures"
        near = {**PAIR, "b": np.where(TRUTH == 1, labels(0.22, 2), PAIR["a"])}
        found = assay.compare(near, measure=["specificity", "accuracy"], rng=1)
        assert headline_of_several(found) == "a is better in 1 of 2 measures"
        assert view_of_comparisons(found).figures[0].name == "part:1:differences"
        same = assay.compare({**PAIR, "b": labels(0.1, 9)}, measure=["f1", "accuracy"], rng=1)
        assert headline_of_several(same) == "No clear difference"

    def test_a_baseline_keeps_its_order(self) -> None:
        found = assay.compare(PAIR, measure=["accuracy", "f1"], baseline="a", rng=1)
        assert found.sentence.startswith("b is worse than a in accuracy (by 0.")
        assert " b − a" in found.summary()

    def test_no_difference_is_said_of_both(self) -> None:
        same = {"truth": TRUTH, "a": labels(0.2, 1), "b": labels(0.2, 2)}
        found = assay.compare(same, measure=["accuracy", "f1"], rng=1)
        assert found.sentence.startswith("No clear difference between a and b in accuracy and f1.")

    def test_other_methods_look_from_the_same_side(self) -> None:
        """The winner first, as in the table of pairs, also where the second model is ahead."""
        scores = {"truth": TRUTH, "a": np.clip(0.5 + (TRUTH - 0.5) * 0.1, 0, 1)}
        scores["b"] = np.clip(TRUTH * 0.6 + RNG.uniform(0, 0.4, N), 0, 1)
        found = assay.compare(scores, measure=["brier", "log_loss"], truth="truth")
        for part, table_of in zip(found.parts, beside_tables(found), strict=True):
            sign = math.copysign(1.0, part.verdict.outcome.effect.value or 0.0)
            sign = -sign if part.verdict.word == "worse" else sign
            place = [column.name for column in table_of.columns].index("effect")
            shown = [row[place].numbers[0] for row in table_of.rows]
            assert len(shown) == len(part.also) > 0
            assert all(isinstance(value, float) and value * sign > 0 for value in shown)

    def test_the_same_seed_gives_the_same_answer_and_json_brings_it_back(self) -> None:
        one = assay.compare(SLICED, measure=["accuracy", "f1"], slice="region", rng=3)
        assert one == assay.compare(SLICED, measure=["accuracy", "f1"], slice="region", rng=3)
        assert from_json(to_json(one)) == one

    def test_families_keep_their_level(self) -> None:
        """Under the null any claim among 3 pairs and 2 measures is rare: at most 5 %, give or take."""
        false = 0
        for seed in range(60):
            rng = np.random.default_rng(seed)
            truth = rng.integers(0, 2, 150)
            data = {"truth": truth} | {
                name: np.where(rng.random(150) < 0.2, 1 - truth, truth) for name in "abc"
            }
            found = assay.compare(data, measure=["accuracy", "f1"], rng=1, n_resamples=499)
            false += any(verdict.different for verdict in found.verdicts)
        assert false <= 8  # P(more than 8 of 60 at 5 %) = 0.003

    def test_hotelling_over_items_pairs_the_measures_of_an_item(self) -> None:
        rng = np.random.default_rng(9)
        truth = rng.integers(0, 2, 80)
        chances = {name: np.clip(rng.normal(0.2 + 0.6 * truth, 0.3), 0.01, 0.99) for name in "ab"}
        found = [
            assay.compare(
                {"truth": truth[rows], **{name: one[rows] for name, one in chances.items()}},
                measure=["brier", "log_loss"],
            ).joint[0][1]
            for rows in (np.arange(80), rng.permutation(80))
        ]
        a, b = (
            np.column_stack([(p - truth) ** 2, -np.log(np.where(truth, p, 1.0 - p))])
            for p in chances.values()
        )
        expected = assay.hotelling_paired(a, b)
        assert found[0].p_value == pytest.approx(expected.p_value, rel=1e-9)
        assert found[1].p_value == found[0].p_value


class TestScores:
    def test_over_data_sets(self) -> None:
        found = assay.compare(table(12), measure=["accuracy", "log_loss"])
        assert [part.direction for part in found.parts] == ["higher", "lower"]
        assert [verdict.word for verdict in found.verdicts] == ["better", "better"]
        ((title, outcome),) = found.joint
        assert title == "Hotelling's T² of all measures"
        assert outcome.method == "hotelling_paired"

    def test_hotelling_is_that_of_the_catalogue(self) -> None:
        data = table(12)
        found = assay.compare(data, measure=["accuracy", "log_loss"])
        matrix = np.column_stack([data["accuracy"], data["log_loss"]])
        a, b = matrix[0::2], matrix[1::2]
        expected = assay.hotelling_paired(a, b, unit="dataset")
        assert found.joint[0][1].p_value == expected.p_value

    def test_pairs_of_many_algorithms_share_one_family(self) -> None:
        found = assay.compare(table(12, models="abc"), measure=["accuracy", "log_loss"])
        p = [dict(verdict.outcome.details)["p_unadjusted"] for verdict in found.verdicts]
        assert [v.outcome.p_value for v in found.verdicts] == pytest.approx(assay.adjust(p))
        assert found.joint[0][1].method == "manova"

    def test_folds_have_the_correction_or_no_joint_test(self) -> None:
        two = assay.compare(table(10, unit="fold"), measure=["accuracy", "log_loss"])
        assert two.joint[0][0] == "Hotelling's T² of all measures, corrected for folds"
        assert "heuristic-level" in {note.code for note in two.joint[0][1].notes}
        three = assay.compare(
            table(10, unit="fold", models="abc"), measure=["accuracy", "log_loss"]
        )
        assert three.joint == ()
        assert "criteria-not-joined" in {note.code for note in three.notes}

    def test_seeds(self) -> None:
        found = assay.compare(table(8, unit="seed"), measure=["accuracy", "log_loss"])
        assert found.joint[0][1].method == "hotelling_two_sample"

    def test_slices_of_data_sets(self) -> None:
        data = table(24)
        data["domain"] = ["text" if place < 24 else "image" for place in range(48)]
        found = assay.compare(data, measure="accuracy", slice="domain")
        assert [part.slice for part in found.parts] == [None, "text", "image"]
        assert [part.evidence.n for part in found.parts] == [24, 12, 12]

    def test_slices_that_share_their_data_sets_are_one_table_each(self) -> None:
        data = table(6)
        twice = {name: [*values, *values] for name, values in data.items()}
        twice["diagram"] = ["one"] * 12 + ["two"] * 12
        with pytest.raises(EvidenceError, match="choose one slice with where='diagram=VALUE'"):
            assay.compare(twice, measure="accuracy", slice="diagram")


class TestSlices:
    def test_a_slice_is_the_comparison_of_its_rows(self) -> None:
        found = assay.compare(SLICED, measure="accuracy", slice="region", rng=1)
        assert found.slices == ("east", "north", "south")
        for name in found.slices:
            rows = name == REGION
            alone = assay.compare({key: value[rows] for key, value in PAIR.items()})
            outcome = found.part("accuracy", name).verdict.outcome
            assert outcome.effect.value == alone.verdict.outcome.effect.value
            assert dict(outcome.details)["p_unadjusted"] == alone.verdict.outcome.p_value

    def test_slices_and_the_whole_are_one_family(self) -> None:
        found = assay.compare(SLICED, measure=["accuracy", "f1"], slice="region", rng=1)
        assert found.questions == 8
        p = [dict(verdict.outcome.details)["p_unadjusted"] for verdict in found.verdicts]
        assert [v.outcome.p_value for v in found.verdicts] == pytest.approx(assay.adjust(p))

    def test_files_joined_by_id_need_the_column_once(self, tmp_path: Any) -> None:
        first, second = tmp_path / "one.csv", tmp_path / "two.csv"
        rows = range(N)
        first.write_text(
            "id,y,region,pred\n"
            + "\n".join(f"{i},{TRUTH[i]},{REGION[i]},{PAIR['a'][i]}" for i in rows)
        )
        second.write_text("id,pred\n" + "\n".join(f"{i},{PAIR['b'][i]}" for i in reversed(rows)))
        read = assay.read(first, second, truth="y", slice="region")
        found = assay.compare(read, measure="accuracy", slice="region")
        same = assay.compare(SLICED, measure="accuracy", slice="region")
        assert [v.outcome.p_value for v in found.verdicts] == [
            v.outcome.p_value for v in same.verdicts
        ]

    def test_three_models_in_slices(self) -> None:
        found = assay.compare({**THREE, "region": REGION}, slice="region", rng=1)
        assert found.adjustment == "max-t"
        assert found.questions == 12

    def test_clusters_stay_within_their_slices(self) -> None:
        data = {**SLICED, "cluster": [f"{g}{i % 9}" for i, g in enumerate(REGION)]}
        found = assay.compare(data, measure="accuracy", slice="region")
        assert [part.evidence.clusters for part in found.parts] == [27, 9, 9, 9]
        assert found.part("accuracy", "east").choice.method == "cluster_difference"

    def test_a_slice_without_a_class_is_left_out_and_said(self) -> None:
        region = np.where(TRUTH == 1, "all positive", "mixed")
        region[:20] = "mixed"
        scores = {
            "truth": TRUTH,
            "a": TRUTH + RNG.normal(0, 1, N),
            "b": TRUTH + RNG.normal(0, 2, N),
            "c": TRUTH + RNG.normal(0, 1, N),
            "part": region,
        }
        found = assay.compare(scores, measure=["roc_auc"], slice="part")
        told = {note.code: note.message for note in found.notes}
        assert "all positive" in told["slice-left-out"]
        assert found.slices == ("mixed",)

    def test_an_undefined_difference_in_a_slice_is_undecided_and_said(self) -> None:
        region = np.where(TRUTH == 1, "all positive", "mixed")
        region[:20] = "mixed"
        scores = {"truth": TRUTH, "a": TRUTH + RNG.normal(0, 1, N), "b": RNG.normal(0, 2, N)}
        found = assay.compare({**scores, "part": region}, measure=["roc_auc"], slice="part")
        verdict = found.part("roc_auc", "all positive").verdict
        assert verdict.word == "undecided"
        assert "one-class" in {note.code for note in verdict.outcome.notes}

    def test_rows_without_a_value_are_a_slice(self) -> None:
        region = [None if place < 40 else name for place, name in enumerate(REGION)]
        found = assay.compare({**PAIR, "region": region}, measure="accuracy", slice="region")
        assert found.part("accuracy", "(missing)").evidence.n == 40


class TestErrors:
    @pytest.mark.parametrize(
        ("options", "match"),
        [
            ({"measure": []}, "at least one measure"),
            ({"measure": ["f1", "f1"]}, "f1 is named twice"),
            (
                {"measure": ["f1"], "margin": {"mcc": 0.1}},
                "a margin for mcc, which is not compared",
            ),
            ({"slice": "nowhere"}, "no column 'nowhere'"),
        ],
    )
    def test_what_was_asked_does_not_fit(self, options: dict[str, Any], match: str) -> None:
        with pytest.raises((UsageError, EvidenceError), match=match):
            assay.compare(PAIR, **options)

    def test_evidence_read_without_slices(self) -> None:
        with pytest.raises(UsageError, match="read it with slice="):
            assay.compare(assay.read(PAIR), slice="region")

    def test_a_column_with_too_many_values(self) -> None:
        data = {**PAIR, "region": [f"r{i % 150}" for i in range(N)]}
        with pytest.raises(UsageError, match="slices are few groups, up to 100"):
            assay.compare(data, slice="region")

    def test_a_part_that_is_not_there(self) -> None:
        found = assay.compare(PAIR, measure=["accuracy", "f1"], rng=1)
        assert isinstance(found, Comparisons)
        with pytest.raises(KeyError, match="mcc"):
            found.part("mcc")
