"""The emulated headband: `emulated_board(...)` creates and connects its devices, `EmulatedBoard` gives tests
access to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hw.board import Board
from hw.device import Clock, Pcm
from hw.emulated import sysfs
from hw.emulated.bus import EmulatedBus
from hw.emulated.camera import FileCamera, View
from hw.emulated.key_page import EmulatedKeyPage
from hw.emulated.microphone import WavMicrophone
from hw.emulated.pmu import EmulatedPmu
from hw.emulated.pmu_microphone import PmuMicrophone, preroll_microphone
from hw.emulated.room import Room
from hw.emulated.sensor import SensorTimes
from hw.emulated.signals import EmulatedLine, RecordedLight
from hw.emulated.speaker import WavSpeaker
from hw.linux.rtc_alarm import find_alarm
from hw.linux.system_clock import SystemClock
from hw.pmu.cell_curve import DESIGN_MAH
from hw.pmu.gauge import PmuGauge
from hw.pmu.sleeping_microphone import PrerollMicrophone
from hw.pmu.watchdog_and_light import PmuGuard, PmuLight
from hw.scratch import remove_scratch_folder, scratch_folder


@dataclass(frozen=True)
class EmulatedBoard(Board):
    """A `Board` whose devices can be operated: play speech, show pictures, set the battery, inject faults."""

    microphone: WavMicrophone
    camera: FileCamera
    speaker: WavSpeaker
    light: RecordedLight
    """The pattern that the host requests; `pmu.lines.colour` is what the wearer sees."""
    gauge: PmuGauge
    wake: EmulatedLine
    alert: EmulatedLine
    button: EmulatedLine
    pmu: EmulatedPmu
    """The microcontroller's firmware and its battery cell."""
    bus: EmulatedBus
    """The I2C bus to the PMU; `bus.inject(Fault...)` makes it fail."""
    preroll: PrerollMicrophone
    """`microphone` with suspend: the PMU records meanwhile and hands the recording over. It is the board's
    `suspendable_microphone` when `sleeps` was given.
    """
    recording_off: EmulatedLine = field(kw_only=True)
    marker: EmulatedLine = field(kw_only=True)
    heartbeat: EmulatedLine = field(kw_only=True)
    """To the PMU, beside the bus."""
    temporary: bool
    """`sysfs_root` is a temporary folder that `close` removes."""

    def set_battery(
        self,
        percent: float,
        *,
        charging: bool = False,
        current_ma: int | None = None,
        temperature_c: float | None = None,
    ) -> None:
        """Replace the PMU's cell by one of that charge (0..100, else `ValueError`), and write the kernel's
        battery files.
        """
        self.pmu.set_battery(percent, charging=charging, current_ma=current_ma, temperature_c=temperature_c)
        cell = self.pmu.cell
        sysfs.write_battery(
            self.sysfs_root,
            percent=round(percent),
            voltage_mv=cell.voltage_mv,
            current_ma=cell.current_ma,
            charging=charging,
        )

    def restarted(self) -> EmulatedBoard:
        """The same board after a reboot of the host: devices keep their state, host objects are new."""
        gauge = _gauge(self.bus, self.clock)
        preroll = preroll_microphone(
            self.microphone,
            self.pmu,
            gauge,
            self.bus,
            self.wake,
            self.clock,
            alert=self.alert,
            alarm_s=lambda: sysfs.take_alarm_s(self.sysfs_root),
            switch=self.recording_off,
        )
        return replace(
            self,
            light=RecordedLight(self.clock, on=PmuLight(gauge)),
            gauge=gauge,
            guard=PmuGuard(gauge, self.heartbeat),
            key_page=EmulatedKeyPage(gauge, self.pmu.key_file),
            preroll=preroll,
            suspendable_microphone=None if self.suspendable_microphone is None else preroll,
        )

    async def close(self) -> None:
        """Close every device and remove the temporary folder. Harmless when repeated."""
        await super().close()
        if self.temporary:
            remove_scratch_folder(self.sysfs_root)


def emulated_board(
    *,
    clock: Clock | None = None,
    battery_percent: float = 80.0,
    charging: bool = False,
    real_time: bool = True,
    view: View | Sequence[View] | None = None,
    background: Pcm | None = None,
    audio_out: str | Path | None = None,
    sound_card: bool = True,
    capacity_mah: int = DESIGN_MAH,
    sysfs_root: Path | None = None,
    sleeps: bool = False,
    room: Room | None = None,
    key_file: Path | None = None,
    sensor: SensorTimes | None = None,
) -> EmulatedBoard:
    """An emulated headband on this computer.

    `clock`: the computer's unless given. `real_time` False: microphone and speaker run as fast as they are
    used. `view`: what the camera sees (file, folder, image, list). `background`: int16 sound at
    `MICROPHONE_RATE_HZ` that the microphone always hears. `audio_out`: WAV file of everything played.
    `sound_card` False: play nothing aloud.
    `sysfs_root`: an empty folder to use, else a temporary one that `close` removes. `sleeps`: the computer
    may suspend between events. `room`: the microphone hears the speaker through it (only with `real_time`),
    else not at all. `key_file`: the PMU's flash for the memory's key, else it has the key until it is closed.
    `sensor`: the time that the camera's sensor takes to start and for a frame; none unless given. Raises
    `MediaError` for a bad picture, `ValueError` for a battery outside 0..100.
    """
    clock = clock or SystemClock()
    camera = FileCamera(view, clock, sensor)
    alert, wake, recording_off, heartbeat = (EmulatedLine() for _ in range(4))
    pmu = EmulatedPmu(clock, alert.set, capacity_mah, wake.set, key_file)
    pmu.heartbeat = lambda: heartbeat.active
    pmu.set_battery(battery_percent)
    bus = EmulatedBus(pmu)
    gauge = _gauge(bus, clock)
    temporary = sysfs_root is None
    root = scratch_folder() if sysfs_root is None else sysfs_root
    sysfs.write_tree(root)
    microphone = WavMicrophone(clock, real_time=real_time, background=background)
    speaker = WavSpeaker(clock, audio_out, real_time=real_time, sound_card=sound_card)
    if room is not None and speaker.loopback is not None:
        microphone.room = room, speaker.loopback
    pmu.fill_samples = PmuMicrophone(microphone).fill
    preroll = preroll_microphone(
        microphone,
        pmu,
        gauge,
        bus,
        wake,
        clock,
        alert=alert,
        alarm_s=lambda: sysfs.take_alarm_s(root),
        switch=recording_off,
    )
    board = EmulatedBoard(
        microphone=microphone,
        camera=camera,
        speaker=speaker,
        light=RecordedLight(clock, on=PmuLight(gauge)),
        gauge=gauge,
        guard=PmuGuard(gauge, heartbeat),
        heartbeat=heartbeat,
        key_page=EmulatedKeyPage(gauge, key_file),
        clock=clock,
        wake=wake,
        alert=alert,
        button=EmulatedLine(),
        recording_off=recording_off,
        marker=EmulatedLine(),
        sysfs_root=root,
        pmu=pmu,
        bus=bus,
        preroll=preroll,
        suspendable_microphone=preroll if sleeps else None,
        wake_alarm=find_alarm(root),
        temporary=temporary,
    )
    board.set_battery(battery_percent, charging=charging)
    return board


def _gauge(bus: EmulatedBus, clock: Clock) -> PmuGauge:
    # The emulated bus needs no pauses, and counts its time itself.
    return PmuGauge(bus, clock.monotonic, pause=lambda seconds: None, stopwatch=lambda: bus.busy_s)
