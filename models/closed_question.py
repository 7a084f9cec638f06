"""What passes between the main process and the reflex brick: a question that may have a short answer, and
what the brick makes of it. `models.bricks.reflex` says how it is answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from models.brick import Embedding
from models.caution import Caution


@dataclass(frozen=True, eq=False)
class ClosedQuestion:
    """A question about one picture that may have a short answer, answered by one `ClosedAnswer`."""

    text: str
    image: Embedding
    """The decoder's rows of the picture, by value or in a ring slot."""
    caution: Caution = "normal"
    """How sure the brick must be of an answer that it gives; the pack has the confidence for each."""
    layers: int | None = None
    """Most cross-modal layers to run; None for all, 0 to decide only whether the question has an answer."""
    certainty: float | None = None
    """Score from which a layer's answer is taken, 0 to 1; None for the pack's `exit_score`."""
    keep: float | None = None
    """Share of the image tokens that go on after the first layer, above 0 to 1; None for the pack's."""
    keep_slot: bool = True
    """The picture's ring slot stays filled, for the language model; otherwise it is freed."""
    explain: bool = False
    """The answer has the saliency of the image tokens."""


@dataclass(frozen=True, eq=False)
class ClosedAnswer:
    """What the reflex brick makes of a question; without a text it is handed over to the language model."""

    text: str
    """The answer as a sentence; the advice where `advice`; "" when the question is handed over."""
    confidence: float
    """Calibrated probability that `guess` is right, 0 to 1; 0 where no layer was run."""
    answerable: float
    """Probability that the picture has an answer to the question, 0 to 1."""
    cause: str = ""
    """Why it is not answerable, a name from the pack's list; "" where it is."""
    advice: bool = False
    """The text is what the wearer may do about the cause."""
    guess: str = ""
    """The likeliest sentence of the last layer, also where it is not sure enough to be given."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Blank of the guess -> its value."""
    layer: int = 0
    """The cross-modal layer after which it stopped; 0 before the first."""
    reasons: tuple[str, ...] = ()
    """What was decided at each exit and why, in words."""
    kept: int = 0
    """Image tokens that were left at the end."""
    layers_ms: tuple[float, ...] = ()
    """Wall time of the front and of each layer that was run, ms."""
    saliency: NDArray[np.float32] | None = None
    """How much the question's words attend to each image token in the first layer, float32 [tokens], when
    requested.
    """
    understood: float = 0.0
    """Calibrated probability that `guess` answers this question, whatever the picture shows, 0 to 1."""
