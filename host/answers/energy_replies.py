"""Replies about energy: how long the battery lasts, why an answer was short, what used the battery.

Replies with figures of energy say whether these are measured or estimated.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from host.answers.certainty_replies import Grounds
from hw.pmu.cell_curve import DESIGN_MAH
from hw.supply import BatteryReading
from power.account.ledger import Activity, Book, Drain, Spent
from power.policy.plan import Mode, PowerPlan

NOMINAL_V = 3.7
"""Mean voltage of a lithium cell."""
ENOUGH_H = 1 / 6
"""Least hours of use in the mean power that predicts the time left; with less, the present current does."""
WORDS_PER_TOKEN = 0.75
"""Mean number of English words per token."""
UNREADABLE = "I cannot read the battery just now."
NO_BATTERY = "I have no battery: I run from the mains."
ESTIMATES = "These figures are estimates."
_NAMES: dict[Activity, str] = {"standby": "waiting", "asleep": "sleeping"}


@dataclass(frozen=True)
class Outlook:
    """What the energy ledger knows at one moment."""

    drain: Drain = field(default_factory=Drain)
    today: Book = field(default_factory=Book)
    last_turn: Spent | None = None
    empty_percent: float = 0.0
    """The charge at which the headband stops."""


@dataclass(frozen=True)
class PastAnswer:
    """Plan and length of an earlier answer."""

    plan: PowerPlan
    """The plan that applied."""
    tokens: int | None
    """Tokens that the language model generated; None when it generated none or was stopped."""
    silenced: bool = False
    """The wearer silenced it."""
    grounds: Grounds = field(default_factory=Grounds)
    """Who answered, and how sure."""


def not_there(reading: BatteryReading) -> str:
    """Why there is nothing to say of the battery, as a sentence; "" where there is."""
    if reading.no_battery:
        return NO_BATTERY
    return UNREADABLE if reading.state != "good" or reading.percent is None else ""


def lasting(reading: BatteryReading, drain: Drain, empty_percent: float = 0.0) -> str:
    """How long the battery lasts down to `empty_percent`, by the mean power of the last hour, else by the
    present current.
    """
    if missing := not_there(reading):
        return missing
    if reading.charging:
        return f"I am charging, and the battery is at {reading.percent} percent."
    left_mah = _full_mah(reading) * max(0.0, (reading.percent or 0) - empty_percent) / 100
    if drain.mean_mw and drain.weighed_h >= ENOUGH_H:
        left = _duration(left_mah * NOMINAL_V / drain.mean_mw)
        if drain.kind == "measured":
            return f"If it goes on like the last hour, I will last about {left}."
        return f"I estimate about {left}, if it goes on like the last hour."
    if reading.current_ma is None:
        return f"The battery is at {reading.percent} percent. I cannot tell yet how long it lasts."
    if reading.current_ma >= 0:
        return f"The battery is at {reading.percent} percent, and hardly anything is drawn from it."
    return f"At this rate, I will last about {_duration(left_mah / -reading.current_ma)}."


def why_short(last: PastAnswer | None, plan: PowerPlan) -> str:
    """Why the last answer was as short as it was. `plan` is the present plan, used when there is no last
    answer.
    """
    if last is None:
        return f"I have not answered anything yet. {which_mode(plan)}"
    plan = last.plan
    mode = f"I was in {plan.mode.value} mode, because {_past(_spoken(plan.reason))}"
    if last.silenced:
        return f"You silenced me. {mode}."
    if last.tokens is None:
        return f"Nothing was cut: that answer is always so short. {mode}."
    words = round(plan.answer_max_tokens * WORDS_PER_TOKEN)
    if last.tokens < plan.answer_max_tokens:
        said = f"That was all I had to say, though about {words} words were allowed."
    else:
        said = f"I stopped after about {words} words."
    if plan.mode is Mode.PERFORMANCE:
        return f"{said} {mode}, and saved no power."
    if plan.mode is Mode.THROTTLED:
        saved = round(100 * (1 - plan.alpha))
        return f"{said} {mode}, and saved {saved} percent of the power that this mode can save."
    if plan.residency == "one_at_a_time":
        return f"{said} {mode}, and used one model at a time."
    return f"{said} {mode}, and saved all the power that I can."


def used_today(today: Book, reading: BatteryReading) -> str:
    """What the battery was used for since midnight; `reading` says what a full one holds."""
    from_battery = today.only(supply="battery")
    whole_mwh = from_battery.total_mwh
    if whole_mwh <= 0:
        return "Nothing has used the battery today."
    parts = []
    for activity in ("standby", "turn", "asleep"):
        book = from_battery.only(activity=activity)
        share = round(100 * book.total_mwh / whole_mwh)
        if share:
            parts.append((share, _NAMES.get(activity) or _questions(book)))
    parts.sort(key=lambda part: -part[0])
    (share, name), *others = parts
    first = f"{name[0].upper()}{name[1:]} used the most, about {share} percent"
    if not others:
        first = f"Nearly all of it went into {name}"
    rest = " and ".join(f"{name} used {share} percent" for share, name in others)
    rest = f" {rest[0].upper()}{rest[1:]}." if rest else ""
    share_of_full = whole_mwh / (_full_mah(reading) * NOMINAL_V)
    pack = f"All together, that is {_percent(share_of_full)} of a full battery."
    return f"{first}.{rest} {pack} {_certainty(from_battery)}"


def cost(last: Spent | None) -> str:
    """The energy of the last answer."""
    if last is None:
        return "I have not answered anything yet."
    amount = f"{last.total_mwh:.1f} milliwatt hours"
    if last.kind == "measured":
        return f"I measured {amount} for it."
    return f"I estimate {amount} for it."


def _questions(book: Book) -> str:
    count = round(sum(account.count for account in book))
    return "one question" if count == 1 else f"{count} questions" if count else "questions"


def _full_mah(reading: BatteryReading) -> int:
    return reading.full_mah or DESIGN_MAH


def _percent(share: float) -> str:
    percent = 100 * share
    return f"about {round(percent)} percent" if percent >= 1 else "less than one percent"


def _certainty(book: Book) -> str:
    share = book.measured_share
    if share >= 0.995:
        return "These figures are measured."
    if share < 0.005:
        return ESTIMATES
    return f"About {max(1, min(99, round(100 * share)))} percent of that is measured, the rest is estimated."


def _duration(hours: float) -> str:
    if hours >= 1.5:
        return f"{round(hours)} hours"
    return f"{max(5, round(hours * 12) * 5)} minutes"


def which_mode(plan: PowerPlan) -> str:
    """The power mode and its reason."""
    return f"I am in {plan.mode.value} mode, because {_spoken(plan.reason)}."


def _spoken(reason: str) -> str:
    """A plan's reason in words for the wearer; the details of a faulty gauge are in the journal only."""
    known = ("the battery is at ", "it is charging", "it runs ", "you asked ", "the processor is at ")
    return reason if reason.startswith(known) else "I cannot read the battery"


def _past(reason: str) -> str:
    """A plan's reason in the past tense."""
    return reason.replace(" is ", " was ").replace("cannot", "could not").replace("it runs ", "it ran ")
