"""What a sentence asks of the memory, from the words that it cannot do without: a word of the past, a thing
that people look for, and where, when or a time. For sentences that no form of `host.language.past.questions`
or `host.language.misheard.past` fits, because they are worded otherwise or were heard with errors. The answer
names the thing, so that a wearer who meant another one hears it.

"was my book ?? this morning" -> `memory`, "my book this morning"
"do you happen to know where i left my keys" -> `memory`, "my keys"
"when did i last ?? my bottle in my hand" -> `memory`, "my bottle"
"which thing did i look at today" -> `looked_at`, "today"
"tell me what the sign at the shop said" -> `said`, "sign at the shop"
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from host.language.past.questions import WHO, PastQuestion
from host.language.past.time_marks import MARK, with_marks
from host.language.past.times import TIME
from host.language.politeness import without_politeness
from host.language.safety import about_safety
from host.language.usual.view import PLACES, THINGS
from models.brick import UNKNOWN_WORD

SURELY_HEARD = 0.5
"""Least probability of the words that name the thing."""
_GAP = "unheard"
"""Stands for an unknown word."""
_NAMES = "|".join(sorted(("|".join(THINGS.values()), "lamps?|lights?"), key=len, reverse=True))
_THING = re.compile(rf"\b(?P<owner>my|our|the) (?P<name>{_NAMES})\b")
_LIGHT = re.compile(r"\b(?:lamps?|lights?)$")
_TIME = re.compile(rf"\b{TIME}\b")
_DONE = (
    "(?:left|lost|put|dropped|laid|set|kept|saw|seen|found|noticed|used|had|held|wore|worn|carried|touched|"
    "placed|hung|took|taken)"
)
_PAST = "(?:did|had|was|were|have|has)"
_WHERE = re.compile(
    rf"\b(?:where|whereabouts|(?:which|what) (?:room|place|spot)|(?:on|in) what|"
    rf"what did i (?:put|leave|left|lay|do)|{WHO} last)\b"
)
_WHEN = re.compile(
    rf"\b(?:when|(?:what|which|last) (?:time|hour|minute|day)|how (?:long|recently)|the last i|"
    rf"how (?:[a-z]+ ){{1,3}}?did {WHO})\b"
)
_I_DID = re.compile(rf"\b{_PAST} {WHO} (?:[a-z]+ ){{0,3}}$|\b{WHO} (?:[a-z]+ ){{0,2}}?{_DONE}(?: [a-z]+)?? $")
"""Before a thing: somebody did something to it."""
_WAS = re.compile(r"\b(?:was|were) $")
_LAST = re.compile(r"\b(?:last|remember|recall)\b")
_FIRST_PAST = re.compile(rf"^(?:[a-z]+ ){{0,3}}?(?:{_PAST}|whether|if)\b")
_PRESENT = re.compile(rf"\b(?:can|do|could) {WHO} (?:still )?(?:see|find|hold|use)\b|\b(?:is|are|does)\b")
_HAPPENS = re.compile(
    r"\b(?:mov(?:e|ed|ing)|go|goes|went|going|gone|blink|blinked|blinking|flash|flashed|flashing|fast|quickly|"
    r"slowly|chang(?:e|ed|ing)|swap|swapped|trade|traded|places|direction|way|side|first|taken|took|away|often|"
    r"many|(?:and|or) (?:my|our|the|a)|colou?r|big|bigger|small|smaller|large|larger)\b"
)
"""Words of questions about the last seconds, about two things, or about how a thing looks."""
_SOMEWHERE = re.compile(
    rf"^(?: [a-z]+){{0,2}}? (?:on|in|at|under|by|near|behind|beside|the (?:{'|'.join(PLACES)}))\b"
)
_LOOKED_AT = re.compile(
    rf"(?P<asks>)(?:{_PAST} (?:there )?(?:in front of|before) (?:me|us)|"
    rf"{_PAST} {WHO}(?: (?:[a-z]+|{MARK})){{0,2}}? (?:see|saw|seen|look|looked|looking)(?: at)?|"
    rf"(?:what|which) {WHO} look at|{WHO} (?:have |had )?(?:saw|seen|looked)(?: at)?)(?: of)?"
    rf"(?P<time>(?: {MARK})+)$"
)
_WHAT_I_DID = re.compile(
    rf"\b(?:remember|recall|tell me|list|name|describe) (?P<asks>what) {WHO}(?: (?!see\b)[a-z]+){{1,3}}?"
    rf"(?P<time>(?: {MARK})+)$"
)
_COMMANDS = re.compile(r"\b(?:forget|delete|erase|wipe|remember (?:this|that|what you see|the view))\b")
"""Words of what the memory is told to do, which is done only where it was surely heard."""
_ASKS_WHAT = re.compile(r"\b(?:what|which|things?)\b")
_SIGN = re.compile(
    r"\b(?:the|that|a) (?P<sign>(?:sign|label|poster|notice|board)"
    rf"(?: (?:at|in|on|of|from|by) the (?:{'|'.join(PLACES)}))?)\b"
)
_MISHEARD_IN = re.compile(r"\b(sign|label|poster|notice|board) (?:is |is in |i at )?the (?=[a-z])")
_RECALLS = re.compile(r"\b(?:remember|recall)\b")
_READ_THEN = re.compile(r"\b(?:what where|said|did|was|were|had|stood|wrote)\b")
_PRESENT_SIGN = re.compile(r"\b(?:does|do|is|are|says) (?!you (?:still )?(?:remember|recall|tell|know|say))")
_BESIDE_THE_THING = re.compile(
    rf"(?: (?:down|away|go|gone|last|lying|still|already|switched|turned|left|lit|anywhere|around|appear|"
    rf"appeared|there|up|off|{_GAP}))*"
    r"(?: (?:in my hands?|(?:on|with) me|the last.*|"
    r"(?:on|in|at|under|by|near|behind|beside|out of) (?:the|my) .*))?"
    r"(?: when i (?:left|went|came)(?: .*)?)?"
)


def past_by_cues(
    transcript: str, words: Sequence[float] = (), *, timeless: bool = True
) -> PastQuestion | None:
    """What a transcript (with `UNKNOWN_WORD` where a word is not known) asks of the memory; None where it
    asks nothing of it, or too little was heard. words: the probability of each word, where known. timeless:
    False where it may be about the present view, so that more than the tense of a verb must tell that it is
    not.
    """
    heard = transcript.lower().split()
    named = " ".join(_GAP if word == UNKNOWN_WORD else word for word in heard)
    said = without_politeness(named)
    if _COMMANDS.search(said):
        return None
    marked = with_marks(said)
    looked = _WHAT_I_DID.search(marked.words) or _LOOKED_AT.search(marked.words)
    if (
        looked is not None
        and _ASKS_WHAT.search(marked.words[: looked.end("asks")])
        and not _THING.search(said)
    ):
        return PastQuestion("looked_at", marked.told(looked["time"]).strip())
    found = list(_THING.finditer(said))
    if len({each["name"] for each in found}) != 1:
        return None if found else _sign(said)
    thing = found[-1]
    if len(words) == len(heard) and not _surely(thing["name"], named, words):
        return None
    before, after = said[: thing.start()], said[thing.end() :]
    if not _of_the_past(before, after, thing["name"], timeless) or about_safety(said):
        return None
    return PastQuestion("memory", _rest(thing, said))


def _surely(name: str, said: str, words: Sequence[float]) -> bool:
    """Whether the words of a thing were surely heard."""
    at = len(said[: said.rindex(name)].split())
    return min(words[at : at + len(name.split())]) >= SURELY_HEARD


def _of_the_past(before: str, after: str, name: str, timeless: bool) -> bool:
    times = _TIME.search(after) is not None
    light = _LIGHT.search(name) is not None
    did = _I_DID.search(before) is not None
    was = _WAS.search(before) is not None or re.match(r" (?:was|were|where)\b", after) is not None
    if _HAPPENS.search(before) or (_HAPPENS.search(after) and not did):
        return False
    said = f"{before}thing{after}"
    past = did or was or _LAST.search(said) is not None
    if _PRESENT.search(said) and not past:
        return False
    asks_when = _WHEN.search(said) is not None
    if not light and (asks_when or _WHERE.search(said)):
        return past or times or (timeless and asks_when)
    if (times or after.startswith(" on when i left")) and (was or _FIRST_PAST.search(before)):
        return True
    if not (did or was or re.search(r"\b(?:did|had) $", before)) or light:
        return False
    # "Have I left it on the table" may ask about the present view.
    return (timeless or not re.search(r"\bha(?:ve|s)\b", before)) and _SOMEWHERE.search(after) is not None


def _rest(thing: re.Match[str], said: str) -> str:
    """The thing with the times that are said of it, before or after it: "this morning where was my cup"."""
    times = " ".join(each[0] for each in _TIME.finditer(said))
    return f"{thing[0]} {times}".strip()


def _sign(said: str) -> PastQuestion | None:
    """A sign that said something."""
    recalls = _RECALLS.search(said) is not None
    said = _MISHEARD_IN.sub(r"\1 in the ", said) if recalls else said
    found = list(_SIGN.finditer(said))
    if len(found) != 1:
        return None
    sign, placed = found[0], " the " in found[0]["sign"]
    read = _READ_THEN.search(said) or (placed and re.search(r"\bsay$", said))
    asks = _ASKS_WHAT.search(said) and read and not _PRESENT_SIGN.search(said)
    if not asks and not (recalls and placed):
        return None
    times = " ".join(each[0] for each in _TIME.finditer(said, sign.end()))
    return PastQuestion("said", f"{sign['sign']} {times}".strip())


def without_what_follows(past: PastQuestion, said: str) -> PastQuestion:
    """The question about the thing alone, with the time that was said: "my wallet down" is "my wallet". As it
    is where what stands beside the thing may belong to it ("my book about cats").
    """
    if past.intent == "said":
        sign = _SIGN.match(f"the {past.rest}")
        if sign is None or not re.fullmatch(rf"(?: (?:{TIME}|[a-z]+))?", f"the {past.rest}"[sign.end() :]):
            return past
        times = " ".join(each[0] for each in _TIME.finditer(said))
        return PastQuestion("said", f"{sign['sign']} {times}".strip())
    found = list(_THING.finditer(past.rest)) if past.intent == "memory" else []
    if len(found) != 1:
        return past
    thing = found[0]
    before, after = past.rest[: thing.start()], past.rest[thing.end() :]
    after = _TIME.sub("", after).rstrip()
    if before and not re.match(rf"(?:it|that|{WHO}) ", before):
        return past
    if not _BESIDE_THE_THING.fullmatch(after):
        return past
    return PastQuestion("memory", _rest(thing, said if thing[0] in said else past.rest))
