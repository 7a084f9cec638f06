"""A power cut at any step of a deploy: afterwards the old or the new firmware answers."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.flash.image import FirmwareImage
from hw.pmu_usb.serial_link import LinkError
from tests.firmware.flash import Flash
from tests.firmware.slot_programs import ANSWERING, LINES
from tests.host.flash.deploy_bench import NEW, OLD, Bench, flashed

SMALL_OLD = FirmwareImage(
    "01d01d01",
    {
        "pmu/__init__.py": b'NAME = "old"\n',
        "pmu/console_json_lines.py": LINES,
        "pmu/board.py": ANSWERING,
        "pmu/gone.py": b"GONE = 1\n",
    },
    OLD.loader,
)
SMALL_NEW = replace(
    SMALL_OLD,
    commit="2e32e32e",
    files={
        "pmu/__init__.py": b'NAME = "new"\n',
        "pmu/console_json_lines.py": LINES,
        "pmu/board.py": ANSWERING + b"# new\n",
        "pmu/added.py": b"ADDED = 1\n",
    },
)


def slot_files(image: FirmwareImage, slot: str, serial: int) -> dict[str, bytes]:
    files = {f"/{slot}/{name}": data for name, data in image.files.items()}
    return files | {
        f"/{slot}/manifest": image.manifest(serial),
        f"/{slot}/tried": b"",
        f"/{slot}/confirmed": b"",
    }


def copied(bench: Bench, image: FirmwareImage, running: str | None = None) -> None:
    """The part of a deploy that writes the slot, up to the reset or a power cut. `running`: the slot that
    answered before.
    """
    from host.flash.slots import read_board
    from hw.pmu_usb.flash_files import BoardFlash

    bench.pico.interrupt()
    deploy = bench._deploy(image, False)
    flash = BoardFlash(bench.usb.raw_repl())
    deploy._write_slot(flash, read_board(flash, running))


def at_the_prompt(files: dict[str, bytes], torn: bool) -> Bench:
    """A board with those files at its REPL, as in the middle of a deploy."""
    bench = Bench(Flash(files, torn=torn), settle=False)
    bench.pico.power_off()
    bench.pico.state = "prompt"
    bench.pico.advance(1_000)
    return bench


def steps_of(
    files: dict[str, bytes], image: FirmwareImage, running: str | None = None
) -> tuple[list[int], int]:
    bench = at_the_prompt(files, torn=False)
    bench.flash.steps, bench.flash.operations = 0, []
    copied(bench, image, running)
    return bench.flash.operations, bench.flash.steps


def answers_after_cut(
    files: dict[str, bytes], image: FirmwareImage, cut_at: int, torn: bool, running: str | None = None
) -> str | None:
    """Version of the firmware that answers after a power cut before step `cut_at` of the copy."""
    bench = at_the_prompt(files, torn=torn)
    bench.flash.steps, bench.flash.cut_at = 0, cut_at
    with pytest.raises(LinkError):
        copied(bench, image, running)
    assert bench.pico.state == "off"
    bench.flash.cut_at = None
    bench.pico.power_on()
    version = bench.version(within_s=5)
    return version.version if version else None


BOTH = {**OLD.loader, **slot_files(SMALL_OLD, "slot_a", 5), **slot_files(SMALL_NEW, "slot_b", 4)}
ONE = {**OLD.loader, **slot_files(SMALL_OLD, "slot_a", 1)}


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("files", [BOTH, ONE], ids=["both slots full", "one slot full"])
def test_power_cut_at_every_operation_and_in_every_write(files: dict[str, bytes], torn: bool) -> None:
    """The old firmware answers until the manifest is in place, the new one afterwards."""
    newer = replace(SMALL_NEW, files=SMALL_NEW.files | {"pmu/__init__.py": b'NAME = "newer"\n'})
    operations, steps = steps_of(files, newer)
    chance = random.Random(7)
    inside = {
        chance.randrange(begin, end) for begin, end in zip(operations, [*operations[1:], steps], strict=True)
    }
    for cut_at in sorted({*operations, *inside}):
        assert answers_after_cut(files, newer, cut_at, torn) == "old", cut_at
    done = at_the_prompt(files, torn)
    copied(done, newer)
    done.pico.power_on()
    version = done.version(within_s=5)
    assert version is not None and version.version == "newer" and version.trial


DAMAGED = {
    "the newest slot lost bytes": {
        **BOTH,
        **slot_files(SMALL_NEW, "slot_b", 6),
        "/slot_b/pmu/board.py": b"\x00\xff lost",
    },
    "the only slot lost its manifest": {**ONE, "/slot_a/manifest": bytes(20)},
    "a confirmed slot lost its manifest, the other failed its trial": {
        **{path: data for path, data in BOTH.items() if path != "/slot_b/confirmed"},
        "/slot_a/manifest": bytes(20),
    },
}


@pytest.mark.parametrize("running", ["slot_a", None])
@pytest.mark.parametrize("files", DAMAGED.values(), ids=DAMAGED)
def test_the_slot_that_still_starts_on_a_damaged_flash_is_kept(
    files: dict[str, bytes], running: str | None
) -> None:
    newer = replace(SMALL_NEW, files=SMALL_NEW.files | {"pmu/__init__.py": b'NAME = "newer"\n'})
    for cut_at in steps_of(files, newer, running)[0]:
        assert answers_after_cut(files, newer, cut_at, False, running) == "old", cut_at


def test_an_unconfirmed_slot_that_runs_is_started_rather_than_what_is_half_written() -> None:
    """Without manifests the loader would try the half-written one first, for its name."""
    whole = {path: data for path, data in ONE.items() if "/slot_a/" not in path or "/pmu/" in path}
    for cut_at in steps_of(whole, SMALL_NEW, "slot_a")[0]:
        assert answers_after_cut(whole, SMALL_NEW, cut_at, False, "slot_a") == "old", cut_at


@cache
def steps_of_the_whole_firmware() -> int:
    return steps_of(flashed(), NEW)[1]


@settings(max_examples=8, deadline=None)
@given(st.floats(0, 1, exclude_max=True), st.booleans())
def test_power_cut_at_any_byte_of_the_whole_firmware(place: float, torn: bool) -> None:
    bench = at_the_prompt(flashed(), torn)
    bench.flash.steps, bench.flash.cut_at = 0, int(place * steps_of_the_whole_firmware())
    with pytest.raises(LinkError):
        copied(bench, NEW)
    bench.flash.cut_at = None
    bench.pico.power_on()
    version = bench.version()
    assert version is not None and version.commit == "01d01d01"
    bench.deploy(NEW)
    after = bench.version()
    assert after is not None and after.commit == "2e32e32e"


@settings(max_examples=20, deadline=None)
@given(st.floats(0, 1, exclude_max=True), st.booleans())
def test_power_cut_in_the_first_flash_leaves_the_prompt(place: float, torn: bool) -> None:
    image = replace(SMALL_NEW, loader=OLD.loader)
    _, steps = steps_of({}, image)
    bench = at_the_prompt({}, torn)
    bench.flash.steps, bench.flash.cut_at = 0, int(place * steps)
    with pytest.raises(LinkError):
        copied(bench, image)
    bench.flash.cut_at = None
    bench.pico.power_on()
    assert bench.version(within_s=5) is not None or bench.pico.interrupt() or bench.pico.state == "prompt"
    again = at_the_prompt(bench.flash.files, torn)
    copied(again, image)
    assert not any(path.startswith("/slot_b/") for path in again.flash.files), "it goes on in slot_a"
