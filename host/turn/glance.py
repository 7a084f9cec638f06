"""One look of a headband that sleeps: a picture, the view gate, and what is new into the store.

The computer was woken by its clock alone. Its microphone stays closed, as the microcontroller goes on
listening, and nothing is loaded but what the plan places a new view with. What calls the headband (a sound
that the microcontroller hears, or anything that the session has to act on) ends the look, and what that has
begun goes on as between questions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from host.observe.purpose import MEMORY, working_for
from host.sensing.recent_views import RecentViews
from host.turn.intake import Intake
from hw.device import Clock, DeviceError

LONGEST_S = 10.0
"""A look takes no longer: then the computer stays awake, and the intake goes on with what it has begun."""
ASK_S = 0.2
"""Pause between two checks whether something calls, seconds."""


class Glance:
    """Looks once, and says what that gave."""

    def __init__(
        self, views: RecentViews, intake: Intake, battery: Callable[[], Awaitable[None]], clock: Clock
    ) -> None:
        """`battery`: reads it and lets the policy decide."""
        self._views, self._intake, self._battery, self._clock = views, intake, battery, clock

    async def look(self, called: Callable[[], bool]) -> dict[str, object] | None:
        """The gate's verdict, and whether the picture was kept, for the journal; None where something called
        or it took too long. A failure of the camera has a line of its own in the journal.
        """
        with working_for(MEMORY):
            looking = asyncio.create_task(self._look())
        until_s = self._clock.monotonic() + LONGEST_S
        try:
            while not looking.done():
                if called() or self._clock.monotonic() >= until_s:
                    return None
                pause = asyncio.ensure_future(self._clock.sleep(ASK_S))
                await asyncio.wait([looking, pause], return_when=asyncio.FIRST_COMPLETED)
                pause.cancel()
            return None if called() else looking.result()
        finally:
            looking.cancel()

    async def _look(self) -> dict[str, object]:
        await self._battery()
        found: dict[str, object]
        try:
            view = await self._views.glance()
        except DeviceError as problem:
            found = {"problem": str(problem)}
        else:
            found = {"gate": view.verdict.reason}
            await self._intake.stored()
        await self._battery()  # presence, or the battery, may have changed meanwhile
        return found
