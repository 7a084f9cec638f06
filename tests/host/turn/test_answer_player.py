"""Speaking an answer while it is written: overlap, failure, and what was really heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from host.config import Config
from host.observe.timeline import Timeline
from host.speaking.sentence_splitter import (
    FIRST_WORDS,
    LONGEST_WORDS,
    first_phrase,
    in_breaths,
    sentences,
    sentences_and_lines,
)
from host.speaking.spoken_form import spoken_form
from host.speaking.voice_pace import VoicePace
from host.turn.answer_player import AnswerPlayer
from host.turn.tools import Tools
from models.brick import AudioChunk, Sentence
from models.process.residency import BrickFailed

RATE = 1000
SENTENCE = "The red cup is on the kitchen table."


@dataclass
class Stage:
    """A voice that makes a tenth of a second of sound per word, and a speaker that takes as long as that."""

    told: list[str] = field(default_factory=list)
    broken: str = ""
    voice_word_s: float = 0.0
    """What it takes to make a word."""
    stop_after_s: float = 1e9
    """When the wearer silences the answer."""
    unplugged_after_s: float = 1e9
    """When the speaker is gone."""
    now_s: float = 0.0
    timeline: Timeline = field(default_factory=Timeline)
    config: Config = field(default_factory=Config)
    loopback: SimpleNamespace | None = None
    player: AnswerPlayer | None = None
    stopped: bool = False
    voice_pace: VoicePace = field(default_factory=VoicePace)

    def __post_init__(self) -> None:
        self.bricks = self.speaker = self
        self.timeline.clock = lambda: self.now_s  # type: ignore[method-assign]
        self.clock = SimpleNamespace(monotonic=lambda: self.now_s)

    def observe(self, event: str, fields: dict[str, Any]) -> None:
        if event == "speaking":
            self.told.append(f"{event} {fields['sentence']}")

    async def run(self, name: str, request: Sentence) -> AsyncGenerator[AudioChunk, None]:
        assert name == "tts"
        if request.text == self.broken:
            raise BrickFailed("tts", "execute", "it died")
        for line in sentences_and_lines(request.text):
            if not any(map(str.isalnum, line)):
                continue
            self.now_s += self.voice_word_s * len(line.split())
            self.told.append(f"made {line}")
            yield AudioChunk(np.ones(RATE // 10 * len(line.split()), np.int16), RATE)
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    def pids(self) -> dict[str, int]:
        return {"tts": 1}

    async def play(self, sounds: AsyncIterator[AudioChunk]) -> float | None:
        first_s: float | None = None
        async for sound in sounds:
            first_s = self.now_s if first_s is None else first_s
            for _ in range(len(sound.pcm) // 10):
                if self.now_s >= self.unplugged_after_s:
                    return None
                self.now_s += 0.01
                await asyncio.sleep(0)
                if self.now_s >= self.stop_after_s and not self.stopped and self.player is not None:
                    self.player.silence()
                if self.stopped:
                    return first_s
        return None if self.now_s >= self.unplugged_after_s else first_s

    def stop(self) -> None:
        self.stopped = True


def spoken(stage: Stage, *texts: str) -> AnswerPlayer:
    async def written() -> AsyncGenerator[str, None]:
        for text in texts:
            yield text

    def sounding() -> None:
        stage.told.append("sounding")

    async def main() -> AnswerPlayer:
        player = stage.player = AnswerPlayer(cast(Tools, stage), 1.0, sounding)
        try:
            await player.speak(written())
        except BrickFailed:
            stage.told.append("failed")
        return player

    return asyncio.run(main())


def test_the_next_piece_is_made_while_the_present_one_is_heard() -> None:
    stage = Stage()
    player = spoken(stage, "One two three.", "Four five.", "Six.")
    assert stage.told.index("made Four five.") < stage.told.index("speaking Four five.")
    assert stage.told.index("made Six.") < stage.told.index("speaking Four five.")
    spans = stage.timeline.spans
    assert [span.start_s for span in spans] == pytest.approx([0.0, 0.3, 0.5])
    assert player.first_audio_s == 0.0
    assert player.played == "One two three. Four five. Six."


@pytest.mark.parametrize("unplugged_after_s", [0.0, 0.1, 0.3, 0.45, 2.3])
def test_an_answer_whose_speaker_is_gone_is_whole_and_no_more_of_it_is_made(
    unplugged_after_s: float,
) -> None:
    """So it can be said again. 2.3 s: as its last sound ends."""
    stage = Stage(unplugged_after_s=unplugged_after_s)
    texts = ("One two three.", "Four five.", *["Six."] * 5, "...", *["Seven eight.\nNine"] * 4)
    player = spoken(stage, *texts)
    assert player.played == "One two three. Four five. Six. Six. Six. Six. Six." + 4 * " Seven eight. Nine"
    made = sum(told.startswith("made ") for told in stage.told)
    assert made <= (15 if unplugged_after_s > 1 else 6)
    assert player.first_audio_s == 0.0


def test_an_answer_without_a_speaker_ends_where_it_is_silenced() -> None:
    stage = Stage(unplugged_after_s=0.1)

    async def written() -> AsyncGenerator[str, None]:
        yield "One two three."
        yield "Four five."
        await asyncio.sleep(0.02)
        assert stage.player is not None
        stage.player.silence()
        yield "Six."
        yield "Seven."

    async def main() -> str:
        stage.player = AnswerPlayer(cast(Tools, stage), 1.0, lambda: None)
        await stage.player.speak(written())
        return stage.player.played

    assert asyncio.run(main()) == "One two three. Four five."


@pytest.mark.parametrize(("voice_word_s", "opening"), [(0.03, SENTENCE), (0.1, "The red cup")])
def test_a_slow_voice_makes_the_first_piece_in_two_parts(voice_word_s: float, opening: str) -> None:
    stage = Stage(voice_word_s=voice_word_s)
    assert spoken(stage, SENTENCE).first_audio_s == pytest.approx(8 * voice_word_s)
    began_s, stage.told = stage.now_s, []
    player = spoken(stage, SENTENCE, SENTENCE)
    assert stage.told[0] == f"made {opening}"
    assert player.first_audio_s == pytest.approx(began_s + voice_word_s * len(opening.split()))
    assert stage.told[-2 if opening == SENTENCE else -1].endswith(SENTENCE), "what follows stays whole"
    assert player.played == f"{SENTENCE} {SENTENCE}"


TIMERS = (
    "You have "
    + ", ".join(f"a {n} minute timer with {n} minutes and 30 seconds left" for n in range(10, 20))
    + "."
)


@pytest.mark.parametrize("text", [TIMERS, "word " * 600, f"Yes. {TIMERS} It is late.", "a " * 99])
def test_a_very_long_sentence_is_made_in_lines(text: str) -> None:
    """With all of it at once the voice takes hundreds of mebibytes, and is silent until it has made it."""
    stage = Stage(voice_word_s=0.05)
    player = spoken(stage, text)
    made = [line.removeprefix("made ") for line in stage.told if line.startswith("made ")]
    assert all(len(line.split()) <= LONGEST_WORDS for line in made) and len(made) > 3
    assert player.first_audio_s is not None and player.first_audio_s <= 0.05 * LONGEST_WORDS
    assert player.played == " ".join(text.split())


@pytest.mark.parametrize("text", [SENTENCE, f"{SENTENCE} {SENTENCE} {SENTENCE} {SENTENCE}", "a\n\nb", ""])
def test_a_text_of_shorter_sentences_stays_as_it_is(text: str) -> None:
    assert in_breaths(text) == text


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("**3 cups** and a *red* `mug`.", "3 cups and a red mug."),
        ("# On the table\n- a cup\n* a **mug**\n1. a plate", "On the table\na cup\na mug\n1. a plate"),
        ("2*3 is 2 * 3, and -5 is minus 5.", "2*3 is 2 * 3, and -5 is minus 5."),
        ("- 5 degrees", "- 5 degrees"),
        ("It is the [red one](https://example.com).", "It is the red one."),
        ("Yes 👍🏽, I ❤️ it ☕.", "Yes , I  it ."),
        ("It opens at 10:00, not 20:00 or 9:00 a.m.", "It opens at 10 o'clock, not 20 hundred or 9 a.m."),
        ("From 20:05 to 20:45.", "From 20 oh 5 to 20:45."),
        ("It took 1:05:00 at 3:00.", "It took 1:05:00 at 3 o'clock."),
        ("Dr. Smith and Mrs. Jones.", "Dr Smith and Mrs Jones."),
        ("21 °C, 20℃ or 3.5%", "21 °C, 20°C or 3.5%"),
        ("It says [[EXIT]].", "It says [EXIT]]."),
        ("60 km/h", "60 kilometres an hour"),
        ("a\0b\ud800c", "abc"),
        ("It’s Müller’s café, “EXIT” – 5 €…", "It’s Müller’s café, “EXIT” – 5 €…"),
    ],
)
def test_the_voice_is_given_what_is_said_for_what_is_written(written: str, said: str) -> None:
    assert spoken_form(written) == said


def test_the_answer_is_remembered_as_it_was_written() -> None:
    stage = Stage()
    player = spoken(stage, "**Two cups.**", "👍", "It is 10:00.")
    assert [line for line in stage.told if "made" in line] == ["made Two cups.", "made It is 10 o'clock."]
    assert player.played == "**Two cups.** It is 10:00."


def test_a_title_ends_no_sentence() -> None:
    assert sentences_and_lines("Ask Dr. Smith. He knows.") == ["Ask Dr. Smith.", "He knows."]


def test_a_last_piece_without_words_makes_no_voice_fast() -> None:
    stage = Stage(voice_word_s=0.1)
    spoken(stage, SENTENCE, "...")
    stage.told = []
    spoken(stage, SENTENCE)
    assert stage.told[0] == "made The red cup", "the voice is slow, so the first piece is made in two parts"


def test_the_first_sample_is_told_once() -> None:
    stage = Stage()
    spoken(stage, "One two three.", "Four five.")
    assert stage.told.count("sounding") == 1
    assert stage.told.index("sounding") < stage.told.index("speaking One two three.")


def test_what_was_cut_off_is_not_remembered() -> None:
    stage = Stage(stop_after_s=0.45)
    player = spoken(stage, "One two three.", "Four five six seven.", "Eight.")
    stage.now_s = 60.0
    assert player.played == "One two three. Four"
    assert stage.timeline.spans[-1].end_s == pytest.approx(0.45)


@pytest.mark.parametrize("between", ["\n", " "])
def test_what_the_voice_has_not_made_yet_was_not_heard(between: str) -> None:
    text = between.join(["One two three four.", "Five six seven eight nine ten eleven twelve."])
    assert spoken(Stage(stop_after_s=0.35), text).played == "One two three"
    assert spoken(Stage(stop_after_s=0.65), text).played == "One two three four. Five six"
    assert spoken(Stage(), text).played == " ".join(text.split())


def test_a_piece_without_words_doubles_no_other() -> None:
    stage = Stage()
    player = spoken(stage, "One two.", "...", "Three four five.\nSix seven.")
    assert player.played == "One two. Three four five. Six seven."
    assert stage.told.count("speaking Three four five. Six seven.") == 1


def test_a_speaker_that_tells_what_it_played_is_believed() -> None:
    stage = Stage(stop_after_s=0.45)
    stage.loopback = SimpleNamespace(played_s=lambda now_s: 7.0 if now_s == 0.0 else 7.25)
    assert spoken(stage, "One two three.", "Four five six seven.", "Eight.").played == "One two"


def test_a_player_that_was_silenced_before_it_began_says_nothing() -> None:
    async def never() -> AsyncGenerator[str, None]:
        yield "One."

    async def main() -> str:
        player = AnswerPlayer(cast(Tools, stage), 1.0, lambda: stage.told.append("sounding"))
        player.silence()
        await player.speak(never())
        return player.played

    stage = Stage()
    assert asyncio.run(main()) == "" and stage.told == []


def test_a_voice_that_fails_is_told_after_what_it_made_was_heard() -> None:
    stage = Stage(broken="Six.")
    player = spoken(stage, "One two.", "Six.", "Seven.")
    assert stage.told[-1] == "failed"
    assert player.played == "One two."


def test_nothing_to_say_is_said_in_no_time() -> None:
    assert spoken(Stage()).first_audio_s is None


@pytest.mark.parametrize(
    ("text", "ready"),
    [
        ("The sign is", ""),
        ("It says stop, because", "It says stop,"),
        ("No, it", ""),
        ("The sign on the wall to your left", "The sign on the wall"),
        ("The green sign over there says no", "The green sign over there"),
        ("b c d e f g h i j k l m n o", "b c d e f g h i j k l m"),
        ("Yes, the triangle is left of the circle.", ""),
        ("There is one small red star in the", "There is one small red star"),
        ("It is the one in the", ""),
        ("Yes, the big red triangle is left of the", "Yes, the big red triangle"),
        ("There is a small circle next to the", "There is a small circle"),
        (
            "The star was to the left of the green square and it",
            "The star was to the left of the green square",
        ),
    ],
)
def test_half_a_sentence_ends_where_one_may_breathe(text: str, ready: str) -> None:
    assert first_phrase(text)[0] == ready
    assert " ".join(first_phrase(text)).split() == text.split()


@pytest.mark.parametrize(
    ("text", "ready", "before"),
    [
        ("There is one small red star in", "There is one small red star", ""),
        ("There is one small red star inside", "", ""),
        ("Yes it is there,", "Yes it is there,", ""),
        ("Yes,", "", ""),
        ("It costs two or 3,", "", ""),
        ("It opens at half past 10:", "", ""),
        ("The green sign over there", "", ""),
        ("It is what it is", "", ""),
        ("b c d e f g h i j k l m n", "", ""),
        ("Yes it is there, and", "Yes it is there,", "Yes it is there,"),
    ],
)
def test_a_text_that_is_written_is_spoken_up_to_its_last_word(text: str, ready: str, before: str) -> None:
    """A token of the language model is mostly a whole word, so the word after it need not be waited for; of a
    text that does not grow the last word begins no further phrase.
    """
    assert first_phrase(text, grows=True)[0] == ready
    assert " ".join(first_phrase(text, grows=True)).split() == text.split()
    assert first_phrase(text)[0] == before


def test_no_word_is_lost_or_doubled_where_a_piece_ends_within_a_word() -> None:
    text = "There is one small red onion in front of you, and 1,000 others on the shelf behind."

    async def written(length: int) -> AsyncGenerator[str, None]:
        for at in range(0, len(text), length):
            yield text[at : at + length]

    async def spoken(length: int) -> list[str]:
        return [piece async for piece in sentences(written(length), lambda: True)]

    for length in (1, 2, 3, 5, 8):
        pieces = asyncio.run(spoken(length))
        assert " ".join(pieces).split() == text.split(), length
        assert len(pieces) > 1


@pytest.mark.parametrize(
    ("text", "ready"),
    [
        ("A red mug is on", "A red mug"),
        ("The star was to the left", ""),
        ("I cannot judge what is safe", ""),
        ("A mug is on the table next to", "A mug is on the table"),
    ],
)
def test_the_first_piece_of_an_answer_may_be_shorter(text: str, ready: str) -> None:
    assert first_phrase(text, FIRST_WORDS)[0] == ready


def test_only_the_first_piece_is_shorter() -> None:
    async def written() -> AsyncGenerator[str, None]:
        for word in "A red mug is on the table. A red hat is on the chair.".split():
            yield f"{word} "

    async def main() -> list[str]:
        return [piece async for piece in sentences(written(), lambda: True)]

    assert asyncio.run(main()) == ["A red mug", "is on the table.", "A red hat is on the chair."]
