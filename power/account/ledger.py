"""The energy ledger: energy of every turn, hour and day, by activity and stage, measured or modelled.

Pure bookkeeping. Measured and modelled energy have separate accounts; a sum of both comes with the share that
was measured. Totals equal the sum of what was booked.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

Kind = Literal["measured", "modelled"]
Activity = Literal["turn", "standby", "asleep"]
"""turn: from the wake word to the end of the answer. standby: awake otherwise, announcements included.
asleep: the computer is suspended."""
Supply = Literal["battery", "outside"]

REMEMBER = "remember"
"""Stage of what is done between questions to remember what is seen: looks, places, rows of the store."""
CLIP = "clip"
"""Stage of the pictures that are taken while a question is spoken: the camera, their encoding, the answer."""
HOUR_S = 3600.0
QUARTERS = 4
"""Parts of an hour by which an interval is divided: clocks differ from UTC by whole quarters of an hour, so a
midnight lies between two of them everywhere.
"""
SMOOTHING_S = 3600.0
"""Time constant of the drain: how far back the mean looks."""


@dataclass(frozen=True)
class Spent:
    """Energy of one interval of time."""

    activity: Activity
    kind: Kind
    """Kind of the total; its division among the stages is always modelled."""
    ended_s: float
    """Seconds since the epoch."""
    seconds: float
    stages_mwh: Mapping[str, float] = field(default_factory=dict)
    supply: Supply = "battery"
    """outside: the charger supplied it, not the battery."""
    mode: str = ""
    """Power mode at the time."""
    note: str = ""
    """Why it is not measured although there is an energy counter; a sentence."""
    answered_by: str = ""
    """Who answered the question of a turn: device, reflex, language model; "" for nobody."""
    views: float = 0
    """So many views were remembered."""

    @property
    def total_mwh(self) -> float:
        """The sum of the stages."""
        return math.fsum(self.stages_mwh.values())

    def measured(self, total_mwh: float) -> Spent:
        """The same interval with its measured total, divided among the stages as modelled."""
        modelled_mwh = self.total_mwh
        if modelled_mwh > 0:
            stages = {stage: value / modelled_mwh * total_mwh for stage, value in self.stages_mwh.items()}
        else:
            stages = {"unknown": total_mwh}
        return replace(self, kind="measured", stages_mwh=stages)


@dataclass(frozen=True)
class Account:
    """Sum over several intervals of one activity, kind, supply and, of turns, answerer."""

    activity: Activity
    kind: Kind
    supply: Supply
    seconds: float = 0.0
    count: float = 0.0
    """Number of intervals; one that lasts over several hours is divided among them."""
    stages_mwh: Mapping[str, float] = field(default_factory=dict)
    answered_by: str = ""
    """As of `Spent`."""
    views: float = 0
    """As of `Spent`."""

    @property
    def total_mwh(self) -> float:
        """The sum of the stages."""
        return math.fsum(self.stages_mwh.values())

    def plus(self, other: Account) -> Account:
        """The sum of both."""
        stages = dict(self.stages_mwh)
        for stage, value in other.stages_mwh.items():
            stages[stage] = stages.get(stage, 0.0) + value
        seconds, count = self.seconds + other.seconds, self.count + other.count
        views = self.views + other.views
        return replace(self, seconds=seconds, count=count, stages_mwh=stages, views=views)


class Book:
    """The accounts of an hour or a day."""

    def __init__(self, accounts: Iterable[Account] = ()) -> None:
        self._accounts: dict[tuple[Activity, Kind, Supply, str], Account] = {}
        for account in accounts:
            self.add(account)

    def __iter__(self) -> Iterator[Account]:
        return iter(self._accounts.values())

    def add(self, account: Account) -> None:
        """Add to the account of the same activity, kind, supply and answerer."""
        key = (account.activity, account.kind, account.supply, account.answered_by)
        before = self._accounts.get(key)
        self._accounts[key] = account if before is None else before.plus(account)

    def only(self, **wanted: str) -> Book:
        """The accounts with that activity, kind, supply or answerer."""
        return Book(a for a in self if all(getattr(a, name) == value for name, value in wanted.items()))

    @property
    def total_mwh(self) -> float:
        """Everything."""
        return math.fsum(account.total_mwh for account in self)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return math.fsum(account.seconds for account in self)

    @property
    def views(self) -> float:
        """So many views were remembered."""
        return math.fsum(account.views for account in self)

    @property
    def measured_share(self) -> float:
        """0..1 of the energy was measured."""
        whole = self.total_mwh
        return self.only(kind="measured").total_mwh / whole if whole > 0 else 0.0

    @property
    def kind(self) -> Kind:
        """Measured only when all of it is."""
        return "measured" if any(True for _ in self) and not any(self.only(kind="modelled")) else "modelled"

    def answerers(self) -> dict[str, Account]:
        """The turns by who answered them, most energy first; measured if every turn of that answerer is."""
        found: dict[str, Account] = {}
        for account in self.only(activity="turn"):
            before = found.get(account.answered_by)
            kind: Kind = "measured" if (before or account).kind == account.kind == "measured" else "modelled"
            found[account.answered_by] = replace(before.plus(account) if before else account, kind=kind)
        return dict(sorted(found.items(), key=lambda item: -item[1].total_mwh))

    def activities(self) -> list[Account]:
        """The sums by activity, kind and supply, most energy first."""
        whole = Book(replace(account, answered_by="") for account in self)
        return sorted(whole, key=lambda account: -account.total_mwh)

    def stages_mwh(self) -> dict[str, float]:
        """Energy by stage, largest first."""
        stages: dict[str, float] = {}
        for account in self:
            for stage, value in account.stages_mwh.items():
                stages[stage] = stages.get(stage, 0.0) + value
        return dict(sorted(stages.items(), key=lambda item: -item[1]))


@dataclass(frozen=True)
class Drain:
    """Mean power drawn from the battery, weighted exponentially towards the latest hour."""

    weighed_mwh: float = 0.0
    measured_mwh: float = 0.0
    weighed_h: float = 0.0
    """Weighted hours that the mean covers; approaches `SMOOTHING_S`."""

    @property
    def mean_mw(self) -> float | None:
        """Milliwatt; None before anything was booked."""
        return self.weighed_mwh / self.weighed_h if self.weighed_h > 0 else None

    @property
    def kind(self) -> Kind:
        """Measured when at least 95 percent of it is."""
        return "measured" if 0 < self.weighed_mwh * 0.95 <= self.measured_mwh else "modelled"

    def after(self, spent: Spent) -> Drain:
        """The mean with one more interval, whose power is taken as constant."""
        if spent.supply != "battery" or spent.seconds <= 0:
            return self
        length = spent.seconds / SMOOTHING_S
        fresh = -math.expm1(-length)
        weight = fresh / length if length > 0 else 1.0
        energy_mwh = spent.total_mwh * weight
        return Drain(
            self.weighed_mwh * (1 - fresh) + energy_mwh,
            self.measured_mwh * (1 - fresh) + (energy_mwh if spent.kind == "measured" else 0.0),
            self.weighed_h * (1 - fresh) + fresh * SMOOTHING_S / HOUR_S,
        )


def local_date(time_s: float) -> str:
    """The wearer's date at that moment, YYYY-MM-DD."""
    return time.strftime("%Y-%m-%d", time.localtime(time_s))


class Ledger:
    """Books of the hours and days that were booked last, and the last turns; older ones are dropped.

    Older by the order of booking, not by date: of two dates nothing here says which one a wrong clock gave.
    So a date in the future is dropped once as many days as are kept were booked after it.
    """

    def __init__(
        self,
        *,
        date: Callable[[float], str] = local_date,
        keep_hours: int = 48,
        keep_days: int = 31,
        keep_turns: int = 50,
    ) -> None:
        """`date` names the day of a moment; the names sort like the days."""
        self._date = date
        self._keep_hours = keep_hours
        self._keep_days = keep_days
        self.hours: dict[int, Book] = {}
        """Books by hour since the epoch."""
        self.days: dict[str, Book] = {}
        self.turns: deque[Spent] = deque(maxlen=keep_turns)
        """The last ones, oldest first."""
        self.drain = Drain()

    def book(self, spent: Spent) -> None:
        """Book an interval. One that lasts over several hours or days is divided by time."""
        for quarter, share in _quarters(spent.ended_s, spent.seconds):
            part = Account(
                spent.activity, spent.kind, spent.supply, spent.seconds * share, share,
                {stage: value * share for stage, value in spent.stages_mwh.items()}, spent.answered_by,
                spent.views * share,
            )  # fmt: skip
            date = self._date(min(spent.ended_s, (quarter + 1) * HOUR_S / QUARTERS - 1e-3))
            _book(self.hours, quarter // QUARTERS, part, self._keep_hours)
            _book(self.days, date, part, self._keep_days)
        self.drain = self.drain.after(spent)
        if spent.activity == "turn":
            self.turns.append(spent)

    def day(self, now_s: float) -> Book:
        """The day of that moment so far."""
        return self.days.get(self._date(now_s), Book())


_Key = TypeVar("_Key", int, str)


def _book(books: dict[_Key, Book], key: _Key, part: Account, keep: int) -> None:
    """Add to that book, which becomes the last, and drop the first ones beyond `keep`."""
    book = books.pop(key, Book())
    book.add(part)
    books[key] = book
    while len(books) > keep:
        del books[next(iter(books))]


def _quarters(ended_s: float, seconds: float) -> list[tuple[int, float]]:
    """(quarter of an hour since the epoch, share) of each quarter that the interval overlaps. One that began
    before the epoch, by a clock that was put back meanwhile, is booked from the epoch on.
    """
    length_s = HOUR_S / QUARTERS
    began_s = max(0.0, ended_s - max(0.0, seconds))
    first, last = math.floor(began_s / length_s), math.floor(ended_s / length_s)
    if first == last:
        return [(last, 1.0)]
    shares = []
    for quarter in range(first, last + 1):
        within_s = min(ended_s, (quarter + 1) * length_s) - max(began_s, quarter * length_s)
        if within_s > 0:
            shares.append((quarter, within_s / (ended_s - began_s)))
    return shares
