"""What was said so far, as far as the next question depends on it. In memory only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from host.answers.asked_back import ASKED_BACK
from host.answers.certainty_replies import Grounds
from host.answers.declined import BROKEN_OFF
from host.answers.device import DeviceState
from host.answers.energy_replies import PastAnswer
from host.answers.last_command import GOES_ON_S, LastCommand, before_of, last_command
from host.answers.recollection import Recollection
from host.answers.reflex import AnsweredBy
from host.answers.timers import Now, Timers
from host.language.further.said import Before
from host.language.router import Decision
from host.language.safety import SAFETY
from host.language.timers.names import NAME
from host.session.values import WearerSettings
from host.turn.turn import Turn
from models.caution import Caution

_EXCHANGES = 6
_AWAITED_S = 60.0
"""Seconds after the question in which its answer is understood by itself."""


@dataclass(frozen=True)
class Exchange:
    """A question and the part of its answer that was played; `ended_s` on the board's clock, which goes on
    while the computer sleeps.
    """

    question: str
    answer: str
    ended_s: float


@dataclass(frozen=True)
class Dialogue:
    """The last answer and what it was about."""

    last_answer: str = ""
    """The last words that were spoken to the wearer, for "repeat that"."""
    last_question: str = ""
    """The last question about a view, or about safety, lower case without punctuation: follow-up questions
    refer to it.
    """
    past_answer: PastAnswer | None = None
    """The last answer that was not about an answer itself; None before the first."""
    recalled: Recollection | None = None
    """The memory's last answer, which "and before that" goes on from."""
    awaited: str = ""
    """What the last answer asks for, as of `host.language.awaited`; "" for nothing."""
    awaited_name: str = ""
    """The name of the timer whose length it asks for; "" for none."""
    awaited_until_s: float = 0.0
    """Until then, on the board's clock, what is asked for completes the request."""
    commanded: LastCommand | None = None
    """The last command that set something."""
    history: tuple[Exchange, ...] = ()
    """The last questions that the language model answered, oldest first."""

    def with_exchange(self, exchange: Exchange) -> Dialogue:
        """With one more exchange; the oldest is dropped."""
        return replace(self, history=(*self.history, exchange)[-_EXCHANGES:])

    def awaits(self, now_s: float) -> str:
        """What completes the last request, if that was a moment ago; "" for nothing."""
        return self.awaited if now_s < self.awaited_until_s else ""

    def goes_on_from(self, now_s: float) -> LastCommand | None:
        """The last command, if that was a moment ago."""
        return self.commanded if self.commanded is not None and now_s < self.commanded.until_s else None

    def before(self, timers: Timers, now: Now) -> Before:
        """What the next sentence may go on from. timers: of the wearer's settings."""
        last = self.goes_on_from(now.mono_s)
        return before_of(last, timers, now)

    def with_memory_command(self, decisions: Sequence[Decision], now_s: float) -> Dialogue:
        """With a request to forget or to keep something, if there is one, as the last command."""
        asked = next((each.intent for each in decisions if each.route == "memory" and _changes(each)), "")
        if not asked:
            return self
        last = LastCommand(asked, now_s + GOES_ON_S, forgot=asked.startswith("forget"))
        return replace(self, commanded=last)

    def after_reply(self, turn: Turn, before: DeviceState, after: DeviceState, now_s: float) -> Dialogue:
        """With what the requests to the device set, once they were replied to. before and after: the state of
        the device skills.
        """
        of_device = (turn.decision,) if turn.decision.route == "device" else ()
        last = last_command((*turn.decision.first, *of_device), before, after, now_s)
        forgot = before.last is not None and before.last.forgot and before.last is not last
        beside = turn.decision.route == "memory" or turn.then is not None
        if last is not None and forgot and beside:
            last = replace(last, forgot=True)
        return replace(self, commanded=last)


def _changes(decision: Decision) -> bool:
    return decision.intent == "keep" or decision.intent.startswith("forget")


ABOUT_ANSWERS = ("why_short", "repeat", "cost", "sure", "why")
"""Device intents about the previous answer."""


def after_answer(before: Dialogue, turn: Turn, silenced: bool, now_s: float) -> Dialogue:
    """The dialogue after a turn; `now_s` on the board's clock. An apology is no answer, and an answer that
    was repeated is none unless it was silenced.
    """
    after, decision = replace(before, recalled=turn.recalled), turn.decision
    answered = bool(turn.answer) and turn.failure is None
    if answered and (silenced or decision.intent != "repeat"):
        after = replace(after, last_answer=turn.answer)
    if answered and decision.route in ("now", "frames", "open"):
        after = after.with_exchange(Exchange(turn.question, turn.answer, now_s))
    if decision.route != "unclear":
        asks = next((each for each in (*decision.first, decision) if each.intent in ASKED_BACK), None)
        name = "" if asks is None else str(asks.slots.get(NAME, ""))
        after = replace(after, awaited="" if asks is None else asks.intent, awaited_name=name)
    if after.awaited:
        after = replace(after, awaited_until_s=now_s + _AWAITED_S)
    if decision.route != "unclear" and decision.intent not in ABOUT_ANSWERS:
        recalled = turn.recalled if decision.route == "memory" else None
        by: AnsweredBy = "" if decision.intent in BROKEN_OFF else turn.answered_by
        unsafe = decision.intent == SAFETY
        grounds = Grounds(by, turn.closed, turn.hesitated, recalled, turn.clip, unsafe)
        after = replace(after, past_answer=PastAnswer(turn.plan, turn.answer_tokens, silenced, grounds))
    return after


@dataclass
class DialogueMemory:
    """The present dialogue; answers and announcements replace it when they end."""

    now: Dialogue = Dialogue()

    def note_spoken(self, text: str) -> None:
        """Notes the last words that were spoken."""
        self.now = replace(self.now, last_answer=text)


def device_state(
    settings: WearerSettings,
    dialogue: Dialogue,
    recording_resumes_when: str,
    caution: Caution | None,
    no_memory: str = "",
    now_s: float = 0.0,
) -> DeviceState:
    """What the device skills read, at `now_s` on the board's clock. `caution`: the level in force; None for a
    pack without reflex. `no_memory`: why nothing can be remembered, as a sentence.
    """
    return DeviceState(
        volume_percent=settings.volume_percent,
        last_answer=dialogue.last_answer,
        last_question=dialogue.last_question,
        slowness=settings.slowness,
        past_answer=dialogue.past_answer,
        request=settings.request,
        timers=settings.timers,
        recording=settings.recording,
        caution=caution,
        recording_resumes_when=recording_resumes_when,
        memory=settings.memory,
        no_memory=no_memory,
        last=dialogue.goes_on_from(now_s),
    )


def wearer_settings(state: DeviceState, caution: Caution | None) -> WearerSettings:
    """The wearer's settings after a device skill, with the caution that the wearer asked for."""
    return WearerSettings(
        state.volume_percent,
        state.slowness,
        state.request,
        state.timers,
        state.recording,
        state.memory,
        caution,
    )
