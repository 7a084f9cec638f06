"""The board's clock: light sleep, and a slower one.

A timed `machine.lightsleep` of the rp2 port stops every clock but the timer's. An edge at a pin ends it, if
the pin has an interrupt with a handler (MicroPython issue 7035). It leaves the processor at its usual clock,
also when a slower one was set (issue 19433), so a board dozes and wakes at its usual clock.
"""

import machine
from machine import Pin

SLOW_HZ = 48_000_000  # enough for bus, gauge, button and microphone; only a reading host waits for more


class Sleeper:
    """`sound`: the detector's pin; `button`: low while pressed; `pins`: their edges end a doze, those of the
    first, the detector's, only while the PMU listens.
    """

    def __init__(self, sound, button, pins):
        self._sound = sound
        self._button = button
        self._pins = pins
        self._usual_hz = machine.freq()
        self._edge = False

    def heard(self):
        """Is there sound?"""
        return bool(self._sound.value())

    def clock(self, usual):
        """The processor's usual clock, or the slower one."""
        hz = self._usual_hz if usual else SLOW_HZ
        if machine.freq() != hz:
            machine.freq(hz)

    def doze(self, ms, listening):
        """Sleep for at most `ms`; returns whether an edge ended it, or came on the way. `listening`: sound
        matters.
        """
        pins = self._pins if listening else self._pins[1:]
        self._edge = False
        for pin in pins:
            pin.irq(self._note_edge, Pin.IRQ_FALLING | Pin.IRQ_RISING)
        if not self._stirs(listening):
            machine.lightsleep(ms)
        for pin in pins:
            pin.irq(None)
        return self._stirs(listening)

    def _stirs(self, listening):
        # A press or a sound that began before the interrupts were armed has no edge.
        return self._edge or not self._button.value() or (listening and self.heard())

    def _note_edge(self, _):
        self._edge = True
