"""With room for one model at a time: the next is loaded beside the present one where that costs no memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.pack.catalogue import Pack, load_pack
from models.process.child_handle import Worker
from models.process.residency import BrickEvent
from power.policy.plan import Mode
from tests.host.fake_speech import without_speech_models
from tests.host.simulated import simulate
from tests.host.workbench import COLOUR, DEVICE, QUIET, bench

LARGE_MIB, SMALL_MIB = 400, 150
"""More than any brick of the micro pack takes."""
Lives = dict[str, list[tuple[float, float]]]


def pack_with(small: tuple[str, ...]) -> Pack:
    """The micro pack with other declared memory, and a voice without a model; under another name nothing is
    known of its times.
    """
    micro = without_speech_models(bricks=["tts"])
    bricks = {
        name: replace(spec, memory_mib=SMALL_MIB if name in small else LARGE_MIB)
        for name, spec in micro.bricks.items()
    }
    return replace(micro, name="made", bricks=bricks)


def lives(events: list[BrickEvent]) -> Lives:
    """By brick, from the beginning of each load to the end of its release."""
    found: Lives = {}
    for event in events:
        if event.kind == "load":
            found.setdefault(event.brick, []).append((event.start_s, float("inf")))
        elif event.kind in ("release", "died"):
            found[event.brick][-1] = (found[event.brick][-1][0], event.end_s)
    return found


def together(lived: Lives, one: str, other: str) -> bool:
    return any(a < d and c < b for a, b in lived.get(one, ()) for c, d in lived.get(other, ()))


@pytest.mark.parametrize("small", [("stt", "vision"), ("stt",), ("vision", "tts"), ()])
def test_no_more_memory_is_used_than_the_largest_model_takes(
    small: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    async def note(paths: tuple[Path, ...]) -> None:
        read.extend(path.name for path in paths)

    monkeypatch.setattr("models.process.process_pool.read_ahead", note)

    async def scenario() -> None:
        config = replace(QUIET, power=replace(QUIET.power, clips=False))
        async with bench(Mode.CASCADE, config=config, pack=pack_with(small)) as b:
            assert b.headband.plan.residency == "one_at_a_time" and b.headband.plan.prefetch
            answers = set()
            for question in (COLOUR, COLOUR, DEVICE):
                turn = await b.ask(question)
                assert turn.failure is None and turn.answer
                answers.add(turn.answer)
            assert len(answers) == 2
            lived = lives(list(b.headband.brick_events))
            names = list(lived)
            pairs = {
                frozenset((one, other))
                for one in names
                for other in names
                if one < other and together(lived, one, other)
            }
            allowed = {frozenset(small)} if len(small) == 2 else set()
            assert pairs <= allowed
            assert not {"stt", "vision", "llm", "tts"} & set(b.headband.bricks.pids())

    simulate(scenario())
    assert "voice.onnx" in read, "the voice is read while the answer is written"


def test_a_model_is_loaded_at_the_fastest_clock_and_computes_at_the_modes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A load keeps one core busy, which takes the least energy so; with four busy the mode's clock does."""
    at: dict[str, list[str]] = {"start": [], "execute": []}
    clock: list[Path] = []

    def noted(stage: str) -> Callable[..., Any]:
        real = getattr(Worker, stage)

        def method(worker: Worker, *words: Any) -> Any:
            at[stage] += [path.read_text().strip() for path in clock]
            return real(worker, *words)

        return method

    for stage in at:
        monkeypatch.setattr(Worker, stage, noted(stage))

    async def scenario() -> None:
        config = replace(QUIET, power=replace(QUIET.power, clips=False))
        async with bench(Mode.CASCADE, config=config, pack=pack_with(())) as b:
            limit = b.board.sysfs_root / "devices/system/cpu/cpufreq/policy0/scaling_max_freq"
            assert limit.read_text().strip() == "1104000"
            clock.append(limit)
            turn = await b.ask(COLOUR)
            assert turn.failure is None and turn.answer
            await b.headband.bricks.settled()
            assert limit.read_text().strip() == "1104000"

    simulate(scenario())
    assert set(at["start"]) == {"1800000"} and len(at["start"]) >= 4
    assert set(at["execute"]) == {"1104000"} and len(at["execute"]) >= 4


def test_nothing_is_ready_ahead_where_the_settings_want_that() -> None:
    async def scenario() -> None:
        power = replace(QUIET.power, clips=False, cascade_prefetch=False)
        config = replace(QUIET, power=power)
        async with bench(Mode.CASCADE, config=config, pack=pack_with(("stt", "vision"))) as b:
            turn = await b.ask(COLOUR)
            assert turn.failure is None and turn.answer
            lived = lives(list(b.headband.brick_events))
            assert not [1 for one in lived for other in lived if one < other and together(lived, one, other)]

    simulate(scenario())


def test_recogniser_and_eye_work_beside_each_other_where_the_limit_has_room() -> None:
    async def scenario() -> None:
        power = replace(QUIET.power, clips=False, work_ahead=True, cascade_memory_mib=2 * LARGE_MIB)
        config = replace(QUIET, power=power)
        micro = replace(load_pack("micro"), bricks=pack_with(()).bricks)  # of which the times are known
        async with bench(Mode.CASCADE, config=config, pack=micro) as b:
            assert b.headband.plan.ahead.picture == "wake word" and not b.headband.plan.ahead.prefill
            turn = await b.ask(COLOUR)
            assert turn.failure is None and turn.answer
            events = list(b.headband.brick_events)
            lived = lives(events)
            assert together(lived, "stt", "vision") and together(lived, "llm", "tts")
            assert not [event for event in events if event.kind == "died"]
            loads = [event.brick for event in events if event.kind == "load"]
            assert sorted(set(loads)) == ["llm", "stt", "tts", "vision"], "reflex would save no load"
            assert len(loads) == len(set(loads)), "each once"

    simulate(scenario())
