"""The turn as a value: one question and its answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from host.answers.motion import ClipTold
from host.answers.recollection import Recollection
from host.answers.reflex import AnsweredBy, ClosedResult
from host.hearing.endpointer import RecordedQuestion
from host.language.router import Decision
from host.language.understanding import Understood
from power.account.ledger import Spent
from power.policy.plan import PowerPlan


@dataclass(frozen=True)
class Turn:
    """One question and its answer; times in seconds of the monotonic clock."""

    heard: RecordedQuestion
    started_s: float
    plan: PowerPlan
    transcript: str = ""
    meant: str = ""
    """The question to answer where it is not the transcript: without polite words, and whole when the
    transcript is a follow-up ("and the red one"); else "".
    """
    probability: float = 0.0
    doubtful: bool = False
    words: tuple[float, ...] = ()
    """Both as of `Transcript`."""
    decision: Decision = field(default_factory=lambda: Decision("unclear"))
    then: Understood | None = None
    """A second question of the same sentence, which is answered after it."""
    views: int = 0
    answer: str = ""
    failure: str | None = None
    notes: tuple[str, ...] = ()
    first_audio_s: float | None = None
    ended_s: float | None = None
    answered_by: AnsweredBy = ""
    """Who gave the answer; "" until then, and after a failure."""
    closed: ClosedResult | None = None
    """What the reflex brick made of the question, also where it handed it over; None: it was not asked."""
    clip: ClipTold | None = None
    """What an answer about the last seconds rests on; None: it was not about them."""
    answer_tokens: int | None = None
    """Tokens that the language model generated; None when it generated none or was stopped."""
    answer_probability: float | None = None
    """The least probability of a token of the language model's answer about pictures, 0 to 1."""
    hesitated: bool | None = None
    """Whether that is too little to be said as sure; None: nobody measured what would be enough."""
    recalled: Recollection | None = None
    """The memory's last answer: an earlier turn's, until this one has its own."""
    spent: Spent | None = None
    """Energy from the wake word to the end of the answer; None until then."""

    @property
    def question(self) -> str:
        """The question to answer."""
        return self.meant or self.transcript

    @property
    def endpoint_silence_s(self) -> float:
        """Seconds of silence that ended the utterance."""
        return self.heard.endpoint_s - self.heard.speech_end_s

    @property
    def response_s(self) -> float | None:
        """Seconds from the end of speech to the first audio, with the endpointing silence; None without
        audio.
        """
        if self.first_audio_s is None:
            return None
        return self.endpoint_silence_s + self.first_audio_s - self.started_s


def without_sound(turn: Turn) -> Turn:
    """The turn without the recorded question."""
    return replace(turn, heard=replace(turn.heard, pcm=np.zeros(0, np.int16)))
