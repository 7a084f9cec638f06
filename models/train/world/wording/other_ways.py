"""Other words in which people ask the same, all of which `host.language` understands.

The recogniser learns them in sentences of its training in which they stand for the usual word, so that
"where did i leave my mobile" and "did the specs shift" can be heard. The keys are what training sentences
say; a key of several words is replaced as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping

THINGS: Mapping[str, tuple[str, ...]] = {
    "keys": ("keyring", "bunch of keys", "door keys", "house keys", "key ring"),
    "glasses": ("spectacles", "specs", "reading glasses", "eyeglasses"),
    "phone": ("mobile", "mobile phone", "telephone", "smartphone", "cell phone", "handset"),
    "wallet": ("billfold",),
    "bag": ("handbag", "backpack", "rucksack", "satchel"),
    "cup": ("mug", "teacup", "coffee cup"),
    "book": ("novel",),
    "coat": ("jacket", "overcoat"),
    "umbrella": ("brolly",),
    "bottle": ("flask",),
    "remote control": ("remote", "tv remote"),
    "medicine box": ("medicine", "medicines", "medication", "pills", "tablets", "pill box", "box of pills"),
}
"""Things of the home."""
_FURNITURE_AND_PLACES: Mapping[str, tuple[str, ...]] = {
    "table": ("tabletop",),
    "shelf": ("bookshelf",),
    "sofa": ("couch", "settee"),
    "counter": ("worktop", "countertop"),
    "hook": ("peg",),
    "hall": ("hallway", "corridor"),
    "living room": ("lounge", "sitting room"),
    "shop": ("store",),
    "street": ("road",),
    "office": ("study",),
    "house": ("apartment", "flat", "building"),
}
_SHAPES_AND_SIZES: Mapping[str, tuple[str, ...]] = {
    "circle": ("disc", "dot"),
    "ring": ("doughnut", "hoop"),
    "diamond": ("rhombus", "lozenge"),
    "cross": ("plus",),
    "big": ("huge",),
    "small": ("tiny",),
    "colour": ("shade", "hue", "tint"),
    "shape": ("figure", "object"),
    "bigger": ("greater",),
    "nearest": ("closest",),
    "next to": ("beside", "near", "close to", "alongside", "adjacent to", "around"),
    "under": ("beneath", "underneath"),
}
_DONE: Mapping[str, tuple[str, ...]] = {
    "leave": ("drop", "forget", "place", "keep"),
    "left": ("lost", "dropped", "forgotten", "placed", "laid", "kept", "carried", "taken"),
    "put": ("place", "drop", "lay", "hang", "hold", "carry", "use", "take"),
    "see": ("notice", "find", "spot", "recall"),
    "seen": ("noticed", "found", "spotted", "held", "worn", "used"),
    "look at": ("notice", "watch"),
    "looked at": ("noticed", "watched"),
    "holding": ("carrying", "gripping", "grasping", "clutching"),
    "find": ("locate", "search for", "look for"),
    "picture": ("image", "scene", "frame", "view"),
    "thing": ("object", "item", "article"),
    "things": ("objects", "items", "stuff"),
    "something": ("somebody", "someone", "anyone", "anybody", "some people"),
    "before": ("recently", "lately", "earlier"),
    "say": ("tell", "show", "spell"),
    "written": ("printed",),
    "sign": ("poster", "board", "notice", "screen", "signpost", "signboard"),
    "label": ("sticker", "tag", "plate"),
    "in view": ("in sight", "visible", "around", "somewhere"),
    "here": ("anywhere around", "nearby"),
}
_HAPPENED: Mapping[str, tuple[str, ...]] = {
    "move": ("shift", "travel", "slide", "roll", "drift", "wander"),
    "moved": ("shifted", "travelled", "been moved", "slid", "rolled", "drifted"),
    "moving": ("shifting", "travelling", "sliding", "rolling", "going"),
    "go": ("travel", "head", "run", "fly"),
    "went": ("ran", "flew", "headed", "travelled"),
    "fast": ("quickly", "rapidly", "swiftly"),
    "how fast": ("at what speed", "at what pace", "how quickly", "how rapidly"),
    "slowly": ("gradually", "at a slow pace"),
    "direction": ("path", "way", "route", "side"),
    "blink": ("flicker", "wink", "flash twice"),
    "flash": ("flicker", "pulse", "light up"),
    "blinked": ("flickered", "gone out"),
    "how often": ("how many times", "how frequently"),
    "light": ("lamp", "bulb", "torch", "lantern"),
    "appeared": ("turned up", "shown up", "arrived", "popped up", "emerged", "come in"),
    "disappeared": ("vanished", "left", "been removed", "gone missing", "been taken"),
    "taken away": ("removed", "carried off", "stolen", "brought back"),
    "put down": ("added", "placed", "brought", "delivered"),
    "swap": ("trade", "exchange", "switch"),
    "changed": ("traded", "exchanged", "swapped", "switched"),
    "places": ("positions", "spots", "seats", "sides", "locations"),
    "first": ("first of all", "at the beginning", "sooner", "to begin with", "at the start"),
    "just": ("recently", "a moment ago", "suddenly"),
    "new": ("added", "newly there"),
}
_NOW: Mapping[str, tuple[str, ...]] = {
    "where": ("where exactly", "where on earth", "in which room", "on which side", "where else"),
    "what room": ("what place", "what part of the house", "which place"),
    "tell me": ("can you tell me", "explain", "remind me", "let me know", "i wonder", "could you say"),
    "do you see": ("can you detect", "is there any sign of", "can you make out", "do you notice"),
    "is there": ("might there be", "is there by any chance", "was there"),
    "read": ("read out", "spell", "read me"),
    "today": ("lately", "this week", "recently", "so far"),
    "switched": ("turned", "shut", "locked", "closed"),
    "on": ("onto", "upon", "lying on", "hanging on", "standing on", "behind", "across"),
    "off": ("open", "closed", "shut", "locked", "burning"),
}
OTHER_WAYS: Mapping[str, tuple[str, ...]] = {
    **THINGS, **_FURNITURE_AND_PLACES, **_SHAPES_AND_SIZES, **_DONE, **_HAPPENED, **_NOW,
}  # fmt: skip
OPENINGS: tuple[str, ...] = (
    "do you remember", "can you remember", "can you tell me", "could you tell me", "do you know",
    "do you recall", "any idea", "i wonder", "remind me", "help me remember", "i forgot", "would you know",
    "let me know",
    "please tell me", "i would like to know", "have you any idea", "i cannot remember", "sorry", "excuse me",
)  # fmt: skip
"""What may stand before a question."""
