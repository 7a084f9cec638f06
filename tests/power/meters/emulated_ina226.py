"""An emulated INA226, after its data sheet: conversions of one input, or of two in turn, averaged, once or
continuously.

Its values are means over the conversion times of the configuration register. So, as with the real chip, a
change of the load between two conversions, or during a conversion of the other input, is not measured.
"""

from __future__ import annotations

from collections.abc import Callable

CONVERSION_US = (140, 204, 332, 588, 1_100, 2_116, 4_156, 8_244)
AVERAGES = (1, 4, 16, 64, 128, 256, 512, 1024)
CONFIGURATION, BUS, CURRENT, CALIBRATION, MASK_ENABLE = 0x00, 0x02, 0x04, 0x05, 0x06
READY = 0x08
_SHUNT, _VOLTAGE, _CONTINUOUS = 1, 2, 4
_RESET = 0x4127

Mean = Callable[[float, float], float]
"""Mean of a quantity between two moments, in microseconds."""


class Ina226:
    """The chip on a 10 milliohm shunt, as a controller's I2C methods see it."""

    def __init__(
        self, now_us: Callable[[], float], current_ma: Mean, voltage_mv: Mean, *, pace: float = 1.0
    ) -> None:
        """`pace`: duration of its conversions relative to the typical one, 0.9 to 1.1."""
        self.current_ma, self.voltage_mv = current_ma, voltage_mv
        self._now_us = now_us
        self._pace = pace
        self._words = {CONFIGURATION: _RESET, CALIBRATION: 0, BUS: 0, CURRENT: 0}
        self._begun_us = now_us()
        self._finished = 0
        self._ready = False

    def readfrom_mem(self, address: int, register: int, count: int) -> bytes:
        """The value of the register, high byte first."""
        self._go_on()
        if register == MASK_ENABLE:
            word, self._ready = READY if self._ready else 0, False
        else:
            word = self._words[register]
        return word.to_bytes(2, "big")

    def readfrom_mem_into(self, address: int, register: int, into: bytearray) -> None:
        """As `readfrom_mem`, into an existing buffer of two bytes."""
        into[:] = self.readfrom_mem(address, register, len(into))

    def writeto_mem(self, address: int, register: int, data: bytes) -> None:
        """Writing the configuration register ends the current measurement and starts another."""
        self._go_on()
        self._words[register] = int.from_bytes(data, "big")
        if register == CONFIGURATION:
            self._begun_us, self._finished, self._ready = self._now_us(), 0, False

    def _go_on(self) -> None:
        """Store the last complete measurement in the registers."""
        word = self._words[CONFIGURATION]
        times = AVERAGES[word >> 9 & 7]
        shunt_us = CONVERSION_US[word >> 3 & 7] * self._pace if word & _SHUNT else 0.0
        bus_us = CONVERSION_US[word >> 6 & 7] * self._pace if word & _VOLTAGE else 0.0
        turn_us = shunt_us + bus_us
        if not turn_us:
            return
        finished = int((self._now_us() - self._begun_us) / (times * turn_us))
        if not word & _CONTINUOUS:
            finished = min(finished, 1)
        if finished == self._finished:
            return
        self._finished, self._ready = finished, True
        starts = [self._begun_us + ((finished - 1) * times + number) * turn_us for number in range(times)]
        if shunt_us:
            ma = self._mean(self.current_ma, starts, 0.0, shunt_us, turn_us)
            self._words[CURRENT] = round(ma * self._words[CALIBRATION] / 512) & 0xFFFF
        if bus_us:
            self._words[BUS] = round(self._mean(self.voltage_mv, starts, shunt_us, bus_us, turn_us) / 1.25)

    @staticmethod
    def _mean(quantity: Mean, starts: list[float], from_us: float, length_us: float, turn_us: float) -> float:
        if length_us == turn_us:  # the conversions are consecutive
            return quantity(starts[0], starts[-1] + length_us)
        seen = [quantity(start + from_us, start + from_us + length_us) for start in starts]
        return sum(seen) / len(seen)
