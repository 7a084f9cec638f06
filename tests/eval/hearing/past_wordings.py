"""Wordings of questions to the memory for choosing rules, not for figures: none of them is in
`tests.eval.memory_voice.wordings`, which measures.

{item}: "my" or "the" and a thing; {time}: a time in the past; {place}: a room; {spot}: a place for things;
{are} and {were}: in the number of the thing. The rules were made with `FIRST`; `SECOND` are other wordings,
which showed what the rules lacked.
"""

from __future__ import annotations

FIRST: dict[str, tuple[str, ...]] = {
    "where": (
        "do you happen to know where i left {item}",
        "i need to know where i last put {item}",
        "can you tell me where {item} {were} last seen",
        "in which room did i leave {item}",
        "where could i have put {item}",
        "where was it that i left {item}",
        "remind me where i dropped {item}",
        "where did i lay {item} down",
        "i wonder where i have left {item}",
        "where did i set {item} down",
        "please tell me where you last saw {item}",
        "do you know where i put down {item}",
        "where was {item} the last time you saw it",
        "where else might i have left {item}",
        "have you any idea where i put {item}",
        "which room did i leave {item} in",
        "where have you last seen {item}",
    ),
    "when": (
        "what time did i last have {item}",
        "when was the last time i held {item}",
        "do you know when i last used {item}",
        "when did i last hold {item} in my hand",
        "can you tell me when {item} {were} last in view",
        "how long is it since i had {item}",
        "when did {item} last appear",
        "tell me when you last noticed {item}",
    ),
    "seen": (
        "did you notice {item} {time}",
        "have we seen {item} {time}",
        "did i come across {item} {time}",
        "did you spot {item} {time}",
        "{were} {item} in view {time}",
        "have you noticed {item} {time}",
        "did {item} come into view {time}",
        "{were} {item} around {time}",
        "did we find {item} {time}",
    ),
    "looked at": (
        "what things did you see {time}",
        "what was in front of me {time}",
        "do you remember what i saw {time}",
        "what did we see {time}",
        "which things did i look at {time}",
        "can you list what you saw {time}",
    ),
    "sign": (
        "what did the sign in the {place} read",
        "do you remember what the sign in the {place} said",
        "what stood on the sign at the {place}",
        "tell me what the sign at the {place} said",
    ),
    "was on": (
        "{were} {item} lying on the {spot}",
        "have i put {item} on the {spot}",
        "did you see {item} on the {spot}",
        "{were} {item} still on the {spot}",
        "do you know whether {item} {were} on the {spot}",
        "did i put {item} down on the {spot}",
    ),
    "lamp": (
        "was the lamp switched on {time}",
        "did i leave the lamp on {time}",
        "was the light still on {time}",
        "do you know if the lamp was on {time}",
    ),
}
SECOND: dict[str, tuple[str, ...]] = {
    "lamp": (
        "had i left the lamp on {time}",
        "was the light burning {time}",
        "did the lamp stay on {time}",
    ),
    "looked at": (
        "what did my day look like {time}",
        "what have you seen of {time}",
        "show me what i looked at {time}",
        "what came before my eyes {time}",
        "name the things that you saw {time}",
    ),
    "seen": (
        "did i walk past {item} {time}",
        "was there any sign of {item} {time}",
        "did you catch sight of {item} {time}",
        "have i looked at {item} {time}",
        "did you get a look at {item} {time}",
        "tell me if you saw {item} {time}",
        "has anybody shown you {item} {time}",
    ),
    "sign": (
        "can you remember the sign in the {place}",
        "what was the sign at the {place} about",
        "what were the words on the sign in the {place}",
        "i saw a sign in the {place} what did it say",
        "how did the sign at the {place} read",
    ),
    "was on": (
        "{were} {item} left on the {spot}",
        "did {item} lie on the {spot}",
        "had i put {item} on the {spot}",
        "is it right that {item} {were} on the {spot}",
        "tell me if {item} {were} on the {spot}",
    ),
    "when": (
        "how many minutes ago did i have {item}",
        "when have you last seen {item}",
        "at what hour did i use {item}",
        "when was it that i had {item}",
        "how recently did i see {item}",
        "when {were} {item} last with me",
        "what was the time when i last saw {item}",
        "since when have i not seen {item}",
    ),
    "where": (
        "what did i do with {item}",
        "i have mislaid {item} where did i have it last",
        "where did {item} get to",
        "where would i have left {item}",
        "can you recall where {item} {were}",
        "help me find where i left {item}",
        "where do you remember seeing {item}",
        "where have i been keeping {item}",
        "on what did i put {item}",
        "where did you spot {item} last",
        "any idea where i dropped {item}",
        "where have you noticed {item}",
        "could you say where {item} {were} lying",
        "i forgot where i put {item}",
    ),
}
WORDINGS = {kind: FIRST[kind] + SECOND[kind] for kind in FIRST}
