"""The sound gate: while the host sleeps, the PMU records sound (`sound_adpcm`), detects the onset of speech
(`sound_onset`) and wakes the host.

The host writes GATE_LISTEN and suspends. At an onset the gate raises EVENT_KIND_SOUND and ASK_SOUND,
activates the wake line, and sets PAGE to half a second before the speech begins. It continues to record; the
host reads page after page until they overlap with the sound of its own microphone, then writes GATE_TAKEN.
When the host does not write within 8 s, the wake line is released until the next onset.
`hw.pmu.sleeping_microphone` is the other side.

The gate is off and holds no sound after GATE_OFF, and whenever the guard has no host to listen for: the rail
is off, or the host was restarted or given up on and has sent no heartbeat since.

Load of the processor. An RP2040 runs MicroPython at 125 MHz: 7,812 cycles per sample at 16 kHz. A bytecode
takes about 100-200 cycles (estimated) and a sample of ADPCM some 120 bytecodes, more than 12,000 cycles, so
plain Python cannot encode in real time. Compiled by viper (mpy-cross 1.29 for armv6m, run in an emulator on
recorded speech, counted with the Cortex-M0+'s cycles: one, two for loads, stores and branches taken) a sample
takes 329 cycles to encode, 72 to measure and 89 to narrow from the microphone's 32 bits: 490, 6.3 % of the
core. `Onset.judge` is bytecode, about 250 per block and 520 at most: some 50,000 cycles in 14.6 ms, 3 %, and
6 % at most. At 48 MHz, at which it records, all of it takes a third of the core. `just eval gate` prints
these figures. Showing a page takes 1,300 cycles, 10 us, showing two 2,500, 20 us (counted alike), and the
bytecode around it about 100 us; 0.3 ms in all at 48 MHz, where the host looks twice. Once it has taken over,
the clock is the usual one while it reads the rest.

A microphone with a sound detector beside it (`board_sleep`) rests after 3 s without a loud block, so that the
PMU can sleep: what it recorded is erased, and at the next sound it records again. The detector's threshold is
not the gate's, so in a noisy room it ends every rest at once; each rest that was shorter than the wait for it
doubles the wait, up to 48 s. What is lost of a word is the way out of the sleep and the microphone's own
start (`tests.firmware.test_doze`).

The samples come by DMA into I2S buffers of 128 ms. When Python is stopped for longer, sound is lost; so it is
during a flash write, which blocks all interrupts (`gauge_saved_state`).
"""

from array import array

from . import registers as r
from .sound_adpcm import GROUP_PAGES, GROUP_SAMPLES, NUMBERS, Recorder
from .sound_onset import Onset

LEAD_BLOCKS = 34  # 0.5 s before the onset, for detectors that adapt to the noise
HOLD_OFF_MS = 2_000  # least time between two wakes
ANSWER_MS = 8_000  # how long the wake line is active without an answer of the host
REST_MS = 3_000  # without a loud block until the microphone rests
MOST_REST_MS = 48_000  # the same in a noisy room
READING_MS = 10_000  # how long the host may read what was recorded (`hw.pmu.sleeping_microphone`)
_BLOCKS_AT_ONCE = 16  # most blocks in one step, so that a backlog does not delay the other parts


class SoundGate:
    """One microphone. `events` takes `add(kind, detail)`, `guard` takes `ask(bits)` and `answered(bits)`,
    `show(page)` sets the window of pages.
    """

    def __init__(self, events, guard, recorder: Recorder, show):
        self.samples = array("h")  # a block, and its detector, while the gate listens
        self.onset: object = None
        self.recorder = recorder
        self.wake = False  # is the wake line to be active?
        self.mode = r.GATE_OFF
        self._events = events
        self._guard = guard
        self._show = show
        self._requested = r.GATE_OFF
        self._control_changed = False
        self._woke_ms = -HOLD_OFF_MS
        self.resting = False  # does the microphone rest until there is sound?
        self._wait_ms = REST_MS
        self._loud_ms = 0
        self._rested_ms = 0
        self._taken_ms = -READING_MS

    def records(self, heard: bool) -> bool:
        """Is the microphone on after the next `step`? `heard` as there."""
        return self._requested == r.GATE_LISTEN and (heard or not self.resting)

    def read(self, now_ms: int) -> bool:
        """May the host be reading what was recorded, while nothing more is?"""
        return self._requested == self.mode == r.GATE_TAKEN and now_ms - self._taken_ms < READING_MS

    @property
    def recording(self) -> bool:
        """The microphone is in use."""
        return self.mode == r.GATE_LISTEN

    def control(self, value: int) -> dict:
        """The host wrote SOUND_GATE. A value that is no GATE_* is refused."""
        if value > r.GATE_TAKEN:
            return {r.SOUND_GATE: self._requested}
        self._requested = value
        self._control_changed = True
        return {}

    def words(self) -> dict:
        """Register code -> value for `Target.publish`."""
        return {r.SOUND_PAGES: self.recorder.pages}

    def step(self, now_ms: int, microphone, host_present: bool = True, heard: bool = True) -> None:
        """Carry out the host's last write, and record what the microphone has. `microphone(samples)` fills a
        block and returns whether there was one; `microphone(None)` switches it off. Without `host_present`
        (`guard.Guard`) the gate goes off. `heard`: the sound detector finds sound; True without one. `now_ms`
        never goes back.
        """
        if not host_present and (self._requested != r.GATE_OFF or self.mode != r.GATE_OFF):
            self.control(r.GATE_OFF)
        if self._control_changed:
            self._control_changed = False
            self._enter(self._requested, microphone)
            self._loud_ms = self._taken_ms = now_ms
            self._wait_ms = REST_MS
        if self.mode != r.GATE_LISTEN:
            return
        if self.wake and now_ms - self._woke_ms >= ANSWER_MS:
            self._answered()
        if self.resting:
            if not heard:
                return
            short = now_ms - self._rested_ms < self._wait_ms
            self._wait_ms = min(MOST_REST_MS, 2 * self._wait_ms) if short else REST_MS
            self.resting = False
            self._loud_ms = now_ms
        for _ in range(_BLOCKS_AT_ONCE):
            if not microphone(self.samples):
                break
            self.hear(now_ms)
        if not heard and not self.wake and now_ms - self._loud_ms >= self._wait_ms:
            self.resting = True
            self._rested_ms = now_ms
            microphone(None)
            self._erase()

    def hear(self, now_ms: int) -> None:
        """Record the block in `samples`, and wake the host if speech begins in it."""
        self.recorder.add(self.samples)
        onset = self.onset
        since = onset.feed(self.samples)  # type: ignore[attr-defined]  # there while the gate listens
        if onset.loudness > onset.threshold:  # type: ignore[attr-defined]
            self._loud_ms = now_ms
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
        for n in range(len(self.samples)):
            self.samples[n] = 0
        if mode != r.GATE_TAKEN:
            self._erase()
        if mode == r.GATE_LISTEN:
            self.samples, self.onset = array("h", (0,) * GROUP_SAMPLES), Onset()
        else:
            self.samples, self.onset = array("h"), None
        self.resting = False
        self.mode = mode

    def _erase(self):
        """Erase all sound, in the ring and in the register window."""
        self.recorder.clear()
        self._show(self.recorder.pages)

    def _answered(self):
        self.wake = False
        self._guard.answered(r.ASK_SOUND)
