"""How methods are named in figures, reports and sentences."""

from assay.core.text_formatting import clean

_EPONYMS = {
    "agresti", "akinshin", "alpaydin", "anderson", "bartlett", "bates", "bayle", "bengio", "benjamini",
    "bergmann", "blaker", "bonett", "bonferroni", "bradley", "caffo", "clopper", "cochran", "cohen", "conover",
    "coull", "darling", "davenport", "diebold", "dietterich", "dunn", "dunnett", "finner", "fisher", "fleiss",
    "fligner", "friedman", "hochberg", "hodges", "holland", "holm", "hommel", "hotelling", "iman", "jeffreys",
    "krippendorff", "kruskal", "lehmann", "levene", "lilliefors", "mack", "mann", "mariano", "mauchly", "mee",
    "miettinen", "nadeau", "nemenyi", "newcombe", "nurminen", "obuchowski", "pearson", "price", "quade", "rom",
    "shaffer", "shapiro", "sidak", "skillings", "tango", "terry", "tukey", "wald", "wallis", "welch", "whitney",
    "wilcoxon", "wilk", "wilks", "wilson", "yekutieli",
}  # fmt: skip
_SPELLED = {
    "mcnemar": "McNemar", "delong": "DeLong", "auc": "AUC", "roc": "ROC", "bca": "BCa",
    "anova": "ANOVA", "bayes": "Bayesian", "manova": "MANOVA", "tost": "TOST", "q": "Q", "aso": "ASO",
    "hsd": "HSD", "cv": "CV", "dagostino": "D'Agostino", "cohens": "Cohen's", "cliffs": "Cliff's",
}  # fmt: skip
_JOINED = {
    "Agresti Caffo", "Agresti Coull", "Anderson Darling", "Benjamini Hochberg", "Benjamini Yekutieli",
    "Bergmann Hommel", "Bonett Price", "Bonferroni Dunn", "Bradley Terry", "Clopper Pearson", "Conover Iman",
    "Diebold Mariano", "Hodges Lehmann", "Iman Davenport", "Kruskal Wallis", "Mann Whitney",
    "Miettinen Nurminen", "Nadeau Bengio", "Shapiro Wilk", "Skillings Mack", "mid p", "non inferiority",
    "signed rank", "one way", "two sample", "one sample",
}  # fmt: skip
_NAMES = {
    "agresti_min": "Agresti-Min",
    "mean_t": "Student's t",
    "oneway_anova": "one-way ANOVA",
    "rm_anova": "repeated-measures ANOVA",
    "small_p": "Sterne",
    "two_sample_t": "Welch's t",
}
"""Names that their parts do not give."""


def method_name(method: str) -> str:
    """The name of a method as it is written in prose: ``clopper_pearson`` is Clopper-Pearson."""
    if method in _NAMES:
        return _NAMES[method]
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
