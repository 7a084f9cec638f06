"""The thing that a sentence about something lost names, where it is none that people usually look for: "that
drill where did i leave it", "any sign of me walking stick". Pure.
"""

from __future__ import annotations

import re

from host.language.past.times import TIME

_TIME = re.compile(rf"\b{TIME}\b")
_OWNED = re.compile(r"\b(?:my|our|me(?= [a-z]+(?!$)| [a-z]+$))\b(?P<rest>(?: [a-z']+){1,4})")
_POINTED = re.compile(r"\b(?:the|that|those|these|this)\b(?P<rest>(?: [a-z']+){1,4})")
_ENDS = frozenset(
    (
        "a about above after again against ago all along already also always am an and any anyone "
        "anybody anywhere are around as ask asked at away back be because been before behind being "
        "below beside between both but by came can catch closed could did do does doing done down each else "
        "end ended ever exactly face find first for found from gave get go goes going gone got had "
        "hand has have having he hear her here hers herself him himself his how i if in inside into "
        "is it its itself just keep keeps kept knew know last lately later lay lead leave left let "
        "lie lies like little long look looked looking lose lost lot made make many may maybe me "
        "might mine missing more most much must my near need never next no nobody none nor not "
        "nothing now of off often on once one only open onto or other our out over own perhaps pick "
        "picked place placed please point pop popped pray put quite rather really recall remember "
        "right said same saw say says see seem seemed seems seen set she should show since sit sits "
        "sitting so some somebody someone something sometimes somewhere sort spot still stood sure "
        "take taken talk tell than that the their them then there these they thing things think this "
        "those though through time times to today together told tonight too took turn turned under "
        "until up upon us use used very want wanted was way we went were what whatever when where "
        "whereabouts wherever which while who whom whose why will with within without wonder would "
        "yes yesterday yet you your yours"
    ).split()
)
"""Words that no name of a thing goes on with."""
_NO_THING = frozenset(
    (
        "afternoon aunt baby back bit boss boy bloke brother bus cat child children colleague cousin dad "
        "darling daughter day daughters dear dearest dog doctor evening eye eyes father feet fella "
        "flatmate fool foot friend friends gaffer girl goodness grandad granddaughter grandma "
        "grandmother grandson guy half hair hands head hour house husband idea kid kids lad lady "
        "landlord lass life lord love man mate matter memory mind minute mom moment month mornin morning "
        "mother mum name nan neighbour nephew niece night nurse old pal parents past people person "
        "position problem query question room second self sister son sons star story teacher thoughts "
        "trip trouble "
        "uncle visit walk week weekend wife woman word words work world year"
    ).split()
)
"""What is asked after otherwise, or not at all."""
_DONE = re.compile(r"[a-z]{2}ed$|^(?:hid|threw|broke|stole|ate|drank|wore|fell|began|rang|flew)$")
"""What was done, after a name."""
_LONGEST = 3
"""Words of the longest name."""
_BESIDE = re.compile(
    r"\b(?:in|on|at|by|to|into|inside|onto|under|underneath|near|behind|from|beside|over|around|next to|"
    r"off|past|through|against|between|below|above|with|which|both|"
    r"(?<!look )(?<!looking )(?<!looked )(?<!search )(?<!searching )(?<!hunting )for|"
    r"(?<!sign )(?<!signs )(?<!track )(?<!sight )(?<!idea )(?<!memory )of) $|"
    r"\b(?:when|while|whilst|before|after|during|since|until|till|once) "
)
"""Before a word for where something was, when, or what for."""


def thing_named(said: str) -> str:
    """The thing (lower case, without punctuation and short forms) with "my" or "the"; "" for none that is
    surely one.
    """
    said = _TIME.sub(lambda time: time[0] if time[0] == "before" else "TIME", said)
    for owner, form in (("my", _OWNED), ("the", _POINTED)):
        names = dict.fromkeys(
            name
            for found in form.finditer(said)
            if (name := _name(found["rest"])) and not _BESIDE.search(said[: found.start()])
        )
        if names:
            return f"{owner} {next(iter(names))}"
    return ""


def _name(rest: str) -> str:
    """The words up to the first one that goes on otherwise; "" where the last of them is no thing."""
    words, found = list[str](), rest.split()
    for word, after in zip(found, [*found[1:], "", ""], strict=False):
        if word in _ENDS or len(word) == 1 or (words and _DONE.search(word)):
            break
        words.append(word.removesuffix("'s"))
        if word.endswith("'s"):
            if after not in _ENDS:  # another's thing
                return ""
            break
    last = words[-1] if words else ""
    no_thing = last in _NO_THING or len(words) > _LONGEST
    return "" if not words or no_thing else " ".join(words)
