"""The checks of `headband doctor`, one for each part; each returns a finding and, where needed, a fix."""

from __future__ import annotations

import asyncio
import platform
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from host.app.open_board import wrong_computer
from host.doctor.finding import Finding, check_failed
from host.doctor.folder_checks import disk_finding, state_files, writing_finding
from host.doctor.kernel_checks import kernel_finding
from host.doctor.knob_checks import knobs_finding
from host.doctor.motion_checks import motion_finding
from host.doctor.pack_checks import PACK_FIX, PACK_TIMEOUT_S, npu_finding, pack_finding
from host.doctor.placement_checks import placement_finding
from host.doctor.runtime_checks import JOBS, NPU, TIMEOUT_S, Job, runtimes_finding
from host.wearer.recording_state import RecordingState, recording_state
from hw.absent import AbsentLight, AbsentLine
from hw.board import Board
from hw.device import MICROPHONE_RATE_HZ, DeviceError, LateFaults
from hw.linux.rtc_alarm import find_alarm
from hw.pmu.gauge import PmuGauge
from hw.pmu.watchdog_and_light import PmuLight
from models.brick import AudioChunk
from models.pack.npu_fit import find_npu
from models.place import bring_packages, from_checkout, place
from power.knobs import Knobs
from power.policy.config import PowerConfig

_LISTEN_S = 0.5
_TIMEOUT_S = 5.0
_TIMEOUT_OF_S = {"pack": PACK_TIMEOUT_S, "runtimes": TIMEOUT_S + _TIMEOUT_S}
_BEAT_S = 1.2  # the uptime of a running PMU changes within this time
_TOO_DARK = 8.0  # mean of 255
_WAKE_FIX = "name a key of hw/rk3566/headband-keys.dts as wake in board.toml (docs/flash.md)."
_BUS_FIX = "set clock-frequency = <400000> for this bus in the device tree."


async def examine(
    board: Board,
    name: str,
    pack: str | Path,
    state_folder: Path,
    kept: Path | None = None,
    *,
    written: Mapping[str, Path] | None = None,
    jobs: Sequence[Job] = JOBS,
    journal: str = "",
    power: PowerConfig | None = None,
) -> list[Finding]:
    """Checks every part; a failing check does not prevent the others. Microphone and camera are not opened
    while recording is off, by the wearer's word (saved in `kept`) or by the switch.

    written: description -> path of the files that the headband writes (default: those beside a journal in
    `state_folder`); jobs: what is loaded to check the runtimes, in parallel with the other checks; journal:
    its path as in the settings, beside which the measured table lies; power: the policy's settings, None for
    the usual ones.
    """
    recording = recording_state(board, kept)
    knobs = Knobs(board.sysfs_root, clocks=board.clocks)
    npu = find_npu(board.sysfs_root)
    loading = asyncio.create_task(runtimes_finding([*jobs, NPU] if npu and npu.bindings else jobs))
    files = state_files(state_folder) if written is None else written
    checks: list[tuple[str, str, Callable[[], Awaitable[Finding] | Finding]]] = [
        (
            "board",
            "choose the right one with --board, or with [board] kind in headband.toml.",
            lambda: _board(board, name),
        ),
        (
            "kernel",
            "",
            lambda: kernel_finding(platform.release(), board.sysfs_root, headband=board.clocks is not None),
        ),
        ("PMU", f"check the four wires to it, then {_flash_command()}.", lambda: _pmu(board)),
        ("battery", "charge it, and check its plug.", lambda: _battery(board)),
        ("lines", "check its wire, and its name under [lines] in board.toml.", lambda: _lines(board)),
        ("recording", recording.back, lambda: _recording(recording)),
        ("light", "check led in board.toml: the LED's name, or pmu.", lambda: _light(board)),
        (
            "microphone",
            "plug it in, turn its switch on, and choose it in board.toml; arecord -L has the names.",
            lambda: _not_opened("microphone") if not recording.on else _microphone(board, name),
        ),
        (
            "camera",
            "plug it in, and choose it in board.toml.",
            lambda: _not_opened("camera") if not recording.on else _camera(board),
        ),
        (
            "speaker",
            "plug it in, and choose it in board.toml; aplay -L has the names.",
            lambda: _speaker(board),
        ),
        ("knobs", "", lambda: knobs_finding(knobs)),
        ("wake alarm", "let this user write to it, with a udev rule.", lambda: _wake_alarm(board)),
        ("pack", PACK_FIX, lambda: pack_finding(pack)),
        ("runtimes", f"{bring_packages()}.", lambda: loading),
        ("NPU", "", lambda: npu_finding(npu, pack)),
        ("placement", "", lambda: placement_finding(journal, name, pack)),
        ("motion", "", lambda: motion_finding(pack, power or PowerConfig())),
        ("writing", "", lambda: asyncio.to_thread(writing_finding, files)),
        ("disk", "", lambda: disk_finding(state_folder)),
    ]
    return [await _run_check(part, fix, check) for part, fix, check in checks]


async def _run_check(part: str, fix: str, check: Callable[[], Awaitable[Finding] | Finding]) -> Finding:
    timeout_s = _TIMEOUT_OF_S.get(part, _TIMEOUT_S)
    try:
        found = check()
        return found if isinstance(found, Finding) else await asyncio.wait_for(found, timeout_s)
    except TimeoutError:
        return Finding(part, "broken", f"No answer within {timeout_s:.0f} seconds.", fix)
    except (DeviceError, OSError) as error:
        return Finding(part, "broken", str(error), _fix_for(str(error), fix))
    except Exception as error:  # an unexpected error must not prevent the other checks
        return check_failed(part, error, fix)


def _recording(state: RecordingState) -> Finding:
    if state.on:
        return Finding("recording", "ok", "on")
    health: Literal["broken", "note"] = "broken" if state.damaged else "note"
    return Finding("recording", health, f"off: {state.why}", state.back)


def _not_opened(part: str) -> Finding:
    return Finding(part, "note", "not opened: recording is off", "switch it on to have it looked at.")


def _fix_for(problem: str, usual: str) -> str:
    """The fix for a problem whose sentence names its cause, else `usual`."""
    group = re.search(r"group (\w+)", problem)
    if group:
        return f"see that it is there, and let this user have it: sudo usermod -aG {group[1]} $USER."
    if "alsa-utils" in problem:
        return "install it: sudo apt install alsa-utils."
    if "update the application" in problem:
        if place() == "checkout":
            return "./justw deploy-app, from the checkout that its firmware is of."
        return f"{from_checkout('deploy-app HOST')}, in the one that its firmware is of."
    if "flash the PMU" in problem:
        return f"{_flash_command()}."
    if "kernel driver" in problem:
        return "take it out of the device tree, or unload it."
    if "the Python package" in problem:
        return "see runtimes."
    if "no input device" in problem:
        return (
            "give the kernel hw/rk3566/headband-keys.dts (docs/flash.md), or name other lines in board.toml."
        )
    if "no I2C bus" in problem:
        return "set i2c_bus in board.toml; i2cdetect -l lists the buses."
    if "in use by another program" in problem or "busy" in problem:
        return "end the other program; a headband that runs is one: systemctl stop headband."
    return usual


def _flash_command() -> str:
    with_cable = "" if place() == "checkout" else ", with the PMU on its USB"
    return f"{from_checkout('deploy-firmware')}{with_cable}"


def _board(board: Board, name: str) -> Finding:
    problem = wrong_computer(board, name)
    if problem is not None:
        raise DeviceError(problem)
    return Finding("board", "ok", f"{name}, {platform.machine()}")


async def _pmu(board: Board) -> Finding:
    if not isinstance(board.gauge, PmuGauge):
        without = ": another gauge reads the battery, nobody guards this computer, and it never sleeps"
        return Finding("PMU", "note", f"none{without if board.native else ''}")
    before = await asyncio.to_thread(board.gauge.identity)
    await board.clock.sleep(_BEAT_S)
    identity = await asyncio.to_thread(board.gauge.identity)
    if identity.uptime_s == before.uptime_s:
        raise DeviceError("The PMU answers, but its clock stands still.")
    if board.guard is not None:
        await asyncio.to_thread(board.guard.stage)
    if board.energy is not None:
        await asyncio.to_thread(board.energy.energy)
    commit = identity.commit or "of an unknown commit"
    rate = await asyncio.to_thread(board.gauge.bus_rate)
    says = (
        f"register map {identity.map_version}, firmware {commit}, up for {identity.uptime_s} s, "
        f"bus at {rate.hz / 1000:.0f} kHz"
    )
    if not rate.slow:
        return Finding("PMU", "ok", says)
    slow = f": each second of what was said to it asleep takes {rate.second_of_sound_s:.1f} s to read"
    return Finding("PMU", "note", f"{says}{slow}", _BUS_FIX)


async def _battery(board: Board) -> Finding:
    reading = await asyncio.to_thread(board.gauge.read)
    if reading.state != "good":
        fix = "see PMU." if isinstance(board.gauge, PmuGauge) else "charge it, and check its plug."
        return Finding("battery", "broken", reading.problem or reading.state, fix)
    if reading.voltage_mv is None:
        return Finding("battery", "note", "none: this computer runs from the mains")
    charging = ", charging" if reading.charging else ""
    current = "" if reading.current_ma is None else f", {reading.current_ma} mA"
    says = f"{reading.percent} percent, {reading.voltage_mv} mV{current}{charging}"
    if isinstance(board.gauge, PmuGauge):
        cell = await asyncio.to_thread(board.gauge.cell)
        says += (
            f"; cell {cell.profile}, {cell.design_mah} mAh when new, {cell.full_mah} mAh now, "
            f"charge within {cell.error_percent} points"
        )
    return Finding("battery", "ok", says)


def _lines(board: Board) -> Finding:
    lines = {"wake": board.wake, "alert": board.alert, "button": board.button}
    if board.recording_off is not None:
        lines["recording_off"] = board.recording_off
    absent = {name: line for name, line in lines.items() if isinstance(line, AbsentLine)}
    broken = [name for name, line in absent.items() if line.problem is not None]
    if broken:
        others = f" Broken as well: {', '.join(broken[1:])}." if broken[1:] else ""
        raise DeviceError(f"{absent[broken[0]].problem}{others}")
    if board.marker is not None:
        board.marker.set(False)
    active = [name for name, line in lines.items() if line.active]
    if len(absent) == len(lines):
        return Finding("lines", "note", "none: no button, and no microcontroller that calls")
    without = f"; without {', '.join(absent)}" if absent else ""
    says = f"active now: {', '.join(active) or 'none'}{without}"
    idle = [name for name in ("wake", "alert") if name not in absent]
    if idle and not isinstance(board.gauge, PmuGauge):
        return Finding("lines", "note", f"{says}; no PMU pulls {' and '.join(idle)}")
    return Finding("lines", "ok", says)


async def _light(board: Board) -> Finding:
    if isinstance(board.light, AbsentLight):
        return Finding("light", "note", "none")
    problem = await asyncio.to_thread(getattr, board.light, "problem", None)
    if problem is None:
        return Finding("light", "ok", "there")
    if not isinstance(board.light, PmuLight):
        raise DeviceError(problem)
    named = "connect the PMU, or name another LED as led in board.toml."
    return Finding("light", "broken", problem, "see PMU." if isinstance(board.gauge, PmuGauge) else named)


async def _microphone(board: Board, name: str) -> Finding:
    chunks = []
    async for pcm in board.microphone:
        chunks.append(pcm)
        if sum(chunk.size for chunk in chunks) >= _LISTEN_S * board.microphone.sample_rate:
            break
    heard = np.concatenate([np.zeros(0, np.int16), *chunks]).astype(np.float64)
    if not heard.any() and name == "emulated":
        return Finding("microphone", "ok", "emulated: it hears what `ask` and `run` play to it")
    if not heard.any():
        # A microphone capsule always has some noise; a headset that filters it may have none.
        return Finding(
            "microphone", "note",
            "delivers silence: it is muted, or nothing is wired to it",
            "turn its switch on, and its volume up: alsamixer has it.",
        )  # fmt: skip
    level_db = 10 * np.log10(np.mean(heard**2) / 32768.0**2)
    clipped = np.mean(np.abs(heard) >= 32767)
    if clipped > 0.01:
        return Finding("microphone", "note", f"{level_db:.0f} dBFS and clipped: turn its gain down")
    return Finding("microphone", "ok", f"{level_db:.0f} dBFS")


async def _camera(board: Board) -> Finding:
    before = board.camera.use
    frame = await board.camera.capture()
    use = board.camera.use
    height, width = frame.shape[:2]
    frames = use.frames - before.frames
    counted = f"{frames} frame{'' if frames == 1 else 's'}"
    took = f"{counted}, {use.streamed_s - before.streamed_s:.2f} s for one picture"
    if frame.mean() < _TOO_DARK:
        return Finding("camera", "note", f"{width} x {height}, and dark: is it covered? ({took})")
    return Finding("camera", "ok", f"{width} x {height}, mean brightness {frame.mean():.0f} of 255; {took}")


async def _speaker(board: Board) -> Finding:
    async def sound() -> AsyncIterator[AudioChunk]:
        yield AudioChunk(np.zeros(8000, np.int16), MICROPHONE_RATE_HZ)

    if isinstance(board.speaker, LateFaults):
        board.speaker.doubt()
    await board.speaker.play(sound())
    if not getattr(board.speaker, "audible", True):
        return Finding("speaker", "note", "no sound card: answers are written to a file only")
    return Finding("speaker", "ok", f"takes sound; volume {board.speaker.volume_percent} percent")


def _wake_alarm(board: Board) -> Finding:
    if board.native and board.suspendable_microphone is None:
        told = "not used: without a PMU, and a wake line that may end its sleep, this computer never sleeps"
        return Finding("wake alarm", "note", told, _WAKE_FIX)
    if board.clocks is None:
        return Finding("wake alarm", "note", "not used: this computer is not put to sleep")
    alarm = find_alarm(board.sysfs_root) if board.wake_alarm is not None else None
    if alarm is None:
        told = "no clock can wake this computer: it stays awake for timers, and should the PMU lose its power"
        return Finding("wake alarm", "note", f"{told} while it sleeps, only a touch wakes it")
    if not alarm.writable:
        raise DeviceError("The real-time clock takes no wake-up alarm from this user.")
    early = f", up to {alarm.late_s:.0f} s early" if alarm.late_s else ""
    return Finding("wake alarm", "ok", f"the real-time clock wakes this computer for timers{early}")
