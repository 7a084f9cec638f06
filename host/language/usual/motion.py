"""Puts a question about the last seconds into the words of `intents.yaml`: "did you notice my specs shift"
asks "did the glasses move". What is asked follows from the signs of `host.language.usual.motion_words`. A
question with any word that may change its meaning stays as it is, and so does one with unknown words, unless
a thing of the home is what it is about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from host.language.usual.motion_words import Happening, happening
from host.language.usual.shapes import COLOURS, shapes_in

_CHANGES_MEANING = re.compile(
    r"\b(not|no|never|none|nothing|neither|nor|without|except|but|who|whose|whom|why|when|whenever|how far|"
    r"how long|how come|how much|ever since|yesterday|today|tomorrow|tonight|morning|afternoon|evening|night|"
    r"week|hours?|minutes?|days?|ago|last|next|again|most|least|faster|slower|fastest|slowest|same|stay|"
    r"stayed|staying|still|remain|remained|more|fewer|less|else|will|would|shall|should|may|might|must|could|"
    r"going to|about to|towards (me|you)|closer|nearer|further|farther|forwards?|backwards?|fall|fell|fallen|"
    r"besides|apart from|other than|"
    r"broken?|colou?rs?|size|bigger|smaller|yourself|myself|does|do ITEM|(MOVE|SWAP|CHANGE) (me|you|it|them)|"
    rf"{'|'.join(COLOURS)})\b"
)
_HAPPENS = "(?:MOVE|GO|SWAP|CHANGE|BLINK|LIT|APPEAR|VANISH|PUT|LEFT)"
_BY_A_SPEAKER = re.compile(
    rf"\b(?:i|you|we)(?: (?:have|had|ever|already|really|just|actually))? {_HAPPENS}\b|^{_HAPPENS}\b(?!$| of)"
)
"""What the wearer or the headband itself does or is to do."""
_ASKS = re.compile(
    r"^(?:what|which|where|how|did|has|have|had|was|were|is|are|am|can|could|would|will|do|in|to|at|on|from|"
    r"towards?|with|between|any|anything|something|count|read|list|please|out|if|whether|been)\b|"
    r"\b(?:if|whether|which way|(?:did|has|was) it|(?:have|did|were) they|"
    r"(?:what|which|how) (?:one|of|was|were|did|has|have|came|many|often))\b"
)
_IDLE = frozenset(
    "a an the my this that these those it its itself they them their there here then now in on at of to "
    "from for up down out by with into onto off over and or if whether so as is are was were be been "
    "being am do did has have had having you your i me we us our what which one ones thing things object "
    "objects item items stuff any anything something some somebody someone anybody anyone people person "
    "he she each both either between two three pair see saw seen seeing notice noticed noticing spot "
    "spotted catch caught watch watched look looked looking looks observe observed make made find found "
    "view sight picture image scene camera frame video front eyes happen happened happening place whole "
    "really actually even maybe perhaps somehow somewhere anywhere around about along just already ever "
    "please only while during moment moments second seconds across all exactly precisely possibly bit "
    "little kind sort table desk shelf chair sofa bed counter floor bench room wall surface like shown "
    "show faced facing face point pointed pointing directed aimed aiming presented give gave given "
    "visible got get getting let side part among way can hand how list".split()
)
"""Words that change nothing of what is asked."""
_READING = frozenset(
    "say said saying read reading write writing written printed word words text lettering letters letter "
    "stand tell told show showed shown spell spelled spelt wording inscription message content contents mean "
    "meant about aloud loud back could would can missed used".split()
)
"""Words about what stands on a sign."""


@dataclass(frozen=True)
class _Way:
    """One way to ask. wording: the question in usual words, with {0} and {1} for the things. has: patterns
    that must all be found in the signs. also: signs that may be there beside those. items: how many things
    are named. polar: whether it is answered with yes or no; None: either. strange: so many words may be
    unknown.
    """

    wording: str
    has: tuple[str, ...]
    also: str = ""
    items: int = 0
    polar: bool | None = None
    strange: int = 0


_DIRECTION, _SPEED, _FIRST_OF_TWO = (
    "which way did the {0} go",
    "how fast did the {0} move",
    "what came first the {0} or the {1}",
)
_SWAPPED = "did the {0} and the {1} swap places"
_MOVES = "MOVE|MOTION|GO"
_SOME = "any|anything|something|things?|objects?|items?"
_OPEN = f"what|which|one|{_SOME}"
_PAST = "did|was|were|has|have|GO|saw|seen|APPEAR"
_LOOKED = (
    "was|were|GO|saw|seen?|look|looked|looking|shown?|point|pointing|facing|aiming|APPEAR|notice|front|view"
)
_SOMEONE = "somebody|someone|anybody|anyone|they|he|she|people|a person|a hand|the person"
_WAYS = (
    _Way(_SWAPPED, ("SWAP|CHANGE",), "MOVE GO WHERE", 2, strange=1),
    _Way(_SWAPPED, ("ITEM (now )?WHERE ITEM (was|used to be|had|VANISH|GO|MOVE|PUT)",), "", 2, strange=1),
    _Way("did they change places", ("CHANGE|SWAP", f"they|them|two|both|each|{_SOME}"), "MOVE"),
    _Way(_FIRST_OF_TWO, ("FIRST", r"^(?!.*\b(?:is|are)\b)"), "BEFORE APPEAR GO", 2),
    _Way(_FIRST_OF_TWO, ("BEFORE", _PAST), "", 2),
    _Way(_SPEED, ("HOWFAST", _MOVES), "WAY FAST", 1, strange=1),
    _Way(_SPEED, ("HOWFAST", "was|were|did|had|HOWFAST ITEM"), "", 1),
    _Way(_SPEED, ("FAST", _MOVES), "", 1, strange=1),
    _Way(_SPEED, ("FAST", "(was|were) ITEM|ITEM (was|were)"), "", 1),
    _Way(_DIRECTION, ("WAY", f"{_MOVES}|VANISH"), "WHERE FAST", 1, strange=2),
    _Way(_DIRECTION, ("WHERE", "MOVE|(did|was|were) ITEM GO"), "", 1, strange=1),
    _Way("how often did the light blink", ("OFTEN|COUNT(?! LIGHT)", "BLINK|LIT"), "LIGHT COUNT GO APPEAR"),
    _Way(
        "did the light blink", ("BLINK", "LIGHT|it|any|there|a BLINK|^BLINK|see|notice"), "LIT GO", polar=True
    ),
    _Way("did the light blink", ("LIGHT", "LIT"), "", polar=True),
    _Way("did the {0} move", ("MOVE|MOTION|CHANGE",), "", 1, True, strange=1),
    _Way("did anything move", ("MOVE|MOTION", f"MOTION|{_SOME}"), "", polar=True),
    _Way("what moved", ("MOVE|MOTION|CHANGE", _OPEN), "", polar=False),
    _Way("what came first", ("FIRST", "what|which|one|thing|object", _PAST, _LOOKED), ""),
    _Way("what disappeared", ("VANISH", _OPEN), "GO APPEAR BEFORE PUT LEFT"),
    _Way("what appeared", ("APPEAR", _OPEN), "GO PUT LEFT"),
    _Way("what appeared", ("PUT", _OPEN, f"(was|were|been|got|being) PUT|{_SOMEONE}")),
    _Way("what appeared", ("LEFT", _OPEN, _SOMEONE)),
)
"""The ways in the order in which they are tried."""
_OPENLY = re.compile(r"\b(?:what|which|how|WHERE)\b|^(?:the )?(?:thing|object|item|one)\b")
"""What is not answered with yes or no."""


def usual_motion(text: str) -> str:
    """The same question in the words of `intents.yaml`; "" where it is none about the last seconds.

    text: lower case without punctuation, as of `host.language.router.plain_words`.
    """
    said = happening(text)
    if not (said.introduced or _ASKS.search(text)) or shapes_in(text)[0]:
        return ""
    if _CHANGES_MEANING.search(said.signs):
        return ""
    return _about_a_sign(said) or _about_things(said)


def _about_things(said: Happening) -> str:
    if _BY_A_SPEAKER.search(said.signs):
        return ""
    polar = not _OPENLY.search(said.signs)
    words = said.signs.split()
    strange = sum(word.islower() and word not in _IDLE for word in words)
    signs = {word for word in words if word.isupper() and word != "ITEM"}
    for way in _WAYS:
        if way.items != len(said.items) or way.polar not in (None, polar) or strange > way.strange:
            continue
        known = {*re.findall("[A-Z]+", f"{' '.join(way.has)} {way.also}")}
        if signs <= known and all(_found(each, said.signs) for each in way.has):
            return way.wording.format(*said.items)
    return ""


def _about_a_sign(said: Happening) -> str:
    kind = re.search(r"\b(SIGN|LABEL)\b", said.signs)
    words = {word for word in said.signs.split() if word.islower()}
    if kind is None or said.items or words - _IDLE - _READING or words & {"is", "front"}:
        return ""
    if _found("WHERE|COUNT|OFTEN|MOVE|SWAP|FIRST|BEFORE|LIGHT|BLINK|LIT|VANISH|APPEAR", said.signs):
        return ""
    past = _found("did|was|were|said|had|PUT|PASSED", said.signs)
    reads = words & _READING or _found(
        "PASSED|what was (on )?(SIGN|LABEL)|PUT (up )?on (SIGN|LABEL)", said.signs
    )
    asks = said.introduced or words & {"what", "which", "read"}
    return f"what did the {kind[0].lower()} say" if past and reads and asks else ""


def _found(form: str, signs: str) -> bool:
    return re.search(rf"\b(?:{form})\b", signs) is not None
