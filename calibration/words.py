"""What the page says around its numbers."""

OPENING = """
# Calibration

How often our own default procedures err, measured: the level of every default test, the coverage and the width of
every default interval, family-wise error where many pairs are compared. `make calibrate` measures what is missing on
the grid `calibration/grid.toml` (resumable, two processes, seeds that follow from the cell) and writes this page and
the numbers that verdicts quote (`src/assay/compare/calibration.json`).

{cells} cells, {exact} of them exact (every outcome listed with its probability), the others simulated. {judged} cells are
judged by the grid's criteria, in proportion at 1 %: level at most 5.5 %, size at least 3.5 % where a valid test could
reach it, coverage at least 93.5 % (92 % where the expected minority count is below 10), width at most 1.10 times the
narrowest valid method of the catalogue in the same cell, family-wise error at most 5.5 %. {short} cells fall **short**
of a criterion, the whole 99 % Monte-Carlo interval beyond it; {open} more are *open* (?): the number is beyond the
criterion, its Monte-Carlo interval is not. Folds are published, not judged: no promise is possible there.

The procedures are those that `assay.evaluate` and `assay.compare` choose by default. Where thousands of replicates are
computed at once, some of each batch also go through the public method, and a difference stops the run; bootstraps
take 999 resamples here instead of 9,999, at the order statistics of the same probabilities.

![Levels](pictures/calibration_levels.png)

![Coverage](pictures/calibration_coverage.png)

## Summary

From the best to the worst cell, in percent; *width* is the largest ratio to the narrowest valid method.
"""

CLOSING = """
## How to read the tables

Bold: short of a criterion; *noted* below a table means that the method itself warns there, in most replicates. A question mark: beyond it, but Monte-Carlo error could explain that. Under *evaluate*
procedures the truth is the population's value; under *compare* procedures the two models (or all but one) are alike, so
that every rejection is an error. Coverage "under the alternative" is that of the same interval where the models differ.
"""

HEADINGS = {
    "proportion": "One proportion",
    "paired_labels": "Two models, same items, right or wrong",
    "independent_labels": "Two models, different items",
    "label_measures": "Other label measures",
    "scores": "Scores: AUC and average precision",
    "losses": "Losses of items",
    "clusters": "Items in clusters",
    "datasets": "Data sets",
    "runs": "Runs",
    "folds": "Folds",
}

WORLDS = {
    "proportion": "Errors are binomial; exact. The interval is `proportion` (guarded mid-p), the test `binomial` of the true rate. "
    "Cells with an expected minority count below 10 carry the note `small-counts`.",
    "paired_labels": "A trinomial of A only, B only and agreement; exact. `mcnemar` (score) and Tango's interval. Power and the "
    "coverage under the alternative are where one model wins three of four disagreements.",
    "independent_labels": "Two binomials; exact. `two_proportions_z` (pooled) and the score interval; under the alternative the odds of "
    "an error of B are twice those of A.",
    "label_measures": "F1, MCC and balanced accuracy of two classes at the stated prevalence, recall and precision of the positive "
    "class; macro F1 of five classes, the rarest as stated. Two models are alike and repeat each other's answer half of the "
    "time. Replicates in which the measure is undefined give no answer and are not counted.",
    "scores": "Binormal scores with the stated area, as they are or cut into five levels; truth is drawn with the stated prevalence "
    "(replicates without one of the classes are not counted). Two models have the same area and correlated scores.",
    "losses": "Losses of the stated shape. One mean by `mean_t`; two exchangeable models by `paired_t`, whose differences are "
    "symmetric. The t interval of one mean assumes that a mean is near normal, which means of ten lognormal losses are not.",
    "clusters": "Normal values with a random effect of the cluster; five items in each, or from 1 to 50. CR2 with Satterthwaite's degrees "
    "of freedom.",
    "datasets": "Data sets with effects of their own and noise of four kinds. Two models by `wilcoxon`; k models by `wilcoxon_pairs` with "
    "Holm: any true null rejected. Under the partial null one model is far better than the others.",
    "runs": "Two algorithms with the same distribution of scores over seeds: Welch's t.",
    "folds": "Two exchangeable learners on samples of a known population: each sees its own half of the features, trees differ by their "
    "seeds. Levels are published, not judged: no unbiased estimate of the variance of cross-validation exists.\n\n"
    "![Folds](pictures/calibration_folds.png)",
}

PROCEDURES = {
    "label_measure": "default interval",
    "ranking": "default interval",
    "kfold_paired_t": "kfold_paired_t (naive, not a default)",
}
"""Names other than the method's own."""

REPLICATION = """
# Dietterich, and Nadeau and Bengio, again

Two papers taught machine learning which tests of two algorithms to trust: Dietterich (1998, *Neural Computation* 10) and Nadeau
and Bengio (2003, *Machine Learning* 52). `make replicate` runs their experiments again in kind: real learners on populations
that are known, {n} items in a sample, two learners that are exchangeable (each sees its own half of the features; trees differ by
their seeds), so that every rejection is an error; and, for power, noise added to what the second learner sees. Every p-value is that of the
public method: `two_proportions_z` and `mcnemar` on one split of two parts training and one part test, `kfold_paired_t` (naive) on thirty such splits
(*resampled t*) and on ten folds, `corrected_resampled_t` on both, `dietterich_5x2_t` and `alpaydin_5x2_f` on five times two halves.

## Level

Rejections in percent at nominal 5 %, with 95 % intervals.

![Levels](pictures/replication_levels.png)

{levels}

## Power

Rejections in percent by the true difference of the accuracies (in points, over training samples of two thirds and new items).

![Power](pictures/replication_power.png)

{powers}

## Beside what was published

- **Resampled t.** Dietterich: a high probability of type I error, never to be used. Nadeau and Bengio: the variance of the mean is
  underestimated, because the splits share data. So here: it calls a large part of exchangeable learners different, in every world.
- **Corrected resampled t.** Nadeau and Bengio: near its nominal size, with good power. So here on average, with two qualifications that their
  tables show too: it is conservative where learners are stable, and not near 5 % everywhere. That is why our verdicts print
  the range measured in [calibration](calibration.md) instead of a promise.
- **10-fold t.** Dietterich: somewhat elevated type I error, and the most power. Here the elevation depends on the learner: unstable learners
  show it, stable ones do not. Of the tests that keep their level on stable learners it is among the most powerful; corrected, it is the most cautious.
- **McNemar.** Dietterich: low type I error. So here, near 5 %: it asks about these two fitted models on new items, and pays for the
  one split with power.
- **Two-proportion z.** Dietterich found it unreliable on the same test set. Its error depends on how the models' errors hang together: here
  the views are independent given the class, so that pairing gains little and z comes close to McNemar. Where errors are shared it loses power
  ([pitfalls](pitfalls.md)); it is never the right test of paired answers.
- **5x2 t and F.** Dietterich: acceptable type I error, slightly more power than McNemar. Alpaydin's F: lower error, more power than the t. The t
  is near its level here; the F depends on the learner. Both train on half of the data, and lose power where data are short.

What differs from the papers: their populations were large real data sets sampled from, or built to have equal error; ours are synthetic and
the equality is exact, by exchangeability. Their figures are therefore compared in kind, not digit by digit.
"""
