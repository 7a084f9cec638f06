"""Whether a sentence of a kind that changes something really asks for that: the classifier counts words, and
"don't cancel the timer" has those of "cancel the timer".

Where in doubt nothing is done, as what was said can be said again, and what was deleted or missed cannot be
had back.
"""

from __future__ import annotations

import re
from functools import cache

from host.language.classifier.command_forms import ASKED, ENDS, FORMS, LOSES, SURELY_ENDS

_QUESTION = re.compile(
    r"^(?!(?:can|could|may) (?:i|we) (?:please |just )?(?:have|get) an?\b)"
    r"(?:can|could|may|might|should|shall|must|do|does|did|am|is|are|was|were|has|have|had|would|will) "
    r"(?:i|we|he|she|they|it|anyone|anybody|someone|somebody|people|my \w+|there)\b|"
    r"^(?:are|is|was|were|did|does(?! not)|am|do (?:you|i|we|they)|have (?:you|i|we|they)|has|had)\b|"
    r"^would (?:full|it)\b|^(?:and |so |but )?(?:how|what|why|when|where|who|which|whose)\b|"
    r"\b(?:tell me|explain|know|wonder|wondering|ask|sure) (?:how|what|why|if|whether|where|who)\b"
)
"""A question whether, how or why something is done."""
_MAY_I_KEEP = re.compile(r"^(?:can|could|may) (?:i|we) (?:keep|save|store)\b")
_NEGATED = re.compile(r"\b(?:not|never(?! mind)|no need to)\b")
_SETS = re.compile(
    r"\b(?:set|wake|remind|tell me|let me know|ring|start|give me|shout|nudge|alert|count|"
    r"put (?:on|an?|the)|(?:need|want) an?)\b"
)
_TO_BE_TOLD = re.compile(r"\b(?:remind|tell|nudge|warn) (?:me|us) (?:.* )?to $")
"""What follows is for the wearer to do: "remind me to turn it off"."""
_ENDED = re.compile(
    r"^(?:it|that|this|them|those|all|both|one|off)\b|\b(?:alarms?|timers?|countdown|reminders?)\b"
)
"""What a timer or an alarm is called where it is ended."""
_OWN = (
    r"(?:me|us|you|yourself|it|this|that|them|headband|device|thing|alarms?|timers?|clock|camera|cam|mic|mike|"
    r"microphone|recorder|recording|memory|battery|power|voice|volume|sound|eyes?|ears?|brain|head)"
)
_TO_ANOTHER = re.compile(
    rf"\b(?:tell|ask) (?:(?:my|our|your|his|her|their|the) )?(?!{_OWN}\b)(?!\w+ly\b)[a-z]+ (?:not )?to\b|"
    r"\b(?:let|make|have) (?:him|her)\b"
)
"""What another person is to be told or made to do: "tell my wife to wake me at seven"."""
_NAME_FOLLOWS = re.compile(r"\b(?:as|call|called|name|named|under)\b")


def ends(said: str) -> bool:
    """Whether a sentence about a timer or an alarm may end it."""
    return re.search(ENDS, said) is not None


def surely_ends(said: str) -> bool:
    """Whether it does not set it, whatever time it names. What ends after it is set is something else, unless
    it is named: "set the alarm for seven, the bin men are coming".
    """
    end = re.search(SURELY_ENDS, said)
    if end is None or _TO_BE_TOLD.search(said[: end.start()]):
        return False
    ended = re.sub(r"^(?:take|turn|switch)\b|\boff$", "", end[0]) if end[0].endswith("off") else ""
    ended = f"{ended} {said[end.end() :]}".strip()
    return not (_SETS.search(said[: end.start()]) and ended and not _ENDED.search(ended))


def commanded(kind: str, said: str) -> bool:
    """Whether the sentence asks for what its kind does; True for kinds that change nothing. said: lower case,
    without punctuation, politeness and short forms.
    """
    if kind not in FORMS:
        return True
    if kind not in ASKED and _TO_ANOTHER.search(said):
        return False
    needs, never = _compiled(kind)
    if not needs.search(said) or (never is not None and never.search(said)):
        return False
    if kind == "keep":
        return (not _QUESTION.search(said) or bool(_MAY_I_KEEP.search(said))) and _is_kept(said)
    return kind in ASKED or not _QUESTION.search(said)


def _is_kept(said: str) -> bool:
    """Whether a negation, and nothing else, goes with losing it: "never lose this", but not "do not keep
    this". What follows as its name does not count.
    """
    before = _NAME_FOLLOWS.split(said)[0]
    return bool(_NEGATED.search(before)) == bool(re.search(LOSES, before))


@cache
def _compiled(kind: str) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    form = FORMS[kind]
    never = "|".join(f"(?:{each})" for each in form.never)
    return re.compile(form.needs), re.compile(never) if never else None
