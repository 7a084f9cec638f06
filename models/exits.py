"""How far to process something: one table of rules for exits in depth, in width and in time.

    decision = decide(features, budget)

A step is whatever an exit may follow: a block of the vision encoder, a layer that joins question and picture,
a view of a motion. The host asks for a view's depth, the reflex brick between its layers. The first rule of
`RULES` that applies decides, and its name is the logged reason. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Action = Literal["stop", "continue", "prune"]


@dataclass(frozen=True)
class Features:
    """What is known at an exit."""

    exits: tuple[int, ...]
    """Steps after which processing may stop, rising, from 1; the last is the whole depth."""
    step: int
    """Steps passed so far; 0 before the first."""
    goal: int
    """Steps after which the result serves its purpose."""
    worthless: str = ""
    """Why no step is worth its cost, as a clause: "the view is dark"; "" where it is worth it."""
    tokens: int | None = None
    """Rows that every further step processes; None where rows cannot be taken away."""
    certainty: float | None = None
    """Probability that the answer of this exit is right, 0 to 1; None where the exit gives no answer."""


@dataclass(frozen=True)
class Budget:
    """What may be spent."""

    steps: int
    """Further steps; 0 or less: none."""
    limit: str = "the budget"
    """What sets it, for the logged reason."""
    tokens: int | None = None
    """Rows worth processing, from 1; None: all."""
    certainty: float = 1.0
    """From this probability on an answer is certain enough, 0 to 1."""


@dataclass(frozen=True)
class Decision:
    """What to do next. `amount`: the step to continue to, or the rows to keep; 0 for "stop"."""

    action: Action
    amount: int
    reason: str


@dataclass(frozen=True)
class Rule:
    """One row of the table. `amount` is called only where the rule applies."""

    reason: str
    """Logged; "{worthless}" and "{limit}" stand for what features and budget say."""
    action: Action
    applies: Callable[[Features, Budget], bool]
    amount: Callable[[Features, Budget], int] = lambda features, budget: 0


def _affordable(features: Features, budget: Budget) -> int:
    """The last exit within the budget, no later than the first one at which the goal is reached; the present
    step where there is none.
    """
    ends = [step for step in features.exits if features.step < step <= features.step + budget.steps]
    enough = [step for step in ends if step >= features.goal]
    return enough[0] if enough else max(ends, default=features.step)


RULES: tuple[Rule, ...] = (
    Rule("there are no more steps", "stop", lambda f, b: not f.exits or f.step >= f.exits[-1]),
    Rule("it is deep enough", "stop", lambda f, b: f.step >= f.goal),
    Rule("{worthless}", "stop", lambda f, b: bool(f.worthless)),
    Rule(
        "the answer is certain",
        "stop",
        lambda f, b: f.certainty is not None and f.certainty >= b.certainty,
    ),
    Rule("{limit} allows no further step", "stop", lambda f, b: _affordable(f, b) <= f.step),
    Rule(
        "{limit} allows fewer rows",
        "prune",
        lambda f, b: f.tokens is not None and b.tokens is not None and f.tokens > max(1, b.tokens),
        lambda f, b: max(1, b.tokens or 1),
    ),
    Rule(
        "{limit} allows all that is wanted", "continue", lambda f, b: _affordable(f, b) >= f.goal, _affordable
    ),
    Rule("{limit} ends before the goal", "continue", lambda f, b: True, _affordable),
)
"""The first rule that applies decides; the last one always applies."""


def decide(features: Features, budget: Budget) -> Decision:
    """The next action at an exit; every combination of features and budget has one."""
    rule = next(rule for rule in RULES if rule.applies(features, budget))
    reason = rule.reason.format(worthless=features.worthless, limit=budget.limit)
    return Decision(rule.action, rule.amount(features, budget), reason)
