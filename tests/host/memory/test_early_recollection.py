"""A question to the memory is answered while the silence that ends it is awaited."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from host.answers.recollection import Recollection
from host.language.router import Decision
from host.turn.early import recollection
from host.turn.early.look import EarlyLook
from host.turn.early.recollection import EarlyRecollection
from host.turn.recordings import SILENCE
from host.turn.tools import Tools
from host.turn.turn import Turn
from hw.audio.sound_and_picture_files import read_wav
from hw.device import MICROPHONE_RATE_HZ
from models.caution import Caution
from models.pack.catalogue import Pack
from models.process.residency import BrickFailed
from power.policy.plan import Mode, PowerPlan
from tests.host.fake_speech import without_speech_models
from tests.host.memory.test_remembering import pictures
from tests.host.memory.wearing import Wearer, wearing
from tests.host.workbench import COLOUR, DEMO, QUIET

PATIENT = replace(QUIET, listen=replace(QUIET.listen, complete_silence_s=1.0, end_silence_s=1.0))
"""Waits so long for the rest of a question that a busy computer has done what it does meanwhile."""


def reading(words: str) -> Pack:
    """The micro pack, whose recogniser reads these words in any sound."""
    pack = without_speech_models()
    stt = pack.bricks["stt"]
    return replace(pack, bricks={**pack.bricks, "stt": replace(stt, options={**stt.options, "reads": words})})


def sought(wearer: Wearer) -> list[float]:
    """When the text encoder, which only the memory asks, began to work."""
    return [s.start_s for s in wearer.headband.timeline.spans if s.track == "text" and s.name == "execute"]


async def aloud(wearer: Wearer, sound: np.ndarray) -> Turn:
    """A turn whose question is this sound, int16 at 16 kHz, as fast as one speaks."""
    wearer.board.microphone._real_time = True
    wearer.board.microphone.say(np.concatenate([sound, np.zeros(2 * MICROPHONE_RATE_HZ, np.int16)]))
    return await wearer.headband.ask()


def test_the_answer_is_there_when_the_question_ends(tmp_path: Path) -> None:
    async def scene() -> None:
        pack = reading("where did i leave my phone")
        async with wearing(tmp_path, Mode.PERFORMANCE, pack, PATIENT) as wearer:
            await wearer.saw(pictures()[2], 600.0)
            wearer.remember()
            wearer.board.camera.show(pictures()[4])
            expected = await wearer.asks("where did i leave my phone")
            before = len(sought(wearer))
            turn = await aloud(wearer, read_wav(DEMO / COLOUR[0]))
            assert turn.decision.route == "memory" and turn.answer == expected
            (began_s,) = sought(wearer)[before:]
            assert began_s < turn.started_s, "before the endpoint"

    asyncio.run(scene())


def test_who_speaks_on_is_answered_afterwards(tmp_path: Path) -> None:
    sound = read_wav(DEMO / COLOUR[0])
    speech = np.flatnonzero(np.abs(sound) > 300)
    middle = int(0.38 * speech[0] + 0.62 * speech[-1])
    pause = np.zeros(int(0.3 * MICROPHONE_RATE_HZ), np.int16)

    async def scene() -> None:
        async with wearing(tmp_path, Mode.PERFORMANCE, reading("where did i leave my phone")) as wearer:
            await wearer.saw(pictures()[2], 600.0)
            wearer.remember()
            wearer.board.camera.show(pictures()[4])
            expected = await wearer.asks("where did i leave my phone")
            turn = await aloud(wearer, np.concatenate([sound[:middle], pause, sound[middle:]]))
            assert turn.answer == expected and turn.failure is None

    asyncio.run(scene())


class Telling:
    """Stands in for the memory: counts what it is asked, and fails as often as it is told to."""

    def __init__(self, failures: int = 0) -> None:
        self.asked, self.failures = 0, failures
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def __call__(self, turn: Turn, look: EarlyLook, tools: Tools, caution: Caution) -> Recollection:
        self.asked += 1
        await self.may_end.wait()
        if self.failures:
            self.failures -= 1
            raise BrickFailed("text", "execute", "it died")
        return Recollection(f"{turn.transcript}: {self.asked}")


KEYS = Turn(
    SILENCE, 0.0, cast(PowerPlan, None), "where are my keys",
    decision=Decision("memory", "last_seen", {"rest": "my keys"}),
)  # fmt: skip


def early(telling: Telling, patch: pytest.MonkeyPatch, residency: str = "resident") -> EarlyRecollection:
    patch.setattr(recollection, "by_memory", telling)
    plan = SimpleNamespace(residency=residency)
    return EarlyRecollection(cast(Tools, SimpleNamespace(power=SimpleNamespace(plan=plan))))


async def told(from_early: EarlyRecollection, turn: Turn = KEYS, caution: Caution = "normal") -> str:
    return (await from_early.told(turn, None, caution)).sentence  # type: ignore[arg-type]


async def begun(from_early: EarlyRecollection, turn: Turn = KEYS, caution: Caution = "normal") -> None:
    from_early.begin(turn, None, caution)  # type: ignore[arg-type]
    await asyncio.sleep(0)


def test_another_question_or_caution_is_asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        cup = replace(KEYS, decision=Decision("memory", "last_seen", {"rest": "my cup"}), transcript="my cup")
        other = replace(KEYS, recalled=Recollection("earlier"))
        asked: tuple[tuple[Turn, Caution], ...] = (cup, "normal"), (other, "normal"), (KEYS, "high")
        for turn, caution in asked:
            telling = Telling()
            one = early(telling, monkeypatch)
            await begun(one)
            await begun(one)
            assert telling.asked == 1, "the same is not begun again"
            assert await told(one, turn, caution) == f"{turn.transcript}: 2"
            await one.close()

    asyncio.run(scene())


def test_what_fails_ahead_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        one = early(Telling(failures=1), monkeypatch)
        await begun(one)
        assert await told(one) == "where are my keys: 2"
        one = early(Telling(failures=2), monkeypatch)
        await begun(one)
        with pytest.raises(BrickFailed):
            await told(one)

    asyncio.run(scene())


def test_it_ends_when_the_wearer_speaks_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        telling = Telling()
        telling.may_end.clear()
        one = early(telling, monkeypatch)
        await begun(one)
        one.drop()
        telling.may_end.set()
        assert await told(one) == "where are my keys: 2"
        telling.may_end.clear()
        await begun(one)
        await asyncio.wait_for(one.close(), 1.0)

    asyncio.run(scene())


@pytest.mark.parametrize(
    "decision",
    [
        Decision("memory", "keep", {"rest": "parking"}),
        Decision("memory", "forget_last", {"number": 1, "unit": 3600}),
        Decision("memory", "forget_everything"),
        Decision("now"),
        Decision("unclear"),
    ],
)
def test_what_changes_the_memory_or_is_no_question_to_it_is_not_begun(
    decision: Decision, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        telling = Telling()
        await begun(early(telling, monkeypatch), replace(KEYS, decision=decision))
        assert not telling.asked

    asyncio.run(scene())


def test_with_room_for_one_brick_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        telling = Telling()
        one = early(telling, monkeypatch, "one_at_a_time")
        await begun(one)
        assert not telling.asked
        assert await told(one) == "where are my keys: 1"

    asyncio.run(scene())
