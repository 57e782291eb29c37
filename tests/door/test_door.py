"""What ordinary people bring: never a verdict on a question that was not asked, seldom a question."""

import subprocess
import sys

import pytest

from tests.door.case import Case, Remedy, Scene
from tests.door.files import CASES
from tests.door.reading import (
    OPTION,
    Corpus,
    Ran,
    decided,
    faults,
    followed,
    options_of,
    p_value,
    refusal_wrong,
    told,
)
from tests.support import PATIENCE

ANSWERABLE = [case for case in CASES if case.expect != "ask"]
REMEDIES = [(case, remedy) for case in CASES for remedy in case.remedies]
SCENES = [
    case
    for case in {id(case.scene): case for case in CASES}.values()
    if case.id != "format-columns-twice" and not case.id.startswith("sheet-")  # no names in line 1
]
OPEN = [case for case in CASES if case.expect == "ask" and case.remedies and not case.options]
BY_PROCESS = ("wide-item", "gate-fails", "summary")
SURE = 0.002
"""A p-value below which the corpus calls an order certain; well inside what assay needs."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(tmp_path_factory.mktemp("door"))


def named(case: Case) -> str:
    return case.id


def of_remedy(value: object) -> str:
    return " ".join(value.options) if isinstance(value, Remedy) else getattr(value, "id", "")


class TestFiles:
    @pytest.mark.parametrize("case", CASES, ids=named)
    def test_no_wrong_verdict(self, corpus: Corpus, case: Case) -> None:
        """A wrong verdict fails, and so does a question where everything is plain."""
        assert not judged(case, corpus.run(case)), case.why

    @pytest.mark.parametrize(("case", "remedy"), REMEDIES, ids=of_remedy)
    def test_remedy(self, corpus: Corpus, case: Case, remedy: Remedy) -> None:
        """With the facts told, the answer is the right one."""
        ran = corpus.run(case, *remedy.options)
        assert not ran.refused(case.verb), ran.err[-300:]
        assert not faults(case, remedy, ran), case.why

    @pytest.mark.parametrize("case", [case for case in CASES if case.remedies], ids=named)
    def test_advice(self, corpus: Corpus, case: Case) -> None:
        """Whoever adds the options that the message names gets the right answer."""
        ran = corpus.run(case)
        if ran.refused(case.verb):
            assert not followed(corpus, case)

    def test_few_questions(self, corpus: Corpus, capsys: pytest.CaptureFixture[str]) -> None:
        """At least four fifths of what can be answered is answered without a question."""
        asked = [case.id for case in ANSWERABLE if corpus.run(case).refused(case.verb)]
        with capsys.disabled():
            sys.stdout.write(
                f"\n{len(asked)} of {len(ANSWERABLE)} answerable files asked back: {' '.join(asked)}"
            )
        assert len(asked) <= 0.2 * len(ANSWERABLE)

    @pytest.mark.parametrize("case", [case for case in CASES if case.id in BY_PROCESS], ids=named)
    def test_as_a_process(self, corpus: Corpus, case: Case) -> None:
        """What happens in this process happens at a shell."""
        ran = subprocess.run(
            [
                sys.executable,
                "-m",
                "assay",
                case.verb,
                *case.files,
                *case.options,
                "--format",
                "json",
            ],
            cwd=corpus.place(case.scene)[0],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert not judged(case, Ran(ran.returncode, ran.stdout, ran.stderr))


class TestLook:
    @pytest.mark.parametrize("case", SCENES, ids=named)
    def test_every_file_can_be_looked_at(self, corpus: Corpus, case: Case) -> None:
        """`assay look` never refuses a table; it names every column."""
        ran = corpus.look(case)
        assert ran.code == 0, ran.err[-300:]
        assert not [name for name in columns_of(case.scene, corpus) if name not in ran.out]

    @pytest.mark.parametrize("case", OPEN, ids=named)
    def test_what_is_open_is_said_with_its_option(self, corpus: Corpus, case: Case) -> None:
        """Where `compare` has to ask, `look` names an option that settles it."""
        ran = corpus.look(case)
        settles = {fact[0] for remedy in case.remedies for fact in told(remedy.options)}
        assert settles & set(OPTION.findall(ran.out)), ran.out[-300:]


class TestOfTheCorpusItself:
    """The expectations are right by other means than assay's."""

    @pytest.mark.parametrize(
        "case", [case for case in CASES if case.order or case.remedies], ids=named
    )
    def test_the_order_is_certain(self, corpus: Corpus, case: Case) -> None:
        good = corpus.place(case.scene)[1]
        orders = [(case.order, 1), *((remedy.order, remedy.said) for remedy in case.remedies)]
        for order, said in orders:
            for better, worse in order:
                if good:
                    found = p_value(said * good[better], said * good[worse], case.corrected)
                    assert found < SURE / len(order), (better, worse)

    @pytest.mark.parametrize(
        "case", [case for case in CASES if case.corrected and not case.order], ids=named
    )
    def test_what_is_close_is_so_by_the_design_alone(self, corpus: Corpus, case: Case) -> None:
        """Whoever takes the splits for independent sees a difference that is none."""
        good = corpus.place(case.scene)[1]
        for better, worse in (pair for remedy in case.remedies for pair in remedy.same):
            assert p_value(good[better], good[worse], case.corrected) > 0.06
            assert p_value(good[better], good[worse], 1e-9) < 0.02

    def test_every_case_says_why(self) -> None:
        assert len({case.id for case in CASES}) == len(CASES) >= 110
        assert all(case.why for case in CASES)
        assert sum(case.verb != "compare" for case in CASES) >= 12

    def test_a_right_answer_needs_evidence(self, corpus: Corpus) -> None:
        """No order stands without data behind it."""
        assert not [case.id for case in CASES if case.order and not corpus.place(case.scene)[1]]

    def test_remedies_are_options_of_the_command(self) -> None:
        flags = {(case.verb, fact[0]) for case, remedy in REMEDIES for fact in told(remedy.options)}
        assert not {flag for verb, flag in flags if flag not in options_of(verb)}


def judged(case: Case, ran: Ran) -> list[str]:
    """What a fair referee holds against the outcome of a case."""
    if ran.refused(case.verb):
        needless = [f"asked: {ran.err.strip()[-300:]}"] if case.expect == "answer" else []
        return needless + refusal_wrong(case, ran)
    return decided(case, ran) if case.expect == "ask" else faults(case, case, ran)


def columns_of(scene: Scene, corpus: Corpus) -> list[str]:
    """The names of the columns of plain CSV files."""
    folder = corpus.place(scene)[0]
    headers = [
        (folder / file).read_text(encoding="utf-8-sig").splitlines()[0].split(",")
        for file in scene.files
        if file.endswith(".csv") and ";" not in (folder / file).read_text(encoding="utf-8-sig")
    ]
    return [name.strip('"') for header in headers for name in header if len(header) < 12]
