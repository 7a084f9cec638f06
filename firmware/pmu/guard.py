"""The guard of the host: sets power rail, reset line and wake line by heartbeat, cut-off, button and the
host's requests.

Free of hardware: `step` and `gesture` change `rail`, `reset`, `wake` and `words`, which the caller carries to
board and registers.
"""

from . import gauge_cutoff as cutoff
from . import guard_button as button
from . import guard_rail as rails
from . import registers as r
from .guard_heartbeat import BOOT_MS, HUNG, Heartbeat

# From REQUEST_SAVED to the end of power. Meanwhile the host's system stops, which takes it some seconds, and
# its RK8xx switches off its own supplies in their order.
SAVED_MS = 20_000
SHUTDOWN_MS = 30_000  # from a long press to the end of power, while the guard is armed
CHOICE_MS = 5_000  # until a double press that the host does not answer is cancelled
WAKE_MS = 8_000  # how long the wake line is active without an answer; an edge may fall into the way to sleep
WAKE_AGAIN_MS = 10_000  # from one edge to the next, until the host answers or `BOOT_MS` are over
# Of `kept`, above the rail's reason and below the deadline. `_LISTENING` alone: the host has saved, and the
# reason for which the rail drops soon is in the deadline's place.
_ASLEEP, _LISTENING = 4, 8
_NOT_BACK_YET = (r.GUARD_RESET, r.GUARD_CYCLED, r.GUARD_GAVE_UP)


class Guard:
    """One host, its rail and its lines. `events` takes `add(kind, detail)`."""

    def __init__(self, events):
        self.rail = rails.Rail()
        self.reset = False  # is the reset line to be active?
        self.wake = False  # is the wake line to be active?
        self._events = events
        self._heartbeat = Heartbeat(events, self.rail)
        self.budgets = (self.rail.starts, self._heartbeat.resets)  # saved over a reset of the PMU
        self._cut_off = cutoff.CutOff()
        self._asks = 0
        self._woken_for = 0  # bits of `_asks` for which the host was woken
        self._shutdown_asked = False  # the wearer asked for the shutdown
        self._drop_at_ms = -1  # the host has saved
        self._saved_reason = rails.SHUTDOWN
        self._shutdown_until_ms = -1
        self._choice_until_ms = -1
        self._wake_from_ms = -1
        self._percent = 0.0
        self._powered = False
        self._deadline_s = 0

    def kept(self, listening: bool) -> int:
        """What `restore` needs after a reset of the PMU, 16 bits. `listening`: the sound gate's microphone is
        on.
        """
        if self._drop_at_ms >= 0:
            return _LISTENING | self._saved_reason << 4
        # A host may sleep through maintenance, which restarts the PMU; one that is awake says so at once.
        asleep = self._heartbeat.state == r.GUARD_ASLEEP or (self.maintenance and self._deadline_s)
        flags = (_ASLEEP if asleep else 0) | (_LISTENING if asleep and listening else 0)
        return self.rail.reason | flags | min(self._deadline_s, 0xFFF) << 4

    def restore(self, kept: int) -> dict:
        """Go on as before the reset; returns registers (code -> value) that hold it."""
        self.rail.restore(kept & 3)
        if not self.rail.on:
            return {}
        if kept & (_ASLEEP | _LISTENING) == _LISTENING:
            self._saved_reason, self._drop_at_ms = kept >> 4, SAVED_MS
            return {}
        self._deadline_s = kept >> 4
        self._heartbeat.restore(self._deadline_s, bool(kept & _ASLEEP))
        gate = r.GATE_LISTEN if kept & _LISTENING else r.GATE_OFF
        return {r.HEARTBEAT_DEADLINE: self._deadline_s, r.SOUND_GATE: gate}

    @property
    def maintenance(self) -> bool:
        """Neither the guard nor the PMU's own watchdog acts."""
        return self._heartbeat.state == r.GUARD_MAINTENANCE

    @property
    def gave_up(self) -> bool:
        """The host hangs, and the restarts are used up."""
        return self._heartbeat.state == r.GUARD_GAVE_UP

    @property
    def hung(self) -> bool:
        """The host sends no heartbeat and is being restarted."""
        return self._heartbeat.state in HUNG

    @property
    def beating(self) -> bool:
        """A heartbeat beside the bus counts: not in sleep or after a restart, where levels change anyway."""
        return self._heartbeat.state in (r.GUARD_ARMED, r.GUARD_WARNED)

    @property
    def ending(self) -> bool:
        """The cell is empty: the host was asked to save, and its power ends soon."""
        return self._cut_off.asked

    @property
    def awake(self) -> bool:
        """The host has power and is not suspended."""
        return self.rail.on and self._heartbeat.state != r.GUARD_ASLEEP

    @property
    def asleep(self) -> bool:
        """The host is suspended, and nobody wakes it."""
        return self._heartbeat.state == r.GUARD_ASLEEP

    @property
    def host_present(self) -> bool:
        """Is there a host to listen for? Not without power or from REQUEST_SAVED on, nor after a restart or
        giving up until the host sends a heartbeat.
        """
        return self.rail.on and self._drop_at_ms < 0 and self._heartbeat.state not in _NOT_BACK_YET

    def words(self) -> dict:
        """Register code -> value for `Target.publish`."""
        state = self._heartbeat.state
        words = {r.GUARD: state, r.PMU_REQUEST: self._asks}
        if not self.host_present:
            words[r.SOUND_GATE] = r.GATE_OFF
        if not self.rail.on or state in (r.GUARD_RESET, r.GUARD_CYCLED):
            words[r.LIGHT] = 0  # the pattern was that of the host before its restart
        if not self.rail.on and self.rail.reason != rails.CYCLE:
            words[r.HEARTBEAT_DEADLINE] = 0  # the host arms the guard again when it starts
        return words

    def ask(self, bits: int) -> None:
        """Ask the host for something (ASK_*); a sleeping host is woken for it."""
        self._asks |= bits

    def answered(self, bits: int) -> None:
        """Clear bits of ASK_*: the host did it, or it is cancelled."""
        self._asks &= ~bits
        self._woken_for &= ~bits

    def maintain(self, now_ms: int) -> None:
        """Let the host alone until REQUEST_NORMAL, a reset or `MAINTENANCE_MS`: the PMU or the host is being
        flashed. The cell is protected all the same.
        """
        self._heartbeat.maintain(now_ms)
        self._shutdown_until_ms = -1

    def step(
        self,
        now_ms: int,
        beat: int,
        deadline_s: int,
        request: int,
        voltage_mv: int,
        headroom_mv: int,
        percent: float,
        powered: bool,
        charging: bool,
    ) -> None:
        """Evaluate the host's registers and the cell once.

        `beat` changes with every heartbeat; `request`: POWER_REQUEST or 0; `headroom_mv`
        and `charging`: as in `CutOff.step`; `percent`: as in `Rail.step`; `powered`: outside power. `now_ms`
        never goes back.
        """
        self._percent, self._powered = percent, powered
        self._deadline_s = deadline_s
        if self.rail.on or self.rail.reason == rails.CYCLE:
            # The request after the heartbeat: one sent just before the host suspends must not end the sleep.
            # A host that has saved stops its system and owes none.
            if self._drop_at_ms < 0 and self._heartbeat.step(now_ms, beat, deadline_s, request != 0):
                self._pull_wake(now_ms)
            self._obey(now_ms, request)
            self._watch_cell(now_ms, voltage_mv, headroom_mv, charging)
            self._watch_times(now_ms)
        self.rail.step(now_ms, percent, powered)
        self._wake_host(now_ms)
        self.reset = self._heartbeat.resetting(now_ms)

    def gesture(self, now_ms: int, gesture: int) -> None:
        """The wearer pressed: `guard_button.SHORT`, `DOUBLE`, `LONG` or `HELD`."""
        if not self.rail.on:
            if gesture != button.HELD:
                self.rail.press(self._percent, self._powered)
            elif self.rail.reason == rails.CYCLE:
                self._drop(rails.SHUTDOWN)  # ten seconds end a power cycle too: the host stays off
            return
        self._events.add(r.EVENT_KIND_BUTTON, gesture)
        if gesture == button.HELD:
            self._drop(rails.SHUTDOWN)
            return
        if gesture == button.LONG:
            self._shutdown_asked = True
            self._shutdown_until_ms = now_ms + SHUTDOWN_MS
            self.ask(r.ASK_SHUTDOWN)
        elif gesture == button.DOUBLE:
            self._choice_until_ms = now_ms + CHOICE_MS
            self.ask(r.ASK_CHOICE)
        if self._heartbeat.state == r.GUARD_ASLEEP:
            self._pull_wake(now_ms)

    def _obey(self, now_ms, request):
        if request == r.REQUEST_SAVED:
            self._drop_at_ms = now_ms + SAVED_MS
            low = self._cut_off.asked or self._percent < rails.RECOVERED_PERCENT
            self._saved_reason = rails.EMPTY if low and not self._shutdown_asked else rails.SHUTDOWN
            self.answered(r.ASK_SHUTDOWN)
            self._shutdown_until_ms = -1
        elif request == r.REQUEST_SLEEP:
            self._heartbeat.sleep()
        elif request == r.REQUEST_REBOOT and self.rail.cycle(now_ms):
            self._drop_at_ms = -1
            self._heartbeat.restarted(now_ms)
        elif request == r.REQUEST_MAINTENANCE:
            self.maintain(now_ms)
        elif request == r.REQUEST_NORMAL:
            self._heartbeat.normal(now_ms)

    def _watch_cell(self, now_ms, voltage_mv, headroom_mv, charging):
        verdict = self._cut_off.step(now_ms, voltage_mv, headroom_mv, charging)
        if verdict == cutoff.DROP:
            self._drop(rails.EMPTY)
        elif verdict == cutoff.ASK:
            self._events.add(r.EVENT_KIND_CUT_OFF)
            self.ask(r.ASK_SHUTDOWN)
        elif not self._cut_off.asked and not self._shutdown_asked:
            self.answered(r.ASK_SHUTDOWN)

    def _watch_times(self, now_ms):
        if 0 <= self._drop_at_ms <= now_ms:
            self._drop(self._saved_reason)
        if 0 <= self._shutdown_until_ms <= now_ms:
            self._shutdown_until_ms = -1
            # The guard is off: the host's program does not run, and a person may be working on the host.
            if self._heartbeat.state == r.GUARD_OFF:
                self._shutdown_asked = False
                self.answered(r.ASK_SHUTDOWN)
            elif not self.maintenance:
                self._drop(rails.SHUTDOWN)
        if 0 <= self._choice_until_ms <= now_ms:
            self._choice_until_ms = -1
            self.answered(r.ASK_CHOICE)

    def _drop(self, reason):
        self.rail.drop(reason)
        self._heartbeat.disarm()
        self._cut_off.reset()
        self._asks = self._woken_for = 0
        self._shutdown_asked = False
        self._drop_at_ms = self._shutdown_until_ms = self._choice_until_ms = self._wake_from_ms = -1

    def _wake_host(self, now_ms):
        """Wake a sleeping host for bits of `_asks` that are new, or that it fell asleep over."""
        if self._heartbeat.state == r.GUARD_ASLEEP:
            if self._asks & ~self._woken_for:
                self._pull_wake(now_ms)
            self._woken_for = self._asks
        else:
            self._woken_for = 0  # what it leaves undone wakes it when it falls asleep
            self._wake_from_ms = -1  # it answered
        passed_ms = now_ms - self._wake_from_ms
        self.wake = self._wake_from_ms >= 0 and passed_ms < BOOT_MS and passed_ms % WAKE_AGAIN_MS < WAKE_MS

    def _pull_wake(self, now_ms):
        self._wake_from_ms = now_ms
        self._heartbeat.wake(now_ms)
