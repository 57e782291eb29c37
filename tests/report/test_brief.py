"""The brief answer: few lines, every warning whole, and no bound drawn on zero."""

import textwrap
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.core.notes import MESSAGES, Note
from assay.core.results import Comparison, Interval
from assay.report import render
from assay.report.brief import brief_of
from assay.report.brief_lines import Drawing, _drawn, columns, cut, wrapped
from assay.report.sentences import evaluation_sentence
from tests.compare.test_verdict_posteriors import DESIGNS, PAIR, table
from tests.report import examples

WIDTHS = (80, 100)


def counted_lines(text: str) -> int:
    """Lines without those of warnings, which are never cut."""
    lines, warned = 0, False
    for line in text.splitlines():
        warned = line.startswith("Warning") or (warned and line.startswith(" " * 10))
        lines += not warned
    return lines


def most_lines(result: Comparison) -> int:
    models = len(result.evidence.models)
    return 15 if models <= 2 else 10 + models


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("margin", [None, 0.02])
@pytest.mark.parametrize(("evidence", "options", "method"), DESIGNS)
def test_every_design_is_brief(
    evidence: Any, options: dict[str, Any], method: str, margin: float | None, width: int
) -> None:
    del method
    result = assay.compare(evidence, n_resamples=199, rng=1, margin=margin, **options)
    text = assay.render(result, width=width, typed="cli")
    assert counted_lines(text) <= most_lines(result), text
    assert max(map(columns, text.splitlines())) <= width
    assert text.splitlines()[-1].startswith("Next      --details")
    for note in result.notes:
        if note.level == "warning":
            assert " ".join(note.message.split()) in " ".join(text.split())


@pytest.mark.parametrize("models", [3, 7, 30])
def test_many_models_take_ten_lines_more(models: int) -> None:
    text = assay.render(examples.many_models(models), width=80)
    assert counted_lines(text) <= 10 + models


def labels(models: int, items: int = 200) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, items)
    errs = {f"m{one}": rng.random(items) < 0.1 + 0.05 * one for one in range(models)}
    rows = {name: np.where(wrong, 1 - truth, truth) for name, wrong in errs.items()}
    return {"truth": truth, "part": np.arange(items) % 4, **rows}


@pytest.mark.parametrize("models", [2, 3, 6])
@pytest.mark.parametrize("width", WIDTHS)
def test_several_measures_slices_and_boards_are_brief(models: int, width: int) -> None:
    table = labels(models)
    most = 15 if models == 2 else 10 + models
    asked = ["accuracy", "f1", "mcc"]
    several = assay.compare(table, truth="truth", ignore=["part"], measure=asked)
    board = assay.board(table, truth="truth", ignore=["part"], rng=1, n_resamples=199)
    shown: list[Any] = [several, board]
    if models == 2:
        shown.append(assay.compare(table, truth="truth", slice="part"))
        asked = ["accuracy", "f1", "mcc", "specificity", "precision"]
    if models <= 3:
        shown.append(assay.evaluate(table, truth="truth", ignore=["part"], measures=asked))
    for result in shown:
        text = assay.render(result, width=width, typed="cli")
        assert counted_lines(text) <= most, text
        assert max(map(columns, text.splitlines())) <= width, text


class TestLines:
    def test_the_order_in_which_it_is_read(self) -> None:
        result = examples.two_models()
        text = render(result, width=100)
        assert text is not None
        parts = [
            result.evidence.description,
            result.sentence,
            "forest ",
            "Test ",
            "Applies ",
            "Next ",
        ]
        places = [text.index(part) for part in parts]
        assert places == sorted(places)

    def test_warnings_are_printed_whole_and_the_others_counted(self) -> None:
        long = "so it is, " * 40
        notes = (
            Note(code="naive-t", message=long),
            Note(code="few-items", message="unseen"),
            Note(code="sampled", message="unseen"),
            Note(code="zeros-dropped", message="unseen"),
        )
        result = replace(examples.two_models(), notes=notes)
        text = assay.render(result, width=80)
        assert " ".join(long.split()) in " ".join(text.split())
        assert "unseen" not in text
        assert "(everything, 1 caution, 2 remarks)" in text

    def test_a_note_on_a_method_shown_beside_is_no_warning_about_the_answer(self) -> None:
        found = assay.compare(table("fold", 10, 2), measure="accuracy", rng=1)
        assert any(note.code == "naive-t" for _, one in found.also for note in one.notes)
        assert "naive-t" not in str(found)

    @pytest.mark.parametrize("width", [60, 80])
    def test_names_that_begin_and_end_alike_stay_different(self, width: int) -> None:
        """Found at 60 columns: twelve rows of the same name, and the answer cut before its condition."""
        names = [f"gradient-boosted-trees-with-encoding-v{place}-final" for place in range(9)]
        rng = np.random.default_rng(2)
        columns = {name: rng.normal(0.8 - 0.01 * at, 0.01, 20) for at, name in enumerate(names)}
        text = assay.render(assay.compare(columns, unit="dataset", measure="accuracy"), width=width)
        rows = [line.split()[0] for line in text.splitlines() if "…" in line.split(" ")[0]]
        assert len(set(rows)) == 9
        assert not text.split("\n\n")[1].endswith("…")

    @pytest.mark.parametrize("width", [60, 80, 100, 140])
    def test_never_wider_than_a_hundred_columns(self, width: int) -> None:
        lines = assay.render(examples.hostile(), width=width).splitlines()
        assert max(map(columns, lines)) <= min(width, 100)

    def test_plain_letters_where_the_terminal_has_no_others(self) -> None:
        text = assay.render(examples.two_models(), unicode=False)
        text.encode("ascii")
        assert "|---" in text
        assert "alpha = .05" in text

    def test_winner_first_but_beside_a_baseline(self) -> None:
        turned = {"truth": PAIR["truth"], "b": PAIR["b"], "a": PAIR["a"]}
        free = assay.compare(turned, rng=1)
        assert free.verdict.word == "worse"
        lines = str(free).splitlines()
        assert lines[2].startswith("a is better than b: accuracy is higher by")
        assert [line.split()[0] for line in lines[5:8]] == ["a", "b", "difference"]
        kept = assay.compare(turned, baseline="a", rng=1)
        assert str(kept).splitlines()[2].startswith("b is worse than a: accuracy is lower by")

    def test_quiet_is_the_answer_alone(self) -> None:
        found = brief_of(examples.two_models())
        assert found is not None
        assert found.answer == examples.two_models().sentence

    def test_quiet_is_a_line_for_an_evaluation_too(self) -> None:
        said = evaluation_sentence(assay.evaluate(PAIR, measure=["accuracy", "f1"], positive=1))
        assert said.startswith("accuracy: a 0.")
        assert said.count("], b 0.") == 2
        assert said.endswith("] (95% CI).")
        assert "\n" not in said

    def test_results_without_a_brief_form_say_everything(self) -> None:
        curve = examples.roc_curve("a", 0.2)
        assert brief_of(curve) is None
        assert assay.render(curve) == assay.render(curve, details=True)


class TestWords:
    def test_a_line_is_cut_between_words(self) -> None:
        assert cut("one two three", 20) == "one two three"
        assert cut("one two three four", 14) == "one two …"
        assert columns(cut("x" * 50, 20)) <= 20

    def test_whole_sentences_go_before_one_is_cut(self) -> None:
        text = "A is better. It beats B. " + "C is far behind all others. " * 9
        assert wrapped(text.strip(), 30, 1) == ["A is better. It beats B."]

    def test_intervals_and_p_values_stay_in_one_piece(self) -> None:
        text = "A is better than B: x is higher by 0.045 (95% CI [0.001, 0.089], p = .047)."
        for width in range(30, 70):
            lines = wrapped(text, width, 9)
            assert any("95% CI [0.001, 0.089]" in line for line in lines)
            assert any("p = .047" in line for line in lines)

    @given(st.floats(-1, 1), st.floats(0.001, 1), st.integers(14, 30))
    def test_a_bound_is_never_drawn_on_the_other_side_of_zero(
        self, low: float, size: float, room: int
    ) -> None:
        interval = Interval(low=low, high=low + size, level=0.95, method="t")
        one = Drawing(value=low + size / 2, interval=interval, axis="d", zero=True)
        (text,) = _drawn([one], room, unicode=True)
        assert columns(text) == room
        if "0" not in text:  # the estimate stands on it
            assert interval.contains(0.0)
            return
        left = text.index("├" if "├" in text else "●")
        right = text.index("┤" if "┤" in text else "●")
        zero = text.index("0")
        if (interval.low == 0.0 and zero < left) or (interval.high == 0.0 and zero > right):
            return  # the bound itself
        assert (zero < left, zero > right) == (interval.low > 0, interval.high < 0)

    def test_an_end_without_bound_is_an_arrow(self) -> None:
        without = Interval(low=-np.inf, high=np.inf, level=0.95, method="t")
        bounded = Interval(low=-1.0, high=2.0, level=0.95, method="t")
        drawings = [
            Drawing(value=0.5, interval=one, axis="d", zero=True) for one in (without, bounded)
        ]
        first, second = _drawn(drawings, 20, unicode=True)
        assert (first.strip()[0], first.strip()[-1]) == ("◄", "►")
        assert (second.strip()[0], second.strip()[-1]) == ("├", "┤")
        assert _drawn(drawings[:1], 20, unicode=True)[0].strip()


class TestOthers:
    def test_evaluation(self) -> None:
        text = assay.render(examples.evaluation("forest"), width=80)
        assert counted_lines(text) <= 15
        assert "accuracy ↑" in text
        assert "↑ higher is better" in text

    def test_the_name_that_was_typed_and_what_it_rests_on(self) -> None:
        found = assay.evaluate(
            {"truth": [1] * 30 + [0] * 70, "m": [1] * 20 + [0] * 80},
            truth="truth",
            measures=["sensitivity", "specificity"],
        )
        assert [one.measure for one in found.estimates] == ["sensitivity", "specificity"]
        text = str(found)
        assert "sensitivity ↑" in text
        assert "30 positives" in text
        assert "70 negatives" in text

    def test_a_test_has_a_verdict_in_words(self) -> None:
        text = str(assay.binomial(40, 100))
        assert text.startswith(
            "Error rate = 0.400 (95% CI [0.306, 0.500]): not significantly different from 0.5 (p = .057)."
        )
        assert "exact binomial test" in text

    def test_gate_plan_and_simulation_are_brief(self) -> None:
        rng = np.random.default_rng(1)
        truth = rng.integers(0, 2, 200)
        old = np.where(rng.random(200) < 0.2, 1 - truth, truth)
        gate = assay.gate(
            {"truth": truth, "old": old, "new": truth}, baseline="old", truth="truth", margin=0.01
        )
        plan = assay.plan("accuracy", power=0.8, difference=0.02, discordant=0.1)
        simulation = assay.simulate(["wald", "wilson"], question="coverage", n=20, p=0.3)
        for one in (gate, plan, simulation):
            text = assay.render(one, width=80)
            assert counted_lines(text) <= 15, text
            assert max(map(columns, text.splitlines())) <= 80


def test_every_message_keeps_to_short_sentences() -> None:
    for code, message in MESSAGES.items():
        for sentence in (
            textwrap.dedent(message).replace("; ", ". ").replace(": ", ". ").split(". ")
        ):
            assert len(sentence.split()) <= 30, (code, sentence)


def _folds(folds: int, repeats: int, **more: object) -> dict[str, list[object]]:
    places = [(m, r, f) for m in ("a", "b") for r in range(repeats) for f in range(folds)]
    values = 0.8 + 0.03 * np.random.default_rng(2).standard_normal(len(places))
    names = dict(
        zip(("model", "repeat", "fold"), map(list, zip(*places, strict=True)), strict=True)
    )
    extra = {name: [value] * len(places) for name, value in more.items()}
    return {**names, "accuracy": values.tolist(), **extra}


class TestTwoQuestions:
    """Folds answer for algorithms, predictions for trained models: each says which, and offers the other."""

    def test_the_training_size_is_named_where_it_is_known(self) -> None:
        known = str(assay.compare(_folds(5, 4, n_train=160, n_test=40)))
        assert "Applies   to these algorithms trained on 160 items like these" in known
        unknown = str(assay.compare(_folds(5, 4)))
        assert "trained on samples of this size" in unknown
        for text in (known, unknown):
            assert "Or ask    about trained models: assay.compare(predictions" in text

    def test_sizes_that_differ_and_shares(self) -> None:
        table = _folds(5, 2, n_test=91)
        table["n_train"] = [364 + place % 2 for place in range(20)]
        assert "on 364–365 items" in str(assay.compare(table))

    def test_estimators_name_it_too(self) -> None:
        from sklearn.dummy import DummyClassifier
        from sklearn.naive_bayes import GaussianNB

        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((50, 2)), np.arange(50) % 2
        found = assay.compare({"nb": GaussianNB(), "none": DummyClassifier()}, X, y, fits=10)
        assert "trained on 40 items" in str(found)
        assert "trained_on" in dict(found.evidence.details)

    def test_predictions_with_folds_offer_the_other_question_in_a_warning(self) -> None:
        truth = [0, 1] * 30
        pooled = {"fold": [n % 5 for n in range(60)], "truth": truth, "a": truth, "b": [0] * 60}
        together = str(assay.compare(pooled, truth="truth", unit="item"))
        assert "Applies   to the trained models of all folds together, on new items" in together
        assert "unit='fold'" in " ".join(together.split())
        by_fold = str(assay.compare(pooled, truth="truth"))
        assert "Applies   to these algorithms trained on 48 items" in by_fold
        assert "unit='item'" in " ".join(by_fold.split())
        assert "Or ask" not in together + by_fold

    @pytest.mark.parametrize(("folds", "repeats"), [(10, 1), (10, 3), (2, 5), (5, 1)])
    def test_splits_without_a_test_that_held_say_what_to_run(
        self, folds: int, repeats: int
    ) -> None:
        found = assay.compare(_folds(folds, repeats))
        assert "unheld-folds" in [note.code for note in found.notes]
        assert "10 × 5 folds (more reliable)" in assay.render(found, width=80, typed="cli")
        assert counted_lines(assay.render(found, width=80)) <= 15

    def test_repeats_of_five_folds_need_no_such_word(self) -> None:
        found = assay.compare(_folds(5, 2))
        assert "unheld-folds" not in [note.code for note in found.notes]


def test_few_data_sets_with_seeds_point_to_the_question_about_these_data_sets() -> None:
    rows = [
        {"model": model, "dataset": task, "seed": seed, "score": base + 0.01 * seed + 0.1 * place}
        for model, base in (("ppo", 0.4), ("sac", 0.6))
        for place, task in enumerate(("ant", "hopper", "walker"))
        for seed in range(4)
    ]
    few = assay.compare(rows, measure="success_rate")
    assert "cannot-reach-alpha" in [note.code for note in few.verdict.outcome.notes]
    hint = "--unit seed (only these data sets)"
    assert hint in assay.render(few, width=80, typed="cli")

    seeds = assay.compare(rows, measure="success_rate", unit="seed")
    assert seeds.verdict.word == "worse"
    assert seeds.evidence.applies_to == (
        "these algorithms on these 3 data sets, with new random seeds"
    )
    assert hint not in assay.render(seeds, width=80, typed="cli")

    alone = [row for row in rows if row["dataset"] == "ant"]
    one = assay.compare(alone, measure="success_rate", unit="seed")
    assert one.evidence.applies_to == "these algorithms on this task, with new random seeds"
    assert hint not in assay.render(one, width=80, typed="cli")
