"""How methods are named in figures and reports."""

from assay.core.writing import clean

_EPONYMS = {
    "agresti", "alpaydin", "anderson", "bartlett", "bates", "bayle", "bengio", "bergmann", "blaker",
    "bonferroni", "bradley", "clopper", "cochran", "cohen", "conover", "coull", "darling", "davenport",
    "diebold", "dietterich", "dunn", "dunnett", "finner", "fisher", "fleiss", "fligner", "friedman",
    "hochberg", "hodges", "holland", "holm", "hommel", "hotelling", "iman", "jeffreys", "krippendorff", "kruskal",
    "lehmann", "levene", "lilliefors", "mann", "mariano", "mauchly", "mee", "miettinen", "nadeau",
    "nemenyi", "newcombe", "nurminen", "obuchowski", "pearson", "quade", "shaffer", "shapiro",
    "sidak", "skillings", "tango", "terry", "tukey", "wald", "wallis", "welch", "whitney", "wilcoxon",
    "wilk", "wilks", "wilson",
}  # fmt: skip
_SPELLED = {
    "mcnemar": "McNemar", "delong": "DeLong", "auc": "AUC", "roc": "ROC", "bca": "BCa",
    "anova": "ANOVA", "bayes": "Bayesian", "manova": "MANOVA", "tost": "TOST", "q": "Q",
}  # fmt: skip
_JOINED = {
    "Agresti Coull", "Anderson Darling", "Bradley Terry", "Clopper Pearson", "Diebold Mariano", "Hodges Lehmann",
    "Iman Davenport", "Kruskal Wallis", "Mann Whitney", "Miettinen Nurminen", "Nadeau Bengio",
    "Bergmann Hommel", "Shapiro Wilk", "Skillings Mack", "mid p",
}  # fmt: skip


def method_name(method: str) -> str:
    """The name of a method as it is written in prose: ``clopper_pearson`` is Clopper-Pearson."""
    name = " ".join(
        _SPELLED.get(word, word.capitalize() if word in _EPONYMS else word)
        for word in clean(method).replace("_", " ").split(" ")
    )
    for pair in _JOINED:
        name = name.replace(pair, pair.replace(" ", "-"))
    return name


def method_title(method: str) -> str:
    """The name of a method as a label: ``paired_t`` is Paired t."""
    name = method_name(method)
    return f"{name[:1].upper()}{name[1:]}"
