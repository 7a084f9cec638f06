"""Deploys firmware to an emulated board."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest

from host.flash.board_access import DeployError
from host.flash.deploy import Deploy
from host.flash.image import FirmwareImage, firmware_image
from hw.pmu_usb.console_client import FirmwareVersion
from hw.pmu_usb.serial_link import LinkError
from tests.firmware.flash import Flash
from tests.firmware.pico import Pico, pressed
from tests.firmware.usb import EmulatedUsb

OLD = firmware_image(commit="01d01d01")
PLAIN = firmware_image(commit="2e32e32e")
NEW = replace(PLAIN, files=PLAIN.files | {
    "pmu/gauge_cell.py": OLD.files["pmu/gauge_cell.py"] + b"\n# as of now\n", "pmu/more.py": b"MORE = 1\n",
})  # fmt: skip
COMPILED = firmware_image(commit="2e32e32e", compiler=pressed)


class Bench:
    """An emulated board, its USB port, and the lines that a deploy printed."""

    def __init__(self, flash: Flash | None = None, *, settle: bool = True) -> None:
        self.flash = flash or Flash()
        self.pico = Pico(self.flash)
        self.usb = EmulatedUsb(self.pico)
        self.said: list[str] = []
        self.pico.power_on()
        if settle:
            self.pico.advance(1_000)

    def deploy(self, image: FirmwareImage, *, replace_loader: bool = False) -> list[str]:
        self.said.clear()
        self._deploy(image, replace_loader).run()
        self.pico.advance(1_000)
        return self.said

    def preview(self, image: FirmwareImage) -> list[str]:
        self.said.clear()
        self._deploy(image, False).preview()
        return self.said

    def refused(self, image: FirmwareImage) -> str:
        with pytest.raises(DeployError) as caught:
            self.deploy(image)
        self.pico.advance(1_000)
        sentence = str(caught.value)
        assert sentence.endswith(".") and "\n" not in sentence
        return sentence

    def version(self, within_s: float = 90.0) -> FirmwareVersion | None:
        until_s = self.usb.monotonic() + within_s
        while self.usb.monotonic() < until_s:
            self.usb.sleep(0.5)
            try:
                return self.usb.console().version()
            except LinkError:
                continue
        return None

    def _deploy(self, image: FirmwareImage, replace_loader: bool) -> Deploy:
        return Deploy(
            self.usb, image, self.said.append,
            monotonic=self.usb.monotonic, sleep=self.usb.sleep, replace_loader=replace_loader,
            source_image=PLAIN if image is COMPILED else None,
        )  # fmt: skip


@functools.cache
def flashed() -> dict[str, bytes]:
    """The files of a board that runs OLD, with nothing in its other slot."""
    bench = Bench()
    bench.deploy(OLD)
    bench.pico.power_off()
    return dict(bench.flash.files)
