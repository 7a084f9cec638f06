"""Between sound and understanding: what becomes of questions to the memory that are asked aloud.

    python -m tests.eval.hearing.past_asked [--split validation|test] [--questions N] [--seed N]

test: the questions of `just eval memory-voice`, in its voices and its room. validation: wordings of
`tests.eval.hearing.past_wordings` and documented ones that training lacks, in validation voices, in the same
room. The endpointer records them and the pack's recogniser reads them; the rules of words are those of a
turn while the memory is on. A question is understood rightly where it asks the same of the memory as its
words do in text. The same transcripts are read by simpler rules as well: only what is heard surely and fits
a form, and with the forms for what was misheard.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np

from host.answers.memory_replies import thing_of
from host.config import AnswerConfig, ListenConfig
from host.hearing.onset import speech_began
from host.language.meaning import Abilities, meaning
from host.language.past.questions import PastQuestion
from host.language.past.times import times_of
from host.language.router import Decision, Router
from hw.device import MICROPHONE_RATE_HZ
from models.brick import UNKNOWN_WORD, Transcript
from models.pack.catalogue import Pack, load_pack
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.sound.espeak_voices import TRAIN_LANGUAGES, VALIDATION_LANGUAGE, VALIDATION_VARIANTS
from models.train.world.home.day import day
from models.train.world.home.splits import KINDS, PLACES
from models.train.world.said.memory import is_held_out
from models.train.world.wording.memory import TRAINED
from tests.eval.arguments import counted
from tests.eval.eye.queries import spot_name
from tests.eval.hearing.beginnings import Clip, recorded
from tests.eval.hearing.past_wordings import WORDINGS
from tests.eval.intervals import shown
from tests.eval.memory_voice.days import FIRST_SEED, LATER_S, STOPS
from tests.eval.memory_voice.past import WINDOWS, Past, sight_of
from tests.eval.memory_voice.questions import questions
from tests.eval.stranger.by_voice import Speaker
from tests.eval.stranger_home.facts import PAIRS_OF

_DAYS, _VIEWS = 6, 500
_LEAD_S, _TAIL_S, _CUT_S = 0.5, 1.0, 0.4
"""Without speech before and after a question, and how much less of it may be recorded, seconds."""
_NOW_S = 43_200.0
_DOCUMENTED_SHARE = 0.4
_SPOTS = (
    ("kitchen", "table"), ("kitchen", "counter"), ("hall", "hook"), ("hall", "shelf"), ("desk", "desk"),
    ("bedroom", "bed"), ("bedroom", "chair"), ("bathroom", "shelf"), ("living room", "sofa"),
    ("park", "bench"),
)  # fmt: skip
_VALIDATION_VOICES = tuple(
    f"{language}+{variant}"
    for language in (VALIDATION_LANGUAGE, *TRAIN_LANGUAGES)
    for variant in VALIDATION_VARIANTS
    if variant not in ("whisper", "croak")
)
RIGHT = "understood as in text"
NOT_IN_TEXT = "not the memory's in text either"
Rules = Callable[[Transcript], Decision]


@dataclass(frozen=True)
class Asked:
    """A question: its text and the group of its wording."""

    text: str
    group: str


class Understanding:
    """The rules of words as a turn applies them while the memory is on."""

    def __init__(self, pack: Pack) -> None:
        self._router = Router()
        self._can = Abilities(
            AnswerConfig().min_probability,
            remembers=True,
            clips="motion" in pack.bricks,
            usual=pack.usual_wording,
        )

    def now(self, heard: Transcript) -> Decision:
        """As the headband decides."""
        meaning.cache_clear()  # of the same words by other rules
        return meaning(heard, self._router, self._can).decision

    def without_cues(self, heard: Transcript) -> Decision:
        """Without the rules of `host.language.past.cues`."""
        with (
            patch("host.language.doubt.past_by_cues", _nothing),
            patch("host.language.doubt.without_what_follows", _as_it_is),
            patch("host.language.router.without_what_follows", _as_it_is),
        ):
            return self.now(heard)

    def surely(self, heard: Transcript) -> Decision:
        """Only what is heard surely and fits a form."""
        with patch("host.language.doubt.misheard_past", _nothing):
            return self.without_cues(heard)


def _nothing(*_: object, **__: object) -> None:
    return None


def _as_it_is(past: PastQuestion, _: str) -> PastQuestion:
    return past


def asks(decision: Decision) -> tuple[object, ...] | None:
    """What a decision asks of the memory: intent, thing or sign, time; None where it asks nothing of it."""
    if decision.route != "memory":
        return None
    rest = str(decision.slots.get("rest", "")).lower()
    thing = "" if decision.intent == "looked_at" else thing_of(rest)
    return decision.intent, thing, times_of(rest, _NOW_S)[2]


def cause(heard: Transcript, text: str, meant: Decision, found: Decision) -> str:
    """What became of a question that asks `meant` in text."""
    wanted, asked = asks(meant), asks(found)
    if wanted is None:
        return NOT_IN_TEXT
    to_the_word = ", heard to the word" if heard.text == text else ""
    if asked == wanted:
        return RIGHT
    if asked is not None:
        what = "thing or time" if asked[0] == wanted[0] else "question to the memory"
        return f"another {what}{to_the_word}"
    if found.route != "unclear":
        return f"taken for {found.route}{to_the_word}"
    why = "a word not known" if UNKNOWN_WORD in heard.text else "in doubt" if heard.text else "nothing heard"
    return f"asked again: {to_the_word.strip(', ') or why}"


def validation(count: int, seed: int) -> Iterator[Asked]:
    """Questions in validation wordings."""
    rng = random.Random(f"questions to the memory {seed}")
    plain = [text for text in TRAINED if not text.startswith(("remember", "forget")) and "{name}" not in text]
    plain = [text for text in plain if text not in ("where were you {time}", "where was i {time}")]
    for _ in range(count):
        if rng.random() < _DOCUMENTED_SHARE:
            while True:
                wording = rng.choice(plain)
                text = _filled(wording, rng)
                if "{" in wording and is_held_out(text):
                    break
            yield Asked(text, "documented")
        else:
            kind = rng.choice((*WORDINGS, "where", "where", "when"))
            yield Asked(_filled(rng.choice(WORDINGS[kind]), rng), kind)


def _filled(wording: str, rng: random.Random) -> str:
    name = rng.choice(KINDS)
    plural = name in PAIRS_OF
    return wording.format(
        item=f"{rng.choice(('my', 'my', 'my', 'the'))} {name}", time=rng.choice(tuple(WINDOWS)),
        place=rng.choice(PLACES), spot=spot_name(*rng.choice(_SPOTS)),
        are="are" if plural else "is", were="were" if plural else "was",
    )  # fmt: skip


def held_out(count: int) -> Iterator[Asked]:
    """The questions of `just eval memory-voice` about its first days, without those about an answer."""
    done = 0
    for number in range(_DAYS):
        sights = tuple(map(sight_of, day(FIRST_SEED + number, _VIEWS, "held").views))
        for at, share in enumerate(STOPS):
            part = sights[: max(1, round(share * len(sights)))]
            left = (_DAYS - number) * len(STOPS) - at
            past = Past(part, part[-1].at_s + LATER_S)
            made = questions(past, FIRST_SEED + number, -(-(count - done) // left))
            done += len(made)
            for each in made:
                if each.judge is not None:
                    yield Asked(each.text, each.wording)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="just eval past-asked", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("--split", choices=("validation", "test"), default="test")
    parser.add_argument("--questions", type=counted, default=300)
    parser.add_argument("--seed", type=counted, default=1)
    parser.add_argument("--verbose", action="store_true", help="print what is missed (validation only)")
    options = parser.parse_args(arguments)
    pack = load_pack("micro")
    recogniser, rules = InProcessRecogniser(pack.bricks["stt"].options), Understanding(pack)
    speaker = Speaker(options.seed, "usual", "room", 24.0)
    asked = held_out(options.questions)
    if options.split == "validation":
        speaker = Speaker(4_000 + options.seed, "usual", "room", 24.0)
        speaker._voices = _VALIDATION_VOICES
        asked = validation(options.questions, options.seed)
    ways: dict[str, Rules] = {
        "only what is heard surely and fits a form": rules.surely,
        "with the forms for what was misheard": rules.without_cues,
        "with the words that it cannot do without (the headband)": rules.now,
    }
    causes: dict[str, Counter[str]] = {way: Counter() for way in ways}
    right: dict[str, dict[str, list[bool]]] = {way: {} for way in ways}
    exact, cut = [], 0
    for question in asked:
        sound, _ = speaker.say(question.text)
        clip = Clip(question.text, np.pad(sound, (0, MICROPHONE_RATE_HZ)), 0, _LEAD_S)
        taken = recorded(clip, ListenConfig(), speech_began)
        spoken_s = len(sound) / MICROPHONE_RATE_HZ - _LEAD_S - _TAIL_S
        cut += taken is None or len(taken.pcm) / MICROPHONE_RATE_HZ < spoken_s - _CUT_S
        heard = Transcript("", 0.0)
        if taken is not None:
            heard = recogniser.transcribe(taken.pcm.astype(np.float32) / np.float32(32768))
        exact.append(heard.text == question.text)
        meant = rules.now(Transcript(question.text, 1.0))
        for way, decide in ways.items():
            found = cause(heard, question.text, meant, decide(heard))
            causes[way][found] += 1
            right[way].setdefault(question.group, []).append(found == RIGHT)
        if options.verbose and options.split == "validation" and found != RIGHT:
            print(f"  {found}: {question.text!r} -> {heard.text!r} ({heard.probability:.2f})")
    print(f"{len(exact)} questions, {options.split}; cut short {cut}")
    print(f"heard to the word {shown([[each] for each in exact])}")
    for way in ways:
        print(way)
        for group, hits in right[way].items():
            print(f"  {RIGHT}, {group:12s} {shown([[each] for each in hits])}")
        for found, number in causes[way].most_common():
            print(f"  {number:5d}  {found}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
