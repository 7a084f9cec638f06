"""The sections of the page by name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from models.pack.catalogue import Pack
from tests.eval.eye import answers, costs, first_word, retrieval, stored, streaming
from tests.eval.eye.page import Table
from tests.eval.stranger.by_voice import Speaker
from tests.eval.stranger_home.compose import Cutouts
from tests.eval.stranger_home.questions import AFRESH, OTHERS, OWN


@dataclass(frozen=True)
class Options:
    """What the command line says. smoke: as little of everything as still says something. cutouts: pictures
    of things for the second renderer.
    """

    pack: Pack
    against: Pack
    smoke: bool = False
    days: int = 5
    views: int = 1200
    caption_days: int = 3
    questions: int = 700
    spoken: int = 350
    turns: int = 12
    seed: int = 1
    wrong: int = 0
    out: Path | None = None
    voices: str = "usual"
    cutouts: Cutouts | None = None


def _retrieval(options: Options) -> list[Table]:
    size = retrieval.Size(
        options.days, options.views, None, options.caption_days, first_seed=9_000 + options.seed
    )
    if options.smoke:
        size = retrieval.Size(2, 100, 12, 0, 1, size.first_seed)
    return retrieval.report(options.pack, size, options.out / "retrieval.html" if options.out else None)


def _home(options: Options) -> list[Table]:
    number = 7 if options.smoke else options.questions
    return _as_text(
        options, answers.of_held_home, number, "the drawn home, held-out layouts", "held-out sentences"
    )


def _stranger(options: Options) -> list[Table]:
    number = 7 if options.smoke else options.questions
    source = partial(answers.of_stranger, cutouts=options.cutouts)
    what = "a second renderer's home" + (", others' pictures of things" if options.cutouts else "")
    return _as_text(options, source, number, what, "documented wordings")


def _as_text(
    options: Options, source: Callable[..., list[answers.Asked]], number: int, what: str, known: str
) -> list[Table]:
    asked = {
        known: source(number, options.seed), "own wordings": source(number, options.seed, own=OWN),
        "others' wordings": source(number, options.seed, own=OTHERS),
        "further people's": source(number, options.seed, own=AFRESH),
    }  # fmt: skip
    told: dict[str, list[answers.Asked]] = {}
    alone: dict[str, list[answers.Asked]] = {}
    for name, each in asked.items():
        if name in ("others' wordings", "further people's"):
            told[name], alone[f"{name}, rules alone"] = answers.by_text(options.pack, each, (False, True))
        else:
            (told[name],) = answers.by_text(options.pack, each)
    told |= alone
    table = answers.summary(told, f"Answers about {what}, asked as text", "95 %")
    return [table, *_wrong(options, told)]


def _voice(options: Options) -> list[Table]:
    number = 7 if options.smoke else options.spoken
    sources: dict[str, Callable[..., list[answers.Asked]]] = {
        "drawn home, held-out sentences": answers.of_held_home
    }
    if not options.smoke:
        sources["second renderer, documented wordings"] = partial(
            answers.of_stranger, cutouts=options.cutouts
        )
        sources["drawn home, others' wordings"] = partial(answers.of_held_home, own=OTHERS)
        sources["drawn home, further people's"] = partial(answers.of_held_home, own=AFRESH)
    told = {}
    for name, source in sources.items():
        speaker = Speaker(options.seed, options.voices, "room", 20.0)
        told[name] = asyncio.run(answers.by_voice(options.pack, source(number, options.seed + 50), speaker))
    voices = f"{options.voices} voices, which training does not use"
    title = f"The whole chain, spoken in {voices}, room noise at 20 dB"
    return [answers.summary(told, title, "92 %"), *_wrong(options, told)]


def _wrong(options: Options, told: Mapping[str, list[answers.Asked]]) -> list[Table]:
    lines = [line for each in told.values() for line in answers.wrong(each, options.wrong)]
    return [Table("Wrong answers", notes=lines)] if lines else []


def _costs(options: Options) -> list[Table]:
    return costs.report(options.pack, *((2, 2) if options.smoke else (10, 20)))


def _stored(options: Options) -> list[Table]:
    number, days, views = (
        (7, 2, 100) if options.smoke else (options.questions, min(options.days, 3), options.views)
    )
    asked = answers.of_held_home(number, options.seed)
    return stored.report(options.pack, asked, days, views, 9_000 + options.seed)


def _streaming(options: Options) -> list[Table]:
    if options.smoke:
        return streaming.report(options.pack, 1, (200,), (1,))
    return streaming.report(options.pack, 5)


def _first_word(options: Options) -> list[Table]:
    modes = first_word.MODES[:1] if options.smoke else first_word.MODES
    return first_word.report(options.pack, options.against, 1 if options.smoke else options.turns, modes)


SECTIONS: Mapping[str, Callable[[Options], list[Table]]] = {
    "retrieval": _retrieval, "home": _home, "stranger": _stranger, "voice": _voice, "costs": _costs,
    "stored": _stored, "streaming": _streaming, "first-word": _first_word,
}  # fmt: skip
"""By name: what gives the tables of a section. Raises Lacks."""
