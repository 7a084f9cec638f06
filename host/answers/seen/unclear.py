"""What is said of a picture in which nobody can make anything out, whatever a model claims to see. Pure.

Language model and reflex brick learned what drawn blur looks like; another lens blurs otherwise. Whether a
picture is dark or blurred is measured (`models.sensing.picture_quality`). Drawings of shapes in which the
light changes slowly count as blurred although they are clear (`python -m tests.eval.sight.view_gate`), views
of homes do not; so only answers about the home are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

SAID: Mapping[str, str] = {"dark": "It is too dark to see.", "blurred": "The picture is blurred."}
"""By cause, as `Quality.cause` has it."""
_SAYS_SO = re.compile(r"\b(?:too dark|blurred)\b", re.I)
_OF_THE_HOME = re.compile(
    r"\b(?:your|(?:not|are) holding|this is the|labels?|letters|which place|nothing is on)\b",
    re.I,
)


def said_instead(sentence: str, cause: str) -> str:
    """What takes the place of an answer about a picture with that cause; "" where the answer stays, as
    without a cause, and where it says so itself.
    """
    if cause not in SAID or _SAYS_SO.search(sentence) or not _OF_THE_HOME.search(sentence):
        return ""
    return SAID[cause]
