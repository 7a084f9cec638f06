"""Is a view kept by the name that the wearer gives it?

    python -m tests.eval.hearing.names [--pack PACK] [--times N] [--voices usual|odd]
                                       [--noise room|pink|babble] [--snr-db DB] [--seed N] [--all]

"Remember this as ..." is said with each of `NAMES` in voices that no training data has, over background
sound, to a headband that remembers; recogniser, router and what is made of doubt are the pack's and the
application's. Beside the names that it has learned, each once, there are those of other people's labels for
places, seats, spots and papers, about half of which have a word that it cannot write. A view that is kept
is found again only by its *own name*; *without a name* the wearer is told that the name was not understood;
*another name* is said back to the wearer, too, who may notice; *asked back* keeps nothing.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence

import numpy as np

from host.config import AnswerConfig
from host.language.meaning import Abilities, meaning
from host.language.router import Router, plain_words
from models.brick import Transcript
from models.pack.catalogue import PackError, load_pack
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.sound.transcripts import vocabulary_words
from models.train.world.said.device import expanded
from models.train.world.wording.memory import NAMES as LEARNED
from tests.eval.hearing.heard import said_arguments
from tests.eval.intervals import share
from tests.eval.stranger.by_voice import Speaker

NAMES = (
    "where i parked", "aisle five", "the blue door", "sarah's house", "the tram stop", "my bunk",
    "booth twelve", "pier four", "the trail head", "the camper van", "the charging station",
    "the cloakroom", "lost and found", "the ticket machine", "the ferry", "deck seven",
    "the vending machine", "left luggage", "carriage six", "the waterfall", "my usual spot",
    "the good bakery", "the kitchen key", "the bus times", "the lock", "the east gate", "platform eleven",
    "room forty two", "the car", "the shopping list", "my bicycle", "the exit", "level two",
    "my hotel room", "the way to the beach", "the train home",
)  # fmt: skip
TITLES = ("names that it has learned", "other names of words that it can write", "names with another word")
OUTCOMES = ("own name", "without a name", "another name", "asked back", "something else")
_FULL_SCALE = np.float32(32768)


def writable(name: str) -> bool:
    """Whether the recogniser has learned every word of it."""
    return set(name.split()) <= vocabulary_words()


def outcome(name: str, heard: Transcript, router: Router, least: float) -> str:
    """One of `OUTCOMES`."""
    decision = meaning(heard, router, Abilities(least, remembers=True, usual=True)).decision
    if decision.route == "unclear":
        return "asked back"
    if (decision.route, decision.intent) != ("memory", "keep"):
        return "something else"
    if decision.slots.get("unheard") or not decision.slots.get("rest"):
        return "without a name"
    return "own name" if plain_words(str(decision.slots["rest"])) == plain_words(name) else "another name"


def show(title: str, found: Sequence[str]) -> None:
    """Prints the shares of the outcomes."""
    print(f"{title} ({len(found)}):")
    for kind, count in Counter(found).most_common():
        low, high = share([[each == kind] for each in found])
        print(f"  {kind:15s} {100 * count / len(found):5.1f} % [{100 * low:.1f}, {100 * high:.1f}]")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 and one sentence for a pack that cannot be used."""
    options = said_arguments("names", __doc__, 4, "what was heard of each").parse_args(arguments)
    try:
        pack = load_pack(options.pack)
    except PackError as error:
        print(error, file=sys.stderr)
        return 2
    speaker = Speaker(options.seed, options.voices, options.noise, options.snr_db)
    recogniser = InProcessRecogniser(pack.bricks["stt"].options)
    router, least = Router(), AnswerConfig().min_probability
    found: dict[str, list[str]] = {title: [] for title in TITLES}
    rng = random.Random(f"names {options.seed}")
    own = [(TITLES[0], expanded(name, rng)) for name in LEARNED]
    others = [(TITLES[1 if writable(name) else 2], name) for name in NAMES * options.times]
    for title, name in (*own, *others):
        sound, _ = speaker.say(f"remember this as {name}")
        heard = recogniser.transcribe(sound.astype(np.float32) / _FULL_SCALE)
        became = outcome(name, heard, router, least)
        found[title].append(became)
        if options.all:
            print(f"  {name!r} -> {heard.text!r}: {became}")
    for title, became_all in found.items():
        show(title, became_all)
    return 0


if __name__ == "__main__":
    sys.exit(main())
