"""Numbers read back from how they are written."""

import re

NUMBER = re.compile("[+−]?(?:\\d+(?:,\\d{3})*(?:\\.\\d+)?(?:×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|∞)")
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")


def number_of(text: str) -> float:
    """The number that a reader sees."""
    assert not re.search(r"\de[-+\d]|-\d|inf|nan", text), text
    plain = text.replace("×10", "e").replace(",", "").replace("∞", "inf")
    return float(plain.translate(_LOWERED))
