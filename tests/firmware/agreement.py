"""An hour of the whole PMU driven by pseudo-random integers: battery, host, button and microphone.

`script()` yields what it serves and does at each step; two interpreters that run it must yield the same.
"""

from firmware.pmu import registers as r
from firmware.pmu.app import Pmu
from firmware.pmu.gauge_saved_state import KEPT_BYTES


class Draw:
    """Numbers from a linear congruential generator that fits MicroPython's small integers."""

    def __init__(self, seed):
        self._state = seed

    def below(self, limit):
        self._state = (self._state * 1103 + 12345) % 1048573
        return self._state * limit // 1048573


class Board:
    """A board with every method; records what the firmware does to its lines since the last step."""

    def __init__(self, draw):
        self.now_ms = 0x3FFFF000
        self.draw = draw
        self.current_ma, self.powered, self.pressed, self.loud = -300, False, False, False
        self.done = []
        self.memory = bytes(KEPT_BYTES)

    def ticks_ms(self):
        return self.now_ms & 0x3FFFFFFF

    def sense(self):
        noise = self.draw.below(9) - 4
        voltage_mv = 3820 + self.current_ma // 10 + noise - (self.now_ms - 0x3FFFF000) // 9000
        return voltage_mv, self.current_ma + noise, 2981 + noise, self.powered

    def alert(self, active):
        self.done.append(("alert", active))

    def rail(self, on):
        self.done.append(("rail", on))

    def reset_line(self, active):
        self.done.append(("reset", active))

    def wake(self, active):
        self.done.append(("wake", active))

    def button(self):
        return self.pressed

    def light(self, red, green, blue):
        self.done.append(("light", red, green, blue))

    def microphone(self, samples):
        if samples is None or self.draw.below(3):
            return False
        height = 9000 if self.loud else 40
        for place in range(len(samples)):
            samples[place] = self.draw.below(2 * height) - height
        return True

    def keep(self, data):
        self.memory = data

    def kept(self):
        return self.memory

    def load(self):
        return b""

    def save(self, record):
        self.done.append(("saved", sum(record)))


def _write(pmu, code, value):
    low, high = value & 0xFF, value >> 8
    start = code * r.CELL_BYTES
    pmu.target.memory[start : start + 3] = bytes((low, high, r.write_pec(start, low, high)))
    pmu.target.accept_writes()


def script(steps=600):
    """Yield, for each step: the register words, what was done to the lines, and two floats of the gauge."""
    draw = Draw(4711)
    board = Board(draw)
    pmu = Pmu(board)
    for number in range(steps):
        if draw.below(12) == 0:
            board.current_ma = (-20, -150, -650, -1400, 500)[draw.below(5)]
            board.powered = board.current_ma > 0
        if draw.below(8) == 0:
            board.pressed = not board.pressed
        if draw.below(20) == 0:
            board.loud = not board.loud
        if draw.below(6) == 0:
            code = r.WRITABLE[draw.below(len(r.WRITABLE))]
            _write(pmu, code, draw.below(8) if draw.below(4) else draw.below(65536))
        if draw.below(9) == 0:
            _write(pmu, r.HEARTBEAT, number)
        pmu.step()
        for _ in range(2 + draw.below(3)):
            board.now_ms += 20 + draw.below(2000 if draw.below(5) == 0 else 20)
            pmu.tick()
        words = [pmu.target.value(code) for code in range(r.REGISTER_COUNT)]
        done, board.done = board.done, []
        yield [words, done, [pmu.gauge.percent, pmu.gauge.estimate]]
