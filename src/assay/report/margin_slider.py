"""A slider of the margin for notebooks: the verdict as the smallest difference that matters grows."""

from typing import Any

from assay.core.errors import MissingDependency


def margin_slider(*evidence: Any, largest: float, steps: int = 50, **options: Any) -> Any:
    """A widget that compares the evidence with every margin up to ``largest``; needs ipywidgets.

    For exploring what a margin means. One chosen after looking proves nothing: fix it before.
    """
    try:
        import ipywidgets  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise MissingDependency("a slider needs ipywidgets: pip install ipywidgets") from None
    return ipywidgets.interactive(
        answers(*evidence, **options),
        {"auto_display": True},  # show what the function gives
        margin=ipywidgets.FloatSlider(
            value=largest / 5,
            min=largest / steps,
            max=largest,
            step=largest / steps,
            readout_format=".3g",
        ),
    )


def answers(*evidence: Any, **options: Any) -> Any:
    """The comparison as a function of the margin alone; the evidence is read once."""
    from assay.compare.compare import compare
    from assay.evidence.reading import read

    asked = {
        name: options.pop(name)
        for name in ("measure", "baseline", "level", "rng")
        if name in options
    }
    observed = read(*evidence, **options)

    def at(margin: float) -> Any:
        return compare(observed, margin=margin, **asked)

    return at
