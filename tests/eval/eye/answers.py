"""Questions about a home: as text to the eye and the decoder, or spoken to a whole headband."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from host.app.headband import Headband
from host.config import AnswerConfig, Config, JournalConfig, ListenConfig
from host.language.router import Router
from hw.emulated.board import emulated_board
from models.pack.catalogue import Pack
from tests.eval.eye.held_home import held_out_sentence, held_out_view, picture_of
from tests.eval.eye.page import Lacks, Table, share
from tests.eval.eye.pieces import (
    Eye,
    Rgb,
    checked_answer,
    completed,
    decoder_of,
    detector_of,
    loaded,
    reader_of,
)
from tests.eval.eye.routes import as_understood, without_view
from tests.eval.stranger.by_voice import Speaker
from tests.eval.stranger_home.compose import Cutouts, random_home
from tests.eval.stranger_home.facts import ABSENT, BLURRED, COVERED, CUT, DARK
from tests.eval.stranger_home.judges import (
    InPlaceOrNot,
    InTheWay,
    Lists,
    Located,
    NamesColour,
    NamesPlace,
    OnOrNot,
    OtherColour,
    Reads,
    Tells,
)
from tests.eval.stranger_home.look_at import facts_of
from tests.eval.stranger_home.questions import (
    DOCUMENTED,
    FAMILIES,
    OWN,
    HomeQuestion,
    by_others,
    questions_about,
)
from tests.eval.stranger_home.render import render
from tests.eval.stranger_home.said import cause

UNREADABLE = (ABSENT, DARK, BLURRED, CUT, COVERED, "small")
"""Causes for which an answer has to say that something cannot be seen or read."""
CAUSES = (DARK, BLURRED, CUT, ABSENT)
"""Causes that an answer has to name rightly."""
GOALS = {
    "worst family": "85 %", "absent or unreadable, said so": "95 %",
    "absent or unreadable, said falsely": "at most 2 %", "cause right": "90 %",
}  # fmt: skip
_CASES = ("", "cut off", "", "held", "", "covered", "cut off", "dark", "", "blurred")
_PER_VIEW = 3
_MOST_VIEWS = 500
"""Views that are drawn at most, and 20 more for each question; a family that nothing suits stays short."""
_CONFIG = Config(
    answer=AnswerConfig(earcons=False), listen=ListenConfig(follow_up_s=0.0), journal=JournalConfig(path="")
)


@dataclass(frozen=True)
class Asked:
    """A question with its picture, and after it was asked what was said, and what was heard of it."""

    question: HomeQuestion
    picture: Callable[[], Rgb]
    said: str = ""
    heard: str = ""

    @property
    def right(self) -> bool:
        """The judge's verdict."""
        return self.question.judge(self.said)


def _in_turn(
    number: int, rng: random.Random, view: Callable[[], tuple], without: Sequence[str] = (), **how: object
) -> list[Asked]:
    """That many questions, the families equally often; view: draws a picture and its facts. without: families
    that no view has.
    """
    own = how["own"]
    families = [
        family
        for family in FAMILIES
        if family not in without and (own in (DOCUMENTED, OWN) or by_others(own)[family])  # type: ignore[arg-type]
    ]
    wanted = {family: -(-number // len(families)) for family in families}
    asked: list[Asked] = []
    for _ in range(_MOST_VIEWS + number * 20):
        if not any(wanted.values()):
            break
        picture, facts = view()
        missing = [family for family in sorted(families, key=lambda each: -wanted[each]) if wanted[family]]
        for question in questions_about(facts, rng, missing[:_PER_VIEW], **how):  # type: ignore[arg-type]
            wanted[question.family] -= 1
            asked.append(Asked(question, picture))
    rng.shuffle(asked)
    return asked[:number]


def _named(own: int) -> str:
    """Of a seed."""
    return str(bool(own)) if own in (DOCUMENTED, OWN) else str(own)


def of_held_home(number: int, seed: int, own: int = DOCUMENTED) -> list[Asked]:
    """Questions about held-out views of the drawn home. The documented wordings are held-out sentences."""
    rng = random.Random(f"eye home {seed} {_named(own)}")

    def view() -> tuple:
        drawn, facts = held_out_view(rng)
        return (lambda: picture_of(drawn)), facts

    allowed = (lambda text: True) if own else held_out_sentence
    return _in_turn(number, rng, view, own=own, allowed=allowed, tries=60)


def of_stranger(number: int, seed: int, own: int = DOCUMENTED, cutouts: Cutouts | None = None) -> list[Asked]:
    """Questions about the second renderer's views, in documented wordings, this evaluation's own, or those of
    others. cutouts: pictures of other people, which all things are then.
    """
    rng = random.Random(f"eye stranger {seed} {_named(own)}")
    drawn = 0
    coloured = not cutouts or any(each.colour for found in cutouts.values() for each in found)

    def view() -> tuple:
        nonlocal drawn
        drawn += 1
        picture = random_home(rng, _CASES[drawn % len(_CASES)], cutouts)
        return (lambda: render(picture)), facts_of(picture)

    return _in_turn(number, rng, view, () if coloured else ("colour", "wrong colour"), own=own)


def by_text(pack: Pack, asked: Sequence[Asked], rules_alone: Sequence[bool] = (False,)) -> list[list[Asked]]:
    """The answers of the pack's eye and decoder, checked by its object detector where it has one, for each
    way of understanding; a question that is not taken for one about the present view is put to neither.
    rules_alone: without the classifier of questions about the view, by the rules of usual wordings only.
    Raises Lacks.
    """
    if "vision" not in pack.bricks:
        raise Lacks(f"Pack '{pack.name}' has no eye.")
    told: list[list[Asked]] = [[] for _ in rules_alone]
    with (
        loaded(pack.bricks["vision"]) as brick,
        decoder_of(pack) as decoder,
        detector_of(pack) as detects,
    ):
        eye, router, reads = Eye(brick), Router(), reader_of(pack)
        for each in asked:
            heard, seen, detection = each.question.text, None, None
            picture: Rgb | None = None
            for found, alone in zip(told, rules_alone, strict=True):
                understood = as_understood(heard, router, pack, rules_alone=alone)
                said = without_view(understood.decision, rules_alone=alone)
                if not said:
                    if seen is None or picture is None:
                        picture = each.picture()
                        seen = eye.look(picture)
                        detection = detects(seen)
                    text, probability = completed(decoder, understood.question, seen)
                    reading = reads(understood.question, picture)
                    said, _ = checked_answer(
                        text, probability, understood.question, detection, pack, reading, picture
                    )
                found.append(Asked(each.question, each.picture, said, heard))
    return told


async def by_voice(pack: Pack, asked: Sequence[Asked], speaker: Speaker) -> list[Asked]:
    """The answers of a whole headband to spoken questions. Raises Lacks."""
    for name in ("stt", "vision", "llm", "tts"):
        if name not in pack.bricks:
            raise Lacks(f"Pack '{pack.name}' has no {name} brick, so nobody can speak with it.")
    board = emulated_board(real_time=False, sound_card=False)
    found = []
    try:
        async with Headband(board, pack, _CONFIG) as headband:
            for each in asked:
                headband.recent_views.forget()
                board.camera.show(each.picture())
                await headband.recent_views.look()
                board.microphone.say(speaker.say(each.question.text)[0])
                turn = await headband.ask()
                found.append(Asked(each.question, each.picture, turn.answer, turn.transcript))
    finally:
        await board.close()
    return found


def summary(series: Mapping[str, Sequence[Asked]], title: str, goal: str) -> Table:
    """Right answers by family, unreadable and absent things, and causes; a column for each series. goal: of
    the right answers.
    """
    shown = {name: each for name, each in series.items() if each}
    rows: list[tuple[str, ...]] = []

    def row(name: str, verdicts: Callable[[Sequence[Asked]], list[bool]]) -> None:
        rows.append((name, *(share(verdicts(each)) for each in shown.values())))

    row("right", lambda asked: [each.right for each in asked])
    rows.append(("worst family", *(_worst(each) for each in shown.values())))
    for family in FAMILIES:
        row(f"- {family}", lambda asked, family=family: [
            each.right for each in asked if each.question.family == family
        ])  # type: ignore[misc]  # fmt: skip
    row("absent or unreadable, said so", lambda asked: [
        cause(each.said) in UNREADABLE or _read(each)
        for each in asked if each.question.cause in UNREADABLE
    ])  # fmt: skip
    row("absent or unreadable, said falsely", lambda asked: [
        cause(each.said) in UNREADABLE and not each.right for each in asked if not each.question.cause
    ])  # fmt: skip
    row("cause right", lambda asked: [
        cause(each.said) == each.question.cause for each in asked if each.question.cause in CAUSES
    ])  # fmt: skip
    for name in CAUSES:
        row(f"- {name}", lambda asked, name=name: [
            cause(each.said) == name for each in asked if each.question.cause == name
        ])  # type: ignore[misc]  # fmt: skip
    if any(each.heard != each.question.text for asked in shown.values() for each in asked):
        row("heard as spoken", lambda asked: [each.heard == each.question.text for each in asked])
    goals = {"right": goal, **GOALS}
    rows = [(name, goals.get(name, ""), *cells) for name, *cells in rows]
    return Table(title, ("what", "goal", *shown), rows, ["Intervals are Wilson's."])


def _read(asked: Asked) -> bool:
    """Letters that are too small for people were read rightly."""
    return asked.question.cause == "small" and asked.right


def _worst(asked: Sequence[Asked]) -> str:
    by_family = {
        family: [each.right for each in asked if each.question.family == family] for family in FAMILIES
    }
    shares = {family: sum(each) / len(each) for family, each in by_family.items() if each}
    worst = min(shares, key=lambda family: shares[family])
    return f"{worst}, {100 * shares[worst]:.1f} %"


def truth(question: HomeQuestion) -> str:
    """What is so, for people to read."""
    judge = question.judge
    match judge:
        case Located() | OnOrNot():
            return f"{judge.item.name} on the {judge.item.top}, {question.facts.place}"
        case Lists() | Tells():
            return ", ".join(sorted(judge.wanted)) or "nothing"
        case NamesPlace() | InPlaceOrNot():
            return judge.place or "nobody can tell the place"
        case Reads():
            return judge.word or "no label"
        case NamesColour():
            return judge.colour
        case OtherColour():
            return f"{judge.true}, not {judge.wrong}"
        case InTheWay():
            return f"{judge.cause} {judge.side}".strip()
        case _:
            return repr(judge)


def wrong(asked: Sequence[Asked], most: int) -> list[str]:
    """Wrong answers with what they should have been."""
    lines = []
    for each in [each for each in asked if not each.right][:most]:
        heard = "" if each.heard == each.question.text else f" heard as {each.heard!r}"
        lines.append(f"{each.question.family}: {each.question.text!r}{heard} -> {each.said!r}")
        lines.append(f"    in truth: {truth(each.question)}")
    return lines
