"""What the page says around its numbers."""

OPENING = """
# Calibration

How often our own default procedures err, measured. The tables give the level of default tests, the coverage and width of
default intervals, and the family-wise error over many pairs. `make calibrate` measures what is missing on the grid
`calibration/grid.toml` (resumable, two processes, seeds that follow from the cell). It writes this page and the numbers
that verdicts quote (`src/assay/compare/calibration.json.gz`).

There are {cells} cells: {exact} are exact (every outcome listed with its probability), the others simulated. Of these,
{judged} are judged by the criteria of the grid, in proportion at 1 %:

- level at most 5.5 %;
- size at least 3.5 % where a valid test could reach it;
- coverage at least 93.5 % (92 % where the expected minority count is below 10);
- width at most 1.10 times the narrowest valid method of the catalogue in the same cell;
- family-wise error at most 5.5 %.

{short} cells fall **short** of a criterion: the whole 99 % Monte-Carlo interval lies beyond it. Another {open} are *open* (?):
the number lies beyond the criterion, but its Monte-Carlo interval does not. Folds are published, not judged: no level can be
guaranteed there. Other pages measure [clustered items and skewed losses](calibration-clusters.md),
[real populations](calibration-populations.md) and [other promises](calibration-promises.md).

The procedures are those that `assay.evaluate` and `assay.compare` choose by default. Where thousands of replicates are
computed at once, some of each batch also go through the public method. A difference stops the run. Smoothed cells are
drawn 399 times here instead of 9,999, at the order statistics of the same probabilities.

![Levels](pictures/calibration_levels.png)

![Coverage](pictures/calibration_coverage.png)

## Summary

From the best to the worst cell, in percent; *width* is the largest ratio to the narrowest valid method.
"""

CLOSING = """
## How to read the tables

Bold: short of a criterion. *Noted* below a table: the method itself warns there, in most replicates. A question mark:
beyond the criterion, but Monte-Carlo error could explain that. Under *evaluate* procedures the truth is the population's
value. Under *compare* procedures the two models (or all but one) are equal, so every rejection is an error. Coverage
"under the alternative" is that of the same interval where the models differ.
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
    "label_measures": "F1, MCC and balanced accuracy of two classes at the stated prevalence, recall and precision of the positive class. Macro F1 of five classes. The rarest class is as stated. Two models are alike and repeat each other's answer half of the "
    "time. Replicates in which the measure is undefined give no answer and are not counted. A size below 3.5 % counts against the test only if a sign test of the rarest class's expected disagreements could reach it. At prevalence 0.01, samples of 50 and 200 items often lack the "
    "rarest class. Macro F1 is then an average over the classes that occur, while the population's value counts all five (decision 0051). Two models on different items "
    "(`independent_delta`, n items each) are alike. A size counts against the test only where the exact test of two rates on the rarest class could reach it. Three models on the same "
    "items (`simultaneous_delta`) are correlated like the two. Any pair called different is an error. The multiplier is drawn 999 times here instead of 9,999.",
    "scores": "Binormal scores with the stated area, as they are or cut into five levels. Truth is drawn with the stated prevalence; "
    "replicates without one of the classes are not counted. Two models have the same area and correlated scores. They are compared by DeLong's "
    "test with t and by `average_precision_test` (decisions 0012, 0052). A size below 3.5 % counts against them only where a sign test could reach it. That test has "
    "the items of the rarer class that the models rank differently, about 2 (1 − AUC) of them. All correlations of a cell share their first model. The width of average "
    "precision is judged against the percentile bootstrap, BCa and the jackknife on 200 replicates of the cell. Since decision 0171 DeLong's test with t also allows "
    "for items that were not drawn: its levels are at most these.",
    "losses": "Losses of the stated shape. One mean by `mean_t`; two exchangeable models by `paired_t`, whose differences are "
    "symmetric. Widths are judged against the percentile bootstrap on some of the replicates. Up to 30 pairs, they are also judged against the inverted sign-flip test. The t interval of one mean assumes that a mean is near normal, which means of ten lognormal losses are not. Since decision 0170 the intervals of `compare` and `evaluate` are wider where losses are skewed, and never narrower. Their levels are at most these, and their width grows by at most 12 % where models are exchangeable ([beyond the grid](calibration-clusters.md)).",
    "clusters": "Normal values with a random effect of the cluster; five items in each, or from 1 to 50. CR2 with Satterthwaite's degrees "
    "of freedom; widths are judged against G − 1 degrees of freedom instead. Methods that ignore clusters are not valid methods here, whatever they cover at icc 0.",
    "datasets": "Data sets with effects of their own and noise of four kinds. Two models by `wilcoxon`; k models by `wilcoxon_pairs` with "
    "Holm: any true null rejected. Under the partial null one model is far better than the others. The same draws "
    "serve every k and both nulls. The width of the Hodges-Lehmann interval of two models is judged against the t interval. Power is at a difference of one spread of the noise. "
    "With k models no other method of the catalogue bounds the same differences, so their width is not judged. The sign ∞: no outcome of so few data sets excludes anything at that level.",
    "runs": "Two algorithms with the same distribution of scores over seeds: Welch's t; its width is judged against the pooled t.",
    "folds": "Two exchangeable learners on samples of a known population: each sees its own half of the features, trees differ by their "
    "seeds. Every cell has its own 99 % Monte-Carlo interval. Levels are published, not judged: no unbiased estimate of the variance of cross-validation exists.\n\n"
    "![Folds](pictures/calibration_folds.png)",
}

PROCEDURES = {
    "label_measure": "default interval",
    "kfold_paired_t": "kfold_paired_t (naive, not a default)",
}
"""Names other than the method's own."""

REPLICATION = """
# Dietterich, and Nadeau and Bengio, again

Two papers taught machine learning which tests of two algorithms to trust: Dietterich (1998, *Neural Computation* 10) and Nadeau
and Bengio (2003, *Machine Learning* 52). `make replicate` runs their experiments again in kind: real learners on known populations, {n} items
in a sample. The two learners are exchangeable: each sees its own half of the features, and trees differ by their seeds. So every
rejection is an error.
For power, noise is added to what the second learner sees. Every p-value is that of the
public method. On one split of two parts training and one part test: `two_proportions_z` and `mcnemar`. On thirty such splits (*resampled t*)
and on ten folds: `kfold_paired_t` (naive) and `corrected_resampled_t`. On five times two halves: `dietterich_5x2_t` and `alpaydin_5x2_f`.

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
  underestimated, because the splits share data. So here: it calls more than half of the exchangeable pairs of three learners different, and its power
  means nothing. Trees that draw their features anew at every fit are the exception: the randomness of each fit hides what the splits share.
- **Corrected resampled t.** Nadeau and Bengio: correct size and good power. So here: at or below 5 %, and as powerful as the 10-fold t.
  But no test of folds is near its level everywhere. Over the grid of [calibration](calibration.md) the corrected t ranges from near 0 to well
  above 5 %, most of all for repeated folds. That is why our verdicts print the measured range.
- **10-fold t.** Dietterich: somewhat elevated type I error, and the most power. Here it is near 5 % for centroids and logistic regression and above it for 1-NN
  (10–20 % in other cells of the calibration). Of the tests that keep their level here none has clearly more power. Corrected, it hardly ever errs, and pays for it
  with power.
- **McNemar.** Dietterich: low type I error. So here, near 5 %, more where single fits differ by luck (trees): it asks about these two fitted models on new items. It sees one test part of a
  third, and is among the least powerful.
- **Two-proportion z.** Dietterich found it unreliable on the same test set. Its error depends on the correlation of the models' errors. Here the views are independent given the class, so pairing gains nothing and z agrees with McNemar. Where errors are shared it loses power
  ([pitfalls](pitfalls.md)); it is never the right test of paired answers.
- **5x2 t and F.** Dietterich: acceptable type I error, slightly more power than McNemar. The level agrees except for 1-NN, where both exceed it. The power is about McNemar's, a little more or less by the learner. Alpaydin: the F has lower error and more power than the t. It has more power here; its error is not always lower (1-NN).

What differs from the papers: their populations were large real data sets, or built to have equal error. Ours are synthetic, and the equality is exact, by exchangeability. Their figures are therefore compared in kind, not digit by digit.
"""

PLANS = """
# Plans against simulation

Power as `assay plan` states it, beside the share of simulated studies in which `compare`'s test rejects at 5 %. Intervals are
99 % Monte-Carlo intervals. Every question of the [planner](methods/power.md) is measured at several sizes. `python -m calibration.plans` measures what is missing and writes this page; the tests
hold a quick version to exact binomial tolerances. Of {total} plans {off} lie outside their interval (one in a hundred would by chance).

{table}

Studies are drawn as the plan assumes them. Folds are equally correlated, by the share of the data that is tested, as the corrected t assumes. Folds of *real* learners are not, so
their rows are marked heuristic. Near a power of one half the plan happens to hold for these two. At small differences the test finds less
than planned: about 4 % where 10 % were planned, in a trial. At a true difference of zero its false-positive rate is below 5 %
([calibration](calibration.md)). Pilots are so large that they show the true spread; a small pilot misjudges it, and the plan says so (`pilot-small`).
"""

CLUSTERS = """
# Calibration beyond the grid: clusters and tails

`python -m calibration.clusters` measures the defaults of `assay.compare` and `assay.evaluate`. It covers clustered items and means of skewed losses
(resumable; results in `calibration/results/beyond`). Some test sets of every batch also go through the public functions, and a difference stops the run. Decisions 0090, 0091, 0170 and 0282 say how the
methods were chosen; the main page is [calibration](calibration.md).

## Cells that are short

{short}

Every cell has {drawn:,} test sets or more. Those in which a class is missing or nothing varies do not count.
Losses without an end are why cells are short (see the last two sections). A sample tells nothing of a loss that it does not show.
Average precision where negatives weigh five times as much rests on a few heavy items at the top of the ranking.
{everywhere}

## Two models on clustered items

Truth, all scores and each model's scores have effects of the cluster (standard deviations .7, .7 and .5 beside item noise of 1). Models are exchangeable, so every rejection is an
error. Accuracy and the Brier score by `cluster_difference`, F1, AUC and average precision by `paired_jackknife`. The table has rejections in percent at 5 %. The limit is 5.5, and 6 with fewer than 10 clusters. **Bold**: surely more (one-sided 99.9 %
Monte-Carlo bound). Test sets on which the measure is undefined for want of a class are not counted.

{levels}

By the correlation within clusters, of the latent truths and of the scores of a model alike (prevalence .5):

{correlated_levels}

## Two models on weighted items

Weights are uneven (log-normal, standard deviation .7 on the log scale), or negatives weigh five times as much as positives. Items in each "1": items are independent, and
their number stands under clusters. In clusters of 10 the correlation is .3. All measures by `paired_jackknife`, means corrected for skewness (decision 0282). Limits as above.

{weighted_levels}

## Five models on clustered items

Exchangeable models, all ten pairs by `simultaneous_jackknife` (999 draws): families with any false difference, in percent. The limits
are those of two models. Families that the method refuses are not counted. `compare` also corrects means for skewness and the unseen. That only widens intervals, and is not in these tables.

{families}

By the correlation within clusters:

{correlated_families}

With weights:

{weighted_families}

## Five models on independent items

Mean losses of five models, all ten pairs by `simultaneous_bootstrap` (999 draws): families with any false difference between equal models, in percent. The limit is 5.5.
Standard errors of few items are uncertain, so each pair is divided by one that is drawn (decision 0271). The corrections of `compare` for skewness and the unseen are not in this table; they only widen intervals.

{items}

## Several measures and slices at once

Two models on independent items, in five measures (accuracy, F1, AUC, average precision, Brier score), in four slices, or both. All questions are decided together by Holm's steps.
In percent: test sets with any difference that is none. Where one model is too sure of itself, its logits are doubled. Then its Brier score differs and nothing else does.

{questions}

## One model on clustered items

Coverage of 95 % intervals in percent; in brackets the intervals wholly below and wholly above the truth. The limit is 93.5, and 92 with fewer than 10 clusters. Test sets on which nothing varies have
other intervals and are not counted.

{coverages}

By the correlation within clusters:

{correlated_coverages}

With weights:

{weighted_coverages}

## Skewed and heavy-tailed means

Coverage of 95 % intervals in percent, in brackets that of plain t, then the mean width over t's. The last four rows are of one model (`evaluate`), the others are differences of two models (`paired_t`, variant "skewed"). They use the bound that `compare`
knows for the Brier score and for log losses of probabilities. At least {samples:,} samples a cell. Where losses have a bound, coverage is at least 93.5. The price: intervals are wider for models that are nearly alike
on few items (decision 0170). Where they have none, no interval can allow for a loss of which the sample shows nothing (Bahadur & Savage 1956). `--max-loss` remedies that (row "told"). Losses of the last rows have kurtosis 3 to 110.

{tails}

## Rare disputes on clustered and weighted items

Two models whose Brier scores are nearly alike but for items in dispute, as above. Items come in clusters or have uneven weights. Disputes of a cluster may go together.
Coverage of 95 % intervals in percent, in brackets that of t alone, then the mean width over t's. Limits as above. The corrections are those of independent items (decision 0282).

{disputes}

Five models, of which one loses four in five of the disputes. In percent: families by `compare` whose ten intervals hold all ten true differences. Beside them the same without the corrections, and the mean width over theirs.

{disputed_families}

## Squared errors without a known end

Coverage of 95 % intervals of the difference of two mean squared errors in percent (`compare`, measure mse: `paired_t`, variant "squares"). Then the mean width over t's, and how many intervals
exclude 0. In brackets the same of plain t. In the first rows one model has rare large errors and both have the same mean square: excluding 0 is an error. Its samples often hold none of them, and then look like those of a better model.
So the interval contains 0 until large unseen errors could not undo the lead (decision 0240). The price is power on fewer than some 200 items (last rows), where t's verdict depends on the tail as well.
Short of the limit are 1 or 2 % of large errors at n = 200 and 1 % at n = 1,000. There samples hold few large errors or none. The note `heavy-tails` marks those that hold some.

{squares}
"""
