"""What the headband says about what it remembers: time in words, what the view shows, and how sure it is."""

from __future__ import annotations

import re
import time
from datetime import date

from host.answers.recollection import Recollection
from host.answers.timer_replies import clock
from host.language.number_words import in_words
from host.language.past.times import without_time
from host.language.usual.view import PLACES

NO_REASON = "That was about nothing that I looked for."
OFF = "I do not remember what I see, because you have not asked me to. Say remember what you see."
FORGOTTEN_ALL = "I have forgotten everything."
FORGOTTEN_NOTHING = "I do not know when that was, so I have forgotten nothing."
FORGETS_BY_TIME = "I forget by time only: the last hour, today, yesterday, everything and the like."
KEPT = "I will keep this view"
NOT_PARKED = "I do not know where you parked, because you kept no view under such a name."
NAME_UNHEARD = "I did not catch the name."
THING_UNHEARD = "I did not catch which thing you mean."
NO_VIEW = "I see nothing that I could keep."
NOTHING_THEN = "I remember nothing from then."
NOT_VERY_SURE = "not very sure"
ASK_FIRST = "Ask me first where something was."
_ABSENT = re.compile(
    r"\b(no|not|cannot|can't|nothing|none|unsure|too dark|blurred|blurry|covered|hidden|in the way|only part|"
    r"turn your head|look (up|down|left|right)|come closer)\b"
)
_POSSESSIVE = {"my": "your", "your": "my", "our": "your", "i": "you", "me": "you"}


_IN_PLACE = re.compile(
    r" (?:at|in|on|of|from|by|outside|near) (?:the |my |a )?"
    rf"(?P<place>{'|'.join((*PLACES, *PLACES.values()))})$"
)
_NO_THINGS = frozenset(
    "a an the my your our of in on at to by from for and or be been is are was were had have has do did so "
    "before after last earlier later then again ever now just".split()
)
_OWNER = re.compile(r"^(?:my|our|your|the|a|an) ")
_LATELY = re.compile(r"(?:last|past) (?!night|evening|week|[a-z]+day|month|year)")
"""A length of time up to now: "last two hours"."""
_WEEKDAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b")
_GOES_ON = re.compile(r"(?:today|this|since|lately|recently|tonight|so far)\b")
"""A time that is not over."""


def thing_of(rest: str) -> str:
    """What a question is about: "i last see my glasses" -> "my glasses"."""
    text = re.sub(
        r"^(i|you|we)( last)? (see|saw|have|had|use|used|wear|wore|notice|noticed|look at) ", "", rest
    )
    return without_time(text).strip()


def names_nothing(thing: str) -> bool:
    """Whether what a question is about has no word for a thing, as where one was misheard: "before last"."""
    return all(word in _NO_THINGS for word in thing.split())


def is_called(thing: str, name: str) -> bool:
    """Whether what a question is about ends with the words of a view's name; none has the name ""."""
    return bool(name) and (f" {thing}".endswith(f" {name}") or same_name(thing, name))


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same, whoever's they are: "my seat" and "the seat"."""
    return _OWNER.sub("", one) == _OWNER.sub("", other)


def yours(thing: str) -> str:
    """From the wearer's mouth to the headband's: "my keys" -> "your keys"."""
    return " ".join(_POSSESSIVE.get(word, word) for word in thing.split())


def question_about(thing: str) -> str:
    """What the language model is asked about a view."""
    plural = thing.endswith(("s", "scissors")) and not thing.endswith("ss")
    return f"where {'are' if plural else 'is'} {thing}"


def tells_of(answer: str, thing: str) -> bool:
    """Whether the language model's answer says where the thing is: it names it, denies nothing, asks for no
    better view, and does not place the thing beside itself, as it does where it takes another for it.
    """
    said = answer.lower()
    name = re.sub(r"^(?:my|your|our|the) ", "", thing)
    last = name.split()[-1] if name.split() else ""
    beside_itself = re.search(rf"\b(?:of|to|beside|near) (?:the |your )?{re.escape(name)}\b", said)
    return bool(last) and last.rstrip("s") in said and not _ABSENT.search(said) and not beside_itself


def at_time(time_s: float, now_s: float) -> str:
    """When, in words that say as much as the distance needs: "two minutes ago", "at ten past nine"."""
    ago_s = max(0.0, now_s - time_s)
    if ago_s < 60:
        return "just now"
    if ago_s < 3600:
        minutes = int(ago_s // 60)
        return f"{in_words(minutes)} minute{'s' if minutes > 1 else ''} ago"
    days = (_date(now_s) - _date(time_s)).days
    if days == 0:
        return f"today at {clock(time_s)}"
    if days == 1:
        return f"yesterday at {clock(time_s)}"
    if days < 7:
        return f"on {time.strftime('%A', time.localtime(time_s))} at {clock(time_s)}"
    if days < 60:
        return f"{in_words(days)} days ago"
    months = round(days / 30.44)
    count, unit = (months, "months") if months < 24 else (months // 12, "years")
    return f"about {in_words(count)} {unit} ago"


def seen(thing: str, answer: str, time_s: float, now_s: float, sureness: str, *, before: bool = False) -> str:
    """The sentence about a view in which the thing was found. before: it was told of a later one already."""
    was = re.sub(r"\bare\b", "were", re.sub(r"\bis\b", "was", answer.strip(), count=1), count=1)
    when = at_time(time_s, now_s)
    return f"{'Before that, ' if before else ''}I saw {yours(thing)} {when}. {was} I am {sureness}."


def in_view(thing: str, answer: str, sureness: str) -> str:
    """The sentence about the thing where it is in view at the question."""
    return f"I see {yours(thing)} now. {answer.strip()} I am {sureness}."


def sureness_in_view(borne_out: float) -> str:
    """How sure, in words, of what is in view: by the share of the object detector's scenes in which it is
    so, 0 to 1.
    """
    return "quite sure" if borne_out >= 0.9 else "fairly sure" if borne_out >= 0.75 else NOT_VERY_SURE


def same_before(thing: str, time_s: float, now_s: float, *, first: bool) -> str:
    """The sentence when all earlier views that were looked at show the thing as the later one does. first:
    none is older than the one of that time.
    """
    since = f"{'the first time' if first else 'at least since'} {at_time(time_s, now_s)}"
    return f"Before that, I saw {yours(thing)} in the same place, {since}."


def why_recalled(told: Recollection) -> str:
    """What the memory's last answer rests on."""
    if not told.thing:
        return NO_REASON
    if told.in_view:
        return f"I looked at the picture that I had just taken, and it shows {yours(told.thing)}."
    if not told.looked and told.time_s is None:
        return "Of the pictures that I remember none fits your words, so I looked at no such thing again."
    if not told.looked:
        return "Of what I remember, that picture fits your words best. I have not looked at it again."
    views = "one picture" if told.looked == 1 else f"{in_words(told.looked)} pictures"
    looked = f"I looked again at {views} that fit your words best"
    if not told.agreeing:
        return f"{looked}, and {'it shows' if told.looked == 1 else 'they show'} no such thing."
    shown = "one of them shows" if told.agreeing == 1 else f"{in_words(told.agreeing)} of them show"
    return f"{looked}, and {'it shows' if told.looked == 1 else shown} {yours(told.thing)}."


def how_sure_recalled(told: Recollection) -> str:
    """How sure the memory's last answer was."""
    return f"I am {told.sure}. {why_recalled(told)}" if told.sure else why_recalled(told)


def with_article(time_words: str) -> str:
    """A length of time up to now as a noun: "last two hours" -> "the last two hours"; others as they are."""
    return f"the {time_words}" if _LATELY.match(time_words) else time_words


def not_seen(thing: str, since: str = "") -> str:
    """The sentence when no view shows the thing."""
    lately = _LATELY.match(since) is not None
    if not lately and not goes_on(since):
        return f"I did not see {yours(thing)} {since}."
    when = f"in the {since}" if lately else since
    return f"I have not seen {yours(thing)} {when or 'in what I remember'}."


def goes_on(time_words: str) -> bool:
    """Whether a time is not over: "today"; "" for any time."""
    return not time_words or _GOES_ON.match(time_words) is not None


def time_unknown(sentence: str) -> str:
    """The answer where a time was named that is not known, so that any time was looked through."""
    return f"I do not know when that was. {sentence}"


def sureness(score: float, best: float, about: float) -> str:
    """How sure, in words: by how far the view that is told of fits less well than the best, of the most that
    it may.
    """
    return ("quite sure", "fairly sure", NOT_VERY_SURE)[min(2, int(3 * (best - score) / about))]


def place_in(words: str) -> str:
    """The place in "sign in the shop"; "" for none, and for what is no place ("label on the bottle")."""
    found = _IN_PLACE.search(words)
    return found["place"] if found else ""


def reads(answer: str) -> bool:
    """Whether the language model has read something."""
    said = f" {answer.lower()} "
    return (" says " in said or " number on " in said) and not _ABSENT.search(said)


_PLACE_NAMED = re.compile(r"\bthis is (?:the |a |your )?([a-z ]+)")


def elsewhere(answer: str, place: str) -> bool:
    """Whether the language model names another place."""
    found = _PLACE_NAMED.search(answer.lower())
    return found is not None and found[1].strip() != place


def names_place(answer: str, place: str) -> bool:
    """Whether the language model names this place."""
    found = _PLACE_NAMED.search(answer.lower())
    return found is not None and found[1].strip() == place


def you_were(answer: str) -> str:
    """Where the wearer was, from what the language model calls the room; "" where it names none."""
    found = re.fullmatch(r"this is (?P<room>(?:the|a|your) [a-z ]+)\.?", answer.lower())
    return "" if found is None else f"You were in {found['room']}."


def sign_seen(sign: str, answer: str, time_s: float, now_s: float, sureness: str) -> str:
    """The sentence about what a sign said."""
    was = re.sub(r"\bis\b", "was", re.sub(r"\bsays\b", "said", answer.strip(), count=1), count=1)
    return f"I saw {yours(sign)} {at_time(time_s, now_s)}. {was} I am {sureness}."


def sign_unread(sign: str, time_s: float, now_s: float) -> str:
    """The sentence about a sign that was seen and could not be read."""
    return f"I saw {yours(sign)} {at_time(time_s, now_s)}, but I could not read it."


def forgotten(count: int, of: str = "today") -> str:
    """The sentence after the views of some time were forgotten, which it names so that a length that was
    misheard is noticed.
    """
    if not count:
        return f"There was nothing of {of} to forget."
    return f"I have forgotten {'one picture' if count == 1 else f'{count} pictures'} of {of}."


def forgotten_of(count: int, time: str) -> str:
    """The same after the views of a stretch of time, in the words of `past.times.times_of`."""
    if _LATELY.match(time):
        return forgotten(count, with_article(time))
    return forgotten(count, f"what I saw {'on ' if _WEEKDAY.match(time) else ''}{time}")


def kept(name: str, unheard: bool = False) -> str:
    """The sentence after the present view was kept for good. unheard: it was given a name that the recogniser
    does not know.
    """
    return f"{KEPT}{f' as {yours(name)}' if name else ''}.{f' {NAME_UNHEARD}' if unheard else ''}"


def _date(time_s: float) -> date:
    return date.fromtimestamp(time_s)
