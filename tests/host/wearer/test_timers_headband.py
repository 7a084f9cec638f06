"""Whole headbands that announce timers: awake, out of sleep, by the button."""

from __future__ import annotations

import asyncio
import errno
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host.app.headband import Headband
from host.config import Config, JournalConfig, ListenConfig
from host.session.events import StopWordOverSpeech, WakeWordOverSpeech
from host.system import suspend
from host.system.watchdog import GOODBYE, LOW_BATTERY
from host.turn.announcing import SETTINGS_UNSAVED
from host.wearer import settings_store
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.supply import PmuEvent
from models.pack.catalogue import Pack, load_pack
from models.train.sound.espeak import Espeak
from tests.host.fake_speech import unasked
from tests.host.simulated import loop_clock, micro_headband, simulate
from tests.host.workbench import QUIET, change_settings, interrupt, set_timer


def kept_in(folder: Path) -> Config:
    """Settings of a headband that keeps its state there."""
    return replace(
        QUIET,
        journal=JournalConfig(path=str(folder / "journal.jsonl")),
        listen=ListenConfig(follow_up_s=0.0, sleep_after_s=0.3),
    )


class Scene:
    """A headband with a timer, running, and what it told."""

    def __init__(
        self, headband: Headband, board: EmulatedBoard, told: list[tuple[str, dict[str, Any]]]
    ) -> None:
        self.headband, self.board, self.told = headband, board, told

    @property
    def spoken(self) -> list[str]:
        """The sentences that were begun."""
        return [fields["sentence"] for event, fields in self.told if event == "speaking"]

    def set(self, seconds: int) -> None:
        """One more timer."""
        set_timer(self.headband, seconds)

    async def until(self, so: Callable[[], bool]) -> None:
        """Returns when something is so."""
        async with asyncio.timeout(60):
            while not so():
                await self.board.clock.sleep(0.02)


def worn(
    config: Config,
    play: Callable[[Scene], Any],
    percent: int = 80,
    sleeps: bool = False,
    pack: Pack | None = None,
) -> Scene:
    """Wears a headband while `play` acts on it."""
    told: list[tuple[str, dict[str, Any]]] = []

    async def run() -> Scene:
        board = emulated_board(clock=loop_clock(), battery_percent=percent, sound_card=False, sleeps=sleeps)
        async with micro_headband(
            board, config, pack or unasked(), observe=lambda event, fields: told.append((event, fields))
        ) as headband:
            scene = Scene(headband, board, told)
            running = asyncio.create_task(headband.run())
            await play(scene)
            headband.stop()
            await running
        await board.close()
        return scene

    return simulate(run())


def refused(scene: Scene) -> list[dict[str, Any]]:
    """Transitions that the table did not permit."""
    return [fields for event, fields in scene.told if event == "transition" and not fields["to"]]


def test_a_press_during_the_announcement_silences_it_for_good(tmp_path: Path) -> None:
    async def play(scene: Scene) -> None:
        scene.set(1)
        await scene.until(lambda: "speaking" in [event for event, _ in scene.told])
        scene.headband.guard.handle_event(PmuEvent("button", 1))
        await scene.until(lambda: scene.headband.state.interaction == "standby")
        assert scene.headband.settings_store.next_timer_s is None
        await scene.board.clock.sleep(0.2)
        assert scene.headband.state.interaction == "standby", "the press did not ask to be listened to"

    scene = worn(kept_in(tmp_path), play)
    assert scene.spoken == ["Your 1 second timer is done."] and refused(scene) == []
    assert json.loads((tmp_path / "kept.json").read_text())["timers"] == []


def test_the_wake_word_over_the_announcement_is_a_question_and_ends_the_timer(tmp_path: Path) -> None:
    async def play(scene: Scene) -> None:
        scene.set(1)
        await scene.until(lambda: "speaking" in [event for event, _ in scene.told])
        interrupt(scene.headband, WakeWordOverSpeech)
        await scene.until(lambda: not scene.headband.state.cancelled)
        await scene.board.clock.sleep(0.2)
        assert scene.headband.state.interaction == "listening"
        assert scene.headband.settings_store.next_timer_s is None

    scene = worn(kept_in(tmp_path), play)
    assert scene.spoken == ["Your 1 second timer is done."] and refused(scene) == []
    assert json.loads((tmp_path / "kept.json").read_text())["timers"] == []


def test_stop_over_the_announcement_ends_the_timer_and_asks_nothing(tmp_path: Path) -> None:
    async def play(scene: Scene) -> None:
        scene.set(1)
        await scene.until(lambda: "speaking" in [event for event, _ in scene.told])
        interrupt(scene.headband, StopWordOverSpeech)
        await scene.until(lambda: scene.headband.state.interaction == "standby")
        assert scene.headband.settings_store.next_timer_s is None
        await scene.board.clock.sleep(0.2)
        assert scene.headband.state.interaction == "standby", "after stop it waits for the wake word"

    config = kept_in(tmp_path)
    scene = worn(replace(config, listen=replace(config.listen, follow_up_s=5.0)), play)
    assert scene.spoken == ["Your 1 second timer is done."] and refused(scene) == []
    assert json.loads((tmp_path / "kept.json").read_text())["timers"] == []


def test_any_press_silences_what_is_said_unasked(tmp_path: Path) -> None:
    async def play(scene: Scene) -> None:
        scene.headband.dialogue.note_spoken("One two three. " * 20)
        await scene.until(lambda: "listening" in [event for event, _ in scene.told])
        scene.headband.guard.handle_event(PmuEvent("button", 2))  # says the last answer once more
        await scene.until(lambda: "speaking" in [event for event, _ in scene.told])
        scene.headband.guard.handle_event(PmuEvent("button", 1))
        async with asyncio.timeout(3):
            await scene.until(lambda: scene.headband.state.interaction == "standby")
        await scene.board.clock.sleep(0.2)
        assert scene.headband.state.interaction == "standby", "the press did not ask to be listened to"

    assert refused(worn(kept_in(tmp_path), play)) == []


def test_after_the_announcement_stop_needs_no_wake_word(tmp_path: Path) -> None:
    async def play(scene: Scene) -> None:
        scene.set(1)
        await scene.until(lambda: scene.headband.state.interaction == "follow_up")
        await scene.board.clock.sleep(0.3)  # a breath
        speech = Espeak().say("stop", "en-us+adam", 180)
        scene.board.microphone.say((speech / np.abs(speech).max() * 12_000).astype(np.int16))
        await scene.until(lambda: any(event == "turn" for event, _ in scene.told))
        assert scene.headband.settings_store.next_timer_s is None

    config = kept_in(tmp_path)
    scene = worn(
        replace(config, listen=replace(config.listen, follow_up_s=5.0)), play, pack=load_pack("micro")
    )
    turn = next(fields["turn"] for event, fields in scene.told if event == "turn")
    assert turn.decision.intent == "stop" and refused(scene) == []


def test_a_timer_wakes_a_sleeping_headband_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suspend, "EARLY_S", 1.5)
    monkeypatch.setattr(suspend, "SHORTEST_S", 1.0)
    due_s: list[float] = []

    async def play(scene: Scene) -> None:
        scene.set(5)
        due_s.append(scene.headband.settings_store.next_timer_s or 0.0)
        await scene.until(lambda: scene.board.microphone.asleep)
        await scene.until(lambda: bool(scene.spoken))
        due_s.append(scene.board.clock.monotonic())
        await scene.until(lambda: scene.headband.state.interaction == "standby")

    scene = worn(kept_in(tmp_path), play, percent=14, sleeps=True)
    assert scene.spoken[0] == "Your 5 second timer is done." and refused(scene) == []
    events = [event for event, _ in scene.told]
    assert events.index("asleep") < events.index("awake") < events.index("speaking")
    assert 0 <= due_s[1] - due_s[0] < 4, "a voice that has to be loaded first takes a moment"


def test_switching_off_says_what_is_kept_and_the_next_start_goes_on_with_it(tmp_path: Path) -> None:
    async def farewell(scene: Scene) -> None:
        scene.set(600)
        change_settings(scene.headband, volume_percent=35)
        await scene.headband.settings_store.save()
        scene.headband.guard.handle_event(PmuEvent("button", 3))
        await scene.until(lambda: scene.headband.state.interaction == "stopping")

    scene = worn(kept_in(tmp_path), farewell)
    (said,) = scene.spoken
    kept = f"{GOODBYE} I keep your 10 minute timer, but I cannot tell you while I am off. It ends in "
    assert said.startswith(kept) and said.removeprefix(kept)[:9] in ("10 minute", "9 minutes")

    async def later(scene: Scene) -> None:
        assert [timer.seconds for timer in scene.headband.state.settings.timers.running] == [600]
        assert scene.board.speaker.volume_percent == 35

    worn(kept_in(tmp_path), later)


def test_that_timers_and_settings_cannot_be_saved_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def play(scene: Scene) -> None:
        monkeypatch.setattr(settings_store, "write_whole", full)
        scene.set(600)
        await scene.until(lambda: bool(scene.spoken))
        change_settings(scene.headband, volume_percent=35)
        await scene.until(lambda: scene.headband.state.interaction == "standby")
        await scene.board.clock.sleep(1)

    scene = worn(kept_in(tmp_path), play)
    assert scene.spoken == [SETTINGS_UNSAVED] and refused(scene) == []


@pytest.mark.slow
def test_an_empty_battery_is_said_once_and_loses_nothing(tmp_path: Path) -> None:
    def kept(scene: Scene) -> None:
        assert [timer.seconds for timer in scene.headband.state.settings.timers.running] == [3600]
        assert scene.board.speaker.volume_percent == 35

    async def drained(scene: Scene) -> None:
        scene.set(3600)
        change_settings(scene.headband, volume_percent=35)
        scene.board.set_battery(1)
        await scene.until(lambda: scene.headband.state.interaction == "stopping")

    async def started_empty(scene: Scene) -> None:
        await scene.until(lambda: scene.headband.state.interaction == "stopping")
        kept(scene)

    async def charged(scene: Scene) -> None:
        kept(scene)

    for play, percent in ((drained, 14), (started_empty, 1)):
        scene = worn(kept_in(tmp_path), play, percent)
        assert len(scene.spoken) == 1 and refused(scene)[:-1] == []
        assert scene.spoken[0].startswith(f"{LOW_BATTERY} I keep your 1 hour timer")
        assert not any(event in ("woken", "turn") for event, _ in scene.told)
    assert worn(kept_in(tmp_path), charged).spoken == []


def test_without_a_place_to_keep_it_a_timer_runs_all_the_same() -> None:
    async def play(scene: Scene) -> None:
        scene.set(1)
        await scene.until(lambda: bool(scene.spoken))

    assert worn(QUIET, play).spoken == ["Your 1 second timer is done."]
