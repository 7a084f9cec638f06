"""How people ask what happened in the last seconds, by what they want to know.

{item} and {item2}: things of the drawn home with "the" or "my". The keys are the families that the motion
brick answers; "read" is answered from the sharpest picture. Text is lower case without punctuation.
"""

from __future__ import annotations

from models.train.world.wording.texts import Texts

TRAINED: Texts = {
    "direction": (
        "which way did {item} go",
        "which way did {item} move",
        "what way did {item} go",
        "tell me which way {item} went",
        "in which direction did {item} move",
        "in which direction did {item} go",
        "which direction did {item} go",
        "did {item} go left or right",
        "did {item} move left or right",
        "did {item} go up or down",
        "where did {item} go",
        "where did {item} move",
    ),
    "whether": (
        "did {item} move",
        "has {item} moved",
        "did anything move",
        "did something move",
        "has anything moved",
        "was {item} moving",
        "did {item} move at all",
    ),
    "moved": (
        "what moved",
        "what just moved",
        "what was moving",
        "which thing moved",
        "tell me what moved",
        "what did move",
    ),
    "first": (
        "what came first {item} or {item2}",
        "which came first {item} or {item2}",
        "what did i see first {item} or {item2}",
        "what did you see first {item} or {item2}",
        "what did i see first",
        "what did you see first",
        "what was i pointing at first",
        "what did i look at first",
        "what came first",
    ),
    "flashes": (
        "how often did the light blink",
        "how often did the light flash",
        "how often did the lamp blink",
        "how often did it flash",
        "how many times did the light flash",
        "how many times did the light go out",
        "how many times did it blink",
        "count the flashes",
    ),
    "blinked": (
        "did the light blink",
        "did the lamp blink",
        "did the light flash",
        "did the light go out",
        "has the light flashed",
    ),
    "appeared": (
        "what appeared",
        "what has appeared",
        "what just appeared",
        "what was put down",
        "which thing is new",
        "what came into view",
    ),
    "gone": (
        "what disappeared",
        "what has disappeared",
        "what went away",
        "what was taken away",
        "which thing is gone",
    ),
    "swapped": (
        "did {item} and {item2} change places",
        "did {item} and {item2} swap places",
        "have {item} and {item2} changed places",
        "did they change places",
    ),
    "speed": (
        "how fast did {item} move",
        "how fast did {item} go",
        "did {item} move fast or slowly",
        "was {item} fast or slow",
        "how fast was {item}",
    ),
    "read": (
        "what did the sign say that we just passed",
        "what did the sign say we passed",
        "what was on the sign",
        "what was on the label",
        "read the sign we just passed",
        "what was written on the sign",
    ),
}
HELD_OUT: Texts = {
    "direction": ("to which side did {item} move", "which way was {item} going"),
    "whether": ("is it true that {item} moved", "was anything moving"),
    "moved": ("what is it that moved", "what thing was moving"),
    "first": ("was it {item} or {item2} that came first", "what was in front of me first"),
    "flashes": ("how many flashes were there", "how often did the light go out"),
    "blinked": ("was the light flashing", "did it blink"),
    "appeared": ("what has come into view", "what did somebody put down"),
    "gone": ("what did somebody take away", "what was there before and is gone"),
    "swapped": ("are {item} and {item2} the other way round now", "did {item} trade places with {item2}"),
    "speed": ("did {item} go quickly or slowly", "at what speed did {item} move"),
    "read": ("what did that sign say", "which words were on the sign"),
}
"""Wordings that no training sentence has."""
