"""What is said to questions that are not answered: those of safety, and those that break off."""

from __future__ import annotations

from collections.abc import Mapping

UNSAFE = "I cannot judge what is safe, please do not rely on me for that."
BROKEN_OFF: Mapping[str, str] = {
    "ask_colour": "What colour is what?",
    "ask_where": "Where is what?",
    "ask_count": "How many of what?",
    "ask_exist": "Is there what?",
    "ask_place": "What is where?",
    "ask_how": "Is what how?",
}
"""Intent of `intents.yaml`, a question that breaks off -> sentence."""
DECLINED: Mapping[str, str] = {"safety": UNSAFE, **BROKEN_OFF}
"""Intent of `intents.yaml` -> sentence."""
