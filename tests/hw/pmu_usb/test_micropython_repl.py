"""MicroPython's prompt through a pseudo-terminal, and files written at it."""

from __future__ import annotations

import pytest

from hw.pmu_usb.flash_files import BoardFlash
from hw.pmu_usb.micropython_repl import MpremotePrompt, PromptError
from hw.pmu_usb.serial_link import LinkError
from tests.firmware.flash import Flash
from tests.firmware.pico import Pico
from tests.hw.pmu_usb.pseudo_terminal import serial_port
from tests.hw.pmu_usb.raw_repl import RawPrompt


@pytest.mark.parametrize("raw_paste", [True, False])
def test_files_go_through_mpremote_and_a_pseudo_terminal(raw_paste: bool) -> None:
    pytest.importorskip("mpremote")
    pico = Pico(Flash({"/main.py": b"import time\nwhile True:\n    time.sleep_ms(50)\n"}))
    pico.power_on()
    content = bytes(range(256)) * 9
    with serial_port(RawPrompt(pico, raw_paste).feed) as path:
        flash = BoardFlash(MpremotePrompt(path))
        flash.put("/slot_a/pmu/data.bin", content)
        flash.replace("/slot_a/manifest", b"{}")
        flash.copy("/slot_a/pmu/data.bin", "/slot_b/pmu/data.bin")
        assert flash.tree() == [
            "/main.py",
            "/slot_a/manifest",
            "/slot_a/pmu/data.bin",
            "/slot_b/pmu/data.bin",
        ]
        hashes = flash.hashes(["/slot_a/pmu/data.bin", "/slot_b/pmu/data.bin", "/missing"])
        assert len(hashes) == 2 and len(set(hashes.values())) == 1
        assert flash.read("/slot_a/manifest") == "{}"
        assert flash.read("/missing") is None
        flash.remove("/slot_b/pmu/data.bin")
        flash.remove("/slot_b/pmu/data.bin")
        assert "/slot_b/pmu/data.bin" not in flash.tree("/slot_b")
        flash.close()
    assert pico.flash.files["/slot_a/pmu/data.bin"] == content


def test_what_fails_at_the_prompt_is_one_sentence() -> None:
    pytest.importorskip("mpremote")
    pico = Pico(Flash())
    pico.power_on()
    with serial_port(RawPrompt(pico).feed) as path:
        prompt = MpremotePrompt(path)
        with pytest.raises(PromptError, match=r"^ZeroDivisionError"):
            prompt.run("1 / 0")
        assert prompt.run("print(6 * 7)").strip() == "42"
        with pytest.raises(LinkError, match="Another program uses"):
            MpremotePrompt(path)
        prompt.close()


def test_no_prompt_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mpremote")
    monkeypatch.setattr("hw.pmu_usb.micropython_repl._TIMEOUT_S", 0.3)
    with serial_port(lambda _: b"") as path, pytest.raises(LinkError, match="no MicroPython prompt"):
        MpremotePrompt(path)


def test_a_board_that_nobody_works_on_any_more_resets_itself() -> None:
    class Straight:
        """Code goes straight to the board."""

        def __init__(self, pico: Pico) -> None:
            self._pico = pico

        def run(self, code: str) -> str:
            return self._pico.execute(code)[0]

        def close(self) -> None:
            pass

    pico = Pico(Flash())
    pico.power_on()
    flash = BoardFlash(Straight(pico))
    for _ in range(5):
        pico.advance(40_000)
        flash.put("/x", b"1")
    assert pico.boots == 1
    pico.advance(61_000)
    assert pico.boots == 2
