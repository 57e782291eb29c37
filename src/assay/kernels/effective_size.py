"""How many units that count alike are worth as much as units of different weight."""

from assay.core.arrays import FloatArray


def kish(weights: FloatArray) -> float:
    """The effective number of units with these weights, (Σ w)²/Σ w² (Kish 1965)."""
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0.0 else 0.0
