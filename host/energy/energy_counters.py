"""Reads the microcontroller's energy counters from the event loop, and decides whether two readings measure
the energy of an interval.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hw.supply import Energy, EnergyCounter
from power.account.ledger import Spent

MAX_POWER_MW = 15_000.0
"""Largest plausible power of a headband; counters that show more are wrong."""
OUTSIDE_POWER = "Outside power carried it."
UNREAD = "The microcontroller's counters could not be read."
WRONG = "The microcontroller's counters started anew."
_COUNT_MWH = 0.0101  # step of the counters, with some room for rounding


class CounterReader:
    """Reads the counters in a thread. Only one transfer runs at a time, so a hanging bus blocks one
    thread.
    """

    def __init__(self, counter: EnergyCounter | None) -> None:
        self._counter = counter
        self._transfer: asyncio.Future[Energy] | None = None

    async def read(self, timeout_s: float, *, mark: bool = False) -> Energy | None:
        """The counters; mark: after setting their mark. None when the board has none, when the bus fails, or
        after `timeout_s`.
        """
        counter = self._counter
        if counter is None:
            return None
        clock_s = asyncio.get_running_loop().time
        until_s = clock_s() + timeout_s
        # Of several that wait for one transfer, the first to go on begins the next.
        while self._transfer is not None and not self._transfer.done():
            if clock_s() >= until_s:
                return None
            await asyncio.wait([self._transfer], timeout=until_s - clock_s())

        def transfer_counters() -> Energy:
            if mark:
                counter.mark()
            return counter.energy()

        transfer = self._transfer = asyncio.ensure_future(asyncio.to_thread(transfer_counters))
        transfer.add_done_callback(_ignore_exception)
        await asyncio.wait([transfer], timeout=timeout_s)
        return transfer.result() if transfer.done() and transfer.exception() is None else None


def with_measured_energy(spent: Spent, start: Energy | None, end: Energy | None) -> Spent:
    """Returns a modelled interval with the energy measured by the counters at its start and end. Where they
    do not measure it, the interval stays modelled and its note says why.
    """
    if spent.supply == "outside":
        return replace(spent, note=OUTSIDE_POWER)
    if start is None or end is None:
        return replace(spent, note=UNREAD)
    taken_mwh = end.since_start_mwh - start.since_start_mwh
    if not 0 <= taken_mwh <= MAX_POWER_MW * (spent.seconds + 1) / 3600:
        return replace(spent, note=WRONG)
    since_mark_mwh = end.since_mark_mwh - start.since_mark_mwh
    # A turn begins with a mark, so both counters grow by the same amount unless they were reset.
    if spent.activity == "turn" and abs(since_mark_mwh - taken_mwh) > _COUNT_MWH:
        return replace(spent, note=WRONG)
    return spent.measured(taken_mwh)


def _ignore_exception(transfer: asyncio.Future[Energy]) -> None:
    """Ignores the exception of a transfer that timed out; the battery reading reports a faulty bus."""
    if not transfer.cancelled():
        transfer.exception()
