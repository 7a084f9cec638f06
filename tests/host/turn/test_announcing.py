"""Announcements as a performer: their words, their tone, and how they are silenced."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from host.answers.timers import Now, Timers
from host.observe.journal import Journal
from host.session import actions, events
from host.session.values import Announcement, WearerSettings
from host.turn.announcing import SENTENCES, Announcing
from host.turn.dialogue import DialogueMemory
from host.turn.tools import Tools
from hw.emulated.clock import FakeClock
from tests.host.session.doubles import NotingQueue, perform
from tests.host.turn.test_answer_player import Stage

TIMERS = Timers().with_timer(600, Now(0.0, 0.0)).with_timer(7200, Now(0.0, 0.0))


class Booth:
    """The performer of announcements with a fake voice."""

    def __init__(self, broken: str = "") -> None:
        self.clock = FakeClock(600.0, 600.0)
        self.stage = Stage(broken=broken)
        self.stage.clock = self.clock  # type: ignore[assignment]
        self.queue, self.journal = NotingQueue(self.clock), Journal(None, self.clock)
        self.dialogue = DialogueMemory()
        self.announcing = Announcing(
            cast(Tools, self.stage), self.queue, self.journal, self.dialogue, "I am off."
        )

    def says(
        self, announcement: Announcement, *, kept: bool = True, silenced: bool = False
    ) -> list[events.Event]:
        """What is posted while an announcement is said."""
        action = actions.Announce(4, announcement, WearerSettings(timers=TIMERS), TIMERS.running[:1], kept)

        async def scene() -> None:
            perform(self.announcing, action)
            if silenced:
                perform(self.announcing, actions.Silence(4))
            for _ in range(1000):
                await asyncio.sleep(0)
            self.queue.check()

        asyncio.run(scene())
        return self.queue.taken()

    @property
    def sentences(self) -> list[str]:
        """What was said."""
        return [each.removeprefix("speaking ") for each in self.stage.told if each.startswith("speaking ")]


@pytest.mark.parametrize("kind", sorted(SENTENCES))
def test_every_kind_has_its_words_and_an_end(kind: str) -> None:
    booth = Booth()
    announcement = Announcement(kind)  # type: ignore[arg-type]
    assert booth.says(announcement) == [events.Sounding(4), events.AnnouncementEnded(4)]
    assert " ".join(booth.sentences) == SENTENCES[announcement.kind]


def test_due_timers_are_named_journalled_and_can_be_repeated() -> None:
    booth = Booth()
    booth.says(Announcement("timers", tone="timer"))
    assert booth.sentences == ["Your 10 minute timer is done."]
    assert [line["announced"] for line in booth.journal.recent if line["event"] == "timers"] == [[1]]
    booth.stage.told.clear()
    booth.says(Announcement("last answer"))
    assert booth.sentences == ["Your 10 minute timer is done."]


def test_a_farewell_tells_of_timers_that_are_lost() -> None:
    booth = Booth()
    booth.says(Announcement("farewell", "Goodbye."), kept=False)
    assert booth.sentences[0].startswith("Goodbye.")
    assert "lost" in " ".join(booth.sentences)


def test_a_silenced_announcement_ends_without_a_word() -> None:
    booth = Booth()
    assert booth.says(Announcement("timers", tone="timer"), silenced=True) == [events.AnnouncementEnded(4)]
    assert booth.sentences == []


def test_a_voice_that_fails_ends_the_announcement_too() -> None:
    booth = Booth(broken="I am off.")
    assert booth.says(Announcement("recording off")) == [events.AnnouncementEnded(4)]
    assert booth.sentences == []
