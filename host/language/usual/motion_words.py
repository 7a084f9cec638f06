"""The words for what happens before a camera, each put into one sign: "have my spectacles shifted" becomes
"have ITEM MOVE". `host.language.usual.motion` reads from the signs what is asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from host.language.usual.view import THINGS

_WHOLE_WORDS = (
    (r"\bcan't\b|\bcannot\b", "can not"),
    (r"n't\b", " not"),
    (r"'ve\b", " have"),
    (r"'re\b", " are"),
    (r"'d\b", " would"),
    (r"\b(what|which|where|how|that|there|something|anything)'?s\b", r"\1 is"),
    (r"\bit's\b", "it is"),
    (r"'s?(?=\s|$)", ""),
)
"""Short forms, and the possessive, which is left out."""


def _any(*forms: str) -> str:
    return f"(?:{'|'.join(forms)})"


def _forms(words: str) -> str:
    """The base, the past and the -ing form of regular verbs; "*" marks a last letter that is doubled."""
    found = []
    for word in words.split():
        stem = word.rstrip("*")
        doubled = stem[-1] if word.endswith("*") else ""
        found.append(f"{stem[:-1]}(?:e|ed|ing)" if stem.endswith("e") else f"{stem}(?:{doubled}(?:ed|ing))?")
    return "|".join(found)


_ONE = "(?:(?:the|my|this|that|these|those|our|your|a|an) )"
_KIND_OF = (
    "(?:(?:water|car|front door|winter|rain|shoulder|hand|pair of|set of|little|small|whole|two|both) )?"
)
_PLACE = "(?:places?|positions?|spots?|locations?|seats?)"
_PLACES = "(?:places|positions|spots|locations|sides|seats|spaces)"
_VIEW = "(?:view|sight|picture|image|frame|scene|shot|table|desk|shelf|field of view|line of sight)"
_IN_VIEW = _any("there|here|visible|present|around|seen|to be seen", f"in (?:the |my |your )?{_VIEW}")
_THERE = _any(_IN_VIEW, f"on (?:the|my) {_VIEW}")
_NO_MORE = "(?:any ?more|any longer)"
_ITS = "(?:(?:its|their|the) )"

_SOMEBODY = (
    r"(?:(?:can|could|would|will|did|do|have|were|are|was) (?:you|i)|i (?:could |did |have )?not|i missed?)"
)
_ALSO = _any(
    "please|just|quickly|kindly|perhaps|maybe|still|also|really|even|ever|by any chance|got|get|mind|have",
    "able to|be able to|happen(?:ed)? to|managed? to|any chance to",
)
_TELLS = _any(
    "tell(?:ing)?|say(?:ing)?|remind|let (?:me|us) know|confirm|explain|describe|give|check",
    "work out|figure out",
    "know|think|reckon|believe|recall|remember|(?:an |any |the slightest )?idea|(?:a |any )?clue",
    "see|saw|seen|seeing|notice|noticed|catch|caught|spot|spotted|observed?|registered?|detect(?:ed)?",
    "recogni[sz]ed?|make out|made out|pick(?:ed)? up(?: on)?|watch(?:ed)?|follow(?:ed)?",
)
_ASKING = re.compile(
    "^"
    + _any(
        "(?:please|just|quickly|maybe|and|but|so|well|me|us|know|of|about|that|to) ",
        rf"{_SOMEBODY} (?:{_ALSO} )*{_TELLS}\b",
        r"(?:can|could|would|will) you (?:please |just )?(?=read|count)",
        r"(?:tell|say|show|remind|give|let|name|describe|identify|report|explain|state|guess|read out)\b",
        r"i (?:would (?:like|love)|want|need|wish|am trying) to (?:know|hear|learn|find out|understand)\b",
        r"i (?:was |am )?(?:wonder(?:ing)?|curious|unsure|not sure)\b",
        r"(?:is|was) it (?:true|right|correct|possible|the case|so)\b|could it be\b|am i (?:right|correct)\b",
        r"any (?:idea|clue|chance|sign|trace)\b",
    )
    + r"\s*"
)
"""What comes before the question itself; it is taken off as long as there is some."""
_ASIDE = re.compile(
    r"\b"
    + _any(
        "just now|right now|so far|in the meantime|meanwhile|at all|since then|briefly|suddenly|recently",
        "a (?:moment|second|instant) ago|(?:a )?(?:few|couple of)? ?(?:moments|seconds) ago",
        "(?:in|during|over|within|for) the (?:last|past|previous)(?: few| couple of| two| three| five| ten)? "
        "(?:seconds?|moments?|instants?)",
        "(?:up to|until|till) now|by any chance|for (?:a|one) (?:moment|second)|all of a sudden",
        "(?:while|as|when|since) i (?:was |am |have )?(?:been )?(?:look|watch|talk|speak|ask)(?:ing|ed)",
        "(?:under|before|in front of|right before) (?:my|your|our) (?:very )?(?:eyes|nose)",
        "would you say|do you (?:think|reckon|believe)|seems? to",
        "or (?:not|stay(?:ed)?(?: still)?|did it (?:not|stay)(?: still)?|did not)$",
    )
    + r"\b"
)
"""What may be said beside the question, the last seconds among it."""

_SIGNS: tuple[tuple[str, ...], ...] = (
    ("PASSED", "(that |which )?(we|i) (have |had )?(just )?passed( by)?",
     "(that |which )?(we|i) (have |had )?(just )?(went|walked|drove|rode|ran|came|gone) (past|by)",
     "(back|over) there|behind (us|me)"),
    ("BLINK", "(flash|flicker|blink)(es|s|ing)? of (the |a )?(light|lamp|bulb)",
     "(light|lamp) (flashes|blinks|flickers|pulses)"),
    ("LIGHT",
     f"{_ONE}?(light bulb|signal light|light|lamp|bulb|led|lantern|torch|flashlight|beacon)s?(?! up)"),
    ("SIGN", f"{_ONE}?((road|street|shop|door|bus|white|last) )?(signpost|signboard|sign|notice board)",
     "(the|that) notice"),
    ("LABEL", f"{_ONE}?(label|sticker|tag)"),
    ("WAY MOTION", "(the )?(direction|course|path) of(?= ITEM)"),
    ("ITEM WAY MOTION", "ITEM (direction|course|path)"),
    ("WAY",
     "((to|in|into|towards?|on|for|at) )?(which|what|the) (way|direction|side|course|path|route)s?( was)?",
     "(from )?left (or|to) (to |towards )?(the )?right|(from )?right (or|to) (to |towards )?(the )?left",
     "(up or down|down or up)(wards?)?|upwards? or downwards?|leftwards?|rightwards?|upwards?|downwards?",
     "(to|towards?|on) (the|my) (left|right)( hand)?( side)?( or (to |towards )?(the |my )?(left|right))?",
     "sideways|direction"),
    ("VANISH", "(go|goes|gone|going|went) (missing|astray)"),
    ("WHERE", "where(abouts)?( exactly)?( to)?(?! (it|they|that|this|i|you|we) )"),
    ("WHERE did ITEM GO", "WHERE ITEM (went|came|ran|flew|headed|(was|were) (going|headed|heading|coming))"),
    ("MOTION", "(in|on the) (motion|move)|(any |some |a |the )?(movements?|motions?)( of)?"),
    ("CHANGE",
     f"(chang|switch|swapp|trad|exchang)(e|ed|ing) (their )?{_PLACES}( with (each other|one another))?",
     f"(switch|swap) (their )?{_PLACES}"),
    ("SWAP", f"(took|take|taken|taking) ({_ONE})?{_PLACE} of|(took|take|taken) ITEM {_PLACE}"),
    ("MOVE", f"(the )?{_PLACE} of(?= ITEM (has |have )?(been )?(different|chang))",
     "((go|gone|went|going) )?(somewhere|someplace|some place) else|elsewhere",
     "(go|gone|went) (anywhere|somewhere)|slid|sliding|crept",
     f"(in|on|into|to) ({_ONE})?(different|another|new|other) {_PLACE}( (than|from|to) before)?",
     f"chang(e|ed|ing) {_ITS}?{_PLACE}|(left|leave) {_ITS}{_PLACE}",
     _forms("move shift travel travell budge stir* slide roll drift glide slip* displace nudge push pull "
            "drag* relocate wander shove scoot creep crawl float")),
    ("LIT", "(going|went|gone|came|(go|turn|switch|come|cut|shut)(ing|ed)?) (itself )?(back )?"
            "(on and off|off and on|on|off|out|dark)( again)?",
     "on and off|off and on|(light|lit) up"),
    ("BLINK", _forms("blink flash flicker wink strobe pulse pulsate twinkle glimmer flare"),
     "(flash|blink|flicker|wink|pulse|flashing|blinking)(es|s)"),
    ("SWAP", "(the )?(other|wrong|opposite) way (a)?round|in reverse( order)?|reversed",
     f"(in|at|on|take|took|taken) each other {_PLACE}", _forms("swap* trade switch exchange interchange")),
    ("OFTEN",
     "(count(ed|ing)? )?(how (often|frequently)|how many times|((the )?(number|amount|count) of )?times)",
     "with (which|what) frequency|(only |just )?once or twice|more than once|(once|twice)( only)?"),
    ("COUNT", "how many|(the )?(number|amount|count) of( the)?|count(ed|ing)?( up)?( the)?( number of)?"),
    ("APPEAR", f"(was|were|had|has) (not |not been ){_THERE}( before| earlier)?(?! any)",
     f"(come|coming|came|step|stepped|pop|popped|mov(e|ed|ing)) (in|into) ({_ONE})?{_VIEW}",
     f"enter(ed|ing)? ({_ONE})?{_VIEW}|(c[ao]me|coming|pop(ped)?) in",
     "(show|shown|showed|showing|turn(ed|ing)?|pop(ped|ping)?|crop(ped|ping)?|c[ao]me|coming) (up|along)",
     "(is|are|has been|was) added|(add|join)(ed)?|(which|that) is new|(the |a |any )?(new|newly|newcomer)",
     _forms("appear emerge arrive enter materialise materialize")),
    ("VANISH", f"((can|do|could) )?(not )?(you|i|we) (can |do )?(no longer|not)? ?see(ing)? {_NO_MORE}",
     "((can|do|could) )?(you|i|we) (can |do )?no longer see(ing)?|(has|have) left$",
     f"(no longer|not any ?more|not {_NO_MORE}|now not|not now) {_THERE}( now)?|used to be {_THERE}",
     f"not {_THERE}( {_NO_MORE}( now)?| now)|not {_IN_VIEW}",
     "no longer|not any ?more",
     f"(left|leave|leaving|out of|go(ne)? from|went from) ({_ONE})?{_VIEW}|(go|gone|going|went) away",
     "(carr(y|ied)|clear(ed)?|fad(e|ed)|took|tak(e|en)|tidied|snatch(ed)?|whisk(ed)?) (away|off|out|up)",
     "took|tak(e|en|ing)|pick(ed|ing)? up|stole|steal|stolen|missing|gone|absent|withdrawn",
     _forms("vanish disappear remove lift snatch grab* clear")),
    ("PUT", f"({_forms('place drop* deposit')}|put|set|lay|laid|stood|brought|bring|introduced|delivered)"
            "( (down|there|here|in|up))?"),
    ("LEFT", "(left|leave)( (behind|there|here))?"),
    ("GO", "go|going|went|gone|come|coming|came|run|ran|running|fly|flew|flying|headed|heading|head",
     "jump(ed|ing)?|hop(ped)?|pass(ed|ing)?|rac(e|ed|ing)|rush(ed|ing)?|carried|carry|off to"),
    ("HOWFAST", "how (fast|quick|quickly|slow|slowly|rapid|rapidly|swift|swiftly|speedy|speedily)",
     "((at|with) )?(what|which) (sort of |kind of )?(speed|pace|velocity)",
     "(the )?(speed|pace|velocity)( of)?"),
    ("FAST",
     "(at (a )?)?(fast|quick|quickly|slow|slowly|rapid|rapidly|swift|swiftly|speedily)( speed| pace)?"),
    ("FIRST", "((the|my|your) )?(very )?first( of all)?( thing| object| item| one)?",
     "initial(ly)?( thing| object)?|originally",
     "(to|in|at) (the )?(very )?(begin with|start with|start|beginning|outset)"),
    ("BEFORE", "(before|earlier|sooner)( than)?|beforehand|ahead of"),
)  # fmt: skip
"""A sign and the forms that mean it, in the order in which they are looked for."""
_COMPILED = tuple((sign, re.compile(rf"\b{_any(*forms)}\b")) for sign, *forms in _SIGNS)
_ITEMS = tuple((kind, re.compile(rf"\b{_ONE}?{_KIND_OF}(?:{forms})\b")) for kind, forms in THINGS.items())
_A_SIDE = re.compile(
    rf"\b({_forms('move shift slide roll travel travell drift head push pull drag* nudge')}|slid|go|going|"
    "went|gone) (left|right|up|down)\\b"
)
_WAS_THERE = re.compile(
    rf"\b(was|were|stood|lay|been) {_THERE}( before| earlier)? (and|but)( now)?( it)? "
    r"(is|are|has|not)( now| been)? ?(not|gone|missing|away|disappeared|vanished|no longer)?\b.*"
)
"""What "was there before and is gone"."""


@dataclass(frozen=True)
class Happening:
    """A question in signs. items: the kinds of the things that it names, in their order, of those that
    `THINGS` knows; each is ITEM in the signs.
    """

    signs: str
    items: tuple[str, ...]
    introduced: bool
    """Whether words of asking came before it: "can you tell me"."""


def happening(text: str) -> Happening:
    """A question (lower case, without punctuation) in signs; other words stay as they are."""
    for short, whole in _WHOLE_WORDS:
        text = re.sub(short, whole, text)
    text = rest = " ".join(text.split())
    while (cut := _ASKING.sub("", rest, count=1)) != rest and cut:
        rest = cut
    introduced = rest != text
    rest = _WAS_THERE.sub("VANISH", " ".join(_ASIDE.sub(" ", rest).split()))
    rest = _A_SIDE.sub(r"\1 \2wards", rest)
    found: list[tuple[int, str]] = []
    for kind, form in _ITEMS:
        found += [(match.start(), kind) for match in form.finditer(rest)]
        rest = form.sub(lambda match: "ITEM".ljust(len(match[0]), "\0"), rest)
    rest = rest.replace("\0", "")
    for sign, form in _COMPILED:
        rest = form.sub(f" {sign} ", rest)
        rest = " ".join(rest.split())
    return Happening(rest, tuple(kind for _, kind in sorted(found)), introduced)
