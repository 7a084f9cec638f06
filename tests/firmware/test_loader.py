"""The loader on the emulated microcontroller: it always starts a firmware that answers."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.flash.image import FIRMWARE
from hw.pmu_usb import flash_files as board_flash
from hw.pmu_usb.serial_link import LinkError
from tests.firmware.flash import Flash
from tests.firmware.pico import Pico
from tests.firmware.slot_programs import ANSWERING, BROKEN, LINES
from tests.firmware.usb import EmulatedUsb

LOADER = (FIRMWARE / "loader.py").read_bytes()
MAIN = (FIRMWARE / "main.py").read_bytes()


def slot(name: str, board: bytes = ANSWERING, *, serial: int | None = 1, marks: str = "") -> dict[str, bytes]:
    """The files of one slot. `serial` None: incomplete."""
    files = {
        f"/{name}/pmu/__init__.py": f'NAME = "{name}"\n'.encode(),
        f"/{name}/pmu/console_json_lines.py": LINES,
        f"/{name}/pmu/board.py": board,
    }
    if serial is not None:
        manifest = {"commit": "12345678", "serial": serial, "files": {"pmu/board.py": "00"}}
        files[f"/{name}/manifest"] = json.dumps(manifest).encode()
    return files | {f"/{name}/{mark}": b"" for mark in marks.split()}


def board(*slots: dict[str, bytes], **others: bytes) -> Pico:
    files = {"/loader.py": LOADER, "/main.py": MAIN}
    for each in slots:
        files |= each
    pico = Pico(Flash(files | {f"/{name}": data for name, data in others.items()}))
    pico.power_on()
    return pico


def runs(pico: Pico, within_s: float = 3.0) -> str | None:
    """Name of the firmware that answers; None when none does."""
    usb = EmulatedUsb(pico)
    until_s = usb.monotonic() + within_s
    while usb.monotonic() < until_s:
        usb.sleep(0.5)
        try:
            return usb.console().version().version
        except LinkError:
            continue
    return None


OLD = slot("slot_a", serial=1, marks="confirmed tried")


def test_the_newer_of_two_confirmed_slots_runs() -> None:
    assert runs(board(OLD, slot("slot_b", serial=2, marks="confirmed"))) == "slot_b"
    assert (
        runs(board(slot("slot_a", serial=3, marks="confirmed"), slot("slot_b", marks="confirmed")))
        == "slot_a"
    )


def test_a_new_slot_runs_on_trial_and_stays_once_confirmed() -> None:
    pico = board(OLD, slot("slot_b", serial=2))
    assert runs(pico) == "slot_b"
    console = EmulatedUsb(pico).console()
    assert console.version().trial
    console.confirm()
    assert not console.version().trial
    pico.advance(120_000)
    pico.power_on()
    assert runs(pico) == "slot_b"


def test_a_trial_that_nobody_confirms_ends_at_the_next_reset_or_by_itself() -> None:
    pico = board(OLD, slot("slot_b", serial=2))
    assert runs(pico) == "slot_b"
    pico.power_on()
    assert runs(pico) == "slot_a"
    pico = board(OLD, slot("slot_b", serial=2))
    assert runs(pico) == "slot_b"
    pico.advance(60_000)
    assert runs(pico) == "slot_a"


@pytest.mark.parametrize("fault", BROKEN)
def test_a_new_firmware_that_does_not_work_gives_way_to_the_old_one(fault: str) -> None:
    pico = board(OLD, slot("slot_b", BROKEN[fault], serial=2))
    assert runs(pico, within_s=60) == "slot_a"
    pico.advance(200_000)
    assert runs(pico) == "slot_a"


@pytest.mark.parametrize("fault", ["does not parse", "does not import", "stops at once"])
def test_a_confirmed_firmware_that_no_longer_starts_gives_way_as_well(fault: str) -> None:
    pico = board(OLD, slot("slot_b", BROKEN[fault], serial=2, marks="confirmed"))
    assert runs(pico, within_s=60) == "slot_a"
    assert b"slot_b: " in pico.flash.files["/crash.txt"]


def test_when_nothing_starts_it_tries_on_and_the_prompt_can_be_had() -> None:
    pico = board(slot("slot_a", BROKEN["stops at once"], marks="confirmed"))
    assert runs(pico, within_s=30) is None
    written = pico.flash.steps
    pico.advance(60_000)
    assert pico.flash.steps == written, "the same crash is not written again and again"
    assert pico.interrupt()
    pico = board(slot("slot_a", BROKEN["stops at once"], marks="confirmed"))
    pico.flash.files["/slot_a/pmu/board.py"] = ANSWERING
    assert runs(pico, within_s=30) == "slot_a"


def test_an_only_firmware_runs_even_when_it_was_never_confirmed() -> None:
    pico = board(slot("slot_a", marks="tried"))
    assert runs(pico) == "slot_a"
    assert runs(board(slot("slot_a", serial=None))) == "slot_a"


def test_without_any_firmware_the_prompt_answers() -> None:
    assert board().state == "prompt"
    assert Pico(Flash()).state == "off"
    pico = Pico(Flash())
    pico.power_on()
    assert pico.state == "prompt"


def test_half_a_slot_is_never_preferred() -> None:
    assert runs(board(OLD, slot("slot_b", BROKEN["hangs unfed"], serial=None))) == "slot_a"
    assert (
        runs(board(slot("slot_a", marks="tried"), slot("slot_b", BROKEN["is mute"], serial=None))) == "slot_a"
    )


def test_maintenance_lasts_for_one_start() -> None:
    pico = board(OLD, maintenance=b"")
    usb = EmulatedUsb(pico)
    pico.advance(500)
    assert usb.console().version().maintenance
    assert "/maintenance" not in pico.flash.files
    pico.power_on()
    pico.advance(500)
    assert not usb.console().version().maintenance


def test_a_trial_in_maintenance_has_no_watchdog() -> None:
    pico = board(OLD, slot("slot_b", serial=2), maintenance=b"")
    assert runs(pico) == "slot_b"
    assert pico.watchdog_at_ms is None


def test_a_full_flash_starts_no_trial_that_it_could_not_remember() -> None:
    pico = board(OLD, slot("slot_b", serial=2))
    pico.power_off()
    del pico.flash.files["/slot_b/tried"]
    pico.flash.full = True
    pico.power_on()
    assert runs(pico) == "slot_a"
    only = board(slot("slot_b", serial=2))
    only.power_off()
    del only.flash.files["/slot_b/tried"]
    only.flash.full = True
    only.power_on()
    assert runs(only) == "slot_b"


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_whatever_the_records_hold_something_answers(data: st.DataObject) -> None:
    """Manifests, marks and the crash record are torn, missing or arbitrary; one slot is valid."""
    sound = data.draw(st.sampled_from(["slot_a", "slot_b"]))
    other = "slot_b" if sound == "slot_a" else "slot_a"
    fault = data.draw(st.sampled_from(sorted(BROKEN)))
    files = slot(sound, serial=data.draw(st.integers(0, 3)), marks="confirmed")
    files |= slot(other, BROKEN[fault], serial=data.draw(st.sampled_from([None, 0, 1, 2, 3])))
    anything = st.one_of(
        st.binary(max_size=60),
        st.sampled_from(
            [b"{}", b"[]", b"null", b'{"serial": "1"}', b'{"serial": 1, "files": 5, "commit": ""}']
        ),
        st.integers(0, 60).map(lambda count: files[f"/{sound}/manifest"][:count]),
    )
    for path in ("/crash.txt", "/maintenance", f"/{sound}/manifest", f"/{sound}/tried", f"/{other}/tried"):
        if data.draw(st.booleans()):
            files[path] = data.draw(anything)
    pico = board(files)
    assert runs(pico, within_s=120) == sound
    pico.power_on()
    assert runs(pico, within_s=120) == sound


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 60), st.sampled_from(["", "confirmed", "tried"]))
def test_power_cut_while_the_loader_writes(cut_at: int, marks: str) -> None:
    pico = board(OLD, slot("slot_b", BROKEN["stops at once"], serial=2, marks=marks))
    pico.power_off()
    pico.flash.files.pop("/slot_b/tried", None)
    pico.flash.files.pop("/crash.txt", None)
    pico.flash.cut_at = pico.flash.steps + cut_at
    pico.power_on()
    pico.advance(100)
    pico.flash.cut_at = None
    pico.power_on()
    assert runs(pico, within_s=60) == "slot_a"


# On MicroPython itself

ON_MICROPYTHON = r"""
import json, os, sys
log = []
sys.path.append("/lib")
import loader
log.append(loader.order())
loader.run()
log.append(loader.order())
log.append(sorted(os.listdir("/slot_b")))
log.append("maintenance" in os.listdir("/"))
session = loader.Session("slot_b", True, False)
log.append([session.begin(), session.confirm(), loader.order()[0][0], session.manifest("x"), session.crash()])
garbage = b'{"serial": 1, "files": 3, "commit": ""}', bytes(range(256)), b"[" * 3000, b"", b"5", b"null"
for content in garbage:
    with open("/slot_a/manifest", "wb") as file:
        file.write(content)
    assert loader.manifest("slot_a") is None
result = json.dumps(log)
"""


def test_the_loader_on_micropython() -> None:
    interpreter = pytest.importorskip("tests.firmware.micropython.interpreter")
    start = (
        "import __main__\ndef start(session):\n    __main__.log.append([session.slot, session.maintenance])\n"
    )
    files = slot("slot_a", start.encode(), marks="confirmed") | {
        "/lib/loader.py": LOADER,
        "/maintenance": b"",
    }
    files |= slot("slot_b", start.encode() + b"    raise ValueError('no sensor')\n", serial=2)
    session = interpreter.Session(
        "loader", (ON_MICROPYTHON,), {path: data.decode() for path, data in files.items()}
    )
    try:
        outcome = interpreter.run([session])["loader"]
    except interpreter.Missing as missing:
        pytest.skip(str(missing))
    assert outcome.error is None, outcome.error
    before, second, first, after, left, maintenance, last = json.loads(outcome.result)
    assert before == [["slot_b", True], ["slot_a", False]]
    assert (second, first) == (["slot_b", True], ["slot_a", True])
    assert after == [["slot_a", False], ["slot_b", False]]
    assert left == ["manifest", "pmu", "tried"] and not maintenance
    assert last[:4] == [True, True, "slot_b", None]
    assert last[4].startswith("slot_b: Traceback") and last[4].endswith("ValueError: no sensor\n")


BOARD_FILES = r"""
import json, sys
class Timer:
    ONE_SHOT = 0
    wound = 0
    def init(self, mode, period, callback):
        Timer.wound += 1
class machine:
    Timer = Timer
sys.modules["machine"] = machine
exec(HELPERS, globals())
_create("/slot_a/pmu/x.py")
_more(b"aGVsbG8gd29ybGQ=")
_more(b"IQ==")
_open.close()
_copy("/slot_a/pmu/x.py", "/slot_b/pmu/x.py")
os.rename("/slot_b/pmu/x.py", "/slot_b/pmu/y.py")
assert _tree("/slot_a") + _tree("/slot_b") + _tree("/none") == ["/slot_a/pmu/x.py", "/slot_b/pmu/y.py"]
_hashes(["/slot_a/pmu/x.py", "/slot_b/pmu/y.py", "/none"])
_read("/slot_a/pmu/x.py")
_read("/none")
_remove("/slot_a/pmu/x.py")
_remove("/slot_a/pmu/x.py")
assert _tree("/slot_a") == []
assert Timer.wound >= 8
"""


def test_what_a_deploy_runs_at_the_prompt_on_micropython() -> None:
    interpreter = pytest.importorskip("tests.firmware.micropython.interpreter")
    code = f"HELPERS = {board_flash._HELPERS!r}\n{BOARD_FILES}"
    try:
        outcome = interpreter.run([interpreter.Session("files", (code,))])["files"]
    except interpreter.Missing as missing:
        pytest.skip(str(missing))
    assert outcome.error is None, outcome.error
    hashes, text, missing_file = map(json.loads, outcome.output.splitlines())
    check = hashlib.sha256(b"hello world!").hexdigest()
    assert hashes == {"/slot_a/pmu/x.py": check, "/slot_b/pmu/y.py": check}
    assert (text, missing_file) == ("hello world!", None)
