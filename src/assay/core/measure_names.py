"""Which way is better, told by the names people give to measures; None where a name does not tell."""

import re
from typing import Literal

Side = Literal["higher", "lower"]

_HIGHER = frozenset({
    "accuracy", "acc", "bacc", "auc", "auroc", "auprc", "aupr", "roc", "rocauc", "ap", "map",
    "f1", "f2", "fbeta", "fscore", "dice", "iou", "miou", "jaccard", "precision", "recall",
    "sensitivity", "specificity", "ppv", "npv", "tpr", "tnr", "kappa", "mcc", "gini", "r2",
    "rsquared", "correlation", "pearson", "spearman", "kendall", "ndcg", "dcg", "mrr", "hits",
    "hitrate", "bleu", "sacrebleu", "rouge", "rouge1", "rouge2", "rougel", "meteor", "chrf",
    "comet", "bertscore", "bleurt", "em", "reward", "return", "winrate", "wins", "psnr", "ssim",
    "likelihood", "loglikelihood", "loglik", "correct", "correctness", "passed", "pass",
    "success", "solved", "resolved", "utility", "gain", "agreement", "coverage_rate", "bal_acc",
    "balancedaccuracy", "macrof1", "microf1", "exactmatch", "passrate", "successrate",
})  # fmt: skip
_LOWER = frozenset({
    "error", "errors", "err", "errorrate", "loss", "losses", "nll", "logloss", "crossentropy",
    "entropy", "brier", "mse", "rmse", "mae", "mape", "smape", "mase", "wape", "msle", "rmsle",
    "nrmse", "nmse", "rse", "rae", "mad", "medae", "wer", "cer", "ter", "eer", "crps",
    "pinball", "fid", "kid", "lpips", "perplexity", "ppl", "bpb", "ece", "mce", "tce", "regret",
    "cost", "costs", "latency", "time", "runtime", "seconds", "ms", "duration", "fpr", "fnr", "fdr",
    "misclassification", "deviance", "rmsd", "aic", "bic", "hinge", "incorrect", "wrong",
    "failures", "hd95", "hd", "hausdorff", "assd", "masd",
})  # fmt: skip
_PHRASES: dict[str, Side] = {
    "hit_rate": "higher",
    "win_rate": "higher",
    "pass_rate": "higher",
    "success_rate": "higher",
    "exact_match": "higher",
    "log_likelihood": "higher",
    "average_precision": "higher",
    "bits_per_byte": "lower",
    "cross_entropy": "lower",
    "word_error_rate": "lower",
    "character_error_rate": "lower",
    "false_positive_rate": "lower",
    "false_negative_rate": "lower",
    "true_positive_rate": "higher",
    "true_negative_rate": "higher",
    "calibration_error": "lower",
    "explained_variance": "higher",
    "d2": "higher",
}
_UNSURE = frozenset({
    "reduction", "improvement", "decrease", "increase", "change", "delta", "difference", "diff",
    "gap", "bias", "rank", "ratio", "relative", "std", "sd", "se", "stdev", "stderr", "var",
    "variance", "ci", "n", "count", "neg", "minus",
})  # fmt: skip
"""Words beside which a measure's name says nothing: a reduction of the error, the sd of the accuracy."""
_COMPLEMENT = re.compile(r"^1\s*[-−]\s*")
_OF_A_SPLIT = frozenset({
    "test", "val", "valid", "validation", "train", "dev", "eval", "mean", "avg", "average",
    "median", "total",
})  # fmt: skip


def better_side(name: str) -> Side | None:
    """Whether higher or lower values are better, if the name can mean nothing else.

    >>> better_side("ndcg@10"), better_side("top-1 error"), better_side("score")
    ('higher', 'lower', None)
    """
    text = name.strip().lower()
    turned = bool(_COMPLEMENT.match(text)) or text.startswith("neg_")
    text = _COMPLEMENT.sub("", text).removeprefix("neg_")
    words = [word for word in re.split(r"[^a-z0-9]+", text) if word and not word.isdigit()]
    words = [word for word in words if word not in _OF_A_SPLIT or len(words) == 1]
    side = _PHRASES.get("_".join(words)) or _side_of(words)
    if side is None or not turned:
        return side
    return "lower" if side == "higher" else "higher"


def _side_of(words: list[str]) -> Side | None:
    if set(words) & _UNSURE:
        return None
    sides: set[Side] = set()
    if set(words) & _HIGHER:
        sides.add("higher")
    if set(words) & _LOWER:
        sides.add("lower")
    return sides.pop() if len(sides) == 1 else None


_OF_PREDICTIONS = frozenset({
    "accuracy", "acc", "auc", "auroc", "roc", "f1", "fbeta", "precision", "recall", "sensitivity",
    "specificity", "kappa", "mcc", "mae", "mse", "rmse", "mape", "smape", "r2", "brier", "logloss",
    "ece", "gini", "jaccard",
})  # fmt: skip


def needs_truth(name: str) -> bool:
    """Whether a measure compares predictions with a truth, so that numbers by item are not it."""
    words = [word for word in re.split(r"[^a-z0-9]+", name.strip().lower()) if word]
    return bool(set(words) & _OF_PREDICTIONS) or "log_loss" in name.lower()
