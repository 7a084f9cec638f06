"""Says announcements and plays earcons."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from host.answers.device import NOTHING_SAID
from host.answers.timer_replies import ended, farewell
from host.answers.timers import Now
from host.event_queue import EventQueue, Performs
from host.observe.journal import Journal
from host.session import actions, events
from host.session.values import AnnouncementKind
from host.turn.answer_player import AnswerPlayer
from host.turn.dialogue import DialogueMemory
from host.turn.steps import play_earcon, speak_or_tone
from host.turn.tools import Tools

RECORDING_AGAIN = "I listen and look again."
SWITCHED_OFF = "I do not listen or look until you move the switch."
SWITCH_UNREAD = "I do not listen or look, because I cannot read my recording switch."
DEAF = "I cannot hear anything, because the microphone does not answer."
WENT_BACK = "My new version failed, so I went back to the one before."
PROGRAM_DAMAGED = "Parts of my program are damaged. Please have it put on again."
SETTINGS_UNSAVED = "I cannot save what you set, so timers and settings will be lost when I restart."
RECORDING_UNSAVED = (
    "I cannot save what you set: when I restart, I listen and look again, and timers and settings are lost."
)
SENTENCES: Mapping[AnnouncementKind, str] = {
    "recording on": RECORDING_AGAIN,
    "switch off": SWITCHED_OFF,
    "switch unread": SWITCH_UNREAD,
    "no microphone": DEAF,
    "went back": WENT_BACK,
    "program damaged": PROGRAM_DAMAGED,
    "settings unsaved": SETTINGS_UNSAVED,
    "recording unsaved": RECORDING_UNSAVED,
}


@dataclass
class _Saying:
    """An announcement under way."""

    player: AnswerPlayer
    silenced: bool = False
    work: asyncio.Task[None] | None = None


class Announcing:
    """Performs `Announce` and `PlayTone`."""

    def __init__(
        self,
        tools: Tools,
        queue: EventQueue,
        journal: Journal,
        dialogue: DialogueMemory,
        recording_off: str,
    ) -> None:
        """`recording_off`: the sentence that tells the wearer that recording is off."""
        self._tools, self._queue, self._journal, self._dialogue = tools, queue, journal, dialogue
        self._sentences = {**SENTENCES, "recording off": recording_off}
        self._saying: dict[int, _Saying] = {}

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {
            actions.Announce: self._announce,
            actions.PlayTone: self._play_tone,
            actions.Silence: self._silence,
            actions.Cancel: self._cancel,
        }

    def _announce(self, action: actions.Announce) -> None:
        number = action.number
        player = AnswerPlayer(
            self._tools, action.settings.slowness, lambda: self._queue.post(events.Sounding(number))
        )
        saying = self._saying[number] = _Saying(player)
        saying.work = self._queue.spawn(self._say(action, saying))
        saying.work.add_done_callback(lambda _: self._ended(number))

    async def _say(self, action: actions.Announce, saying: _Saying) -> None:
        sentence, kind = self._sentence(action), action.announcement.kind
        words = {} if kind == "last answer" else {"sentence": sentence}  # an answer is not journalled
        self._journal.write("announcement", kind=kind, **words)
        self._tools.observe("announcement", {"kind": kind, "sentence": sentence})
        if action.announcement.tone:
            await play_earcon(action.announcement.tone, self._tools)
        if not saying.silenced:
            await speak_or_tone(sentence, saying.player, self._tools)

    def _ended(self, number: int) -> None:
        del self._saying[number]
        self._queue.post(events.AnnouncementEnded(number))

    def _sentence(self, action: actions.Announce) -> str:
        """The words of an announcement."""
        kind, clock = action.announcement.kind, self._tools.clock
        now = Now(clock.monotonic(), clock.time())
        if kind == "timers":
            self._journal.write("timers", announced=[timer.number for timer in action.due])
            text = ended(action.due, now)
            self._dialogue.note_spoken(text)
            return text
        if kind == "last answer":
            return self._dialogue.now.last_answer or NOTHING_SAID
        if kind == "farewell":
            timers = farewell(action.settings.timers, now, action.kept)
            return f"{action.announcement.sentence} {timers}".strip()
        return action.announcement.sentence or self._sentences[kind]

    def _silence(self, action: actions.Silence) -> None:
        saying = self._saying.get(action.number)
        if saying is not None:
            saying.silenced = True
            saying.player.silence()

    def _cancel(self, action: actions.Cancel) -> None:
        """A silenced announcement ends by itself."""

    def _play_tone(self, action: actions.PlayTone) -> None:
        async def play() -> None:
            await play_earcon(action.name, self._tools)

        self._queue.spawn(play()).add_done_callback(
            lambda _: self._queue.post(events.TonePlayed(action.number))
        )
