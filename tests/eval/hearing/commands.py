"""Is every command of the headband heard as that command?

    python -m tests.eval.hearing.commands [--pack PACK] [--times N] [--voices usual|odd]
                                          [--noise room|pink|babble] [--snr-db DB] [--seed N] [--all]

Each command of `host/language/intents.yaml` is said N times in voices that no training data has, in a random
wording and with random numbers, over background sound. The pack's recogniser and the router read it. A
command is *right* with the intent of its template and the same values, *asked back* where the transcript is
empty, doubtful or has an unknown word, *no command* where it counts as a question about something else, and
*another* where the headband does something that nobody asked for; of those the ones that delete or switch
something are named with what was said and what was heard.

Voices and background are the stranger's (`tests.eval.stranger`); the wordings are the router's own, since
these are the commands that a wearer is told of. So hardly a sentence is held out: of the 312 templates that
seed 1 fills, the training of the recogniser may draw 307 so filled, all but a few with numbers.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from host.language.router import Decision, Router
from models.brick import UNKNOWN_WORD, Transcript
from models.pack.catalogue import PackError, load_pack
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.world.said.device import expanded, templates_of
from tests.eval.hearing.heard import said_arguments
from tests.eval.intervals import share
from tests.eval.stranger.by_voice import Speaker

GROUPS = ("device", "memory", "recall")
_QUESTIONS = ("ask_", "safety")
"""Intents of the device's group that are about the view, or whose templates take any words."""
_NAMES = ("parking", "my seat", "the way out", "platform nine")
MATTERS = frozenset(
    "forget_everything forget_today forget_last memory_on memory_off keep recording_off timer timer_off "
    "alarm alarm_off save_power full_power own_power more_careful less_careful".split()
)
"""Commands that delete, keep or switch something that stays."""
_ALIKE = {"looked_at", "memory"}
"""Intents that have a template in common, which asks the same in either."""
_SHORT_WORDS = 2
OUTCOMES = ("right", "asked back", "no command", "another")
_FULL_SCALE = np.float32(32768)


@dataclass(frozen=True)
class Said:
    """A command in words and what became of it."""

    intent: str
    text: str
    heard: str
    outcome: str
    did: str
    """The intent that was carried out; "" for none."""


def spoken_commands(rng: random.Random, times: int) -> Iterator[tuple[str, str]]:
    """Each command so often: its intent, and a random wording of it. What silences an answer in each of its
    wordings.
    """
    for group in GROUPS:
        for intent, templates in templates_of(group).items():
            if templates and not intent.startswith(_QUESTIONS):
                for _ in range(times):
                    yield intent, expanded(rng.choice(templates), rng)
    for text in templates_of("device")["stop"] * times:
        yield "stop", text
    for name in _NAMES * times:
        yield "keep", f"remember this as {name}"


def outcome(intent: str, wanted: Decision, heard: Transcript, got: Decision) -> str:
    """One of `OUTCOMES`. intent: of the template that was said. wanted, got: what the router makes of what
    was said and of what was heard.
    """
    meant = wanted.intent == intent or {wanted.intent, intent} == _ALIKE
    if meant and got == wanted and not heard.doubtful:
        return "right"
    if not heard.text or heard.doubtful or UNKNOWN_WORD in heard.text.split() or got.route == "unclear":
        return "asked back"
    return "no command" if got.route in ("open", "now", "frames") else "another"


def hear(
    recogniser: InProcessRecogniser, speaker: Speaker, commands: Iterator[tuple[str, str]]
) -> Iterator[Said]:
    """What becomes of each command."""
    router = Router()
    for intent, text in commands:
        sound, _ = speaker.say(text)
        heard = recogniser.transcribe(sound.astype(np.float32) / _FULL_SCALE)
        wanted, got = (router.decide(each, remembers=True) for each in (text, heard.text))
        found = outcome(intent, wanted, heard, got)
        yield Said(intent, text, heard.text, found, got.intent if found == "another" else "")


def show(said: Sequence[Said], everything: bool) -> None:
    """Prints the shares, the commands that are heard worst, and what was done unasked."""
    found = Counter(each.outcome for each in said)
    for name in OUTCOMES:
        low, high = share([[each.outcome == name] for each in said])
        print(f"{name:11s} {100 * found[name] / len(said):5.1f} % [{100 * low:.1f}, {100 * high:.1f}]")
    short = [each.outcome == "right" for each in said if len(each.text.split()) <= _SHORT_WORDS]
    low, high = share([[each] for each in short])
    of = f"of the {len(short)} of one or two words"
    print(f"right {of}: {100 * sum(short) / len(short):.1f} % [{100 * low:.1f}, {100 * high:.1f}]")
    by_intent = {
        intent: [each for each in said if each.intent == intent]
        for intent in dict.fromkeys(each.intent for each in said)
    }
    right = {intent: sum(each.outcome == "right" for each in some) for intent, some in by_intent.items()}
    worst = sorted(by_intent, key=lambda intent: right[intent] / len(by_intent[intent]))
    print("\nleast often right:")
    for intent in worst if everything else worst[:12]:
        others = Counter(each.heard for each in by_intent[intent] if each.outcome != "right").most_common(2)
        examples = "; ".join(f"{heard!r}" for heard, _ in others)
        print(f"  {intent:18s} {right[intent]:3d} of {len(by_intent[intent]):3d}   heard: {examples}")
    harm = [each for each in said if each.did in MATTERS]
    print(f"\ndeleted, kept or switched unasked: {len(harm)} of {len(said)}")
    for each in harm:
        print(f"  {each.did:18s} {each.text!r} -> {each.heard!r}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 and one sentence for a pack that cannot be used."""
    options = said_arguments("commands", __doc__, 8, "every command, not only the worst").parse_args(
        arguments
    )
    try:
        pack = load_pack(options.pack)
    except PackError as error:
        print(error, file=sys.stderr)
        return 2
    speaker = Speaker(options.seed, options.voices, options.noise, options.snr_db)
    commands = spoken_commands(random.Random(f"commands {options.seed}"), options.times)
    recogniser = InProcessRecogniser(pack.bricks["stt"].options)
    said = list(hear(recogniser, speaker, commands))
    print(f"{len(said)} commands, {options.voices} voices, {options.noise} noise at {options.snr_db:g} dB")
    show(said, options.all)
    return 0


if __name__ == "__main__":
    sys.exit(main())
