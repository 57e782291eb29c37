"""Study files: values only, errors with the key and its line."""

import time
from pathlib import Path

import pytest

from assay.core.errors import AssayError
from assay.study.spec import Study
from assay.study.study_files import line_of

DESIGN = """
name = "trees-and-bayes"
seed = 7
measures = ["accuracy", "log_loss"]
datasets = ["iris", "wine", "data/*.csv"]

[resampling]
scheme = "cv"                # holdout subsampling cv 5x2 leave-one-out bootstrap time
folds = 10
repeats = 3

[learners.tree]
estimator = "sklearn.tree.DecisionTreeClassifier"
params = { min_samples_leaf = 5 }

[learners.svm]
steps = ["sklearn.preprocessing.StandardScaler", "sklearn.svm.SVC"]
tune = { svc__C = [0.1, 1, 10] }        # chosen inside each training part
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text)
    return path


class TestRead:
    def test_the_example_of_the_design(self, tmp_path: Path) -> None:
        (tmp_path / "data").mkdir()
        rows = "\n".join(f"{i},{i % 7},{'yes' if i % 3 else 'no'}" for i in range(60))
        (tmp_path / "data" / "mine.csv").write_text(f"a,b,target\n{rows}\n")
        study = Study.from_toml(write(tmp_path, DESIGN))
        assert study.name == "trees-and-bayes"
        assert list(study.datasets) == ["iris", "wine", "mine"]
        assert list(study.learners) == ["tree", "svm"]
        assert study.learners["tree"].estimator.min_samples_leaf == 5
        tuning = study.learners["svm"].tuning
        assert tuning is not None
        assert tuning.grid == {"svc__C": [0.1, 1, 10]}
        assert len(study.plan().entries) == 3 * 2 * 30

    def test_the_file_gives_the_name_unless_said(self, tmp_path: Path) -> None:
        text = 'datasets = ["iris"]\n[learners.nb]\nestimator = "sklearn.naive_bayes.GaussianNB"\n'
        assert Study.from_toml(write(tmp_path, text)).name == "study"

    def test_the_same_study_in_python_has_the_same_keys(self, tmp_path: Path) -> None:
        from sklearn.tree import DecisionTreeClassifier

        text = (
            'seed = 3\ndatasets = ["iris"]\n[resampling]\nscheme = "5x2"\n[learners.tree]\n'
            'estimator = "sklearn.tree.DecisionTreeClassifier"\nparams = { max_depth = 2 }\n'
        )
        python = Study(
            learners={"tree": DecisionTreeClassifier(max_depth=2)},
            datasets=["iris"],
            resampling="5x2",
            seed=3,
        )
        assert python.plan().entries == Study.from_toml(write(tmp_path, text)).plan().entries

    def test_fits_may_stand_beside_the_scheme_that_they_are_for(self, tmp_path: Path) -> None:
        learner = '[learners.tree]\nestimator = "sklearn.tree.DecisionTreeClassifier"\n'
        plain = f'resampling = "valid"\nfits = 25\ndatasets = ["iris"]\n{learner}'
        table = f'datasets = ["iris"]\n[resampling]\nscheme = "valid"\nfits = 25\n{learner}'
        found = Study.from_toml(write(tmp_path, plain)).resampling
        assert (found.folds, found.repeats) == (5, 5)
        assert found == Study.from_toml(write(tmp_path, table)).resampling

    def test_a_learner_in_one_line(self, tmp_path: Path) -> None:
        table = '[learners.nb]\nestimator = "sklearn.naive_bayes.GaussianNB"\n'
        short = '[learners]\nnb = "sklearn.naive_bayes.GaussianNB"\n'
        first, second = (
            Study.from_toml(write(tmp_path, f'datasets = ["iris"]\n{one}')).plan().entries
            for one in (table, short)
        )
        assert first == second


class TestErrors:
    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("seed = 7", "sed = 7", r"study\.toml, line 3: sed: unknown key 'sed'"),
            (
                "seed = 7",
                "fits = 50",
                r'line 3: fits: unknown key.*resampling = \{ scheme = "…", fits',
            ),
            (
                "folds = 10",
                "folds = 'ten'",
                r"line 9: resampling\.folds: Expected a whole number, got text",
            ),
            (
                'datasets = ["iris", "wine", "data/*.csv"]',
                'datasets = "iris"',
                "Expected a list, got text",
            ),
            ("repeats = 3", "repeat = 3", r"line 10: resampling\.repeat: unknown key"),
            ('"cv" ', '"loo" ', r"line 8: resampling\.scheme: Invalid enum value 'loo'"),
            ("params = {", "parms = {", r"line 14: learners\.tree\.parms: unknown key"),
            ("min_samples_leaf", "min_leaf", r"line 12: learners\.tree: .*'min_leaf'"),
            ("sklearn.svm.SVC", "os.system", r"line 16: learners\.svm: .*allow=\['os'\]"),
            ("svc__C", "svm__C", r"line 16: learners\.svm: tune: .* no parameter 'svm__C'"),
            ("datasets = [", "dataset = [", r"line 5: dataset: unknown key 'dataset'"),
            ("seed = 7", "seed = ", r"is not TOML: Invalid value \(at line 3"),
            ("data/*.csv", "nowhere/*.csv", r"no file matches '.*nowhere"),
            ("folds = 10", "test_size = 0.3", "line 7: the scheme cv takes no test_size"),
        ],
    )
    def test_errors_name_the_key_and_the_line(
        self, tmp_path: Path, old: str, new: str, message: str
    ) -> None:
        assert old in DESIGN
        with pytest.raises(AssayError, match=message):
            Study.from_toml(write(tmp_path, DESIGN.replace(old, new)))

    def test_a_missing_key_and_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(AssayError, match="the key 'datasets' is missing"):
            Study.from_toml(write(tmp_path, "seed = 1\n"))
        with pytest.raises(AssayError, match="there is no file"):
            Study.from_toml(tmp_path / "nothing.toml")

    def test_lines_of_dotted_keys_and_headers(self) -> None:
        text = "a.b = 1\n[x]\n'y z' = 2\n[x.w]\nv = 3\n"
        assert line_of(text, ["a", "b"]) == 1
        assert line_of(text, ["x", "y z"]) == 3
        assert line_of(text, ["x", "w", "v"]) == 5
        assert line_of(text, ["x", "w", "absent"]) == 4
        assert line_of(text, ["absent"]) is None


BASE = 'datasets = ["iris"]\n[learners.nb]\nestimator = "sklearn.naive_bayes.GaussianNB"\n'
TREE = '[learners.tree]\nestimator = "sklearn.tree.DecisionTreeClassifier"\ntune = {{ {} }}\n'
GRID = ", ".join(
    f"{name} = {list(range(1, 200))}"
    for name in ("max_depth", "min_samples_leaf", "max_leaf_nodes", "min_samples_split")
)


class TestBounds:
    """What would take minutes, or all memory, is refused in a moment."""

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (BASE + "x" + ".a" * 200_000 + " = 1\n", "a key has more than 100 parts"),
            (BASE + "x = { y" + ".a" * 200_000 + " = 1 }\n", "a key has more than 100 parts"),
            (BASE + "#" * 2_000_000, "has 1.9 MB; a study file has at most 1"),
            (BASE + "x = " + "[" * 5_000 + "]" * 5_000, "is not TOML"),
            (BASE + "x = " + "9" * 5_000, "is not TOML"),
            ("a" * 400_000 + " " * 400_000 + "=1\n" + BASE, "unknown key"),
            (BASE + "[resampling]\nrepeats = 1000000000\n", "10,000,000,000 tasks"),
            (BASE + "[curves.learning]\npoints = 1000000000\n", "at most 1,000 points"),
            (BASE + TREE.format(GRID), "settings are too many to try each"),
            ("seed = 9223372036854775807\n" + BASE + "[resampling]\nfolds = 1\n", "at least 2"),
        ],
        ids=lambda one: one[-30:],
    )
    def test_refused_before_work_begins(self, tmp_path: Path, text: str, words: str) -> None:
        path = write(tmp_path, text)
        begun = time.process_time()
        with pytest.raises(AssayError, match=words):
            Study.from_toml(path)
        assert time.process_time() - begun < 5.0

    def test_a_pattern_that_looks_at_the_whole_disk(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("assay.study.datasets.MOST_LOOKED_AT", 10)
        (tmp_path / "a" / "b").mkdir(parents=True)
        for number in range(12):
            (tmp_path / "a" / "b" / f"{number}.txt").touch()
        for pattern in ("**/*.csv", "*/b/*.csv"):
            path = write(tmp_path, BASE.replace("iris", pattern))
            with pytest.raises(AssayError, match="looks at more than 10 files below"):
                Study.from_toml(path)

    def test_a_pattern_of_folders_is_no_reason(self, tmp_path: Path) -> None:
        (tmp_path / "a" / "b").mkdir(parents=True)
        (tmp_path / "a" / "b" / "one.csv").write_text("x,y\n" + "1,a\n2,b\n" * 20)
        text = BASE.replace('"iris"', '"*/b/one*.csv"')
        assert list(Study.from_toml(write(tmp_path, text)).datasets) == ["one"]
