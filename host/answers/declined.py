"""What is said to questions that are not answered: those of safety, those that break off, and
commands for later.
"""

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
DECLINED: Mapping[str, str] = {
    "safety": UNSAFE,
    "not_later": "I can do that only at once. Tell me when it is time.",
    **BROKEN_OFF,
}
"""Intent of `intents.yaml` -> sentence."""
