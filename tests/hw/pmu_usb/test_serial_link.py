"""The PMU's serial port: finding it, and losing it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hw.pmu_usb.console_client import Console
from hw.pmu_usb.serial_link import LinkError, SerialLink, find_board
from tests.hw.pmu_usb.pseudo_terminal import FarEnd, FirmwareEnd, serial_port


def test_a_port_that_is_missing_or_taken_is_one_sentence() -> None:
    with pytest.raises(LinkError, match="There is no port /dev/nothing"):
        SerialLink("/dev/nothing")
    with serial_port(lambda _: b"") as path:
        first = SerialLink(path)
        with pytest.raises(LinkError, match="Another program uses"):
            SerialLink(path)
        first.close()
        SerialLink(path).close()
    with pytest.raises(LinkError, match="cannot be used"):
        SerialLink("/etc/hostname")


def test_a_board_that_vanishes_is_one_sentence() -> None:
    far = FarEnd(FirmwareEnd())
    link = SerialLink(far.path)
    far.close()
    with pytest.raises(LinkError, match=r"unplugged|takes nothing"):
        Console(link, answer_s=0.2).battery()


def plugged(device: str, serial_number: str, vid: int = 0x2E8A, pid: int = 5) -> Any:
    return SimpleNamespace(device=device, serial_number=serial_number, vid=vid, pid=pid)


def test_the_board_is_found_by_what_is_plugged_in() -> None:
    one, two = plugged("/dev/ttyACM0", "E660"), plugged("/dev/ttyACM1", "E661")
    other = plugged("/dev/ttyUSB0", "A1", 0x0403, 0x6001)
    bootloader = plugged("/dev/ttyACM9", "E662", pid=3)
    assert find_board(ports=lambda: [other, one]).path == "/dev/ttyACM0"
    assert find_board(serial_id="E661", ports=lambda: [one, two]).path == "/dev/ttyACM1"
    assert find_board("/dev/ttyACM1", ports=lambda: [one, two]).serial_id == "E661"
    assert find_board("/dev/pts/5", ports=lambda: [one]).serial_id is None
    for arguments, sentence in (
        ({"ports": lambda: [other, bootloader]}, "No board with MicroPython is plugged in"),
        ({"ports": lambda: [one, two]}, "Several boards are plugged in: .*E660 at /dev/ttyACM0, E661"),
        ({"serial_id": "E669", "ports": lambda: [one, two]}, "No board E669"),
        ({"path": "/dev/ttyACM1", "serial_id": "E660", "ports": lambda: [one, two]}, "is not E660"),
    ):
        with pytest.raises(LinkError, match=sentence):
            find_board(**arguments)  # type: ignore[arg-type]
