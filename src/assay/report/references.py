"""The works behind the methods, by the keys that method records carry."""

import re
import unicodedata

_KEY = re.compile(r"[a-z]+\d{4}[a-z]*")
_CITED = re.compile(r"(?P<surname>[^\W\d_][^\s,&(]*).*?\((?P<year>\d{4})\)")
_WHERE = re.compile(r"\b(?:method|section|chapter) [\d.]+")

BIBLIOGRAPHY: dict[str, str] = {
    "agarwal2021": "Agarwal R, Schwarzer M, Castro PS, Courville A, Bellemare MG (2021). Deep "
    "reinforcement learning at the edge of the statistical precipice. Advances in Neural "
    "Information Processing Systems 34.",
    "agresti1998": "Agresti A, Coull BA (1998). Approximate is better than “exact” for interval "
    "estimation of binomial proportions. The American Statistician 52(2):119–126.",
    "agresti2000": "Agresti A, Caffo B (2000). Simple and effective confidence intervals for "
    "proportions and differences of proportions result from adding two successes and two "
    "failures. The American Statistician 54(4):280–288.",
    "agresti2005": "Agresti A, Min Y (2005). Simple improved confidence intervals for comparing "
    "matched proportions. Statistics in Medicine 24(5):729–740.",
    "algina2003": "Algina J, Keselman HJ (2003). Approximate confidence intervals for effect "
    "sizes. Educational and Psychological Measurement 63(4):537–553.",
    "alpaydin1999": "Alpaydın E (1999). Combined 5 × 2 cv F test for comparing supervised "
    "classification learning algorithms. Neural Computation 11(8):1885–1892.",
    "andrews2024": "Andrews I, Kitagawa T, McCloskey A (2024). Inference on winners. The Quarterly "
    "Journal of Economics 139(1):305–358.",
    "arbuthnott1710": "Arbuthnott J (1710). An argument for divine providence, taken from the "
    "constant regularity observed in the births of both sexes. Philosophical Transactions of "
    "the Royal Society 27(328):186–190.",
    "bartlett1937": "Bartlett MS (1937). Properties of sufficiency and statistical tests. "
    "Proceedings of the Royal Society of London A 160(901):268–282.",
    "bates2021": "Bates S, Hastie T, Tibshirani R (2021). Cross-validation: what does it estimate "
    "and how well does it do it? arXiv:2104.00673.",
    "bayle2020": "Bayle P, Bayle A, Janson L, Mackey L (2020). Cross-validation confidence "
    "intervals for test error. Advances in Neural Information Processing Systems 33.",
    "bell2002": "Bell RM, McCaffrey DF (2002). Bias reduction in standard errors for linear "
    "regression with multi-stage samples. Survey Methodology 28(2):169–181.",
    "benavoli2017": "Benavoli A, Corani G, Demšar J, Zaffalon M (2017). Time for a change: a "
    "tutorial for comparing multiple classifiers through Bayesian analysis. Journal of Machine "
    "Learning Research 18(77):1–36.",
    "bengio2004": "Bengio Y, Grandvalet Y (2004). No unbiased estimator of the variance of K-fold "
    "cross-validation. Journal of Machine Learning Research 5:1089–1105.",
    "benjamini1995": "Benjamini Y, Hochberg Y (1995). Controlling the false discovery rate: a "
    "practical and powerful approach to multiple testing. Journal of the Royal Statistical "
    "Society B 57(1):289–300.",
    "benjamini2001": "Benjamini Y, Yekutieli D (2001). The control of the false discovery rate in "
    "multiple testing under dependency. The Annals of Statistics 29(4):1165–1188.",
    "bergmann1988": "Bergmann B, Hommel G (1988). Improvements of general multiple test "
    "procedures for redundant systems of hypotheses. In: Multiple Hypotheses Testing, Springer, "
    "100–115.",
    "berry1995": "Berry G, Armitage P (1995). Mid-P confidence intervals: a brief review. The "
    "Statistician 44(4):417–423.",
    "blackwelder1982": "Blackwelder WC (1982). “Proving the null hypothesis” in clinical "
    "trials. Controlled Clinical Trials 3(4):345–353.",
    "blaker2000": "Blaker H (2000). Confidence curves and improved exact confidence intervals "
    "for discrete distributions. The Canadian Journal of Statistics 28(4):783–798.",
    "bonett2012": "Bonett DG, Price RM (2012). Adjusted Wald confidence interval for a difference of "
    "binomial proportions based on paired data. Journal of Educational and Behavioral Statistics "
    "37(4):479–488.",
    "bonferroni1936": "Bonferroni CE (1936). Teoria statistica delle classi e calcolo delle "
    "probabilità. Pubblicazioni del R. Istituto Superiore di Scienze Economiche e Commerciali di "
    "Firenze 8:3–62.",
    "bouckaert2004": "Bouckaert RR, Frank E (2004). Evaluating the replicability of significance "
    "tests for comparing learning algorithms. PAKDD 2004, LNCS 3056:3–12.",
    "bowyer2025": "Bowyer S, Aitchison L, Ivanova DR (2025). Position: don’t use the CLT in LLM "
    "evals with fewer than a few hundred datapoints. arXiv:2503.01747.",
    "bradley1952": "Bradley RA, Terry ME (1952). Rank analysis of incomplete block designs: I. The "
    "method of paired comparisons. Biometrika 39(3/4):324–345.",
    "brown1974": "Brown MB, Forsythe AB (1974). Robust tests for the equality of variances. "
    "Journal of the American Statistical Association 69(346):364–367.",
    "brown2001": "Brown LD, Cai TT, DasGupta A (2001). Interval estimation for a binomial "
    "proportion. Statistical Science 16(2):101–133.",
    "cliff1993": "Cliff N (1993). Dominance statistics: ordinal analyses to answer ordinal "
    "questions. Psychological Bulletin 114(3):494–509.",
    "clopper1934": "Clopper CJ, Pearson ES (1934). The use of confidence or fiducial limits "
    "illustrated in the case of the binomial. Biometrika 26(4):404–413.",
    "cochran1950": "Cochran WG (1950). The comparison of percentages in matched samples. "
    "Biometrika 37(3/4):256–266.",
    "cohen1960": "Cohen J (1960). A coefficient of agreement for nominal scales. Educational "
    "and Psychological Measurement 20(1):37–46.",
    "cohen1988": "Cohen J (1988). Statistical Power Analysis for the Behavioral Sciences, 2nd "
    "edition. Lawrence Erlbaum.",
    "cover1991": "Cover TM (1991). Universal portfolios. Mathematical Finance 1(1):1–29.",
    "dagostino1973": "D’Agostino R, Pearson ES (1973). Tests for departure from normality: "
    "empirical results for the distributions of b2 and √b1. Biometrika 60(3):613–622.",
    "delong1988": "DeLong ER, DeLong DM, Clarke-Pearson DL (1988). Comparing the areas under two "
    "or more correlated receiver operating characteristic curves: a nonparametric approach. "
    "Biometrics 44(3):837–845.",
    "demsar2006": "Demšar J (2006). Statistical comparisons of classifiers over multiple data "
    "sets. Journal of Machine Learning Research 7:1–30.",
    "diebold1995": "Diebold FX, Mariano RS (1995). Comparing predictive accuracy. Journal of "
    "Business & Economic Statistics 13(3):253–263.",
    "dietterich1998": "Dietterich TG (1998). Approximate statistical tests for comparing "
    "supervised classification learning algorithms. Neural Computation 10(7):1895–1923.",
    "dror2019": "Dror R, Shlomov S, Reichart R (2019). Deep dominance: how to properly compare deep "
    "neural models. ACL 2019, 2773–2785.",
    "dunn1961": "Dunn OJ (1961). Multiple comparisons among means. Journal of the American "
    "Statistical Association 56(293):52–64.",
    "dunn1964": "Dunn OJ (1964). Multiple comparisons using rank sums. Technometrics 6(3):241–252.",
    "dunnett1955": "Dunnett CW (1955). A multiple comparison procedure for comparing several "
    "treatments with a control. Journal of the American Statistical Association 50(272):1096–1121.",
    "edwards1948": "Edwards AL (1948). Note on the “correction for continuity” in testing the "
    "significance of the difference between correlated proportions. Psychometrika 13(3):185–187.",
    "efron1981": "Efron B (1981). Nonparametric estimates of standard error: the jackknife, the "
    "bootstrap and other methods. Biometrika 68(3):589–599.",
    "efron1982": "Efron B (1982). The Jackknife, the Bootstrap and Other Resampling Plans. SIAM.",
    "efron1983": "Efron B (1983). Estimating the error rate of a prediction rule: improvement "
    "on cross-validation. Journal of the American Statistical Association 78(382):316–331.",
    "efron1987": "Efron B (1987). Better bootstrap confidence intervals. Journal of the American "
    "Statistical Association 82(397):171–185.",
    "efron1993": "Efron B, Tibshirani RJ (1993). An Introduction to the Bootstrap. Chapman & Hall.",
    "efron1997": "Efron B, Tibshirani R (1997). Improvements on cross-validation: the .632+ "
    "bootstrap method. Journal of the American Statistical Association 92(438):548–560.",
    "fagerland2013": "Fagerland MW, Lydersen S, Laake P (2013). The McNemar test for binary "
    "matched-pairs data: mid-p and asymptotic are better than exact conditional. BMC Medical "
    "Research Methodology 13:91.",
    "farrington1990": "Farrington CP, Manning G (1990). Test statistics and sample size "
    "formulae for comparative binomial trials with null hypothesis of non-zero risk difference "
    "or non-unity relative risk. Statistics in Medicine 9(12):1447–1454.",
    "fay2010": "Fay MP (2010). Two-sided exact tests and matching confidence intervals for "
    "discrete data. The R Journal 2(1):53–58.",
    "finner1993": "Finner H (1993). On a monotonicity problem in step-down multiple test "
    "procedures. Journal of the American Statistical Association 88(423):920–923.",
    "fisher1925": "Fisher RA (1925). Statistical Methods for Research Workers. Oliver & Boyd.",
    "fisher1935": "Fisher RA (1935). The Design of Experiments. Oliver & Boyd.",
    "fisher1935logic": "Fisher RA (1935). The logic of inductive inference. Journal of the "
    "Royal Statistical Society 98(1):39–82.",
    "fleiss1969": "Fleiss JL, Cohen J, Everitt BS (1969). Large sample standard errors of kappa "
    "and weighted kappa. Psychological Bulletin 72(5):323–327.",
    "fleiss1971": "Fleiss JL (1971). Measuring nominal scale agreement among many raters. Psychological "
    "Bulletin 76(5):378–382.",
    "fleiss1981": "Fleiss JL (1981). Statistical Methods for Rates and Proportions, 2nd edition. "
    "Wiley.",
    "fligner1976": "Fligner MA, Killeen TJ (1976). Distribution-free two-sample tests for scale. "
    "Journal of the American Statistical Association 71(353):210–213.",
    "ford1957": "Ford LR (1957). Solution of a ranking problem from binary comparisons. The American "
    "Mathematical Monthly 64(8, part 2):28–33.",
    "foster2008": "Foster DP, Stine RA (2008). α-investing: a procedure for sequential control "
    "of expected false discoveries. Journal of the Royal Statistical Society B 70(2):429–444.",
    "friedman1937": "Friedman M (1937). The use of ranks to avoid the assumption of normality "
    "implicit in the analysis of variance. Journal of the American Statistical Association "
    "32(200):675–701.",
    "garcia2008": "García S, Herrera F (2008). An extension on “Statistical comparisons of "
    "classifiers over multiple data sets” for all pairwise comparisons. Journal of Machine "
    "Learning Research 9:2677–2694.",
    "greenhouse1959": "Greenhouse SW, Geisser S (1959). On methods in the analysis of profile "
    "data. Psychometrika 24(2):95–112.",
    "haldane1956": "Haldane JBS (1956). The estimation and significance of the logarithm of a "
    "ratio of frequencies. Annals of Human Genetics 20(4):309–311.",
    "hanley1982": "Hanley JA, McNeil BJ (1982). The meaning and use of the area under a receiver "
    "operating characteristic (ROC) curve. Radiology 143(1):29–36.",
    "harrell1982": "Harrell FE, Davis CE (1982). A new distribution-free quantile estimator. "
    "Biometrika 69(3):635–640.",
    "hartigan1969": "Hartigan JA (1969). Using subsample values as typical values. Journal of the "
    "American Statistical Association 64(328):1303–1317.",
    "harvey1997": "Harvey D, Leybourne S, Newbold P (1997). Testing the equality of prediction "
    "mean squared errors. International Journal of Forecasting 13(2):281–291.",
    "hayes2007": "Hayes AF, Krippendorff K (2007). Answering the call for a standard reliability measure "
    "for coding data. Communication Methods and Measures 1(1):77–89.",
    "hays1963": "Hays WL (1963). Statistics for Psychologists. Holt, Rinehart and Winston.",
    "hedges1981": "Hedges LV (1981). Distribution theory for Glass’s estimator of effect size "
    "and related estimators. Journal of Educational Statistics 6(2):107–128.",
    "hesterberg2015": "Hesterberg TC (2015). What teachers should know about the bootstrap: "
    "resampling in the undergraduate statistics curriculum. The American Statistician "
    "69(4):371–386.",
    "hochberg1988": "Hochberg Y (1988). A sharper Bonferroni procedure for multiple tests of "
    "significance. Biometrika 75(4):800–802.",
    "hodges1963": "Hodges JL, Lehmann EL (1963). Estimates of location based on rank tests. The "
    "Annals of Mathematical Statistics 34(2):598–611.",
    "holland1987": "Holland BS, Copenhaver MD (1987). An improved sequentially rejective "
    "Bonferroni test procedure. Biometrics 43(2):417–423.",
    "holm1979": "Holm S (1979). A simple sequentially rejective multiple test procedure. "
    "Scandinavian Journal of Statistics 6(2):65–70.",
    "hommel1988": "Hommel G (1988). A stagewise rejective multiple test procedure based on a "
    "modified Bonferroni test. Biometrika 75(2):383–386.",
    "hotelling1931": "Hotelling H (1931). The generalization of Student’s ratio. The Annals of "
    "Mathematical Statistics 2(3):360–378.",
    "hothorn2008": "Hothorn T, Bretz F, Westfall P (2008). Simultaneous inference in general "
    "parametric models. Biometrical Journal 50(3):346–363.",
    "iman1980": "Iman RL, Davenport JM (1980). Approximations of the critical region of the "
    "Friedman statistic. Communications in Statistics A 9(6):571–595.",
    "imbens2016": "Imbens GW, Kolesár M (2016). Robust standard errors in small samples: some "
    "practical advice. Review of Economics and Statistics 98(4):701–712.",
    "kelley1935": "Kelley TL (1935). An unbiased correlation ratio measure. Proceedings of the "
    "National Academy of Sciences 21(9):554–559.",
    "kramer1956": "Kramer CY (1956). Extension of multiple range tests to group means with "
    "unequal numbers of replications. Biometrics 12(3):307–310.",
    "krippendorff2011": "Krippendorff K (2011). Computing Krippendorff’s alpha-reliability. Annenberg "
    "School for Communication, University of Pennsylvania.",
    "kruskal1952": "Kruskal WH, Wallis WA (1952). Use of ranks in one-criterion variance "
    "analysis. Journal of the American Statistical Association 47(260):583–621.",
    "kuhn2008": "Kuhn M (2008). Building predictive models in R using the caret package. "
    "Journal of Statistical Software 28(5):1–26.",
    "lakens2013": "Lakens D (2013). Calculating and reporting effect sizes to facilitate "
    "cumulative science: a practical primer for t-tests and ANOVAs. Frontiers in Psychology "
    "4:863.",
    "lancaster1961": "Lancaster HO (1961). Significance tests in discrete distributions. Journal "
    "of the American Statistical Association 56(294):223–234.",
    "laplace1812": "Laplace PS (1812). Théorie analytique des probabilités. Courcier.",
    "ledell2015": "LeDell E, Petersen M, van der Laan M (2015). Computationally efficient "
    "confidence intervals for cross-validated area under the ROC curve estimates. Electronic "
    "Journal of Statistics 9(1):1583–1607.",
    "li2008": "Li J (2008). A two-step rejection procedure for testing multiple hypotheses. "
    "Journal of Statistical Planning and Inference 138(6):1521–1527.",
    "lilliefors1967": "Lilliefors HW (1967). On the Kolmogorov-Smirnov test for normality with "
    "mean and variance unknown. Journal of the American Statistical Association 62(318):399–402.",
    "macskassy2005": "Macskassy SA, Provost F, Rosset S (2005). ROC confidence bands: an "
    "empirical evaluation. Proceedings of the 22nd International Conference on Machine Learning, "
    "537–544.",
    "mann1947": "Mann HB, Whitney DR (1947). On a test of whether one of two random variables is "
    "stochastically larger than the other. The Annals of Mathematical Statistics 18(1):50–60.",
    "mauchly1940": "Mauchly JW (1940). Significance test for sphericity of a normal n-variate "
    "distribution. The Annals of Mathematical Statistics 11(2):204–209.",
    "mcnemar1947": "McNemar Q (1947). Note on the sampling error of the difference between "
    "correlated proportions or percentages. Psychometrika 12(2):153–157.",
    "mee1984": "Mee RW (1984). Confidence bounds for the difference between two probabilities. "
    "Biometrics 40(4):1175–1176.",
    "miettinen1985": "Miettinen O, Nurminen M (1985). Comparative analysis of two rates. "
    "Statistics in Medicine 4(2):213–226.",
    "miller2024": "Miller E (2024). Adding error bars to evals: a statistical approach to "
    "language model evaluations. arXiv:2411.00640.",
    "mitchell1997": "Mitchell TM (1997). Machine Learning. McGraw-Hill.",
    "mogstad2024": "Mogstad M, Romano JP, Shaikh AM, Wilhelm D (2024). Inference for ranks with "
    "applications to mobility across neighbourhoods and academic achievement across countries. The "
    "Review of Economic Studies 91(1):476–518.",
    "nadeau2003": "Nadeau C, Bengio Y (2003). Inference for the generalization error. Machine "
    "Learning 52(3):239–281.",
    "nemenyi1963": "Nemenyi PB (1963). Distribution-free Multiple Comparisons. PhD thesis, "
    "Princeton University.",
    "newcombe1998": "Newcombe RG (1998). Interval estimation for the difference between "
    "independent proportions: comparison of eleven methods. Statistics in Medicine 17(8):873–890.",
    "newcombe1998paired": "Newcombe RG (1998). Improved confidence intervals for the difference "
    "between binomial proportions based on paired data. Statistics in Medicine 17(22):2635–2650.",
    "newcombe1998single": "Newcombe RG (1998). Two-sided confidence intervals for the single "
    "proportion: comparison of seven methods. Statistics in Medicine 17(8):857–872.",
    "newcombe2006": "Newcombe RG (2006). Confidence intervals for an effect size measure based on "
    "the Mann–Whitney statistic. Part 2: asymptotic methods and evaluation. Statistics in "
    "Medicine 25(4):559–573.",
    "obuchowski1997": "Obuchowski NA (1997). Nonparametric analysis of clustered ROC curve data. "
    "Biometrics 53(2):567–578.",
    "ojala2010": "Ojala M, Garriga GC (2010). Permutation tests for studying classifier "
    "performance. Journal of Machine Learning Research 11:1833–1863.",
    "pearson1900": "Pearson K (1900). On the criterion that a given system of deviations from "
    "the probable in the case of a correlated system of variables is such that it can be "
    "reasonably supposed to have arisen from random sampling. Philosophical Magazine, Series 5, "
    "50(302):157–175.",
    "phipson2010": "Phipson B, Smyth GK (2010). Permutation p-values should never be zero: "
    "calculating exact p-values when permutations are randomly drawn. Statistical Applications in "
    "Genetics and Molecular Biology 9(1):39.",
    "pillai1955": "Pillai KCS (1955). Some new test criteria in multivariate analysis. The Annals "
    "of Mathematical Statistics 26(1):117–121.",
    "pitman1937": "Pitman EJG (1937). Significance tests which may be applied to samples from "
    "any populations. Supplement to the Journal of the Royal Statistical Society 4(1):119–130.",
    "quenouille1956": "Quenouille MH (1956). Notes on bias in estimation. Biometrika "
    "43(3/4):353–360.",
    "robin2011": "Robin X, Turck N, Hainard A, Tiberti N, Lisacek F, Sanchez JC, Müller M "
    "(2011). pROC: an open-source package for R and S+ to analyze and compare ROC curves. BMC "
    "Bioinformatics 12:77.",
    "rom1990": "Rom DM (1990). A sequentially rejective test procedure based on a modified "
    "Bonferroni inequality. Biometrika 77(3):663–665.",
    "romano2005": "Romano JP, Wolf M (2005). Exact and approximate stepdown methods for multiple "
    "hypothesis testing. Journal of the American Statistical Association 100(469):94–108.",
    "romano2014": "Romano JP, Shaikh AM, Wolf M (2014). A practical two-step method for testing "
    "moment inequalities. Econometrica 82(5):1979–2002.",
    "schuirmann1987": "Schuirmann DJ (1987). A comparison of the two one-sided tests procedure "
    "and the power approach for assessing the equivalence of average bioavailability. Journal of "
    "Pharmacokinetics and Biopharmaceutics 15(6):657–680.",
    "shaffer1986": "Shaffer JP (1986). Modified sequentially rejective multiple test procedures. "
    "Journal of the American Statistical Association 81(395):826–831.",
    "shapiro1965": "Shapiro SS, Wilk MB (1965). An analysis of variance test for normality "
    "(complete samples). Biometrika 52(3/4):591–611.",
    "sidak1967": "Šidák Z (1967). Rectangular confidence regions for the means of multivariate "
    "normal distributions. Journal of the American Statistical Association 62(318):626–633.",
    "steiger2004": "Steiger JH (2004). Beyond the F test: effect size confidence intervals and "
    "tests of close fit in the analysis of variance and contrast analysis. Psychological Methods "
    "9(2):164–182.",
    "stephens1986": "Stephens MA (1986). Tests based on EDF statistics. In: D’Agostino RB, "
    "Stephens MA (eds), Goodness-of-Fit Techniques, Marcel Dekker.",
    "sterne1954": "Sterne TE (1954). Some remarks on confidence or fiducial limits. Biometrika "
    "41(1/2):275–278.",
    "student1908": "Student (1908). The probable error of a mean. Biometrika 6(1):1–25.",
    "sun2014": "Sun X, Xu W (2014). Fast implementation of DeLong’s algorithm for comparing the "
    "areas under correlated receiver operating characteristic curves. IEEE Signal Processing "
    "Letters 21(11):1389–1393.",
    "tango1998": "Tango T (1998). Equivalence test and confidence interval for the difference in "
    "proportions for the paired-sample design. Statistics in Medicine 17(8):891–908.",
    "tian2021": "Tian J, Ramdas A (2021). Online control of the familywise error rate. "
    "Statistical Methods in Medical Research 30(4):976–993.",
    "tsamardinos2018": "Tsamardinos I, Greasidou E, Borboudakis G (2018). Bootstrapping the "
    "out-of-sample predictions for efficient and accurate cross-validation. Machine Learning "
    "107(12):1895–1922.",
    "vargha2000": "Vargha A, Delaney HD (2000). A critique and improvement of the CL common "
    "language effect size statistics of McGraw and Wong. Journal of Educational and Behavioral "
    "Statistics 25(2):101–132.",
    "ville1939": "Ville J (1939). Étude critique de la notion de collectif. Gauthier-Villars.",
    "waudbysmith2024": "Waudby-Smith I, Ramdas A (2024). Estimating means of bounded random "
    "variables by betting. Journal of the Royal Statistical Society B 86(1):1–27.",
    "welch1947": "Welch BL (1947). The generalization of “Student’s” problem when several "
    "different population variances are involved. Biometrika 34(1/2):28–35.",
    "welch1951": "Welch BL (1951). On the comparison of several mean values: an alternative "
    "approach. Biometrika 38(3/4):330–336.",
    "westfall1993": "Westfall PH, Young SS (1993). Resampling-Based Multiple Testing. Wiley.",
    "wilcoxon1945": "Wilcoxon F (1945). Individual comparisons by ranking methods. Biometrics "
    "Bulletin 1(6):80–83.",
    "wilson1927": "Wilson EB (1927). Probable inference, the law of succession, and statistical "
    "inference. Journal of the American Statistical Association 22(158):209–212.",
    "wright1992": "Wright SP (1992). Adjusted p-values for simultaneous inference. Biometrics "
    "48(4):1005–1013.",
    "yeh2000": "Yeh A (2000). More accurate tests for the statistical significance of result "
    "differences. COLING 2000, 947–953.",
}
"""A new method adds its work here, or carries the citation itself."""


def works(reference: str) -> tuple[str, ...]:
    """The citations a record's ``reference`` stands for, one for each part between semicolons.

    Keys are looked up. A short citation (name, year, journal) is completed from the bibliography
    where it is there beyond doubt, and stands as it is otherwise.
    """
    found: list[str] = []
    for part in filter(None, map(str.strip, reference.split(";"))):
        keys = part.replace(",", " ").split()
        if all(_KEY.fullmatch(key) for key in keys):
            found += [BIBLIOGRAPHY.get(key, key) for key in keys]
        else:
            found.append(_completed(part))
    return tuple(dict.fromkeys(found))


def _completed(citation: str) -> str:
    cited = _CITED.match(citation)
    if cited is None:
        return citation
    letters = unicodedata.normalize("NFKD", cited["surname"].lower())
    stem = "".join(letter for letter in letters if letter.isascii() and letter.isalpha())
    known = [
        work
        for key, work in BIBLIOGRAPHY.items()
        if re.fullmatch(f"{stem}{cited['year']}[a-z]*", key)
    ]
    if len(known) > 1:  # several works of one year: the first page tells which, or the title
        marks = [f":{page}–" for page in re.findall(r"\d+(?=[-–]\d)", citation)]
        marks += [f". {title}" for title in re.findall(r"\), ([^,]+)", citation)]
        known = [work for work in known if any(mark in work for mark in marks)]
    if len(known) != 1 or len(citation) > len(known[0]):
        return citation
    where = _WHERE.search(citation)
    return f"{known[0]} {where[0].capitalize()}." if where else known[0]
