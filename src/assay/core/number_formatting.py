"""Numbers as people read them: to the digit that their uncertainty supports."""

import math

_HALF_UP = 1e-12
"""One number reached in two ways may end a hair on either side of a half: both are rounded up."""


def shown(value: float | None, half_width: float | None = None) -> str:
    """A number rounded to two significant digits of its uncertainty, four digits without one."""
    if value is None or math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if half_width is None or not math.isfinite(half_width) or half_width <= 0:
        return f"{value:.4g}"
    decimals = 1 - math.floor(math.log10(half_width))
    if decimals > 12:
        return f"{value:.4g}"
    nudged = value + value * _HALF_UP
    return f"{round(nudged, decimals) + 0.0:.{max(decimals, 0)}f}"  # + 0.0 turns -0.0 into 0.0


def shown_p(p_value: float | None) -> str:
    """A p-value with two significant digits; tiny ones in powers of ten."""
    if p_value is None:
        return "undefined"
    if p_value == 0.0:
        return "<1e-300"
    if p_value < 1e-4:
        return f"{p_value:.0e}".replace("e-0", "e-")
    if p_value >= 0.995:
        return f"{p_value:.3f}" if p_value < 0.9995 else "1.00"
    return f"{p_value:.2f}" if p_value >= 0.0995 else f"{p_value:#.2g}"


def say_power(power: float | None) -> str:
    """A power in a sentence and in a table: a tenth of a percent."""
    if power is None:
        return "no"
    return f"{100 * power:.1f}".removesuffix(".0") + "%" if power <= 0.9995 else "over 99.9%"


def shown_percent(level: float) -> str:
    """A confidence level as a percentage, without needless zeros."""
    return f"{100 * level:.6g}%"
