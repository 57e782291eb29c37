"""The calibration of our own procedures: cells against the public methods, judging, resuming."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from assay.estimates.proportions import proportion
from assay.hypotheses.independent_outcomes import two_proportions_z
from assay.hypotheses.multiplicity import adjust
from assay.hypotheses.one_model import binomial
from assay.hypotheses.paired_outcomes import mcnemar
from assay.kernels.differences import FourCounts, two_rates
from calibration.designs import (
    attainable_size,
    data_sets,
    folds,
    listed_outcomes,
    means,
    signed_ranks,
)
from calibration.designs.cells import Found, Job, Table
from calibration.designs.criteria import judge, keeps
from calibration.designs.grid_run import calibrate, jobs_of, merged, records

ROOT = Path(__file__).parents[2]
CRITERIA = {
    "item_level_at_most": 0.055,
    "item_size_at_least": 0.035,
    "coverage_at_least": 0.935,
    "coverage_small_at_least": 0.92,
    "width_at_most": 1.10,
    "family_wise_at_most": 0.055,
}
LEVEL = CRITERIA["item_level_at_most"]
TABLE = Table(procedure="t", answers="compare", world="losses", unit="item", parameters=("n",))


class TestExact:
    def test_one_rate_is_the_sum_over_public_answers(self) -> None:
        p, n = 0.1, 30
        interval, test = listed_outcomes.one_rate(p, n)
        chance = attainable_size.outcomes_all(n, p)
        covered = rejected = 0.0
        for errors in range(n + 1):
            found = proportion(errors, n).interval
            assert found is not None
            covered += chance[errors] * found.contains(p)
            rejected += chance[errors] * ((binomial(errors, n, null=p).p_value or 0) <= 0.05)
        assert interval.counts["coverage@0.05"] == pytest.approx(covered, abs=1e-12)
        assert test.counts["level@0.05"] == pytest.approx(rejected, abs=1e-12)

    def test_paired_labels_is_the_sum_over_public_answers(self) -> None:
        share, n = 0.2, 20
        (found,) = listed_outcomes.paired_labels(share, n)
        level = power = covered = 0.0
        for split, lead in (
            (0.5, 0.0),
            (listed_outcomes.SPLIT, share * (2 * listed_outcomes.SPLIT - 1)),
        ):
            for discordant in range(n + 1):
                for only_a in range(discordant + 1):
                    chance = attainable_size.outcomes_all(n, share)[discordant]
                    chance *= attainable_size.outcomes_all(discordant, split)[only_a]
                    rest = n - discordant
                    outcome = mcnemar(rest, only_a, discordant - only_a, 0)
                    rejected = chance * ((outcome.p_value or 0) <= 0.05)
                    if split == 0.5:
                        level += rejected
                    else:
                        power += rejected
                        assert outcome.effect.interval is not None
                        covered += chance * outcome.effect.interval.contains(lead)
        assert found.counts["level@0.05"] == pytest.approx(level, abs=1e-9)
        assert found.counts["power@0.05"] == pytest.approx(power, abs=1e-9)
        assert found.counts["coverage_apart@0.05"] == pytest.approx(covered, abs=1e-9)

    def test_p_values_are_those_of_the_public_tests(self) -> None:
        cells = FourCounts(
            *(np.array(c, float) for c in ((9, 5, 8), (0, 3, 7), (0, 9, 1), (1, 3, 4)))
        )
        ours = listed_outcomes.mcnemar_p_values(cells)
        theirs = [mcnemar(*(int(c) for c in row)).p_value for row in np.array(cells).T]
        assert ours == pytest.approx(theirs)
        rates = two_rates([3, 0, 10], 30, [9, 0, 4], 40)
        theirs = [
            two_proportions_z(*row).p_value
            for row in ((3, 30, 9, 40), (0, 30, 0, 40), (10, 30, 4, 40))
        ]
        assert listed_outcomes.pooled_p_values(rates) == pytest.approx(
            [1.0 if p is None else p for p in theirs]
        )

    @pytest.mark.parametrize(
        ("procedure", "cell"),
        [
            ("binomial", (0.1, 30)), ("binomial", (0.5, 100)),
            ("mcnemar", (0.05, 20)), ("two_proportions_z", (0.5, 14, 14)),
        ],
    )  # fmt: skip
    def test_noted_is_the_share_of_public_answers_with_a_note(
        self, procedure: str, cell: tuple[float, ...]
    ) -> None:
        for alpha, name in ((0.05, "noted"), (0.01, "noted@0.01")):
            level = 1.0 - alpha
            if procedure == "binomial":
                p, n = cell[0], int(cell[1])
                found = listed_outcomes.one_rate(p, n)[1]
                noted = sum(
                    chance * bool(binomial(errors, n, null=p, level=level).notes)
                    for errors, chance in enumerate(attainable_size.outcomes_all(n, p))
                )
            elif procedure == "mcnemar":
                share, n = cell[0], int(cell[1])
                (found,) = listed_outcomes.paired_labels(share, n)
                noted = 0.0
                for differ in range(n + 1):
                    for only_a in range(differ + 1):
                        chance = attainable_size.outcomes_all(n, share)[differ]
                        chance *= attainable_size.outcomes_all(differ, 0.5)[only_a]
                        notes = mcnemar(n - differ, only_a, differ - only_a, 0, level=level).notes
                        noted += chance * bool(notes)
            else:
                p, n_a, n_b = cell[0], int(cell[1]), int(cell[2])
                (found,) = listed_outcomes.two_rates(p, n_a, n_b)
                chance_a, chance_b = (
                    attainable_size.outcomes_all(n_a, p),
                    attainable_size.outcomes_all(n_b, p),
                )
                noted = sum(
                    chance_a[a]
                    * chance_b[b]
                    * bool(two_proportions_z(a, n_a, b, n_b, level=level).notes)
                    for a in range(n_a + 1)
                    for b in range(n_b + 1)
                )
            assert found.counts[name] == pytest.approx(noted, abs=1e-9)


class TestReach:
    def test_one_rate(self) -> None:
        # six coins: only both extremes together stay below 5 %
        assert attainable_size.two_tailed_reach(6, 0.5, 0.05) == pytest.approx(2 / 64)

    def test_conditional(self) -> None:
        assert attainable_size.conditional_reach(5, 1.0, 0.05) == 0.0
        assert attainable_size.conditional_reach(6, 1.0, 0.05) == pytest.approx(2 / 64)

    @pytest.mark.parametrize("n", [6, 12])
    def test_of_pairs_is_the_best_level_that_holds_at_every_share(self, n: int) -> None:
        """By brute force: of all thresholds of |z| the smallest that keeps 5 % wherever we look."""
        tables = [(a, d - a, d) for d in range(1, n + 1) for a in range(d + 1)]
        size = np.array([abs(a - b) / d**0.5 for a, b, d in tables])

        def levels(share: float) -> np.ndarray:
            chance = np.array(
                [
                    attainable_size.outcomes_all(n, share)[d]
                    * attainable_size.outcomes_all(d, 0.5)[a]
                    for a, _, d in tables
                ]
            )
            return np.array([chance[size >= cut - 1e-9].sum() for cut in np.unique(size)])

        grid = np.array([levels(min(share, 1 - 1e-9)) for share in attainable_size.RATES])
        valid = grid.max(axis=0) <= 0.05
        best = levels(0.5)[valid].max(initial=0.0)
        assert attainable_size.paired_reach(n, 0.5, 0.05) == pytest.approx(
            max(best, attainable_size.conditional_reach(n, 0.5, 0.05)), abs=1e-9
        )

    def test_of_two_rates_holds_at_every_rate(self) -> None:
        for rate in (0.03, 0.2, 0.37, 0.5):
            found = attainable_size.two_rates_reach(20, 30, rate, 0.05)
            assert 0.0 < found <= 0.05 + 1e-9


class TestSimulated:
    """Each batch compares some replicates with the public method and raises where they differ."""

    @pytest.mark.parametrize("shape", ["normal", "zero-inflated"])
    def test_losses(self, shape: str) -> None:
        one, pair = means.losses(shape, 10, np.random.default_rng(1), 4000)  # type: ignore[arg-type]
        assert one.replicates == pair.replicates == 4000
        counted = sum(
            one.counts[f"{kind}@0.05"] for kind in ("coverage", "missed_low", "missed_high")
        )
        assert counted == 4000
        if shape == "normal":
            assert keeps(pair.counts["level@0.05"], 4000, at_least=0.05, at_most=0.05)
            assert keeps(one.counts["coverage@0.01"], 4000, at_least=0.99, at_most=0.99)

    def test_clusters_of_one_size_are_exact(self) -> None:
        found = means.clusters(6, "equal-5", 0.5, np.random.default_rng(2), 4000)
        for one in found:
            assert keeps(one.counts["coverage@0.05"], 4000, at_least=0.95, at_most=0.95)

    def test_unequal_clusters_agree_with_the_public_method(self) -> None:
        found = means.clusters(10, "unbalanced-1-50", 0.1, np.random.default_rng(3), 1000)
        assert keeps(found[1].counts["level@0.05"], 1000, at_most=0.055)

    def test_runs(self) -> None:
        (found,) = means.runs("normal", 10, np.random.default_rng(4), 4000)
        assert keeps(found.counts["level@0.05"], 4000, at_least=0.04, at_most=0.055)

    def test_a_difference_stops_the_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(means, "stdtr", lambda df, t: np.full_like(t, 0.3))
        with pytest.raises(means.Disagreement, match=r"two_sample_t: .* from the method"):
            means.runs("normal", 10, np.random.default_rng(4), 10)

    @pytest.mark.parametrize("noise", ["normal", "rounded-2-decimals"])
    def test_datasets(self, noise: str) -> None:
        found = data_sets.datasets(noise, (3, 5), 13, np.random.default_rng(5), 400)  # type: ignore[arg-type]
        assert [one.at for one in found] == [
            (null, noise, k, 13) for k in (3, 5) for null in ("full", "partial")
        ]
        for one in found:
            assert keeps(one.counts["family_wise@0.05"], 400, at_most=0.055)

    @pytest.mark.parametrize(("noise", "noted"), [("normal", 0.0), ("rounded-2-decimals", 0.5)])
    def test_two_models(self, noise: str, noted: float) -> None:
        (found,) = data_sets.two_models(noise, 20, np.random.default_rng(5), 600)  # type: ignore[arg-type]
        assert keeps(found.counts["level@0.05"], 600, at_most=0.055)
        assert found.counts["power@0.05"] > 450
        assert (found.counts["noted"] >= 600 * noted) if noted else (found.counts["noted"] == 0.0)
        assert found.sums["width@0.05"] > found.sums["width/paired_t@0.05"]

    def test_five_data_sets_bound_nothing(self) -> None:
        (found,) = data_sets.two_models("normal", 5, np.random.default_rng(5), 50)
        judged = judge(found, CRITERIA)
        assert judged.short == ("width@0.05", "width@0.01")
        assert judged.warns("width@0.05")

    def test_holm(self) -> None:
        p = np.random.default_rng(6).random((50, 10)) ** 3
        theirs = np.array([np.asarray(adjust(row, method="holm")) <= 0.05 for row in p])
        assert (signed_ranks.holm_rejects(p, 0.05) == theirs).all()

    def test_folds(self) -> None:
        found = folds.folds("centroid", "two-gaussians", "5x2", 50, np.random.default_rng(8), 40)
        assert {one.table.procedure for one in found} == {
            "corrected_resampled_t", "kfold_paired_t", "dietterich_5x2_t", "alpaydin_5x2_f",
        }  # fmt: skip


class TestJudge:
    def found(
        self, count: float, replicates: int | None = 100_000, reachable: float = 1.0
    ) -> Found:
        facts = {"reachable@0.05": reachable}
        return Found(
            table=TABLE, at=(10,), replicates=replicates, counts={"level@0.05": count}, facts=facts
        )

    def test_kept_short_and_open(self) -> None:
        assert judge(self.found(5000), CRITERIA).short == ()
        assert judge(self.found(6000), CRITERIA).short == ("level@0.05",)
        few = judge(self.found(6, 100), CRITERIA)
        assert (few.short, few.open) == ((), ("level@0.05",))

    def test_a_test_that_never_rejects_is_short(self) -> None:
        assert judge(self.found(0), CRITERIA).short == ("size@0.05",)

    def test_unless_no_valid_test_could(self) -> None:
        assert judge(self.found(0, reachable=0.01), CRITERIA).short == ()

    def test_an_interval_of_everything_is_short(self) -> None:
        everything = Found(
            table=Table(procedure="x", answers="evaluate", world="proportion", unit="item", parameters=("n",)),
            at=(10,),
            replicates=None,
            counts={"coverage@0.05": 1.0, "coverage/wilson@0.05": 0.95},
            sums={"width@0.05": 1.0, "width/wilson@0.05": 0.2},
        )  # fmt: skip
        assert judge(everything, CRITERIA).short == ("width@0.05",)

    def test_an_exact_cell_has_no_monte_carlo_error(self) -> None:
        judged = judge(self.found(0.0551, None), CRITERIA)
        assert judged.measured["level@0.05"] == (0.0551, 0.0551, 0.0551)
        assert judged.short == ("level@0.05",)

    def test_keeps_is_a_pair_of_exact_tails(self) -> None:
        assert keeps(50, 1000, at_least=0.05, at_most=0.05)
        assert not keeps(100, 1000, at_most=0.05)
        assert not keeps(10, 1000, at_least=0.05)


def _counted(rng: np.random.Generator, replicates: int) -> list[Found]:
    hits = float((rng.random(replicates) < 0.05).sum())
    return [Found(table=TABLE, at=(10,), replicates=replicates, counts={"level@0.05": hits})]


class TestRun:
    jobs = (
        Job(name="first", world="losses", run=_counted, batch=100, goal=300),
        Job(name="second", world="runs", run=_counted, batch=0, goal=0),
    )

    def test_resumes_after_a_crash_with_the_same_numbers(self, tmp_path: Path) -> None:
        whole, torn = tmp_path / "whole", tmp_path / "torn"
        for folder in (whole, torn):
            folder.mkdir()
        assert calibrate(self.jobs, whole, workers=1) == 4
        assert calibrate(self.jobs, torn, workers=1, at_most=1) == 2
        path = torn / "losses.jsonl"
        path.write_text(path.read_text() + '{"job":"first","ba')  # cut off while writing
        assert calibrate(self.jobs, torn, workers=1) == 2
        assert calibrate(self.jobs, torn, workers=1) == 0

        def key(record: dict[str, object]) -> str:
            return json.dumps(record, sort_keys=True)

        assert sorted(map(key, records(torn))) == sorted(map(key, records(whole)))

    def test_workers_change_nothing(self, tmp_path: Path) -> None:
        for workers in (1, 2):
            (tmp_path / str(workers)).mkdir()
            calibrate(self.jobs, tmp_path / str(workers), workers=workers)
        one, two = (merged(tmp_path / name) for name in ("1", "2"))
        assert {found.table.key: found for found in one} == {
            found.table.key: found for found in two
        }

    def test_the_same_batch_twice_counts_once(self, tmp_path: Path) -> None:
        calibrate(self.jobs, tmp_path, workers=1)
        before = merged(tmp_path)
        path = tmp_path / "losses.jsonl"
        path.write_text(2 * path.read_text())
        assert merged(tmp_path) == before

    def test_batches_add_up(self, tmp_path: Path) -> None:
        calibrate(self.jobs[:1], tmp_path, workers=1)
        (found,) = merged(tmp_path)
        assert found.replicates == 300

    def test_the_grid_is_whole(self) -> None:
        import tomllib

        grid = tomllib.loads((ROOT / "calibration" / "grid.toml").read_text())
        jobs = jobs_of(grid)
        assert len({job.name for job in jobs}) == len(jobs)
        sizes = {world: sum(job.world == world for job in jobs) for world in grid["worlds"]}
        assert sizes["proportion"] == 6 * 6
        assert sizes["folds"] == 4 * 3 * 3 * 4
        assert sizes["datasets"] == 6 * 4 * 2  # two models, and all others with both nulls
        assert sizes["scores"] == 2 * 4 * 2 * 3  # all correlations together
        assert sizes["label_measures"] == 3 * 3 * 2 * 2 * 4
        asked = {"scores", "label_measures"}
        goals = [job.goal for job in jobs if job.world in asked]
        assert min(goals) == grid["replicates"]  # more where some samples are not counted


class TestPublished:
    """The packaged numbers: every table is there, and says what it claims to say."""

    def tables(self) -> list[dict[str, object]]:
        path = ROOT / "src" / "assay" / "compare" / "calibration.json.gz"
        found: list[dict[str, object]] = json.loads(gzip.decompress(path.read_bytes()))["tables"]
        return found

    def test_every_default_has_a_table(self) -> None:
        measured = {str(table["procedure"]) for table in self.tables()}
        assert measured >= {
            "proportion", "binomial", "mcnemar", "two_proportions_z", "label_measure", "paired_delta",
            "independent_delta", "simultaneous_delta",
            "auc_score", "delong_test", "mean_t", "paired_t", "cluster_mean", "cluster_difference",
            "two_sample_t", "wilcoxon", "wilcoxon_pairs", "corrected_resampled_t",
        }  # fmt: skip

    def test_labels_and_scores_warn_where_they_fall_short(self) -> None:
        """Every measured cell whose level or coverage is short has a note in most replicates."""
        measured = 0
        for found in merged(ROOT / "calibration" / "results"):
            if found.table.world not in ("label_measures", "scores"):
                continue
            measured += 1
            judged = judge(found, CRITERIA)
            for name in judged.short:
                if name.split("@")[0] in ("level", "coverage"):
                    assert judged.warns(name), (found.table.procedure, found.at, name)
        assert measured >= 48 * (2 * 4) + 48 * 2 + 144 * 2

    def test_shares_lie_in_their_intervals(self) -> None:
        for table in self.tables():
            for cell in table["cells"]:  # type: ignore[attr-defined]
                for name, (value, low, high) in cell["measured"].items():
                    if not name.startswith("width"):
                        assert 0.0 <= low <= value <= high <= 1.0, (table["procedure"], cell)

    def test_an_exact_cell_says_what_is_measured_now(self) -> None:
        (now,) = listed_outcomes.paired_labels(0.2, 50)
        (table,) = [table for table in self.tables() if table["procedure"] == "mcnemar"]
        (cell,) = [cell for cell in table["cells"] if cell["at"] == [0.2, 50]]  # type: ignore[attr-defined]
        assert cell["measured"]["level@0.05"][0] == pytest.approx(
            now.counts["level@0.05"], rel=1e-3
        )
