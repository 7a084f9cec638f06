"""The switch of the board's own supply, and why it was opened; loaded only then, and at the next start."""

import os

import machine

FILE = "off.bin"  # one byte: why the rail was off


def ship(pin, reason):
    """Store why the rail is off, and cut the supply by that pin. Returns when there is no switch for it."""
    try:
        with open(FILE, "wb") as file:
            file.write(bytes((reason,)))
    except OSError:
        return  # a headband that forgot it was switched off would start with the next charger
    pin.value(0)
    machine.lightsleep(500)
    pin.value(1)
    shipped()


def shipped():
    """The stored reason, which is forgotten; 0 without one."""
    try:
        with open(FILE, "rb") as file:
            reason = file.read(1)
        os.remove(FILE)
    except OSError:
        return 0
    return reason[0] if reason else 0
