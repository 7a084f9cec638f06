"""Whether a sentence is small talk, the only thing without a picture that a small language model was taught,
and in which of the words that it was taught; and whether it asks what a headband can do.

Asked anything else that no template knows, such a model answers all the same, and what it says means nothing.
"""

from __future__ import annotations

import re

from host.language.router import plain_words

_WORDS = frozenset(
    (
        "a afternoon again and are ask bye can day do doing evening feel feeling good goodbye have "
        "headband hear hello help hey hi how i is it joke know later listening lot me morning much my "
        "name nice night now okay please right see so soon tell thank thanks that the then there to "
        "today tonight very well what what's who you your yourself"
    ).split()
)
ABOUT_ITSELF = ("what is your name", "who are you", "what are you")
"""Small talk that asks."""
_LONGEST = 7
_LONGEST_POLITE = 13
_BESIDE_THANKS = frozenset(
    "a again all always am and answer answering assist at awesome being big bit brilliant bunch but day "
    "did do doing ever everything extremely for from giving good great greatly happy heaps help helpful "
    "helping his how i i'd i'll i've info information it just kindly know letting like lot lots lovely "
    "many me million most much my new nice of oh okay one out quick real really right sake so special "
    "such super telling that the this time to today ton tons truly very was well with wow you your".split()
)
"""What may stand beside thanks that ask for nothing."""
_THANKS = re.compile(
    r"\b(?:thanks|thank you|ta|cheers|obliged|gratitude|grateful|thankful|appreciated?|owe you|(?:you are|"
    r"you were|you have been|that was|that is) (?:\w+ ){0,3}(?:help|helpful|kind|star|lifesaver))\b"
)
_RENAMES = re.compile(r"\b(?:change|changed|make|give|put|add|use|want your|to be|instead|not)\b")
_NAME = re.compile(
    r"\b(?:your (?:\w+ )?names?|i (?:call|name) you|you (?:go by|called)|call yourself|"
    r"(?:do|don't) you have an? (?:\w+ )?(?:name|nickname)|"
    r"name (?:i|you|they|people) (?:\w+ ){1,5}(?:you|called|given))\b"
)
_WHO = re.compile(
    r"(?:\w+ )?who are you|introduce yourself|tell me (?:\w+ ){0,3}about yourself|"
    r"who am i (?:talking|speaking) (?:to|with)"
)
_WHAT = re.compile(
    r"(?!.*\b(?:look\w*|see\w*|show\w*|find\w*|sure|able|near|next)\b)"
    r".*\b(?:(?:are|were|call|consider) you|yourself|you (?:are|were|be)|(?:talking|speaking) (?:to|with))\b"
    r".*\b(?:robot|bot|human|machine|computer|(?:\w+ )?(?:real|live|actual) person|program|artificial|alive|"
    r"life form)\b.*|what (?:\w+ ){0,3}are you(?: made of)?"
)
_GREETINGS = frozenset(
    "a again ai all buddy day dear everyone friend g'day good greetings headband hello hey heya heyo hi hiya "
    "howdy love mate mister my oh pal sir there to very well yo you".split()
)
_GREETS = frozenset("greetings hello hey heya heyo hi hiya howdy yo g'day".split())
_HOW_ARE_YOU = re.compile(
    r"(?:\w+ ){0,3}(?:how(?:s| is| are| have)? (?:are )?(?:you|ya|things|everything|life|your \w+|it|"
    r"the (?:day|morning|evening))(?: (?:all|doing|doin|feeling|going|hanging|been|keeping|today|tonight|now|"
    r"then|this|morning|evening|getting|on))*|(?:what is|wassup|what) up|"
    r"are you (?:doing |feeling )?(?:well|good|okay|alright|fine))"
)
_DAY_PARTS = ("morning", "afternoon", "evening", "night")
_HELP_WORDS = frozenset(
    (
        "a abilities ability able about ai all allowed am an and answer answering any anything are ask "
        "asking assist assistance at be besides can capabilities capable categories category commands could "
        "different do does doing else everything exactly familiar features few for function functions get "
        "give good help helping how i in info information is job kind kinds know list may me more my of on "
        "options or other please purpose question questions should skills some something sort sorts stuff "
        "subjects such tasks tell the there things to topic topics type types understand use using ways "
        "what which will with would you your"
    ).split()
)
_HELP_ASKS = frozenset(
    "abilities ability ask capabilities capable commands features help function functions options purpose "
    "questions skills subjects topics assist able".split()
)
_WHAT_YOU_DO = re.compile(r"what\b.*\b(?:(?:can|could) you do|do you (?:do|know))\b")


def is_small_talk(text: str) -> bool:
    """Whether it has no other words than small talk has."""
    words = plain_words(text).split()
    return 0 < len(words) <= _LONGEST and set(words) <= _WORDS


def usual_small_talk(text: str) -> str:
    """The same in words that such a model was taught, of a sentence (lower case, without punctuation) that is
    nothing but small talk; "" for any other.
    """
    said = _in_full(text)
    words = said.split()
    if len(words) > _LONGEST_POLITE:
        return ""
    if _HOW_ARE_YOU.fullmatch(said):
        return "how are you"
    if _GREETS.intersection(words) and _GREETINGS.issuperset(words):
        return "hello"
    part = next((each for each in _DAY_PARTS if each in words), "")
    if part and {*_GREETINGS, part, "have", "nice", "sleep", "then"}.issuperset(words):
        return f"good {part}"
    if _THANKS.search(said) and _BESIDE_THANKS.issuperset(_THANKS.sub(" ", said).split()):
        return "thank you"
    name, who, what = ABOUT_ITSELF
    if _NAME.search(said) and not _RENAMES.search(said):
        return name
    if _WHO.fullmatch(said):
        return who
    return what if _WHAT.fullmatch(said) else ""


def asks_for_help(text: str) -> bool:
    """Whether a sentence (lower case, without punctuation) asks what a headband can be asked."""
    said = _in_full(text)
    words = set(said.split())
    if not _HELP_WORDS.issuperset(words):
        return False
    whose = {"you", "your", "ai"}.intersection(words) or "can i ask" in said
    asks = _HELP_ASKS.intersection(words) or _WHAT_YOU_DO.match(said)
    return said in ("help", "help me") or bool(whose and asks)


def _in_full(text: str) -> str:
    said = (
        re.sub(r"\b(what|how|who|that|it)'s\b", r"\1 is", text).replace("'re", " are").replace("'ve", " have")
    )
    return re.sub(r"\bi'm\b", "i am", said).removeprefix("please ").removesuffix(" please")
