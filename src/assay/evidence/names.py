"""What the names of columns and rows can mean: the one vocabulary of reading."""

import re
from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Literal

from assay.core.measure_names import unaccented

Role = Literal["truth", "id", "weight", "count", "cluster", "fold", "repeat", "slice"]
Place = Literal["dataset", "fold", "repeat", "seed", "model", "measure", "n_train", "n_test"]


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """A name in lower case without accents, words joined by underscores: "Data set" and data-set are data_set.

    What trackers of experiments put before it is left out: params.model of MLflow is model, and
    .metric of tidymodels is metric.
    """
    text = name.strip().lower()
    text = text if text.isascii() else unaccented(text)
    trackers = r"^((params|metrics|tags|config|summary|inputs?|outputs?|feedback)[./]|\.+(?=[a-z]))"
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=\w)\.(?=\w)", "_", name.strip()).lower()
    if parts != text and parts in _vocabulary():  # modelName of JavaScript, y.true of R
        return parts
    text = re.sub(trackers, "", text)
    return re.sub(r"(?<=\w)-(?=[a-z])|[^\w#@%.+-]+", "_", text).strip("_")


KNOWN: dict[Role, tuple[str, ...]] = {
    "truth": (
        "truth", "y_true", "ytrue", "y", "label", "labels", "target", "targets", "actual", "gold", "y_test",
        "ground_truth", "groundtruth", "gold_label", "gold_standard", "true_label", "true_class", "actual_class",
        "reference_label", "expected", "outcome", "answer_key", "true", "observed", "class", "y_actual", "true_value",
        "actual_value", "gt", "gt_label", "gold_answer", "y_gt", "true_y", "groundtruth_label", "reference_answer",
        "correct_answer", "wahrheit", "verite", "verdad", "etiqueta", "real", "valor_real", "observado", "reel",
        "istwert", "verdadero", "zielvariable", "zielwert", "etiquette", "etichetta", "etichetta_vera", "标签",
        "真实标签", "真实值", "obs",
    ),
    "id": (
        "id", "item", "items", "item_id", "example", "example_id", "row_id", "sample_id", "row", "doc_id",
        "instance_id", "question_id", "question", "qid", "query_id", "query", "uid", "uuid", "guid", "key", "index",
        "idx", "case_id", "record_id", "record", "image", "img", "image_id", "filename", "file", "prompt_id",
        "prompt", "problem_id", "task_id", "instance", "doc", "document", "sentence_id", "obs", "observation", "#",
        "no", "nr", "passengerid", "topic", "unnamed_0", "subject_id", "patient_id", "customer_id", "user_id",
        "client_id", "account_id", "transaction_id", "order_id", "case", "subject", "patient", "customer", "client",
        "person", "participant", "respondent", "url", "path", "level_0", "segment", "segment_id", "utterance",
        "utterance_id", "utt", "utt_id", "sentence", "house", "clip", "audio", "video", "video_id", "frame",
        "molecule", "protein", "gene", "review", "tweet", "review_id", "tweet_id", "post", "post_id", "email",
        "message", "message_id", "ticket", "ticket_id", "match", "match_id", "station", "paper", "paper_id", "loan",
        "loan_id", "request", "request_id", "claim", "claim_id", "transaction", "order", "article", "page", "word",
        "passage", "unique_id", "series", "series_id", "test_case", "testcase", "test_id", "test_name", "row_index",
        "user_input", "rowindex", "frage", "bild", "pregunta", "imagen", "seg", "seg_id", "sid", "编号", "样本", "题目",
        "图像",
    ),
    "weight": ("weight", "weights", "sample_weight", "importance", "importance_weight"),
    "count": ("count", "counts", "frequency", "freq"),
    "cluster": ("cluster", "cluster_id", "group", "group_id"),
    "fold": ("fold", "fold_id", "cv_fold", "fold_no", "fold_number", "outer_fold", "test_fold"),
    "repeat": (
        "repeat", "repetition", "rep", "cv_repeat", "cv_rep", "repeat_id", "repeat_no", "rep_id", "seed", "sample",
        "attempt", "trial", "run", "try",
    ),
    "slice": (),  # never by its name: a comparison by slices is asked for
}  # fmt: skip
"""Column names of tables of items that speak for themselves, in any case."""

PLACES: dict[Place, tuple[str, ...]] = {
    "dataset": (
        "dataset", "datasets", "data_set", "data", "problem", "problems", "task", "tasks", "db", "key_dataset",
        "benchmark", "benchmarks", "corpus", "database", "game", "env", "domain", "environment", "dataset_name",
        "dataset_id", "task_name", "env_id", "environment_id", "datensatz", "jeu_de_donnees", "conjunto_de_datos",
        "conjunto", "数据集",
    ),
    "fold": ("fold", "fold_id", "cv_fold", "key_fold", "split_id", "cv"),
    "repeat": (
        "repeat", "repetition", "rep", "replicate", "replication", "key_run", "run_id", "init", "lauf",
        "wiederholung",
    ),
    "seed": ("seed", "trial", "random_seed", "random_state", "graine", "semilla"),
    "model": (
        "model", "models", "model_name", "model_id", "classifier", "classifiers", "learner", "algorithm",
        "algorithms", "algo", "method", "methods", "estimator", "key_scheme", "system", "systems", "approach",
        "technique", "agent", "candidate", "submission", "llm", "team", "policy", "framework", "package", "library",
        "solver", "strategy", "pipeline", "network", "architecture", "scheme", "clf", "regressor", "predictor",
        "forecaster", "retriever", "ranker", "reranker", "sys", "wflow", "workflow", "bot", "chatbot", "assistant",
        "modell", "modele", "modelo",
        "verfahren", "methode", "metodo", "algorithmus", "algorithme", "algoritmo", "模型", "方法", "算法",
    ),
    "measure": ("measure", "metric", "metric_name"),
    "n_train": ("n_train", "number_of_training_instances"),
    "n_test": ("n_test", "number_of_testing_instances"),
}  # fmt: skip
"""Column names that place a score, in any case."""

RIGHT = frozenset({
    "correct", "is_correct", "right", "is_right", "passed", "pass", "success", "successful", "solved", "resolved",
    "exact_match", "em", "hit", "correctness", "accuracy", "acc", "is_pass", "richtig", "korrekt", "correcto", "正确",
})  # fmt: skip
"""Names of values by item that are 1 where the answer was right."""

SPLITS = frozenset({
    "split", "set", "partition", "subset", "phase", "data_split", "fold_type", "part", "stage", "sample", "usage",
})  # fmt: skip
"""Names of columns that say which rows were trained on."""
TRAINED = frozenset({
    "train", "is_train", "in_train", "training", "is_training", "test", "is_test", "in_test",
    "holdout", "is_holdout", "validation", "is_validation", "is_val",
})  # fmt: skip
"""Names of columns that answer yes or no to whether a row was trained on."""
_TRAINING_WORDS = frozenset({
    "train", "training", "tr", "entrainement", "apprentissage", "entrenamiento", "treino", "addestramento", "训练",
    "训练集",
})  # fmt: skip
_SPLIT_WORDS = _TRAINING_WORDS | {
    "test", "testing", "val", "valid", "validation", "dev", "development", "eval", "evaluation", "holdout", "hold_out",
    "te", "oos", "ood", "in", "out", "in_sample", "out_of_sample", "insample", "outsample", "prueba", "validacion",
    "teste", "validacao", "测试", "测试集", "验证集",
}  # fmt: skip


@cache
def _vocabulary() -> frozenset[str]:
    """The names that speak for themselves, as far as they may be of several words."""
    return RIGHT | SPLITS | TRAINED | DESCRIPTIONS | {*chain(*KNOWN.values(), *PLACES.values())}


def is_part(word: str) -> bool:
    """Whether a word names a part of the data: train, test_a, Validation."""
    text = plain(word)
    return text in _SPLIT_WORDS or text.split("_")[0] in ("train", "training", "test", "val")


def is_training_part(word: str) -> bool:
    """Whether a word names the part that a model was trained on: train, train_1, Entraînement."""
    return plain(word) in _TRAINING_WORDS or plain(word).startswith("train")


TESTED = (
    "test", "testing", "te", "holdout", "hold_out", "eval", "evaluation", "out", "oos", "out_of_sample", "outsample",
)  # fmt: skip

DESCRIPTIONS = frozenset({
    "age", "sex", "gender", "female", "male", "race", "ethnicity", "smoker", "smoking", "married", "marital_status",
    "education", "income", "salary", "height", "weight_kg", "bmi", "region", "country", "state", "city", "zip",
    "zipcode", "postcode", "language", "lang", "locale", "amount", "price", "quantity", "qty", "tenure", "balance",
    "site", "hospital", "scanner", "device", "platform", "browser", "channel", "source", "category", "subject_area",
    "topic_area", "difficulty", "level", "grade", "length", "n_tokens", "tokens", "token_count", "prompt_tokens",
    "completion_tokens", "input_tokens", "output_tokens", "words", "chars", "characters", "latency", "latency_ms",
    "latency_s", "time", "time_ms", "time_s", "runtime", "duration", "elapsed", "seconds", "cost", "cost_usd",
    "price_usd", "usd", "timestamp", "date", "datetime", "day", "month", "year", "hour", "week", "season", "quarter",
    "monat", "datum", "jahr", "woche", "quartal", "mois", "annee", "semaine", "fecha", "mes", "ano",
    "treatment", "arm", "period", "timepoint", "occasion", "wave", "session", "dose", "visit", "ward", "department",
    "insurance", "employed", "diabetic", "hypertension", "diabetes", "pregnant", "comorbidity", "blood_pressure",
    "cholesterol", "glucose", "confidence", "certainty", "epoch", "threshold", "thresholds", "shots", "step",
    "iteration", "iter", "batch", "n", "size", "samples", "instances", "examples", "features", "attributes",
    "classes", "support", "total", "text", "prompt", "answer", "response", "output", "completion", "comment",
    "comments", "note", "notes", "name", "title", "description", "tag", "tags", "type", "kind", "status", "version",
    "user", "user_agent", "ip", "speaker", "author", "account", "store", "product", "segment", "cohort", "rank",
    "imbalance", "ir", "single", "retired", "homeowner", "urban", "rural", "veteran", "disabled", "vaccinated",
    "alcohol", "drinker", "exercise", "obese", "asthma", "family_history", "weekend", "holiday", "hard", "easy",
    "adversarial", "contaminated", "seen", "unseen", "ambiguous", "answerable", "multi_hop", "turns", "priority",
    "urgency", "minutes", "area", "sqft", "humidity", "dewpoint", "vwap", "bid", "ask", "member", "premium", "mobile",
    "new_user", "did", "temperature", "top_p", "top_k", "max_tokens", "learning_rate", "dropout",
})  # fmt: skip
"""Names that describe an item or a row and are never the prediction of a model."""

WINNER = ("winner", "preferred", "preference", "choice", "vote", "chosen")
LOSER = ("loser", "rejected")
"""Names of who won a comparison of two models, and who lost it."""

TRAINING = frozenset({"epoch", "epochs", "step", "steps", "iteration", "iter", "global_step"})
"""Names of rows that follow each other in one training run."""

SUMMARY_ROWS = frozenset({
    "average", "avg", "mean", "means", "median", "total", "overall", "all", "sum", "std", "sd", "stdev", "rank",
    "ranks", "macro_average", "macro_avg", "micro_average", "weighted_average", "geometric_mean", "geo_mean",
    "geomean", "w_t_l", "win_tie_loss", "wins", "#wins", "wins_ties_losses", "summary", "grand_mean", "gmean",
    "p_value", "friedman", "mw", "gemiddelde", "平均", "среднее", "gjennomsnitt", "srednia", "średnia", "ortalama", "ø",
    "σ", "max", "stabw", "std_dev", "desv_est", "desvio_padrao", "mean_±_std", "mean_std", "media_aritmetica",
    "medel", "gesamt", "insgesamt", "pooled", "durchschnitt", "schnitt", "mittel", "summe", "mittelwert", "moyenne",
    "media", "standard_deviation", "std_err", "stderr", "variance", "standardabweichung", "ecart_type", "promedio",
    "desviacion_estandar", "desviacion_tipica", "deviazione_standard",
})  # fmt: skip
"""Names of rows at the foot of a table that sum it up."""

_SUMMARY = re.compile(
    r"(average|avg|mean|median|total|rank)_(test_|val_|cv_)?"
    r"(acc|accuracy|rank|score|auc|error|f1|all|over.*|of.*|across.*)"
)
_SUMMARY_OF = re.compile(r"(?:average|avg\.?|mean|median|overall)\s*[(\[:]")
_COST_ROW = re.compile(
    r"(?:(?:avg|average|mean|total|inference|train|training|test|run|co2)_?)*"
    r"(?:time|params|parameters|g?flops|macs|memory|fps|throughput|latency|costs?|price|tokens|usd)(?:_\w{1,3})*"
)


def is_summary(name: str) -> bool:
    """Whether a row or column is called after what sums up the others."""
    text = plain(name).replace(".", "")
    counted = (
        re.match(r"#\s*(best|first|1st|top|win|loss|tie|param)", name.strip().lower())
        or _COST_ROW.fullmatch(text) is not None
    )
    parted = _SUMMARY_OF.match(name.strip().lower()) is not None
    return bool(counted) or parted or text in SUMMARY_ROWS or _SUMMARY.fullmatch(text) is not None


_BASELINES = re.compile(
    r"dummy|majority|constant|zero_?r|zero_?rule|naive|chance|most_freq|trivial|always"
    r"|(?:^|(?:our|my|the|simple|strong|weak|old)[ _-])baseline(?:[ _-]?(?:[a-d]|\d+|model|mean|median|method|system|"
    r"pred\w*|prob\w*|scores?|labels?|acc\w*|correct|loss|error))*$",
    re.IGNORECASE,
)


def is_description(name: str) -> bool:
    """Whether a name describes what a row is about, also as the last word of several."""
    text = plain(name).lstrip("#_")
    if right_model(name) is not None:
        return False
    counted = re.match(r"#\s*[a-z]", name.strip().lower()) is not None  # "#instances"
    if counted or text in DESCRIPTIONS or text in SPREADS or _P_VALUE.fullmatch(text):
        return True
    words = re.sub("(?<=time)_(s|sec|secs|min|h)$", "", text).split("_")
    ends = {words[0], words[-1]} if len(words) > 1 else {text}
    begun = text.startswith(("is_", "has_", "n_", "num_"))
    return begun or bool(ends & COSTS) or words[-1] in _LAST_WORDS


SPREADS = frozenset({
    "std", "sd", "se", "sigma", "σ", "sem", "stderr", "stdev", "std_dev", "stddev", "std_err", "var", "variance",
    "ci", "ci95", "ci_low", "ci_high", "ci_lower", "ci_upper", "lower", "upper", "iqr",
})  # fmt: skip
"""Names of columns that hold the spread of the one beside them."""
_P_VALUE = re.compile(r"p|p[ _.-]?val(ue)?s?([ _.-].*)?|p_.*test.*|sig|signif.*")
_DELTA = re.compile(
    r"(?:δ|∆|delta|diff|difference|improvement|gain|uplift|change|rel|relative)(?:[_.-]?\W*|_.*)"
    r"|.*_(?:δ|∆|delta|diff|difference|improvement|gain|uplift|change)"
)


_BEST = re.compile(r"(virtual_)?(best|max|maximum|oracle|winner|top|min|worst)(_.*)?")


def is_best(name: str) -> bool:
    """Whether a column is called after the best or the worst of the others."""
    return _BEST.fullmatch(plain(name)) is not None


_POINTS = r"(?:points?|scores?|marks?|credits?|grades?|punkte|value)"
_BOUND = re.compile(
    rf"(?:max|maximum|full|total|possible|available)(?:_possible)?_?{_POINTS}|out_of|possible|trials|attempts"
    rf"|{_POINTS}_(?:max|maximum|possible|available|total)"
)


def is_bound(name: str) -> bool:
    """Whether a column is called after the most that there was to be had: max_points, points_possible."""
    return _BOUND.fullmatch(plain(name)) is not None


def is_difference(name: str) -> bool:
    """Whether a column is called after the difference or the ratio of two others."""
    return _DELTA.fullmatch(plain(name)) is not None


COSTS = frozenset(
    {"tokens", "latency", "cost", "costs", "price", "usd", "ms", "seconds", "duration"}
    | {"params", "parameters", "flops", "gflops", "macs", "memory"}
)


_OF_ROWS = COSTS | {
    *("time", "runtime", "elapsed", "time_ms", "time_s", "year", "date", "version", "size", "n"),
    *("rank", "total", "epoch", "step", "iteration", "iter", "batch", "confidence", "certainty"),
    *("support", "level", "ratio", "share"),
}


def describes_models(name: str) -> bool:
    """Whether a name may describe a model: its cost, size or year; an age or a segment is of items."""
    return bool({plain(name), *plain(name).split("_")} & _OF_ROWS) or plain(name) in SPREADS


def has_cost(name: str) -> bool:
    """Whether one of several words is of a cost or a rank: pred_time_test, previous rank."""
    words = plain(name).split("_")
    return len(words) > 1 and bool({*words} & (COSTS | {"time", "rank"}) or words[-1] == "level")


def right_model(name: str) -> str | None:
    """The model of a column called opus_correct or is_correct_opus; "" of one called correct."""
    text = name.strip().rstrip("?").rstrip()
    lowered = text.lower()
    if plain(name) in RIGHT:
        return ""
    if set(plain(name).split("_")) & _TURNING:
        return None
    for mark in ("_", ":", " ", "-", "."):
        for word in _RIGHT_LAST:
            if lowered.endswith(f"{mark}{word}"):
                return text[: -len(word) - 1]
        for word in _RIGHT_FIRST:
            if lowered.startswith(f"{word}{mark}"):
                return text[len(word) + 1 :]
    return None


_TURNING = frozenset({"no", "not", "non", "never", "away", "out", "attack", "refused", "blocked"})
"""Words beside which a right answer is none: passed away, no success."""
_RIGHT_FIRST = (
    *("is_correct", "correct", "passed", "is_right", "right", "solved", "ok", "hit", "richtig"),
)
_RIGHT_LAST = (*_RIGHT_FIRST, "resolved", "success", "successful", "pass", "is_pass", "exact_match")
"""Words before and after the name of a model whose answers were right; pass_rate is none of them."""


_LAST_WORDS = frozenset({
    "age", "sex", "gender", "id", "tokens", "ms", "latency", "usd", "cost", "date", "time", "text",
    "count", "length", "len", "name", "type", "region", "category", "group", "at", "years",
    "amount", "price", "income", "seconds", "ratio", "share", "size", "rank",
})  # fmt: skip


_MODELS = re.compile(
    r"[a-w]|m_?\d+|rf|nb|lr|gbm?|gbdt|nn|mlp.*|lgbm?|gru|t5.*|old|new|candidate|control|champion|challenger|"
    r"ours|theirs|proposed|alpha|beta|gamma|big|small|large|ai|dense|bm25|linear|.*ets|theta|[ns]mt|ppo|sac|"
    r"dqn|a2c|td3|ct|mri?|tpot|h2o|sam|lin|ols|glm|gam|svr|holt.*|alt|neu|"
    r"vendor|in_?house|sys_?[a-z0-9]|(random|gradient|extra|support|nearest|decision)[ _].*",
    re.IGNORECASE,
)
_OF_MODELS = re.compile(
    r"model|pred|clf|classif|forest|tree|bayes|boost|regress|logi[ts]|logreg|xgb|lightgbm|svm|svc|knn|ridge|"
    r"lasso|elastic|perceptron|net\b|cnn|rnn|lstm|bert(?!score)|transformer|gpt|llama|opus|sonnet|haiku|claude|gem(ini|ma)|"
    r"mi[sx]tral|qwen|\bphi\b|deepseek|grok|instruct|(?<!\d)\d+b\b|reader|system|arima|prophet|resnet|vgg|yolo|whisper|"
    r"auto_?(gluon|sklearn|ml)|v\d+$|dr_|^sys[_ ]?[a-z0-9]{1,2}$",
    re.IGNORECASE,
)
"""Names that people give to models, and parts of such names."""


def is_model_name(name: str) -> bool:
    """Whether a name is one that people give to models."""
    whole = _MODELS.fullmatch(name.strip())
    return whole is not None or _OF_MODELS.search(name) is not None or is_baseline(name)


def is_baseline(name: str) -> bool:
    """Whether a name is that of a model that may well predict one class always."""
    return _BASELINES.search(name) is not None


_TRUE = re.compile(
    r"(?:true|actual|gold|gt|ground_truth|observed)_(?!pos|neg|rate|skill).+"
    r"|(?!.*(?:is|are|was)_true).+_(?:true|actual|gt|ground_truth)"
)
_SETTLED = re.compile(
    r"(?:.*_)?(?:reference|manual|human|expert|measured|lab|consensus|answer|key)(?:_.*)?"
)


def says_truth(name: str) -> bool:
    """Whether a column is called after the truth of something: true_age, price_actual."""
    return _TRUE.fullmatch(plain(name)) is not None


def truth_stem(name: str) -> str:
    """What a column holds the truth of: age of true_age."""
    words = r"true|actual|gold|gt|ground_truth|observed"
    return re.sub(rf"^(?:{words})_|_(?:{words})$", "", plain(name))


def may_be_truth(name: str) -> bool:
    """Whether a column may well be called after what people found: manual_count, reference."""
    return says_truth(name) or _SETTLED.fullmatch(plain(name)) is not None


def known_as(name: str, role: Role) -> bool:
    """Whether a name speaks for a role by itself."""
    return plain(name) in KNOWN[role]


def place_of(name: str) -> Place | None:
    """What a column places a score by; of "Method / Data set" the first word counts."""
    text = plain(re.split(r"[/\\|]", name.strip())[0]) or plain(name)
    stem = text.removesuffix("_name")
    if text.removesuffix("_id") in PLACES["model"]:  # learner_id; a game_id names an item
        return "model"
    return next((place for place, words in PLACES.items() if text in words or stem in words), None)


_ID = re.compile(r".*(?:[ _-](?i:id)|[a-z]I[dD]|^ID)")


def names_items(name: str) -> bool:
    """Whether a column is called after the items: id, question, ImageId; model_id and fold_id are others."""
    if known_as(name, "id") or _ID.fullmatch(name.strip()) is None:
        return known_as(name, "id")
    others = (words for role, words in KNOWN.items() if role != "id")
    other = place_of(name) is not None or names_raters(name)
    return not other and not any(plain(name) in words for words in others)


_RATER = re.compile(
    r"(annotator|rater|coder|labell?er|assessor|crowd_?worker)[ _-]?(\d{1,2}|[a-c])?"
)


def is_rater(name: str) -> bool:
    """Whether a column is called after one of several people who labelled the items."""
    return _RATER.fullmatch(plain(name)) is not None


_RATERS = frozenset({
    "listener", "rater", "annotator", "judge", "reader", "coder", "assessor", "evaluator", "reviewer", "grader",
    "worker", "labeler", "labeller", "expert", "radiologist",
})  # fmt: skip


def names_raters(name: str) -> bool:
    """Whether the cells of a column are called after people who rated the items."""
    return re.sub(r"(_?id|_?name|s)$", "", plain(name)) in _RATERS


def is_nameless(name: str) -> bool:
    """Whether a column has no name of its own, as pandas writes an index."""
    return re.fullmatch(r"(unnamed[:_ ]*\d*(_level_\d+)?)?", name.strip().lower()) is not None


def names_rows(name: str) -> bool:
    """Whether a column is called after the items, or is the index that pandas writes."""
    return names_items(name) or is_nameless(name)


def has_role(name: str) -> bool:
    """Whether a column names or places rows (id, truth, fold, weight …) rather than being a model."""
    known = any(plain(name) in words for words in KNOWN.values())
    return known or place_of(name) not in (None, "model")


def looks_like_scores(names: Sequence[str]) -> bool:
    """Whether columns speak of scores by data set, fold or seed rather than of items."""
    plains = {plain(name) for name in names}
    of_items = {*KNOWN["truth"], *KNOWN["id"]} - {"label"}
    placed = {"dataset", "fold", "repeat", "seed"} & {*map(place_of, names)}
    return not plains & of_items and bool(placed)


OPPOSITES = frozenset({
    ("0", "1"), ("False", "True"), ("no", "yes"), ("n", "y"), ("neg", "pos"),
    ("negative", "positive"), ("absent", "present"), ("f", "t"), ("false", "true"), ("-", "+"),
    ("nein", "ja"), ("non", "oui"), ("no", "sí"), ("no", "si"), ("faux", "vrai"), ("falso", "verdadero"),
    ("negativ", "positiv"), ("négatif", "positif"), ("negativo", "positivo"),
})  # fmt: skip
"""Pairs of classes of which the second can only be the positive one."""


def positive_of_scores(pair: Collection[str]) -> str | None:
    """The class that scores are high for; of -1 and 1 the sign says so, though -1 may be what is looked for."""
    return "1" if set(pair) == {"-1", "1"} else evident_positive(tuple(pair))


def evident_positive(pair: tuple[str, ...]) -> str | None:
    """The class that is positive by the meaning of the two words."""
    by_lower = {name.lower(): name for name in pair}
    for negative, positive in OPPOSITES:
        if set(by_lower) == {negative.lower(), positive.lower()}:
            return by_lower[positive.lower()]
    return None
