"""The numerical error of a conversion: the differences of its output from the original's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FP32_LIMIT = 1e-3
"""Limit of the relative error of a float32 conversion."""
PIECE_LIMIT = 1e-4
"""Limit of the relative error of each piece of a chain in float32, with the pieces before it."""
ROWS_LIMITS = {"fp32": FP32_LIMIT, "fp16": 0.05, "int8": 0.5}
"""Limits of the relative error of the rows of an encoder, by precision."""
LOGITS_LIMITS = {"f32": FP32_LIMIT, "f16": 0.01, "q8_0": 0.1, "q4_0": 0.6, "hybrid": 0.6}
"""Limits of the relative error of the logits of a decoder, by precision. Random weights, of which 4 bits keep
least, are off by 0.45; a conversion that is wrong shows in float32, which is always compared.
"""


@dataclass(frozen=True)
class Difference:
    """relative: norm of the difference, divided by the norm of the original; largest: largest absolute
    difference; cosine: cosine similarity; same_best: share of rows with the same argmax; divergence: mean
    Kullback-Leibler divergence of the rows' softmax, in nats.
    """

    relative: float
    largest: float
    cosine: float
    same_best: float
    divergence: float


def difference(ours: NDArray[np.floating], original: NDArray[np.floating]) -> Difference:
    """The difference of two arrays [rows, values]; NaN or infinity makes the error infinite. Raises
    ValueError where the shapes differ.
    """
    if ours.shape != original.shape:
        raise ValueError(f"the shapes are {ours.shape} and {original.shape}")
    a, b = (x.astype(np.float64).reshape(-1, x.shape[-1]) for x in (ours, original))
    if not np.isfinite(a).all():
        return Difference(np.inf, np.inf, 0.0, 0.0, np.inf)
    gap, length = float(np.linalg.norm(a - b)), float(np.linalg.norm(b))
    cosine = float((a * b).sum()) / max(float(np.linalg.norm(a)) * length, 1e-30)
    log_a, log_b = (x - x.max(1, keepdims=True) for x in (a, b))
    log_a, log_b = (x - np.log(np.exp(x).sum(1, keepdims=True)) for x in (log_a, log_b))
    return Difference(
        gap / max(length, 1e-30), float(np.abs(a - b).max()), cosine,
        float((a.argmax(1) == b.argmax(1)).mean()), float((np.exp(log_b) * (log_b - log_a)).sum(1).mean()),
    )  # fmt: skip


def rows_line(name: str, size_bytes: int, found: Difference) -> str:
    """The line of a report on the output rows of a graph."""
    return (
        f"{name:24} {size_bytes / 1e6:9.2f} MB   relative error {found.relative:8.1e}   "
        f"largest {found.largest:8.1e}   cosine {found.cosine:.6f}"
    )


def logits_line(name: str, size_bytes: int, found: Difference) -> str:
    """The line of a report on the logits of a decoder."""
    return (
        f"{name:24} {size_bytes / 1e6:9.2f} MB   relative error {found.relative:8.1e}   "
        f"same next token {100 * found.same_best:5.1f} %   divergence {found.divergence:8.1e} nats"
    )
