"""What a report of a plan shows."""

from typing import Any

from assay.plan.plan import plan
from assay.report import render
from assay.report.plan_view import explain_plan, view_of_plan
from assay.report.views import view


class TestView:
    def test_what_was_sought_comes_first(self) -> None:
        facts = view(plan(discordant=0.1, difference=0.02, power=0.8)).facts
        assert [(fact.label, fact.text) for fact in facts[:3]] == [
            ("items", "1,945"),
            ("power", "0.8"),
            ("difference in accuracy", "0.02"),
        ]
        width = view(plan(baseline=0.8, n=1537)).facts
        assert [fact.label for fact in width[:2]] == ["half-width", "items"]

    def test_cases_have_a_table_of_their_own(self) -> None:
        seen = view(plan(baseline=0.8, difference=0.02, power=0.8))
        table = seen.tables[0]
        assert (table.name, table.told) == ("plan", False)
        assert [row[1].text for row in table.rows] == ["275", "6,039"]
        assert seen.facts[0].text == "275 to 6,039"

    def test_units_of_each_model(self) -> None:
        facts = view(plan(unit="seed", sd=0.01, difference=0.01, power=0.8)).facts
        assert facts[0].detail == "of each model, 34 in all"

    def test_assumptions_and_reference_are_those_of_the_plan(self) -> None:
        found = plan(discordant=0.1, difference=0.02, power=0.8)
        seen = view(found)
        assert seen.assumptions == found.assumptions
        assert "Connor (1987)" in seen.methods
        assert "items are independent" in seen.decided

    def test_no_answer_is_none(self) -> None:
        found = plan(against=0.98, n=30, power=0.8)
        assert view(found).facts[0].text == "none"
        assert "difference-out-of-reach" in render(found)

    def test_the_page_has_the_curve(self) -> None:
        page = render(plan(discordant=0.1, difference=0.02, power=0.8), "html")
        assert "<svg" in page
        assert "Power by the number of items" in page

    def test_csv_has_unrounded_numbers(self) -> None:
        found = plan("mean_loss", sd=1.0, difference=0.5, power=0.8)
        text = render(found, "csv")
        assert repr(found.curve.column("power")[3]) in text


class TestExplain:
    def test_numbers_are_put_in(self) -> None:
        text = explain_plan(plan(sd=1 / 3, sd_within=0.0, difference=0.03, power=0.8))
        assert "n = (1.95996 + 0.841621)² · 0.111111/0.03² = 969" in text
        assert "Miller (2024)" in text


class TestBrief:
    def brief(self, **asked: Any) -> str:
        text = render(plan(**asked), width=100)
        assert text is not None
        return text

    def test_a_width_is_an_interval_and_no_test(self) -> None:
        said = self.brief(half_width=0.02, baseline=0.9)
        assert "Interval  95%: estimate ± 1.96 standard errors" in said
        assert "Test" not in said
        assert (
            "Planned for a 95% interval"
            in view_of_plan(plan(half_width=0.02, baseline=0.9)).decided
        )

    def test_many_pairs_share_alpha(self) -> None:
        said = self.brief(unit="dataset", sd=0.03, difference=0.01, power=0.8, among=5)
        assert "Wilcoxon signed-rank tests, two-sided, α = .05 over 10 pairs (Bonferroni)" in said

    def test_what_was_worked_out_has_three_digits(self) -> None:
        asked: dict[str, Any] = {"discordant": 0.1525, "n": 400, "power": 0.8}
        found = plan(**asked)
        assert f"power is {found.difference:.3g} (two-sided" in found.sentence
        (fact, *_) = view_of_plan(found).facts
        assert fact.text == f"{found.difference:.3g}"

    def test_assumptions_are_not_cut(self) -> None:
        found = plan(unit="fold", algorithms=True, sd=0.02, difference=0.02)
        text = render(found, width=60) or ""
        told = text.partition("Assumes")[2].partition("Applies")[0]
        assert " ".join(told.split()) == "; ".join(found.assumptions)

    def test_alpha_is_not_broken(self) -> None:
        for width in range(60, 100):
            said = render(plan(discordant=0.1, difference=0.02, n=500), width=width) or ""
            assert "α = .05)" in said
