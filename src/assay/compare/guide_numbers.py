"""Advice for numbers that were typed: counts, summaries and p-values have one method each."""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.core.errors import NotApplicable
from assay.core.vocabulary import POPULATION


@dataclass(frozen=True, slots=True, kw_only=True)
class FromNumbers:
    """One row of the table: which method, why, and how it is called."""

    method: str
    reason: str
    command: str
    call: str
    beside: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    speaks_about: str = POPULATION["item"]
    does_not_say: str = "A p-value is not the probability that the models are equal."


Key = tuple[str, ...]

TABLE: dict[Key, FromNumbers] = {
    ("counts", "1", "estimate"): FromNumbers(
        method="proportion",
        reason="errors of one model on independent items: an interval from the binomial distribution, valid at 0 "
        "errors too",
        command="assay test proportion --errors 3 --n 100",
        call="assay.proportion(3, 100)",
        beside=("wilson", "clopper_pearson", "jeffreys", "wald: never the default"),
        refused=("Wald's interval at 0 or n errors, where its width is zero",),
        does_not_say="This does not cover other models, or this one after training again.",
    ),
    ("counts", "1", "level"): FromNumbers(
        method="binomial",
        reason="errors of one model on independent items against a level: the exact binomial test",
        command="assay test binomial --errors 20 --n 100 --null 0.25",
        call="assay.binomial(20, 100, null=0.25)",
        beside=("proportion_z: the normal approximation",),
        refused=("the normal approximation where N p or N (1 - p) is below 5",),
    ),
    ("counts", "2", "yes", "yes"): FromNumbers(
        method="mcnemar",
        reason="two models, right or wrong on the same items: McNemar's test uses the items on which "
        "only one of them is right",
        command="assay test mcnemar --table 50 10 4 36",
        call="assay.mcnemar(50, 10, 4, 36)",
        beside=("mcnemar, exact", "mcnemar, mid-p", "tango: the interval it inverts"),
        refused=("two_proportions_z, which ignores the pairing",),
    ),
    ("counts", "2", "yes", "no"): FromNumbers(
        method="margins_range",
        reason="two models on the same items of which only the totals are known: the range over all joint "
        "tables that fit",
        command="assay test margins_range --errors-a 20 --errors-b 25 --n 100",
        call="assay.margins_range(20, 25, 100)",
        refused=("two_proportions_z, which assumes different items for each model",),
        does_not_say="Which table is the true one is unknown: keep the predictions to find out.",
    ),
    ("counts", "2", "no"): FromNumbers(
        method="two_proportions_z",
        reason="two models on different items, right or wrong: two independent proportions",
        command="assay test two_proportions_z --a 20 100 --b 30 120",
        call="assay.two_proportions_z(20, 100, 30, 120)",
        beside=("fisher_exact", "newcombe", "two_proportions_z, unpooled"),
        refused=("mcnemar: different items have no pairs",),
    ),
    ("summaries", "mean-sd-n"): FromNumbers(
        method="mean_summary",
        reason="a mean with its standard deviation and number is all that a t interval needs",
        command="assay test mean_summary --mean 0.83 --sd 0.02 --n 10",
        call="assay.mean_summary(0.83, 0.02, 10)",
        beside=("two such means: their intervals side by side, which is no test",),
        refused=("a paired test: summaries keep no pairs",),
        speaks_about="whatever the summarised values were drawn from",
        does_not_say="This does not use pairs: to compare two models on the same items, keep the items.",
    ),
    ("summaries", "mean-ranks"): FromNumbers(
        method="nemenyi_from_ranks",
        reason="mean ranks over data sets and their number are all that Nemenyi's test needs",
        command="assay test nemenyi_from_ranks --ranks RF=1.4,kNN=2.7,NB=1.9 --n 30",
        call='assay.nemenyi_from_ranks({"RF": 1.4, "kNN": 2.7, "NB": 1.9}, 30)',
        refused=("wilcoxon_pairs, the default where the scores themselves are known",),
        speaks_about=POPULATION["dataset"],
        does_not_say="Ranks do not show how large a difference is, and depend on the other models in the table.",
    ),
    ("p-values", "any-false-claim"): FromNumbers(
        method="holm",
        reason="controls the family-wise error rate under any dependence, and rejects at least as much as "
        "Bonferroni",
        command="assay test holm --p 0.001,0.02,0.04",
        call="assay.holm([0.001, 0.02, 0.04])",
        beside=("hochberg and hommel, which assume more", "bonferroni"),
        refused=("p-values picked from more that were computed",),
        speaks_about="the questions that the p-values answer",
        does_not_say="A p-value does not show how large an effect is: report the effect with it.",
    ),
    ("p-values", "share-of-false-claims"): FromNumbers(
        method="benjamini_hochberg",
        reason="controls the false discovery rate: a small share of the rejections may be false",
        command="assay test benjamini_hochberg --p 0.001,0.02,0.04",
        call="assay.benjamini_hochberg([0.001, 0.02, 0.04])",
        beside=("benjamini_yekutieli, for any dependence",),
        refused=("reading one of the claims as if it were the only one",),
        speaks_about="the questions that the p-values answer",
        does_not_say="Any single rejection may be one of the false ones.",
    ),
    ("p-values", "pairs"): FromNumbers(
        method="shaffer",
        reason="uses that only some hypotheses about pairs of k models can be true together, so it is more "
        "powerful than Holm",
        command="assay test shaffer --p 0.001,0.02,0.04",
        call="assay.shaffer([0.001, 0.02, 0.04])",
        beside=("bergmann_hommel", "holm"),
        refused=("correcting for k - 1 comparisons where all pairs were looked at",),
        speaks_about="the pairs that the p-values are about",
        does_not_say="A p-value does not show how large an effect is: report the effect with it.",
    ),
    ("preferences",): FromNumbers(
        method="bradley_terry",
        reason="comparisons of two models at a time: one strength per model gives the probabilities of all pairs, "
        "also of rare ones",
        command="assay test bradley_terry arena.csv",
        call='assay.bradley_terry("arena.csv")',
        beside=("bradley_terry, sandwich: for many ties", "bradley_terry, position: who was first"),
        refused=(
            "strengths of models that wins do not connect: they are not finite",
            "shares of wins, which depend on whom a model met",
        ),
        speaks_about="these models, on new comparisons like those made",
        does_not_say="This does not show whether the preferred answer is right, and ignores cycles of preferences.",
    ),
    ("ratings",): FromNumbers(
        method="krippendorff_alpha",
        reason="several raters on the same items: agreement beyond chance for any number of them, ordered or not, "
        "ratings missing or not",
        command="assay test krippendorff_alpha ratings.csv --metric ordinal",
        call='assay.krippendorff_alpha("ratings.csv", metric="ordinal")',
        beside=("fleiss_kappa", "cohens_kappa, of two raters"),
        refused=(
            "the share of equal ratings, which chance alone makes high where one category is common",
        ),
        speaks_about="raters like these on new items like those rated",
        does_not_say="Raters who agree may both be wrong.",
    ),
}
"""By what the user has, and the answers that matter for it."""

_KEYS = ("have", "models", "goal", "same_items", "joint", "summary", "control")


def from_numbers(settled: Mapping[str, str]) -> FromNumbers:
    """The row for these answers; three or more counts need their predictions."""
    key = tuple(settled[name] for name in _KEYS if name in settled)
    if key in TABLE:
        return TABLE[key]
    raise NotApplicable(
        "counts of three or more models are compared two at a time (mcnemar or two_proportions_z, then "
        "holm). With the predictions all are compared at once"
    )
