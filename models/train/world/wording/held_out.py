"""Wordings about drawn shapes that no training question has.

A key is a family, or "family, aspect" where the answer differs within a family. Text is lower case without
punctuation.
"""

from __future__ import annotations

from models.train.world.wording.texts import Texts

HELD_OUT: Texts = {
    "colour": (
        "could you tell me the colour of the {shape}",
        "name the colour of the {shape}",
        "what colour has the {shape} got",
    ),
    "colour, sign": ("what colour has the sign got",),
    "shape": ("which object is {colour}", "what sort of shape is the {colour} thing"),
    "count": (
        "could you count the {shapes}",
        "how many {shapes} can you find",
        "how many {colour} {shapes} are in the picture",
    ),
    "count, colour": ("how many of the things are {colour}",),
    "count, all": ("how many things are in front of me",),
    "more": ("would you say there are more {shapes} than {shapes2}",),
    "exist": ("can you make out a {colour} {shape}", "do you see any {colour} {shapes}"),
    "exist, anything": ("can you see something {colour}",),
    "exist, sign": ("is there a sign in the picture",),
    "check": (
        "am i right that the {shape} is {colour}",
        "can you check if the {shape} is {colour}",
        "do you see if the {shape} is {colour}",
    ),
    "check, size": (
        "would you say the {shape} is {size}",
        "would you say the {colour} {shape} is {size}",
    ),
    "check, shape": ("do you think the {colour} thing is a {shape}",),
    "compare": (
        "which of them is bigger the {shape} or the {shape2}",
        "can you tell me which is bigger the {shape} or the {shape2}",
        "which of them is larger the {colour} {shape} or the {shape2}",
    ),
    "relation": ("would you say the {shape} is {relation} the {shape2}",),
    "position": (
        "could you tell me where the {shape} is",
        "whereabouts is the {shape}",
        "do you know where the {colour} {shape} is",
    ),
    "position, sign": ("where can i find the sign",),
    "at": ("what can you see at the {corner}",),
    "size": ("could you tell me the size of the {shape}", "how large is the {colour} {shape}"),
    "sign": (
        "could you read the sign for me",
        "read out the sign",
        "do you know what the sign says",
    ),
    "describe": (
        "could you describe what you see",
        "what do you notice",
        "say what you see",
    ),
    "side": ("what lies {relation} the {shape}", "what thing is {where} the {shape}"),
    "next": ("what can you see next to the {shape}", "what lies next to the {shape}"),
    "motion": ("in what direction did the {shape} move", "can you tell me which way the {shape} moved"),
    "motion, whether": ("can you tell me if the {shape} moved",),
    "change": ("can you tell me what changed", "what is not the same"),
    "change, still": ("is the {shape} still in the picture",),
}
"""Wordings of the same skills that are kept for the evaluation."""
