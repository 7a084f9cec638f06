"""How much louder, quieter, slower or faster the headband is to speak: "down twenty percent", "a bit more".
Pure.
"""

from __future__ import annotations

import re

from host.language.further.said import NO, without_fillers
from host.language.number_words import NUMBER, value_of
from host.language.router import Decision

WAYS = {"louder": "quieter", "quieter": "louder", "slower": "faster", "faster": "slower"}
"""Intents that change loudness or pace, with their opposites."""
_VOLUME = "volume"
_PERCENT = r"per ?cents?"
_ABOUT = r"(?:(?:by|about|around|roughly|another|a|further|just) )*"
_NO_MORE = rf"(?! (?:seconds?|minutes?|hours?|{NUMBER})\b)"
_BY = rf"by {_ABOUT}(?P<by>{NUMBER})(?: (?P<byunit>{_PERCENT}|points?))?{_NO_MORE}"
_UP_OR_DOWN = rf"(?:up|down) {_ABOUT}(?P<moved>{NUMBER}) {_PERCENT}"
_THAN = (
    rf"(?P<than>{NUMBER}) {_PERCENT} (?:louder|quieter|softer|higher|lower|less|more|faster|slower|quicker)"
)
_RAISED = (
    r"(?:increase|raise|decrease|reduce|lower)\b(?!.*\b(?:to|at)\b).*?\b"
    rf"(?P<raised>{NUMBER}) {_PERCENT}"
)
_STEP = re.compile(rf"\b(?:{_BY}|{_UP_OR_DOWN}|{_THAN}|{_RAISED})\b")
_TENTHS = range(1, 10)
"""Numbers that are tenths where nothing says that they are percent, as of a volume that is named."""
_LOUDNESS = r"(?:it|yourself|(?:the|your) (?:volume|sound|voice))"
_PACE = r"(?:(?:the|your) (?:speed|pace|speaking speed|speech rate))"
_AMOUNT = rf"(?:by )?{_ABOUT}{NUMBER}(?: {_PERCENT}| points)?"
_COMMAND = r"(?:(?:can|could|would|will) you |please |just |now )*"
_FORMS = (
    ("louder", rf"(?:turn|bring|put|take) (?:{_LOUDNESS} up|up {_LOUDNESS}) {_AMOUNT}"),
    ("louder", rf"(?:turn )?(?:the )?volume up {_AMOUNT}|(?:increase|raise) {_LOUDNESS} {_AMOUNT}"),
    ("louder", rf"(?:speak |talk |make it |be )?(?:{_AMOUNT} louder|louder by {_AMOUNT})"),
    ("quieter", rf"(?:turn|bring|put|take) (?:{_LOUDNESS} down|down {_LOUDNESS}) {_AMOUNT}"),
    ("quieter", rf"(?:turn )?(?:the )?volume down {_AMOUNT}|(?:lower|decrease|reduce) {_LOUDNESS} {_AMOUNT}"),
    (
        "quieter",
        rf"(?:speak |talk |make it |be )?(?:{_AMOUNT} (?:quieter|softer)|(?:quieter|softer) by {_AMOUNT})",
    ),
    (
        "faster",
        rf"(?:speak |talk |go )?(?:{_AMOUNT} (?:faster|quicker)|(?:faster|quicker) by {_AMOUNT})|"
        rf"speed up {_AMOUNT}|(?:increase|raise) {_PACE} {_AMOUNT}|(?:turn|bring) {_PACE} up {_AMOUNT}",
    ),
    (
        "slower",
        rf"(?:speak |talk |go )?(?:{_AMOUNT} slower|slower by {_AMOUNT})|slow down {_AMOUNT}|"
        rf"(?:lower|decrease|reduce) {_PACE} {_AMOUNT}|(?:turn|bring) {_PACE} down {_AMOUNT}",
    ),
)
_BY_PERCENT = tuple((kind, re.compile(_COMMAND + rf"(?:{form})")) for kind, form in _FORMS)
_BIT = (
    r"(?:(?:just )?(?:(?:a (?:little |tiny )?)?bit|a little|a touch|a tad|a notch|slightly|some|much|a lot|"
    r"even|still|yet|more) )*"
)
_MORE = re.compile(rf"{_BIT}(?:more|further|more (?:still|than that)|more of that)")
_LESS = re.compile(
    rf"{_BIT}less|not (?:so|that|as) much|(?:(?:that is|that's|that was|it is|it's) )?(?:a bit )?"
    r"too (?:much|far)"
)
_BACK = re.compile(rf"(?:back )?(?P<way>up|down) (?:again|{_BIT}(?:more|a bit|a little|a notch|again))")
_AMOUNT_MORE = re.compile(rf"(?:(?:by|another) )*(?P<by>{NUMBER}) {_PERCENT}(?P<way> more| less)?")
_STILL = r"(?:(?:now|that is|that's|it is|it's|you are|you're|still|a bit|a little|much|even|way|far) )*"
_TOO = {
    "quieter": r"(?:too|not (?:so|that|as)) loud|(?:quieter|softer)(?: still| than that)?|"
    r"not (?:quiet|soft) enough",
    "louder": r"(?:too|not (?:so|that|as)) (?:quiet|soft|low)|louder(?: still| than that)?|not loud enough",
    "slower": r"(?:too|not (?:so|that|as)) (?:fast|quick)|slower(?: still| than that)?|not slow enough",
    "faster": r"(?:too|not (?:so|that|as)) slow|(?:faster|quicker)(?: still| than that)?|not fast enough",
}
_STILL_TOO = {kind: re.compile(rf"{_STILL}(?:{form})(?: (?:now|again))*") for kind, form in _TOO.items()}
_LEVEL = re.compile(rf"(?P<level>{NUMBER})(?P<percent> {_PERCENT})?")
_INSTEAD = re.compile(
    rf"(?P<no>{NO})?(?P<made>(?:make|set|change|put|turn) (?:it|that) (?:(?:to|at) )?|i (?:meant|mean|said) "
    rf")?(?P<value>{_LEVEL.pattern})(?P<instead> instead| rather)?"
)


def step_percent(said: str) -> int | None:
    """By how many percent a sentence about loudness or pace wants a change; None where it names a level, or
    no number.
    """
    step = _STEP.search(said)
    if step is None:
        return None
    words = next(each for each in (step["by"], step["moved"], step["than"], step["raised"]) if each)
    number = value_of(words)
    return 10 * number if step["by"] and not step["byunit"] and number in _TENTHS else number


def by_so_much(decision: Decision, said: str) -> Decision:
    """The decision of a template, where it takes by how much the volume is to change for its level."""
    step = step_percent(said) if decision.intent == _VOLUME else None
    way = "louder" if "up" in decision.slots else "quieter" if "down" in decision.slots else ""
    return Decision("device", way, {"by": step}) if step and way else decision


def by_percent(said: str) -> Decision | None:
    """The decision of a whole sentence (lower case, without punctuation, numbers in words) that says by how
    much; None for others.
    """
    step = step_percent(said)
    kind = next((kind for kind, form in _BY_PERCENT if form.fullmatch(said)), "") if step else ""
    return Decision("device", kind, {"by": step}) if kind else None


def stepped_on(said: str, last: str) -> Decision | None:
    """The decision of a sentence that goes on from a change of loudness or pace, which had the intent `last`:
    "a bit more", "too loud now", "no thirty percent".
    """
    if last not in WAYS and last != _VOLUME:
        return None
    onward = "louder" if last == _VOLUME else last
    bare = without_fillers(said)
    amount = _AMOUNT_MORE.fullmatch(bare)
    if amount is not None and (amount["way"] or bare.startswith(("by ", "another "))):
        kind = WAYS[onward] if amount["way"] == " less" else onward
        return Decision("device", kind, {"by": value_of(amount["by"])})
    if _MORE.fullmatch(bare):
        return Decision("device", onward)
    back = _BACK.fullmatch(bare) if onward in ("louder", "quieter") else None
    if back is not None:
        return Decision("device", "louder" if back["way"] == "up" else "quieter")
    if _LESS.fullmatch(bare):
        return Decision("device", WAYS[onward])
    found = next((kind for kind, form in _STILL_TOO.items() if form.fullmatch(bare)), "")
    if found:
        return Decision("device", found)
    instead = _INSTEAD.fullmatch(said)
    if instead is None or not (instead["no"] or instead["made"] or instead["instead"]):
        return None
    if instead["level"] == "one" and not instead["made"]:  # "no one"
        return None
    if onward in ("slower", "faster") or not (instead["percent"] or last == _VOLUME):
        return None
    percent = {"percent": True} if instead["percent"] else {}
    return Decision("device", _VOLUME, {"number": value_of(instead["level"])} | percent)
