"""A question that was not heard surely is heard again before it is answered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from host.app.narrator import Narrator
from host.hearing.endpointer import RecordedQuestion
from host.turn.early import transcript
from host.turn.early.transcript import SILENT, EarlyTranscript, RecogniserSpeed
from models.brick import BrickError, Transcript
from models.pack.catalogue import Pack
from power.policy.plan import Mode
from tests.host.fake_speech import without_speech_models
from tests.host.simulated import simulate
from tests.host.turn.test_reflex_answer import asked
from tests.host.workbench import QUIET, Bench, bench

COLOUR, RIGHT = "what colour is the cross", "The cross is green."
PACES = (0.92, 1.08)


def hearing(paces: tuple[float, ...]) -> Pack:
    pack = without_speech_models(without=("motion", "reflex"))
    stt = pack.bricks["stt"]
    options = {**stt.options, "paces": paces, "sure_from": 0.9}
    return replace(pack, bricks={**pack.bricks, "stt": replace(stt, options=options)})


def hears(
    patch: pytest.MonkeyPatch, first: Transcript, *others: Transcript | BrickError
) -> list[NDArray[np.float32]]:
    """The recogniser hears these, one after another; what is played to it again comes back."""
    sounds: list[NDArray[np.float32]] = []

    async def recognise(heard: object, tools: object) -> Transcript:
        return first

    async def transcribed(pcm: NDArray[np.float32], tools: object) -> Transcript:
        sounds.append(pcm)
        found = others[len(sounds) - 1]
        if isinstance(found, BrickError):
            raise found
        return found

    patch.setattr(transcript, "recognise", recognise)
    patch.setattr(transcript, "_transcribed", transcribed)
    return sounds


def told(bench: Bench) -> list[dict[str, Any]]:
    return [fields for event, fields in bench.told if event == "heard_again"]


def test_the_likeliest_of_three_hearings_is_answered_and_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, better = Transcript("what ?? is the cross", 0.95), Transcript(COLOUR, 0.97)
    sounds = hears(monkeypatch, first, Transcript("what collar is the cross", 0.6), better)
    (turn,), b = asked(hearing(PACES), "")
    assert (turn.transcript, turn.answer) == (COLOUR, RIGHT)
    slower, faster = (len(sound) for sound in sounds)
    assert slower * PACES[0] == pytest.approx(faster * PACES[1], rel=0.01)
    (fields,) = told(b)
    assert fields["hearings"] == 3 and fields["first"] == first.text and fields["probability"] == 0.97
    (span,) = [span for span in b.headband.timeline.spans if span.name == "hearing again"]
    assert "first" not in span.details
    in_turn = [event for event, _ in b.told]
    assert in_turn.index("heard_again") < in_turn.index("heard"), "in the silence that ended the question"
    Narrator().observe("heard_again", fields)
    assert f'heard again 3 times in all, first as "{first.text}"' in capsys.readouterr().out


def test_the_first_sure_hearing_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    sounds = hears(monkeypatch, Transcript("what collar is the cross", 0.7), Transcript(COLOUR, 0.9))
    (turn,), b = asked(hearing(PACES), "")
    assert (turn.transcript, len(sounds)) == (COLOUR, 1)
    assert [fields["hearings"] for fields in told(b)] == [2]


def test_what_is_sure_and_what_pack_or_mode_have_no_room_for_is_heard_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for pack, probability, mode in (
        (hearing(PACES), 0.9, Mode.PERFORMANCE),
        (hearing(()), 0.85, Mode.PERFORMANCE),
        (hearing(PACES), 0.85, Mode.CASCADE),
    ):
        sounds = hears(monkeypatch, Transcript(COLOUR, probability))
        (turn,), b = asked(pack, "", mode=mode)
        assert turn.answer == RIGHT and not sounds and not told(b)


def test_what_was_not_all_is_heard_again_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wearer speaks on while the words before the pause are heard again."""
    sounds: list[NDArray[np.float32]] = []

    async def scenario() -> None:
        async with bench(Mode.PERFORMANCE, config=QUIET, pack=hearing(PACES)) as b:

            async def recognise(heard: object, tools: object) -> Transcript:
                return Transcript("what colour is", 0.85)

            async def transcribed(pcm: NDArray[np.float32], tools: object) -> Transcript:
                sounds.append(pcm)
                await b.board.clock.sleep(1.0)
                return SILENT

            async def way() -> None:
                return

            monkeypatch.setattr(transcript, "recognise", recognise)
            monkeypatch.setattr(transcript, "_transcribed", transcribed)
            reading = EarlyTranscript(b.headband.tools, RecogniserSpeed(), way)
            await reading.attempt(RecordedQuestion(np.ones(1600, np.int16), 0.0, 0.0, 0.1, 0.3))
            reading.hear_again()
            await b.board.clock.sleep(0.5)
            reading.drop()
            await b.board.clock.sleep(3.0)
            await reading.close()
            assert not told(b)

    simulate(scenario())
    assert len(sounds) == 1


def test_a_hearing_that_fails_leaves_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    hears(monkeypatch, Transcript(COLOUR, 0.85), BrickError("whisper.cpp could not read this clip."))
    (turn,), b = asked(hearing(PACES), "")
    assert (turn.answer, turn.failure) == (RIGHT, None)
    assert [fields["hearings"] for fields in told(b)] == [1]
