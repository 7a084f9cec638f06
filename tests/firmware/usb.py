"""The USB port of an emulated microcontroller: its console and its prompt, as the host's classes use them."""

from __future__ import annotations

from hw.pmu_usb.console_client import Console
from hw.pmu_usb.micropython_repl import PromptError
from hw.pmu_usb.serial_link import LinkError
from tests.firmware.flash import PowerCut
from tests.firmware.pico import Pico
from tests.firmware.pico_modules import Reset

ENUMERATION_MS = 400
TICK_MS = 20


class EmulatedLink:
    """`hw.pmu_usb.serial_link.Link` that breaks when the board resets."""

    def __init__(self, pico: Pico) -> None:
        self._pico = pico
        self._boot = pico.boots
        _check(pico)

    def read(self, timeout_s: float) -> bytes:
        left_ms = timeout_s * 1000
        while True:
            self._check()
            data, self._pico.outgoing = self._pico.outgoing, b""
            if data or left_ms <= 0:
                return data
            self._pico.advance(TICK_MS)
            left_ms -= TICK_MS

    def write(self, data: bytes) -> None:
        self._check()
        if self._pico.state == "running":
            self._pico.incoming += data

    def close(self) -> None:
        pass

    def _check(self) -> None:
        if self._pico.boots != self._boot or self._pico.state not in ("running", "prompt"):
            raise LinkError("The PMU was unplugged.")


class EmulatedPrompt:
    """`hw.pmu_usb.micropython_repl.RawRepl` on the emulated board."""

    def __init__(self, pico: Pico) -> None:
        _check(pico)
        if pico.state != "prompt" and not pico.interrupt():
            raise LinkError("There is no MicroPython prompt.")
        self._pico = pico
        self._boot = pico.boots
        self.runs = 0
        self.unplug_at: int | None = None

    def run(self, code: str) -> str:
        self.runs += 1
        if self._boot != self._pico.boots or self._pico.state != "prompt" or self.runs == self.unplug_at:
            raise LinkError("The connection to the board broke off.")
        self._pico.advance(5)
        try:
            printed, error = self._pico.execute(code)
        except (Reset, PowerCut):
            raise LinkError("The connection to the board broke off.") from None
        if error:
            raise PromptError(error.strip().splitlines()[-1])
        return printed

    def close(self) -> None:
        pass


class EmulatedUsb:
    """The port of one emulated board, as `host.flash.board_access.BoardPorts`; its clock is the board's."""

    def __init__(self, pico: Pico) -> None:
        self.pico = pico
        self.unplug_at: int | None = None

    def console(self) -> Console:
        return Console(EmulatedLink(self.pico), self.monotonic)

    def raw_repl(self) -> EmulatedPrompt:
        prompt = EmulatedPrompt(self.pico)
        prompt.unplug_at = self.unplug_at
        return prompt

    def monotonic(self) -> float:
        return self.pico.now_ms / 1000

    def sleep(self, seconds: float) -> None:
        self.pico.advance(round(seconds * 1000))


def _check(pico: Pico) -> None:
    if pico.state not in ("running", "prompt") or pico.now_ms - pico.came_up_ms < ENUMERATION_MS:
        pico.advance(TICK_MS)
        raise LinkError("No board with MicroPython is plugged in.")
