"""The console's client and the prompt, through pseudo-terminals with the firmware's own code behind them."""

from __future__ import annotations

import os
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from firmware.pmu import lines
from firmware.pmu import registers as r
from hw.board_flash import BoardFlash
from hw.console import MAP_VERSION, Console, NoAnswer, Refused
from hw.prompt import MpremotePrompt, PromptError
from hw.serial_link import LinkError, SerialLink, find_board
from tests.firmware.flash import Flash
from tests.firmware.pico import Pico
from tests.firmware.test_console import Bench


class FarEnd:
    """One end of a pseudo-terminal, served in a thread; the other is a serial port at `path`."""

    def __init__(self, serve: Callable[[bytes], bytes]) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self._serve = serve
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        os.set_blocking(self._master, False)
        while not self._stop.is_set():
            try:
                data = os.read(self._master, 4_096)
            except BlockingIOError:
                data = b""
            except OSError:
                return
            answer = self._serve(data)
            while answer:
                try:
                    answer = answer[os.write(self._master, answer) :]
                except BlockingIOError:
                    time.sleep(0.001)
            if not data:
                time.sleep(0.002)

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        os.close(self._master)
        os.close(self._slave)


class FirmwareEnd:
    """The firmware's console behind the port, with faults on the wire."""

    def __init__(self) -> None:
        self.bench = Bench()
        self.lose_next = 0
        """So many of the next answers never arrive."""
        self.noise = b""
        """Comes before each answer."""
        self.mute = False

    def __call__(self, data: bytes) -> bytes:
        if self.mute:
            return b""
        self.bench.incoming += data
        self.bench.live(20)
        whole = self.bench.outgoing.rfind(b"\n") + 1
        out, self.bench.outgoing = self.bench.outgoing[:whole], self.bench.outgoing[whole:]
        if out and self.lose_next:
            self.lose_next -= 1
            return out[:-5]
        return self.noise + out if out else b""


@contextmanager
def serial_port(serve: Callable[[bytes], bytes]) -> Iterator[str]:
    end = FarEnd(serve)
    try:
        yield end.path
    finally:
        end.close()


@pytest.fixture
def end() -> FirmwareEnd:
    return FirmwareEnd()


@pytest.fixture
def console(end: FirmwareEnd) -> Iterator[Console]:
    with serial_port(end) as path:
        client = Console(SerialLink(path), answer_s=0.3)
        yield client
        client.close()


def test_battery_and_version(console: Console) -> None:
    battery = console.battery()
    assert (battery.voltage_mv, battery.current_ma, battery.temperature_c) == (3850, -150, 25.0)
    assert battery.known and not battery.charging and battery.alarms == ()
    version = console.version()
    assert version.map_version == MAP_VERSION
    assert (version.slot, version.trial, version.maintenance) == ("slot_a", True, False)


def test_set_reaches_the_register_and_a_refusal_is_a_sentence(console: Console, end: FirmwareEnd) -> None:
    console.set("heartbeat_deadline", 45)
    assert end.bench.pmu.target.value(r.HEARTBEAT_DEADLINE) == 45
    with pytest.raises(Refused, match=r"The PMU refuses: What can be set: .*light"):
        console.set("voltage", 1)


def test_the_whole_log_comes_in_order(console: Console, end: FirmwareEnd) -> None:
    for index in range(30):
        end.bench.pmu.log.add(f"line {index}")
    log, crash = console.log()
    assert [line.text for line in log][-30:] == [f"line {index}" for index in range(30)]
    assert crash == "slot_b: ValueError"


def test_a_lost_answer_is_asked_for_again(console: Console, end: FirmwareEnd) -> None:
    end.lose_next = 2
    assert console.battery().voltage_mv == 3850


def test_noise_between_the_lines_is_passed_over(console: Console, end: FirmwareEnd) -> None:
    end.noise = bytes(range(256)) + b'{"id": 1, "ok": true}*00000000\nstarted\r\n>>> '
    assert console.version().map_version == MAP_VERSION
    end.bench.incoming += bytes(range(256))
    assert console.battery().known


def test_a_mute_pmu_is_no_answer_after_a_bounded_time(console: Console, end: FirmwareEnd) -> None:
    end.mute = True
    began = time.monotonic()
    with pytest.raises(NoAnswer, match="does not answer"):
        console.version()
    assert time.monotonic() - began < 3


def test_the_trace_loses_nothing_over_a_port(console: Console) -> None:
    samples = list(console.power_trace(2))
    assert len(samples) >= 2 * 240
    assert console.samples_lost == 0 and all(sample.lost == 0 for sample in samples)
    assert samples[-1].time_s == pytest.approx((len(samples) - 1) * 0.004)
    assert (samples[5].voltage_mv, samples[5].current_ma) == (3850, -150)


def test_lost_trace_lines_are_counted(console: Console, end: FirmwareEnd) -> None:
    trace = console.power_trace(2)
    first = next(trace)
    end.lose_next = 1
    rest = list(trace)
    missing = sum(sample.lost for sample in rest)
    assert first.lost == 0
    assert missing == console.samples_lost > 0
    assert len(rest) + 1 + missing >= 2 * 240


def test_who_stops_reading_a_trace_stops_it(console: Console, end: FirmwareEnd) -> None:
    trace = console.power_trace(60)
    next(trace)
    trace.close()  # type: ignore[attr-defined]
    assert end.bench.sampler is None
    assert console.battery().known


def test_an_answer_of_another_release_is_a_sentence() -> None:
    def serve(data: bytes) -> bytes:
        messages = [lines.decode(line) for line in lines.Lines().feed(data)]
        return b"".join(lines.encode({"id": message["id"], "ok": True}) for message in messages)

    with serial_port(serve) as path:
        console = Console(SerialLink(path), answer_s=0.3)
        for call in (console.battery, console.version, console.log, lambda: list(console.power_trace(1))):
            with pytest.raises(LinkError, match="another release"):
                call()
        console.close()


# The port


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


def test_a_board_that_vanishes_is_one_sentence(end: FirmwareEnd) -> None:
    far = FarEnd(end)
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


# MicroPython's prompt


class RawPrompt:
    """MicroPython's raw prompt on an emulated board: Ctrl-A enters it, Ctrl-D runs what came, as in the
    interpreter's `pyexec`. `raw_paste`: the board knows that mode, with its flow control.
    """

    WINDOW = 128

    def __init__(self, pico: Pico, raw_paste: bool = True) -> None:
        self._pico = pico
        self._raw_paste = raw_paste
        self._raw = False
        self._code = b""
        self._pasting = False
        self._left = 0

    def __call__(self, data: bytes) -> bytes:
        out = b""
        for byte in data:
            out += self._byte(bytes([byte]))
        return out

    def _byte(self, byte: bytes) -> bytes:
        if self._pasting:
            return self._paste(byte)
        if byte == b"\x03":
            self._pico.interrupt()
            self._code = b""
            return b""
        if self._pico.state != "prompt":
            return b""
        if byte == b"\x01":
            self._raw, self._code = True, b""
            return b"raw REPL; CTRL-B to exit\r\n>"
        if not self._raw:
            return b""
        if byte == b"\x04":
            code, self._code = self._code, b""
            return b"OK" + self._run(code)
        self._code += byte
        return b""

    def feed(self, data: bytes) -> bytes:
        """As called by the port: the sequence that asks for raw paste is looked for first."""
        out = b""
        while data:
            at = data.find(b"\x05A\x01")
            if at < 0 or self._pasting:
                return out + self(data)
            out += self(data[:at])
            data = data[at + 3 :]
            if self._raw_paste:
                self._pasting, self._left = True, self.WINDOW
                out += b"R\x01" + self.WINDOW.to_bytes(2, "little")
            else:
                out += b"R\x00"
        return out

    def _paste(self, byte: bytes) -> bytes:
        if byte == b"\x04":
            self._pasting = False
            code, self._code = self._code, b""
            return b"\x04" + self._run(code)
        self._code += byte
        self._left -= 1
        if self._left:
            return b""
        self._left = self.WINDOW
        return b"\x01"

    def _run(self, code: bytes) -> bytes:
        printed, error = self._pico.execute(code.decode())
        return printed.encode() + b"\x04" + error.encode() + b"\x04>"


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
    monkeypatch.setattr("hw.prompt._TIMEOUT_S", 0.3)
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
