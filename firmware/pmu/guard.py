"""The guard of the host: joins heartbeat, cut-off, button and the host's own requests into what happens to
rail, reset line and wake line.

Free of hardware: `step` and `gesture` change `rail`, and say in `reset`, `wake` and `words` what the board
and the registers have to show.
"""

from . import gauge_cutoff as cutoff
from . import guard_button as button
from . import guard_rail as rails
from . import registers as r
from .guard_heartbeat import HUNG, Heartbeat

SAVED_MS = 3_000  # from REQUEST_SAVED to the drop: the last blocks reach the host's storage
WISH_MS = 30_000  # what an armed host gets between a long press and the drop
CHOICE_MS = 5_000  # a double press the host does not answer by then is forgotten
WAKE_MS = 500  # length of the pulse on the wake line
_DEAD = (r.GUARD_RESET, r.GUARD_CYCLED, r.GUARD_GAVE_UP)


class Guard:
    """One host, its rail and its lines. `events` takes `add(kind, detail)`."""

    def __init__(self, events):
        self.rail = rails.Rail()
        self.reset = False  # must the reset line be active?
        self.wake = False  # must the wake line be active?
        self._events = events
        self._heartbeat = Heartbeat(events, self.rail)
        self.budgets = (self.rail.starts, self._heartbeat.resets)  # what a reset of the PMU must not refill
        self._cut_off = cutoff.CutOff()
        self._asks = 0
        self._called = 0  # asks for which the sleeping host was woken
        self._wished = False  # the wearer asked for the shutdown
        self._drop_at_ms = -1  # the host has saved
        self._saved_reason = rails.WISH
        self._wish_until_ms = -1
        self._choice_until_ms = -1
        self._wake_until_ms = -1
        self._voltage_mv = self._headroom_mv = 0
        self._powered = False

    @property
    def maintenance(self) -> bool:
        """Keeps off everything, also the PMU's own watchdog."""
        return self._heartbeat.state == r.GUARD_MAINTENANCE

    @property
    def gave_up(self) -> bool:
        """The host hangs and the tries are used up."""
        return self._heartbeat.state == r.GUARD_GAVE_UP

    @property
    def hung(self) -> bool:
        """The host is silent and being brought back."""
        return self._heartbeat.state in HUNG

    @property
    def ending(self) -> bool:
        """The rail drops soon for want of charge."""
        return self._cut_off.asked

    @property
    def awake(self) -> bool:
        """The host has power and does not sleep."""
        return self.rail.on and self._heartbeat.state != r.GUARD_ASLEEP

    @property
    def hosted(self) -> bool:
        """May the PMU listen for the host? Not for one without power, nor for one that was restarted or given
        up on, until that one lives.
        """
        return self.rail.on and self._heartbeat.state not in _DEAD

    def words(self) -> dict:
        """Register code -> value for `Target.publish`."""
        state = self._heartbeat.state
        words = {r.GUARD: state, r.PMU_REQUEST: self._asks}
        if not self.hosted:
            words[r.SOUND_GATE] = r.GATE_OFF
        if not self.rail.on or state in (r.GUARD_RESET, r.GUARD_CYCLED):
            words[r.LIGHT] = 0  # what the host of before wanted
        if not self.rail.on and self.rail.reason != rails.CYCLE:
            words[r.HEARTBEAT_DEADLINE] = 0  # a host that comes back arms the guard itself
        return words

    def ask(self, bits: int) -> None:
        """Ask the host for something (ASK_*); a sleeping host is woken for it."""
        self._asks |= bits

    def answered(self, bits: int) -> None:
        """The host has done it, or it is no longer wanted."""
        self._asks &= ~bits
        self._called &= ~bits

    def maintain(self) -> None:
        """Keep off while the PMU or the host is being flashed, until REQUEST_NORMAL or a reset."""
        self._heartbeat.maintain()
        self._cut_off.reset()
        self.answered(r.ASK_SHUTDOWN)
        self._wish_until_ms = -1

    def step(
        self,
        now_ms: int,
        beat: int,
        deadline_s: int,
        request: int,
        voltage_mv: int,
        headroom_mv: int,
        powered: bool,
    ) -> None:
        """Look once at what the host wrote and at the cell under its present load.

        `beat` is another number after every heartbeat, `request` the POWER_REQUEST or 0, `headroom_mv` as in
        `CutOff.step`. `now_ms` never goes back.
        """
        self._voltage_mv, self._headroom_mv, self._powered = voltage_mv, headroom_mv, powered
        if self.rail.on or self.rail.reason == rails.CYCLE:
            # The request comes last: a heartbeat from just before going to sleep must not end the sleep.
            self._heartbeat.step(now_ms, beat, deadline_s, request != 0)
            self._take(now_ms, request)
            self._watch_cell(now_ms)
            self._watch_times(now_ms)
        self.rail.step(now_ms, voltage_mv, powered)
        self._call(now_ms)
        self.reset = self._heartbeat.resetting(now_ms)

    def gesture(self, now_ms: int, gesture: int) -> None:
        """The wearer pressed: one of `button.SHORT`, `DOUBLE`, `LONG`, `HELD`."""
        if not self.rail.on:
            if gesture != button.HELD:
                self.rail.press(self._voltage_mv, self._powered)
            return
        self._events.add(r.EVENT_KIND_BUTTON, gesture)
        if gesture == button.HELD:
            self._drop(rails.WISH)
            return
        if gesture == button.LONG:
            self._wished = True
            self._wish_until_ms = now_ms + WISH_MS
            self.ask(r.ASK_SHUTDOWN)
        elif gesture == button.DOUBLE:
            self._choice_until_ms = now_ms + CHOICE_MS
            self.ask(r.ASK_CHOICE)
        if self._heartbeat.state == r.GUARD_ASLEEP:
            self._pull_wake(now_ms)

    def _take(self, now_ms, request):
        if request == r.REQUEST_SAVED:
            self._drop_at_ms = now_ms + SAVED_MS
            tired = self._cut_off.asked or self._voltage_mv < rails.RECOVERED_MV
            self._saved_reason = rails.EMPTY if tired and not self._wished else rails.WISH
            self.answered(r.ASK_SHUTDOWN)
            self._wish_until_ms = -1
        elif request == r.REQUEST_SLEEP:
            self._heartbeat.sleep()
        elif request == r.REQUEST_REBOOT and self.rail.cycle(now_ms):
            self._heartbeat.restarted(now_ms)
        elif request == r.REQUEST_MAINTENANCE:
            self.maintain()
        elif request == r.REQUEST_NORMAL:
            self._heartbeat.normal(now_ms)

    def _watch_cell(self, now_ms):
        if self.maintenance:
            return
        verdict = self._cut_off.step(now_ms, self._voltage_mv, self._headroom_mv, self._powered)
        if verdict == cutoff.DROP:
            self._drop(rails.EMPTY)
        elif verdict == cutoff.ASK:
            self._events.add(r.EVENT_KIND_CUT_OFF)
            self.ask(r.ASK_SHUTDOWN)
        elif not self._cut_off.asked and not self._wished:
            self.answered(r.ASK_SHUTDOWN)

    def _watch_times(self, now_ms):
        if 0 <= self._drop_at_ms <= now_ms:
            self._drop(self._saved_reason)
        if 0 <= self._wish_until_ms <= now_ms:
            self._wish_until_ms = -1
            # Without a deadline nobody is there to hear the wish, and a person may be at work on the host.
            if self._heartbeat.state == r.GUARD_OFF:
                self._wished = False
                self.answered(r.ASK_SHUTDOWN)
            elif not self.maintenance:
                self._drop(rails.WISH)
        if 0 <= self._choice_until_ms <= now_ms:
            self._choice_until_ms = -1
            self.answered(r.ASK_CHOICE)

    def _drop(self, reason):
        self.rail.drop(reason)
        self._heartbeat.disarm()
        self._cut_off.reset()
        self._asks = self._called = 0
        self._wished = False
        self._drop_at_ms = self._wish_until_ms = self._choice_until_ms = self._wake_until_ms = -1

    def _call(self, now_ms):
        """A sleeping host is woken for what it is newly asked."""
        if self._heartbeat.state == r.GUARD_ASLEEP and self._asks & ~self._called:
            self._pull_wake(now_ms)
        self._called = self._asks
        self.wake = now_ms < self._wake_until_ms

    def _pull_wake(self, now_ms):
        self._wake_until_ms = now_ms + WAKE_MS
        self._heartbeat.wake(now_ms)
