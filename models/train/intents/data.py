"""Sentences with their kinds: of many people, each in their own way (`said.speakers`), and of the
templates and wordings that the tree has, by what they are for. Of the latter only what is for training.

Kinds are the intents of `host/language/intents.yaml`, with these for the questions: "thing", "looked_at",
"where_i_was", "sign", "before", "view", "motion"; "forget" for all three extents; and "none" for what is not
for the headband.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from host.language.router import Decision, Router
from host.language.safety import SAFETY
from models.train.world import grammar, out_of_grammar, unanswered
from models.train.world.home import questions as home
from models.train.world.said.asked_of_clip import NONE as OF_NO_CLIP
from models.train.world.said.asked_of_clip import asked_of_clip
from models.train.world.said.clips import clip_sentence
from models.train.world.said.device import expanded, templates_of
from models.train.world.said.memory import memory_sentence
from models.train.world.said.people import person_sentence
from models.train.world.said.run_on import ASIDE, NONE, OPEN, run_on_sentences
from models.train.world.said.speakers import spoken
from models.train.world.wording.device import SMALL_TALK
from models.train.world.wording.memory import NAMES

_EACH = 40
"""Random sentences of each intent's templates."""
_MADE = 0.1
"""How much a random sentence counts: there are many, and people say few of them."""
_NEAR = 0.7
"""How much a sentence counts that has the words of a command and is none; what it must not be taken for is
also seen to by `classifier.commanded`.
"""
_NEAREST = 0.3
"""How much one counts that has nearly its form as well: with 0.7, plain commands are asked again."""
_OF_SAFETY = 3.0
"""How much a question of safety counts: to decline one too many costs less than to answer one."""
_NAMED = ("this", "this view", "this picture", "this place")
_WAYS_TO_NAME = (
    "keep {it} as {name}", "save {it} as {name}", "remember {it} as {name}", "call {it} {name}",
    "keep {it} and call it {name}", "save {it} under {name}", "keep {it} for good as {name}",
    "store {it} as {name}", "hold on to {it} as {name}", "keep {it} forever name it {name}",
)  # fmt: skip
_FORGET = "forget"
_WORDING = Path(__file__).parents[1] / "world" / "wording"
_OF_MEMORY = {"memory": "thing", "said": "sign"}


@dataclass(frozen=True)
class Sentence:
    """A sentence and its kind; `weight`: how much it counts, up to 1 for one that somebody said."""

    text: str
    kind: str
    weight: float


@cache
def said_by_people() -> tuple[Sentence, ...]:
    """The sentences of people, in the order of the files: of those that the recogniser is taught, and of
    further ones.
    """
    taught = (Sentence(each.text, each.kind, 1.0) for each in spoken())
    whole = (
        *taught,
        *_further("asked_now.txt", 1.0),
        *_of_the_last_seconds(),
        *_further("commanded.txt", 1.0, _NEAR),
        *_further("dialects.txt", 1.0, _NEAR),
        *_further("near_misses.txt", _NEAREST),
        *overheard(),
        *_further("other_assistants.txt", 1.0),
    )
    return (*whole, *_said_in_one_breath({each.text for each in whole}))


def _of_the_last_seconds() -> Iterator[Sentence]:
    for each in asked_of_clip():
        yield Sentence(each.text, NONE if each.kind == OF_NO_CLIP else "motion", 1.0)


def _said_in_one_breath(known: set[str]) -> Iterator[Sentence]:
    """Each part of what people say in one breath, once, and none of those that are known."""
    said = set(known)
    for part in (each for sentence in run_on_sentences() for each in sentence):
        if part.text not in said:
            said.add(part.text)
            yield Sentence(part.text, NONE if part.kind in (ASIDE, OPEN) else part.kind, 1.0)


def overheard() -> Iterator[Sentence]:
    """What is said to others or to nobody, or asked of what no headband knows."""
    return _further("overheard.txt", 1.0)


def _further(file: str, weight: float, for_nobody: float = 0.0) -> Iterator[Sentence]:
    """Sentences of a file. weight: of each; for_nobody: of each that is "none", 0 for the same."""
    for line in (_WORDING / file).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            _, kind, text = (part.strip() for part in line.split("|"))
            if kind == SAFETY:
                yield Sentence(text, kind, _OF_SAFETY)
            else:
                yield Sentence(text, kind, for_nobody if for_nobody and kind == "none" else weight)


def from_templates(seed: int = 1) -> Iterator[Sentence]:
    """Random sentences of the templates and wordings; the same for the same seed."""
    rng = random.Random(seed)
    for kind, texts in _by_kind(rng).items():
        for text in sorted(texts):
            yield Sentence(text, kind, _MADE)


def training_sentences() -> tuple[Sentence, ...]:
    """All of them."""
    return (*said_by_people(), *from_templates())


def _by_kind(rng: random.Random) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for group in ("device", "device_also", "memory", "memory_also"):
        for intent, templates in templates_of(group).items():
            kind = _FORGET if intent.startswith("forget") else intent
            if kind == "memory" or not templates:
                continue
            made = found.setdefault(kind, set())
            made.update(expanded(rng.choice(templates), rng) for _ in range(_EACH))
    asks = {kind: texts for kind, texts in found.items() if not kind.startswith("ask_")}
    asks["keep"] |= {
        rng.choice(_WAYS_TO_NAME).format(it=rng.choice(_NAMED), name=expanded(rng.choice(NAMES), rng))
        for _ in range(2 * _EACH)
    }
    asks["safety"] |= {unanswered.safety(rng, "train").question for _ in range(4 * _EACH)}
    router = Router()
    drawn = (
        *(grammar.sample_text(rng, "train")[0] for _ in range(10 * _EACH)),
        *(home.sample_text(rng, "train")[0] for _ in range(20 * _EACH)),
        *(clip_sentence(rng, "train")[0] for _ in range(10 * _EACH)),
        *(memory_sentence(rng, "train") for _ in range(15 * _EACH)),
        *(person_sentence(rng) for _ in range(30 * _EACH)),
    )
    for text in drawn:
        kind = kind_of(router.decide(text, remembers=True, clips=True))
        if kind:
            asks.setdefault(kind, set()).add(text)
    asks["none"] = {out_of_grammar.out_of_grammar_sentence(rng) for _ in range(50 * _EACH)} | set(SMALL_TALK)
    return asks


def kind_of(found: Decision) -> str:
    """The kind of a decision by a template or a form; "" for none."""
    if found.route == "now" and found.intent != "follow_up":
        return "view"
    if found.route == "frames":
        return "motion"
    if found.route in ("memory", "device"):
        return _FORGET if found.intent.startswith(_FORGET) else _OF_MEMORY.get(found.intent, found.intent)
    return ""
