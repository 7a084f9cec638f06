"""The firmware's half of `just deploy`, onto the emulated microcontroller of the tests: its flash, its resets
and its USB port are in this process, so no serial line is between, as there is none in the virtual board.
"""

from __future__ import annotations

import time

from host.deploy import Deploy
from host.image import firmware_image
from tests.firmware.flash import Flash
from tests.firmware.pico import Pico, pressed
from tests.firmware.usb import EmulatedUsb


def deploy_twice() -> tuple[float, list[str]]:
    """From an empty flash, then once more; seconds of this computer, and what the second one said. Raises
    `host.approach.DeployError`.
    """
    pico = Pico(Flash())
    usb = EmulatedUsb(pico)
    pico.power_on()
    pico.advance(1_000)
    image = firmware_image(compiler=pressed)
    begin_s = time.monotonic()
    said: list[str] = []
    for _ in range(2):
        said.clear()
        Deploy(usb, image, said.append, monotonic=usb.monotonic, sleep=usb.sleep).run()
    return time.monotonic() - begin_s, said
