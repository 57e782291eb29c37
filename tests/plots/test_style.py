"""Figures leave no trace and are equal to the byte."""

import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from assay.core.errors import UsageError
from assay.plots import forest, save
from assay.plots.style import as_bytes, in_lines, printed_width
from tests.report.examples import two_models


class TestSave:
    @pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
    def test_same_result_same_bytes(self, kind: str, tmp_path: Path) -> None:
        first = save(forest(two_models()), tmp_path / f"first.{kind}").read_bytes()
        second = save(forest(two_models()), tmp_path / f"second.{kind.upper()}").read_bytes()
        assert first == second
        assert len(first) > 1000

    def test_the_users_settings_change_nothing(self) -> None:
        plain = as_bytes(forest(two_models()), "svg")
        with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "savefig.dpi": 10}):
            assert as_bytes(forest(two_models()), "svg") == plain

    def test_takes_a_figure_too(self, tmp_path: Path) -> None:
        axes = forest(two_models())
        figure = axes.get_figure(root=True)
        assert isinstance(figure, Figure)
        assert save(figure, tmp_path / "a.svg").read_bytes() == as_bytes(axes, "svg")

    def test_svg_with_letters_our_font_lacks(self) -> None:
        assert "模型 🙂".encode() in as_bytes(forest(two_models(a="模型 🙂")), "svg")

    def test_refuses_other_formats(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="saved as svg, pdf, png; got 'jpg'"):
            save(forest(two_models()), tmp_path / "a.jpg")

    def test_refuses_axes_without_a_figure(self, tmp_path: Path) -> None:
        axes = forest(two_models())
        axes.remove()
        with pytest.raises(UsageError, match="removed from their figure"):
            save(axes, tmp_path / "a.svg")


class TestNoTrace:
    def test_settings_are_as_before(self) -> None:
        before = dict(mpl.rcParams)
        as_bytes(forest(two_models()), "svg")
        assert dict(mpl.rcParams) == before

    def test_neither_import_nor_drawing_starts_pyplot(self) -> None:
        code = (
            "import sys, assay.plots\n"
            "assert 'matplotlib' not in sys.modules\n"
            "from tests.report.examples import two_models\n"
            "from tests.plots.figures import spaced, with_ranks\n"
            "assay.plots.forest(two_models())\n"
            "assay.plots.critical_difference(with_ranks(4))\n"
            "assay.plots.pairwise_matrix(with_ranks(4))\n"
            "assay.plots.distribution(spaced(2), kind='violin')\n"
            "assay.plots.distribution(spaced(2), kind='box')\n"
            "assay.plots.scatter(spaced(2))\n"
            "assert 'matplotlib.pyplot' not in sys.modules\n"
        )
        root = Path(__file__).parent.parent.parent
        subprocess.run([sys.executable, "-c", code], check=True, cwd=root)


class TestLines:
    WORDS = "shaded: 95% limits that hold at every look; grey: margin; dot: zero first excluded"

    @pytest.mark.parametrize("inches", [1.0, 2.0, 3.0])
    def test_no_line_is_wider_than_its_room_and_no_word_is_lost(self, inches: float) -> None:
        lines = in_lines(self.WORDS, inches, size=8.0).splitlines()
        assert all(printed_width(line, 8.0) <= inches for line in lines)
        assert " ".join(lines) == self.WORDS

    def test_the_last_line_is_no_single_word(self) -> None:
        room = printed_width(self.WORDS.removesuffix(" excluded"), 8.0)
        first, last = in_lines(self.WORDS, room, size=8.0).splitlines()
        assert len(last) > len(first) / 2

    def test_a_word_wider_than_the_paper_is_broken(self) -> None:
        lines = in_lines("x" * 80, 1.0, size=8.0).splitlines()
        assert len(lines) > 1
        assert "".join(lines) == "x" * 80
