"""When two numbers are the same: printed scores are decimals, computed ones carry rounding."""

TIE = 1e-10
"""Numbers closer than this share of their scale (spread, size, largest score) are the same decimal."""

NOISE = 1e-11
"""Numbers closer than this share of their size differ by rounding only."""
