"""How far something is processed: what holds for every combination of features and budget."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.exits import RULES, Budget, Features, decide

SHARE = st.floats(0, 1)
GROUPS = st.lists(st.integers(1, 5), min_size=0, max_size=14)
FEATURES = st.builds(
    Features,
    exits=GROUPS.map(lambda groups: tuple(accumulate(groups))),
    step=st.integers(0, 80),
    goal=st.integers(-3, 90),
    worthless=st.sampled_from(["", "the view is dark", "the view is blurred"]),
    tokens=st.none() | st.integers(1, 600),
    certainty=st.none() | SHARE,
)
BUDGETS = st.builds(
    Budget,
    steps=st.integers(-5, 90),
    limit=st.sampled_from(["the power plan", "a question"]),
    tokens=st.none() | st.integers(-2, 600),
    certainty=SHARE,
)
CHAIN = Features((1, 3, 4, 12), 0, 12)


@given(FEATURES, BUDGETS)
def test_every_case_has_one_decision_with_a_reason(features: Features, budget: Budget) -> None:
    decision = decide(features, budget)
    assert decision == decide(features, budget)
    reasons = {rule.reason.format(worthless=features.worthless, limit=budget.limit) for rule in RULES}
    assert decision.reason in reasons and "{" not in decision.reason


@given(FEATURES, BUDGETS)
def test_it_continues_only_to_an_exit_within_depth_and_budget(features: Features, budget: Budget) -> None:
    decision = decide(features, budget)
    if decision.action == "continue":
        assert decision.amount in features.exits
        assert features.step < decision.amount <= features.step + budget.steps
        earlier = [step for step in features.exits if features.step < step < decision.amount]
        assert all(step < features.goal for step in earlier), "no deeper than the goal needs"
    if decision.action == "prune":
        assert features.tokens is not None and 1 <= decision.amount < features.tokens
    if decision.action == "stop":
        assert decision.amount == 0


@given(FEATURES, BUDGETS)
def test_what_is_worthless_certain_or_unaffordable_stops(features: Features, budget: Budget) -> None:
    for stops in (
        (replace(features, worthless="the view is dark"), budget),
        (replace(features, certainty=budget.certainty), budget),
        (features, replace(budget, steps=0)),
        (replace(features, goal=features.step), budget),
        (replace(features, step=max(features.exits, default=0)), budget),
    ):
        assert decide(*stops).action == "stop"


@given(FEATURES, BUDGETS)
def test_decision_after_decision_comes_to_an_end_within_the_budget(
    features: Features, budget: Budget
) -> None:
    spent = 0
    for _ in range(len(features.exits) + 2):
        decision = decide(features, replace(budget, steps=budget.steps - spent))
        if decision.action == "stop":
            break
        if decision.action == "prune":
            features = replace(features, tokens=decision.amount)
        else:
            spent += decision.amount - features.step
            features = replace(features, step=decision.amount)
    else:
        raise AssertionError("it goes on for ever")
    assert spent <= max(0, budget.steps)


QUESTION, PLAN = Budget(12, "a question"), Budget(1, "the power plan")
TABLE = [
    (CHAIN, QUESTION, "continue", 12, "a question allows all that is wanted"),
    (replace(CHAIN, step=3), QUESTION, "continue", 12, "a question allows all that is wanted"),
    (replace(CHAIN, step=12), QUESTION, "stop", 0, "there are no more steps"),
    (replace(CHAIN, goal=1), PLAN, "continue", 1, "the power plan allows all that is wanted"),
    (replace(CHAIN, goal=1, step=1), PLAN, "stop", 0, "it is deep enough"),
    (replace(CHAIN, goal=1, worthless="the view is dark"), PLAN, "stop", 0, "the view is dark"),
    (CHAIN, Budget(0, "the power plan"), "stop", 0, "the power plan allows no further step"),
    (CHAIN, Budget(7, "the power plan"), "continue", 4, "the power plan ends before the goal"),
    (replace(CHAIN, step=1), PLAN, "stop", 0, "the power plan allows no further step"),
    (replace(CHAIN, tokens=64), Budget(12, tokens=16), "prune", 16, "the budget allows fewer rows"),
    (
        replace(CHAIN, tokens=16),
        Budget(12, tokens=16),
        "continue",
        12,
        "the budget allows all that is wanted",
    ),
    (replace(CHAIN, certainty=0.9), Budget(12, certainty=0.8), "stop", 0, "the answer is certain"),
    (
        replace(CHAIN, certainty=0.7),
        Budget(12, certainty=0.8),
        "continue",
        12,
        "the budget allows all that is wanted",
    ),
]


@pytest.mark.parametrize(("features", "budget", "action", "amount", "reason"), TABLE)
def test_the_table(features: Features, budget: Budget, action: str, amount: int, reason: str) -> None:
    told = decide(features, budget)
    assert (told.action, told.amount, told.reason) == (action, amount, reason)


def test_every_rule_is_in_the_table() -> None:
    used = {row[4].replace("the view is dark", "{worthless}") for row in TABLE}
    for limit in ("a question", "the power plan", "the budget"):
        used = {reason.replace(limit, "{limit}") for reason in used}
    assert used == {rule.reason for rule in RULES}
