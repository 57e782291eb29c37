"""Names made safe and shortened."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from assay.core.formatting import clean, clean_name, shorten
from assay.plots.measure_labels import direction_of, measure_label, measure_title


class TestClean:
    def test_terminal_sequences_vanish(self) -> None:
        assert clean("\x1b[31mred\x1b[0m") == "red"
        assert clean("\x1b]0;title\x07name\x9b2J") == "name"
        assert clean("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\") == "link"
        assert clean("\x1bPq#0\x1b\\after") == "after"

    def test_an_unfinished_sequence_does_not_swallow_the_text(self) -> None:
        assert clean("\x1b]0;rest of the name") == "0;rest of the name"

    def test_lines_become_one_line(self) -> None:
        assert clean("a\r\nb\tc\u2028d") == "a b c d"

    def test_what_reorders_or_hides_is_shown(self) -> None:
        assert clean("\u202egpj.exe") == "⟨U+202E⟩gpj.exe"
        assert clean("a\u200bb\U000e0041") == "a⟨U+200B⟩b⟨U+E0041⟩"

    def test_half_characters_can_be_encoded(self) -> None:
        assert clean("a\ud800").encode() == "a\ufffd".encode()

    def test_names_in_other_scripts_stay(self) -> None:
        for name in ("模型", "نموذج", "Größe", "é̄", "🙂", "می‌خواهم"):
            assert clean(name) == name

    @given(st.text(alphabet=st.characters()))
    def test_nothing_of_a_control_survives(self, text: str) -> None:
        shown = clean(text)
        assert not {unicodedata.category(letter) for letter in shown} & {"Cc", "Cs", "Zl", "Zp"}
        assert clean(shown) == shown

    def test_a_model_always_has_a_name(self) -> None:
        assert clean_name(None) == clean_name("") == clean_name("\x00 ") == "(unnamed)"


class TestShorten:
    def test_keeps_both_ends(self) -> None:
        assert shorten("abcdefghij", 5) == "ab…ij"
        assert shorten("abcdefghij", 6) == "abc…ij"

    def test_leaves_short_text_alone(self) -> None:
        assert shorten("abcde", 5) == "abcde"

    @given(st.text(), st.integers(1, 50))
    def test_never_longer(self, text: str, width: int) -> None:
        assert len(shorten(text, width)) <= width


class TestMeasures:
    def test_arrows_point_to_the_better_side(self) -> None:
        assert measure_label("accuracy") == "accuracy ↑"
        assert measure_label("log_loss") == "log_loss ↓"
        assert measure_label("own_score") == "own_score"
        assert measure_label("own_score", "lower") == "own_score ↓"

    def test_a_bias_has_no_better_side(self) -> None:
        assert direction_of("mean_error") is None

    def test_titles_are_prose(self) -> None:
        assert measure_title("log_loss") == "log loss"
        assert measure_title("own_score") == "own_score"
