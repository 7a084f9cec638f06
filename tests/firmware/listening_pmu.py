"""A PMU with a microphone and a host that goes through everything that switches either off."""

from __future__ import annotations

from firmware.pmu import app
from firmware.pmu import registers as r
from firmware.pmu.gauge_saved_state import KEPT_BYTES

DEADLINE_S = 30
FULL_MV = 3_900
BLOCK_MS = 200  # a fourteenth of the real rate, as encoding is slow here


class Board:
    """A board with a microphone that always has sound while it is on."""

    def __init__(self):
        self.now_ms = 1_000
        self.voltage_mv = FULL_MV
        self.pressed = False
        self.rail_on = True
        self.reason = 0
        self.lasting = bytes(KEPT_BYTES)
        self.microphone_on = False
        self.blocks = 0
        self.due_ms = 0

    def ticks_ms(self):
        return self.now_ms

    def sense(self):
        return self.voltage_mv, -200, r.ZERO_CELSIUS_DK + 250, False

    def alert(self, active):
        pass

    def rail(self, on):
        self.rail_on = on

    def keep_guard(self, word):
        self.reason = word

    def kept_guard(self):
        return self.reason

    def button(self):
        return self.pressed

    def microphone(self, samples):
        was_on, self.microphone_on = self.microphone_on, samples is not None
        if not was_on:
            self.due_ms = self.now_ms
        if samples is None or self.due_ms + BLOCK_MS > self.now_ms:
            return False
        self.due_ms += BLOCK_MS
        for n in range(len(samples)):
            samples[n] = 1_000 + n
        self.blocks += 1
        return True

    def keep(self, data):
        self.lasting = data

    def kept(self):
        return self.lasting

    def load(self):
        return b""

    def save(self, record):
        pass


class World:
    """A PMU, its host and its wearer."""

    def __init__(self):
        self.board = Board()
        self.beat = 0
        self.start()

    def start(self):
        """Starts or restarts the PMU."""
        self.board.microphone_on = False
        self.pmu = app.Pmu(self.board)

    def write(self, code, value):
        low, high = value & 0xFF, value >> 8
        at = code * r.CELL_BYTES
        self.pmu.target.memory[at : at + 3] = bytes([low, high, r.write_pec(at, low, high)])
        self.pmu.target.accept_writes()

    def live(self):
        """Starts the host's program."""
        self.beat += 1
        self.write(r.HEARTBEAT_DEADLINE, DEADLINE_S)
        self.write(r.HEARTBEAT, self.beat)
        self.run(0.5)

    def run(self, seconds):
        end_ms = self.board.now_ms + round(seconds * 1_000)
        while self.board.now_ms < end_ms:
            ticks = (app.TICK_MS,) * 12 if self.pmu.button.busy or self.board.pressed else (app.PERIOD_MS,)
            for tick_ms in ticks:
                self.board.now_ms += tick_ms
                self.pmu.tick()
            self.pmu.step()

    def request(self, what):
        self.write(r.POWER_REQUEST, what)
        self.run(0.5)

    def press(self, seconds):
        self.board.pressed = True
        self.run(seconds)
        self.board.pressed = False
        self.run(1)

    def listen(self, asleep):
        """The host makes the PMU listen and goes to sleep, unless it stays awake."""
        self.live()
        self.write(r.SOUND_GATE, r.GATE_LISTEN)
        if asleep:
            self.request(r.REQUEST_SLEEP)
        self.run(1)
        recorder = self.pmu.sound.recorder
        assert self.board.microphone_on and recorder.kept
        self.write(r.PAGE, recorder.pages - 1)  # the host reads the recorded sound
        assert max(self.window())

    def window(self):
        """The sound that the host can read, without the byte with the page number."""
        at = r.PAGE_0 * r.CELL_BYTES
        words = [self.pmu.target.memory[at + n * r.CELL_BYTES :][:2] for n in range(8)]
        return [byte for word in words for byte in word][1:]

    def until(self, so, limit_s):
        for _ in range(limit_s):
            if so(self):
                return
            self.run(1)
        raise AssertionError("that did not come about")

    def assert_off(self, seconds=15):
        """Checks for that time that nothing is recorded, that no sound is left, and that the registers
        agree.
        """
        blocks = self.board.blocks
        assert not self.board.microphone_on
        self.run(seconds)
        assert self.board.blocks == blocks
        assert not self.board.microphone_on
        gate, target = self.pmu.sound, self.pmu.target
        assert gate.recorder.kept == 0
        assert gate.recorder.ring == bytes(len(gate.recorder.ring))
        assert not any(gate.samples)
        assert max(self.window()) == 0
        assert target.value(r.SOUND_GATE) == r.GATE_OFF
        assert not target.value(r.PMU_REQUEST) & r.ASK_SOUND
        assert not gate.wake
