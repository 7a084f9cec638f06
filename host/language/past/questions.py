"""Recognises questions about what was seen earlier by their form, whatever thing they name: who did what, in
the past tense, to which thing. The router asks here while the memory is on.

"do you remember where i put my keys" -> `memory`, "my keys"
"what was written on the sign in the shop this morning" -> `said`, "sign in the shop this morning"
"was my book on the sofa" -> `memory`, "my book"
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from host.language.past.plainer import plainer
from host.language.past.time_marks import JUST_NOW, MARK, MARKS, Marked, with_marks
from host.language.past.untold import without_untold
from host.language.safety import SAFETY, about_safety

WHO = "(?:i|you|we)"
_DID = "(?:did|have|had|could|might)"
SAW = "(?:see|saw|seen|notice|noticed|find|found|come across|came across)"
HANDLED = (
    "(?:leave|left|put|drop|dropped|lose|lost|lay|laid|place|placed|set|hang|hung|keep|kept|forget|"
    "forgotten|have|had|use|used|wear|wore|worn|hold|held|carry|carried|take|took|taken)"
)
_VERB = (
    rf"(?:last |possibly )?(?:have |has )?(?:last )?(?:{SAW}|{HANDLED})"
    r"(?: down| away| aside| off| up)?(?: last)?"
)
_ANYTHING = rf"[a-z0-9' {MARKS}]+"
_NAMED = rf"(?P<thing>{_ANYTHING}?)(?: last)?"
_THEN_TIME, _SOME_TIME = (rf"(?P<time>(?: {MARK}){times})" for times in "*+")
_THING, _THING_THEN = _NAMED + _THEN_TIME, _NAMED + _SOME_TIME
_WHERE = (
    r"(?:where(?: on earth| exactly| else| in the world)?|whereabouts|(?:in|at|on|under|behind) "
    r"(?:which|what) (?:place|room|spot|shelf|drawer|cupboard|table|desk|chair|sofa|bed|counter|floor|hook|"
    rf"bench|bag|pocket|box|corner|part of [a-z {MARKS}]+?))"
)
_WHEN = r"(?:when|(?:at )?(?:what|which) time|how (?:long|many (?:minutes|hours|days)) ago)"
_SIGN = r"(?:sign|signs|label|poster|notice|board|screen|plate)"
_ASKS = (
    r"(?:(?:can|could|do|would) you (?:still )?(?:remember|recall|tell me|know|say)|tell me|remind me|"
    r"i (?:cannot|can not|do not|no longer) (?:remember|recall|know)|i (?:forgot|have forgotten|wonder)|"
    r"(?:do you have )?(?:any|an) (?:idea|memory|recollection)|help me remember|say|please)(?: of| about)? "
)
_RECALLS = re.compile(r"\b(?:remember|recall|remind|forgot|forgotten|memory|recollection)\b")
_ASKED = re.compile(rf"^(?:and )?(?:{_ASKS})(?=(?:where|when|what|which|how|in|at|on|if|whether|the sign)\b)")
_STATE = (
    r"(?:on|off|lit|burning|shining|glowing|open|closed|shut|locked)"
    rf"(?: when i left[a-z {MARKS}]*?)?(?P<then>(?: {MARK})*)(?:(?<={MARK}) [a-z' ]+)?"
)
"""How a lamp or a door was, and when."""
_PLACED = (
    r"(?:on|in|at|under|by|near|behind|next to|beside)(?= )"
    rf"(?: (?!{MARK}){_ANYTHING}?)?(?P<then>(?: {MARK})*)"
)
"""Where a thing was, and when."""

_FORMS = (
    ("memory", rf"{_WHERE} {_DID} {WHO} {_VERB} {_THING}"),
    ("memory", rf"{_WHERE} {WHO} (?:have |had )?{_VERB} {_THING}"),
    ("memory", rf"{_WHERE} (?:was|were) {_THING}(?: last)?(?: seen| in view| lying)?"),
    ("memory", rf"{_WHERE} {_THING} (?:was|were|had been)(?: last)?(?: seen| lying)?"),
    ("memory", rf"{_WHERE} (?:did|have|has) {_THING} (?:end up|ended up|get to|got to)"),
    ("memory", rf"{_WHEN} {_DID} {WHO} {_VERB} {_THING}"),
    ("memory", rf"{_WHEN} {WHO} {_VERB} {_THING}"),
    ("memory", rf"{_WHEN} (?:was|were|did) {_THING} (?:last )?(?:seen|in view|in sight|visible|there)"),
    ("memory", rf"(?:when|what) (?:was|is) the last time (?:that )?{WHO} {_VERB} {_THING}"),
    ("memory", rf"how long (?:has it been|is it|ago is it) since {WHO} (?:last )?{_VERB} {_THING}"),
    ("memory", rf"(?:have|had) {WHO} (?:ever |already )?{SAW} {_THING_THEN}"),
    ("memory", rf"did {WHO} (?:ever |already )?{SAW} {_THING}"),
    ("memory", r"did (?:i|we|somebody|someone|anybody|anyone|nobody) "
               r"(?:take|bring|carry|have|hold|wear|use|move|put) "
               rf"{_NAMED}(?: with (?:me|us)| on me| back| away| out)?{_THEN_TIME}"),
    ("memory", rf"did {_NAMED} (?:show up|turn up|appear|come up)(?: anywhere)?{_THEN_TIME}"),
    ("memory", rf"(?:was|were) {_NAMED} (?:anywhere|somewhere)(?: to be seen| in view| around)?{_THEN_TIME}"),
    ("memory", rf"has (?:the|your) camera (?:ever )?(?:caught|seen|recorded|noticed) {_THING}"),
    ("memory", rf"(?:was|is) it (?:on |in |at )?(?:the|my) [a-z' {MARKS}]+? (?:where|that) i "
               rf"(?:left|put|had) {_THING}"),
    ("memory", rf"(?:did|has|have) (?P<thing>(?:my|our) [a-z {MARKS}]+?) (?:been )?moved?"
               rf"(?! {JUST_NOW}){_SOME_TIME}"),
    ("memory", rf"(?:did|had|have) i (?:turn|turned|switch|switched) (?:on|off) {_THING}"),
    ("memory", rf"(?:did|had) i (?:leave|left|put|lose|lost|forget) {_THING} (?:{_PLACED}|in|on)"),
    ("memory", rf"(?:was|were) {_THING} (?:still |lying |standing |hanging )?{_PLACED}"),
    ("memory", rf"(?:was|were) {_THING} (?:still )?there(?P<then>(?: {MARK})*)"),
    ("memory", rf"(?:was|were) {_THING} (?:still )?(?:switched |turned |left )?{_STATE}"),
    ("memory", rf"did i (?:leave|turn|switch) {_THING} {_STATE}"),
)  # fmt: skip
_MEMORY = tuple((intent, re.compile(form)) for intent, form in _FORMS)
_LOOKED_AT = re.compile(
    rf"(?:what|which things|what things|everything) (?:(?:did|have|had) {WHO} (?:seen|see|look(?:ed)? at)|"
    rf"(?:was|were) {WHO} looking at|{WHO} (?:saw|looked at|have seen)|was there to see)"
    rf"(?P<time>(?: {MARK})*)"
)
_WHERE_I_WAS = re.compile(
    rf"(?:where|(?:in )?(?:what|which) (?:place|room)) (?:(?:was|were) {WHO}|(?:have|had) {WHO} been|"
    rf"did {WHO} go)(?: in)?(?P<time>(?: {MARK})+)"
)
_DESCRIBED = re.compile(rf"(?:describe|list|name) (?=what {WHO} (?:saw|looked|have seen))")
_SAID = re.compile(
    rf"(?:(?:what|which word|what word|how) (?:was|were|did|had|stood)\b[a-z {MARKS}]*?|read me |read |"
    r"what it said on )"
    rf"(?:the |a |that )(?P<sign>{_SIGN}(?: (?:at|in|on|of|from|by|outside|near) [a-z' {MARKS}]+?)?)"
    rf"(?: say| said| read| tell)?(?P<time>(?: {MARK})*)"
)
_SIGN_RECALLED = re.compile(
    rf"(?:do|can) you (?:remember|recall) (?:the|that) (?P<sign>{_SIGN} [a-z' {MARKS}]+)"
)
_PRESENT_READING = re.compile(
    rf"read (?:me )?(?:the|that|a) {_SIGN}(?: (?:at|in|on|of|by|near) [a-z' {MARKS}]+)?"
)
_BEFORE = re.compile(
    r"(?:and )?(?:before(?: that| then)?|earlier(?: than that)?|(?:where|what about) (?:was|were|had|did) "
    r"(?:it|that|they|that thing|he|she)(?: been| lie)? (?:before|earlier)(?: that| then)?)"
)
_THEN = re.compile(rf"(?: when i left[a-z {MARKS}]*)?(?: {MARK})*$")
_HAPPENS = frozenset("move moved go gone change changed fall fell happen happened".split())
"""A thing and what it does: that is a question about two pictures."""
_NO_THING = frozenset(
    "i you we there nothing or after before when where what which how in on at from to of and".split()
)
"""No name of a thing begins with them."""
_SAYS = re.compile(r"\b(?:was|were|did|is|are|do|where|what|who|why)\b|\bnot$")
"""No name of a thing has such a verb, or asks, nor has it "not" at its end."""
_OF_THE_WORLD = re.compile(
    r"\b(?:invent(?:ed)?|discover(?:ed)?|born|founded|composed|elected|crowned|married|built|died|extinct)\b"
)
"""What happens in the world, and no camera of a wearer sees."""
_IT = frozenset("it that they them this he she there i you we what".split())


@dataclass(frozen=True)
class PastQuestion:
    """intent: `memory` about a thing, `looked_at`, `where_i_was`, `said` about a sign, `before`, or `SAFETY`.
    rest: the thing or the sign, and a time in words; "" for none.
    """

    intent: str
    rest: str = ""


_DOSE = re.compile(
    r"^when .*\b(?:take|took|taken|swallow|had) (?:my |the )?(?:medicine|medication|pills?|tablets?|dose)"
)
"""When something was taken, on which the next dose may depend."""


_IN_VIEW = re.compile(r"\bin (?:view|sight)\b")


def past_question(text: str) -> PastQuestion | None:
    """What a question (lower case, without punctuation) asks of the memory, as it stands or in plainer words;
    None where it asks nothing of it, as of what is in view.
    """
    if _IN_VIEW.search(text):
        return None
    asked = with_marks(without_untold(text))
    return next(filter(None, (_as_it_stands(words, asked) for words in plainer(asked.words))), None)


def of_the_world(text: str) -> bool:
    """Whether it asks about the world, "when was the telephone invented", and nothing of the wearer."""
    return _OF_THE_WORLD.search(text) is not None and not re.search(r"\b(?:i|my|we|our|you|your)\b", text)


def _as_it_stands(text: str, asked: Marked) -> PastQuestion | None:
    """text: of what is asked, with marks for its times."""
    said = _ASKED.sub("", text)
    recalls = _RECALLS.search(text) is not None
    if _BEFORE.fullmatch(asked.told(said)):
        return PastQuestion("before")
    looked = _LOOKED_AT.fullmatch(_DESCRIBED.sub("", said))
    if looked is not None:
        return PastQuestion("looked_at", asked.told(looked["time"]).strip())
    place = _WHERE_I_WAS.fullmatch(said)
    if place is not None:
        return PastQuestion("where_i_was", asked.told(place["time"]).strip())
    sign = _SIGN_RECALLED.fullmatch(text) or _SAID.fullmatch(said)
    if sign is not None and not _PRESENT_READING.fullmatch(said):
        groups = sign.groupdict()
        return PastQuestion("said", asked.told(f"{groups['sign'].strip()}{groups.get('time') or ''}"))
    if recalls:
        said = re.sub(rf"^({_WHERE}) {_THING} (?:is|are)$", r"\1 was \2", said)
    for intent, form in _MEMORY:
        found = form.fullmatch(said)
        if found is None:
            continue
        thing = asked.told(found["thing"]).strip()
        if thing in _IT or thing.split()[0] in _NO_THING or thing.split()[-1] in _HAPPENS:
            return None
        sought = re.match(_WHERE + "|" + _WHEN, said) and not _DOSE.search(said)
        if not sought and about_safety(asked.told(_THEN.sub("", said))):
            return PastQuestion(SAFETY)
        if _SAYS.search(thing):
            continue
        groups = found.groupdict()
        return PastQuestion(intent, thing + asked.told(f"{found['time']}{groups.get('then') or ''}"))
    return None
