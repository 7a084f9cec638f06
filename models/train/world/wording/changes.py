"""How people ask what moved or changed between two pictures of drawn shapes.

A key is a family, or "family, aspect" where the answer differs within a family. Text is lower case without
punctuation.
"""

from __future__ import annotations

from models.train.world.wording.texts import Texts

CHANGES: Texts = {
    "motion": (
        "which way did the {shape} move",
        "where did the {shape} go",
        "did the {shape} move left or right",
        "in which direction did the {shape} move",
        "which way did the {shape} go",
        "which way did the {colour} {shape} move",
        "which way did that {shape} move",
        "in which direction did the {shape} go",
        "in which direction did the {colour} {shape} move",
        "where did the {shape} move",
        "where did the {shape} move to",
        "where has the {shape} gone",
        "where has the {colour} {shape} gone",
        "which way did the {colour} {shape} go",
        "did the {colour} {shape} go left or right",
        "where did the {colour} {shape} go",
        "how did the {shape} move",
        "tell me which way the {shape} moved",
        "did the {shape} go left or right",
        "did the {shape} move up or down",
        "which direction did the {shape} move",
    ),
    "motion, whether": (
        "did the {shape} move",
        "did the {colour} {shape} move",
        "did that {shape} move",
        "has the {shape} moved",
        "has the {colour} {shape} moved",
        "tell me if the {shape} moved",
    ),
    "change": (
        "what changed",
        "what has changed",
        "what's changed",
        "what is different",
        "what happened",
        "what just happened",
        "what has happened",
        "tell me what changed",
        "tell me what happened",
        "what changed in the picture",
        "what changes do you see",
    ),
    "change, any": (
        "did anything change",
        "did something change",
        "has anything changed",
        "has something changed",
        "is anything different",
        "is something different",
        "did anything happen",
    ),
    "change, new": (
        "what is new",
        "what is new here",
        "is anything new",
        "is there anything new",
        "what appeared",
        "what has appeared",
        "which thing is new",
    ),
    "change, gone": (
        "what is gone",
        "what is missing",
        "what disappeared",
        "what has disappeared",
        "what went away",
        "is anything missing",
        "is anything gone",
    ),
    "change, still": (
        "is the {shape} still there",
        "is the {colour} {shape} still there",
        "is that {shape} still there",
        "is the {shape} still here",
        "is the {colour} {shape} still here",
        "do you still see the {colour} {shape}",
        "can you still see the {colour} {shape}",
        "do you still see the {shape}",
        "can you still see the {shape}",
    ),
    "change, away": (
        "is the {shape} gone",
        "is the {colour} {shape} gone",
        "did the {shape} disappear",
        "has the {shape} disappeared",
        "did the {colour} {shape} disappear",
    ),
    "change, recoloured": (
        "did the {shape} change colour",
        "did the {shape} change its colour",
        "has the {shape} changed colour",
        "does the {shape} have another colour",
    ),
}
