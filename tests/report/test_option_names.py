"""Messages in the words of the command line."""

import pytest

from assay.cli.output import say
from assay.report.option_names import as_typed


class TestAsTyped:
    @pytest.mark.parametrize(
        ("message", "typed"),
        [
            ("name its column with truth=", "name its column with --truth"),
            ("use cluster=; to ignore the ids, id=False", "use --cluster; to ignore the ids, --by-position"),
            ("keep them with on_mismatch='intersect'", "keep them with --on-mismatch intersect"),
            ("different items, paired=False", "different items, --unpaired"),
            ("(against=0.75, or against='chance')", "(--against 0.75, or --against chance)"),
            ("with measure=log_loss[1e-15], or", "with --measure 'log_loss[1e-15]', or"),
            ("task='*' takes all", "--task '*' takes all"),
            ("read them again with unit='fold'", "read them again with --unit fold"),
            ("evidence.labels_from_scores(threshold=0.5)", "--threshold 0.5"),
            ("a median of n=5, p=0.3 and width=2", "a median of n=5, p=0.3 and width=2"),
            ("column 'id=3' of t.csv", "column 'id=3' of t.csv"),
            ("lower_is_better=True", "--lower-is-better"),
        ],
    )  # fmt: skip
    def test_options(self, message: str, typed: str) -> None:
        assert as_typed(message) == typed

    def test_control_sequences_do_not_reach_the_terminal(self) -> None:
        assert (
            as_typed("no file \x1b[31mred\x1b]0;title\x07\n\u202edne") == "no file red ⟨U+202E⟩dne"
        )


class TestSay:
    def test_lines_stay_and_sequences_go(self, capsys: pytest.CaptureFixture[str]) -> None:
        say("first \x1b[31mred\nsecond\x07")
        assert capsys.readouterr().err == "first red\nsecond\n"
