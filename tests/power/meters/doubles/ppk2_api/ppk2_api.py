"""A double of the package of that name, for computers without it: the same class and methods, written from
the instrument's protocol.
"""

from __future__ import annotations

import time
from typing import Any

import serial


class PPK2_API:
    def __init__(self, port: str, **kwargs: Any) -> None:
        self.ser = serial.Serial(port, **kwargs)
        self.modifiers: dict[str, Any] = {
            name: {str(place): start for place in range(5)}
            for name, start in {"R": 1, "GS": 1, "GI": 1, "O": 0, "S": 0, "I": 0, "UG": 1}.items()
        }

    @staticmethod
    def list_devices() -> list[str]:
        return []

    def get_modifiers(self) -> bool | None:
        self.ser.write(b"\x19")
        text = b""
        until_s = time.monotonic() + 1
        while b"END" not in text:
            if time.monotonic() > until_s:
                return None
            text += self.ser.read(self.ser.in_waiting)
        for line in text.decode("utf-8").split("\n"):
            name, _, value = line.partition(": ")
            if name[-1:].isdigit() and name[:-1] in self.modifiers:
                self.modifiers[name[:-1]][name[-1]] = float(value)
        return True

    def use_source_meter(self) -> None:
        self.ser.write(b"\x11\x02")

    def use_ampere_meter(self) -> None:
        self.ser.write(b"\x11\x01")

    def set_source_voltage(self, mV: int) -> None:
        high, low = divmod(mV - 800 + 32, 256)
        self.ser.write(bytes((0x0D, 3 + high, low)))

    def toggle_DUT_power(self, state: str) -> None:
        self.ser.write(b"\x0c" + (b"\x01" if state == "ON" else b"\x00"))

    def start_measuring(self) -> None:
        self.ser.write(b"\x06")

    def stop_measuring(self) -> None:
        self.ser.write(b"\x07")

    def get_data(self) -> bytes:
        return bytes(self.ser.read(self.ser.in_waiting))
