"""Which way is better, told by the names people give to measures; None where a name does not tell."""

import re
import unicodedata
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
    "elo", "mos", "genauigkeit", "trefferquote", "exactitude", "exactitud", "richtig", "rappel",
    "cindex", "concordance", "dsc", "ap50", "ap75", "map50", "ari", "nmi", "ami", "cider", "pesq", "stoi",
    "accuratezza", "acuracia", "nauwkeurigheid", "准确率", "正确率", "精确率", "召回率", "f1值", "f1分数", "正解率",
    "適合率", "再現率",
})  # fmt: skip
_LOWER = frozenset({
    "error", "errors", "err", "errorrate", "loss", "losses", "nll", "logloss", "crossentropy", "ce",
    "brier", "mse", "rmse", "mae", "mape", "smape", "mase", "wape", "msle", "rmsle",
    "nrmse", "nmse", "rse", "rae", "mad", "medae", "wer", "cer", "ter", "eer", "crps",
    "pinball", "wql", "fid", "kid", "lpips", "perplexity", "ppl", "bpb", "ece", "mce", "tce", "regret",
    "cost", "costs", "latency", "time", "runtime", "seconds", "ms", "duration", "fpr", "fnr", "fdr",
    "misclassification", "deviance", "rmsd", "aic", "bic", "hinge", "incorrect", "wrong",
    "failures", "failed", "failure", "hd95", "hd", "hausdorff", "assd", "masd", "mindcf",
    "fehler", "fehlerrate", "falsch", "erreur", "erreurs", "laufzeit", "kosten", "errore", "erro", "误差", "错误率",
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
    "c_index": "higher",
    "d2": "higher",
    "p@": "higher",  # precision and recall among the first
    "r@": "higher",
    "hit@": "higher",
}
_UNSURE = frozenset({
    "reduction", "improvement", "decrease", "increase", "change", "delta", "difference", "diff",
    "gap", "bias", "rank", "ratio", "relative", "std", "sd", "se", "stdev", "stderr", "var",
    "variance", "ci", "n", "count", "neg", "minus", "negative", "inverse", "not", "never", "non", "to",
    "skill", "drop", "dropped", "decline", "degradation", "avoided", "saved", "saving", "savings", "weight",
    "weights", "fat", "hair", "blood", "hearing", "heat", "bone", "muscle", "memory", "packet",
    "attack", "attacks", "jailbreak", "injection", "backdoor", "hacking", "adversary", "mia",
    "no", "mis", "missed", "false", "without", "free", "found", "detected", "caught", "fixed", "corrected", "prevented",
    "removed", "recovered", "tolerance", "between", "away", "blocked", "refused",
})  # fmt: skip
"""Words beside which a measure's name says nothing: a reduction of the error, the sd of the accuracy."""
_EVERYDAY = frozenset({
    "error", "errors", "err", "loss", "losses", "cost", "costs", "reward", "return", "gain", "utility", "wins", "hits",
    "correct", "passed", "pass", "success", "solved", "resolved", "agreement", "incorrect", "wrong", "failures",
    "failed", "failure", "time", "seconds", "duration", "likelihood",
})  # fmt: skip
"""Words that name a measure where they stand last: a tracking error is one, errors found and a return rate are not."""
_RATED = frozenset({
    "error", "errors", "err", "correct", "passed", "pass", "success", "solved", "resolved", "agreement", "incorrect",
    "wrong", "failures", "failed", "failure", "wins", "hits", "reward",
})  # fmt: skip
"""Those of which a rate is as good or bad as they are; a return rate is of goods sent back."""
_SPENT = frozenset({"time", "seconds", "duration", "likelihood"})
"""Words that name a measure only beside words of computing: more inference time is bad, more watch time is not."""
_COMPUTED = frozenset({
    *("run", "running", "training", "inference", "response", "wall", "clock", "wallclock", "cpu", "gpu", "elapsed"),
    *("execution", "exec", "processing", "prediction", "predict", "fit", "fitting", "score", "scoring", "compute"),
    *("computation", "computing", "decoding", "generation", "query", "search", "build", "compile", "solver", "fold"),
    *("per", "item", "sample", "image", "epoch", "step", "in", "set", "model", "total", "marginal", "api", "log"),
})  # fmt: skip
_BEHIND = frozenset({
    *("s", "sec", "secs", "ms", "us", "seconds", "min", "h", "hours", "usd", "eur", "dollars", "pct", "percent"),
    *("none", "sum", "raw", "std", "answers", "rating", "set", "fold", "k", "max", "top", "at", "strict", "loose"),
    *("macro", "micro", "weighted", "norm"),
})  # fmt: skip
"""Units and other words behind a measure's name that leave its meaning."""
_NEVER_NEGATIVE = frozenset({
    "error", "errors", "err", "errorrate", "fehler", "fehlerrate", "erreur", "logloss", "brier", "mse", "rmse",
    "mae", "mape", "smape", "mase", "wape", "msle", "rmsle", "nrmse", "medae", "wer", "cer", "ter", "eer", "crps",
    "perplexity", "ppl", "ece", "latency", "time", "runtime", "seconds", "ms", "duration", "hd95", "hausdorff",
})  # fmt: skip
"""Measures of which a negative value is a difference, or the negative that scikit-learn makes of a loss."""
_SHARES = frozenset({
    "accuracy", "acc", "bacc", "auc", "auroc", "auprc", "f1", "dice", "iou", "miou", "jaccard", "precision",
    "recall", "sensitivity", "specificity", "ndcg", "mrr", "genauigkeit", "errorrate", "fehlerrate",
})  # fmt: skip
"""Measures from 0 to 1, or to 100 in per cent."""
_COMPLEMENT = re.compile(r"^1\s*[-−]\s*")
_SAID: dict[str, Side] = {"↑": "higher", "↓": "lower", "⬆": "higher", "⬇": "lower"}
"""Signs beside a measure's name that say which way is better."""
_SAYING = re.compile(r"\b(higher|lower)[ _](?:is[ _])?(?:the[ _])?better\b")
_OF_A_SPLIT = frozenset({
    "test", "val", "valid", "validation", "train", "dev", "eval", "mean", "avg", "average",
    "median", "total",
})  # fmt: skip


def better_side(name: str) -> Side | None:
    """Whether higher or lower values are better, if the name can mean nothing else.

    >>> better_side("ndcg@10"), better_side("top-1 error"), better_side("score"), better_side("Foo ↓")
    ('higher', 'lower', None, 'lower')
    """
    text = _SAYING.sub(lambda said: "↑" if said[1] == "higher" else "↓", name.strip().lower())
    if text.startswith(("-", "−")):
        return None  # the negative of a loss, or a name with a dash before it
    turned = bool(_COMPLEMENT.match(text)) or text.startswith("neg_")
    words = _words(_COMPLEMENT.sub("", text).removeprefix("neg_"))
    words = [word for word in words if word not in _OF_A_SPLIT or len(words) == 1]
    side = (
        _PHRASES.get(text[: text.find("@") + 1]) or _PHRASES.get("_".join(words)) or _side_of(words)
    )
    if side is not None and turned:
        side = "lower" if side == "higher" else "higher"
    sides = {_SAID[sign] for sign in text if sign in _SAID} | ({side} if side else set())
    return sides.pop() if len(sides) == 1 else None


def is_beyond(name: str, low: float, high: float) -> bool:
    """Whether values from low to high cannot be what the name says: an RMSE below 0, an accuracy of 812.

    >>> is_beyond("rmse", -3.0, -1.0), is_beyond("accuracy", 0.0, 98.5), is_beyond("reward", -9.0, 1e3)
    (True, False, False)
    """
    if _COMPLEMENT.match(name.strip()) or name.strip().lower().startswith("neg_"):
        return False
    words = set(_words(name.replace("log_loss", "logloss")))
    if words & _UNSURE:
        return False
    share = is_share(name)
    return (low < 0.0 and (share or bool(words & _NEVER_NEGATIVE))) or (share and high > 100.0)


def is_turned(name: str) -> bool:
    """Whether a word of a name says nothing of direction or turns it: a skill, a drop, a saving."""
    return bool(set(_words(name)) & _UNSURE)


def is_share(name: str) -> bool:
    """Whether a measure lies from 0 to 1, or to 100 in per cent."""
    words = set(_words(name))
    return bool(words & _SHARES) and not words & _UNSURE


def _words(name: str) -> list[str]:
    """The words of a name without accents and numbers."""
    text = unaccented(name.lower())
    return [word for word in re.split(r"[\W_]+", text) if word and not word.isdigit()]


def unaccented(text: str) -> str:
    """The letters of a text without accents: vérité is verite."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def _side_of(words: list[str]) -> Side | None:
    if set(words) & _UNSURE or not all(_in_place(words, word) for word in set(words) & _EVERYDAY):
        return None
    sides: set[Side] = set()
    if set(words) & _HIGHER:
        sides.add("higher")
    if set(words) & _LOWER:
        sides.add("lower")
    return sides.pop() if len(sides) == 1 else None


def _in_place(words: list[str], word: str) -> bool:
    """Whether an everyday word names the measure: it is the last, or another word of the measure follows."""
    before, after = words[: words.index(word)], words[words.index(word) + 1 :]
    after = [one for one in after if one not in _BEHIND and not re.fullmatch(r"p?\d+\w?", one)]
    if word in _SPENT:
        return not after and set(before) <= _COMPUTED | _SPENT
    if word in _RATED and after == ["rate"]:
        return True
    return not after or after[-1] in _HIGHER | _LOWER


_OF_PREDICTIONS = frozenset({
    "accuracy", "acc", "auc", "auroc", "roc", "f1", "fbeta", "precision", "recall", "sensitivity",
    "specificity", "kappa", "mcc", "mae", "mse", "rmse", "mape", "smape", "r2", "brier", "logloss",
    "ece", "gini", "jaccard",
})  # fmt: skip


def needs_truth(name: str) -> bool:
    """Whether a measure compares predictions with a truth, so that numbers by item are not it."""
    return bool(set(_words(name)) & _OF_PREDICTIONS) or "log_loss" in name.lower()
