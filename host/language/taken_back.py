"""A command that the speaker takes back before the end of the sentence: "forget everything, just kidding".
Pure.
"""

from __future__ import annotations

import re

from host.language.classifier.asked import COMMANDS
from host.language.further.command import INTENTS
from host.language.understanding import Understood

_BUT = r"(?:(?:oh|ah|um|uh|er|but|well|sorry|please|yeah|okay|ok|lol|ha|haha) )*"
_NO = rf"(?:{_BUT}(?:no|nah|nope|wait|hang on|hold on|actually|on second thoughts?) )+{_BUT}"
_OUTRIGHT = (
    r"(?:never ?mind|scratch that|strike that|forget (?:it|that)|"
    r"forget (?:that )?i (?:said|asked)(?: it| that| anything)?|"
    r"ignore (?:that|me)|(?:i(?:'m| am| was) )?(?:just |only )?(?:kidding|joking)|it was a joke|"
    r"i take (?:that|it) back|not really|as you were)"
)
"""What takes a command back by itself."""
_AFTER_NO = (
    r"(?:(?:please )?(?:don't|do not)(?: (?:do (?:it|that)|bother))?|leave (?:it|that)(?: be| alone)?|"
    r"(?:cancel|stop|skip) (?:it|that)|keep (?:it|that|going|on|recording|remembering|listening)|"
    r"i (?:still )?(?:need|want) (?:it|that))"
)
"""What does so after "no", "actually" and the like; without, it may be a command of its own."""
_END = r"(?: (?:please|thanks|sorry|again|actually|then))*"
_TAKEN_BACK = re.compile(
    r"(?P<command>.+?)(?<!\band)(?<!\bthen)(?<!n't)(?<!\bnot)(?<!\bnever)(?<!\bno)(?<!\bto)(?<!\bor) "
    rf"(?!no (?:kidding|joking))(?:{_NO}{_AFTER_NO}|(?:{_NO}|{_BUT}){_OUTRIGHT}|"
    rf"{_BUT}(?:(?:actually|oh|wait) )+no){_END}"
)
_NOTHING = re.compile(rf"(?:{_NO}|{_BUT})(?:never ?mind|forget (?:about )?it){_END}")


def asks_nothing(said: str) -> bool:
    """Whether the sentence only takes back what was said before it: "no, never mind"."""
    return _NOTHING.fullmatch(said) is not None


def command_taken_back(said: str) -> str:
    """The words before those that take them back; "" where nothing does. said: lower case, without
    punctuation.
    """
    found = _TAKEN_BACK.fullmatch(said)
    return found["command"] if found is not None else ""


def commands(understood: Understood) -> bool:
    """Whether anything is changed, kept, deleted or set."""
    decisions = (*understood.decision.first, understood.decision)
    if any(each.intent in (*COMMANDS, *INTENTS) or each.intent.startswith("forget") for each in decisions):
        return True
    return understood.then is not None and commands(understood.then)
