"""When to save power, and how much: the settings of `power.policy.policy`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hw.settings import Range

Kilohertz = Annotated[int, Range(100_000, 5_000_000, "kilohertz")]
Hertz = Annotated[int, Range(100_000_000, 10_000_000_000, "hertz")]


@dataclass(frozen=True)
class PowerConfig:
    """When to save power, and how much."""

    high_percent: Annotated[float, Range(0, 100, "percent")] = 50.0
    """Charge above which nothing is saved, 0 to 100 percent."""
    low_percent: Annotated[float, Range(0, 100, "percent")] = 20.0
    """Charge below which the headband runs in cascade, 0 to 100 percent."""
    cutoff_percent: Annotated[float, Range(0, 100, "percent")] = 5.0
    """Charge at or below which it saves and stops, 0 to 100 percent."""
    cutoff_left_percent: Annotated[float, Range(0, 100, "percent")] = 7.0
    """Most charge that may be left then, where the gauge says how far its charge may be wrong, 0 to 100
    percent: until then it goes on, and the microcontroller says when the cell itself is empty.
    """
    cold_c: Annotated[float, Range(-40, 60, "degrees Celsius")] = 12.0
    """Temperature of the cell below which a charge of 0 is the end however far it may be wrong, -40 to 60
    degrees Celsius.
    """
    reentry_percent: Annotated[float, Range(0, 50, "points")] = 5.0
    """Hysteresis: how far the charge must rise above a threshold to leave the mode below it, 0 to 50 points;
    more than the noise of the gauge.
    """
    dwell_s: Annotated[float, Range(0, 3600, "seconds")] = 60.0
    """Least time in a mode before one of more power, 0 to 3600 seconds; current into the cell and a request
    do not wait. So long it has to flow into an empty one before that no longer counts as empty.
    """
    confirm_readings: Annotated[int, Range(1, 100, "readings")] = 2
    """Readings that must ask for cut-off before a running headband stops, 1 to 100 readings; a first reading
    counts at once.
    """
    hold_reading_s: Annotated[float, Range(0, 3600, "seconds")] = 120.0
    """How long the last good reading of a battery that cannot be read any more is trusted, 0 to 3600 seconds.
    """
    deep_cascade_percent: Annotated[float, Range(0, 100, "percent")] = 10.0
    """Charge at or below which the fork server is stopped between questions, 0 to 100 percent."""
    hot_battery_c: Annotated[float, Range(0, 80, "degrees Celsius")] = 45.0
    """Battery temperature at which performance is withheld, 0 to 80 degrees Celsius; lithium cells should not
    be worked hotter.
    """
    hot_soc_c: Annotated[float, Range(0, 120, "degrees Celsius")] = 70.0
    """Chip temperature at which performance is withheld, 0 to 120 degrees Celsius: the first trip point of
    the RK3566.
    """
    cool_by_c: Annotated[float, Range(0, 30, "degrees")] = 3.0
    """How far below a hot limit counts as cool again, 0 to 30 degrees."""

    full_frame_interval_s: Annotated[float, Range(0.05, 3600, "seconds")] = 0.5
    """Time between camera frames in performance, where frames are for something, 0.05 to 3600 seconds."""
    slow_frame_interval_s: Annotated[float, Range(0.05, 3600, "seconds")] = 5.0
    """Time between camera frames at the lower end of throttled, 0.05 to 3600 seconds."""
    away_after_s: Annotated[float, Range(0, 86_400, "seconds")] = 600.0
    """How long the view stays unchanged without wake word or button, 0 to 86_400 seconds, before the headband
    counts as not worn; 0: it always counts as worn.
    """
    sleep_within_s: Annotated[float, Range(0.5, 3600, "seconds")] = 3.0
    """Longest quiet time before it sleeps on battery power, 0.5 to 3600 seconds: being awake for that long
    takes the energy of falling asleep and waking up (`power.twin.break_even`).
    """
    memory_wake_s: Annotated[float, Range(10, 3600, "seconds")] = 60.0
    """Longest sleep in performance while the view is remembered, 10 to 3600 seconds: then it wakes up and
    looks; in throttled as much rarer as its looks are, and ten times as rare while nobody wears it.
    """
    away_sleep_s: Annotated[float, Range(0.5, 3600, "seconds")] = 2.0
    """The same while nobody wears it, 0.5 to 3600 seconds."""
    frames_between_questions: bool = False
    """The camera also looks between questions while nothing is remembered, so that a picture is there when a
    question begins. Otherwise it does so only while the view is remembered or there is outside power.
    """
    kept_encodings: Annotated[int, Range(0, 4, "views")] = 4
    """Encodings of recent views that stay in memory for further questions in performance, 0 to 4 views; in
    throttled as many fewer as alpha says, in cascade none.
    """
    work_ahead: bool = True
    """Before a question has ended, the picture is encoded and the language model takes it in, as far as the
    table of placements says that it is worth it here; false: nothing is done ahead.
    """
    sensor_at_sound: bool = True
    """Where a question would wait for its picture, the camera's sensor starts when a sound wakes the
    computer, not only at the wake word; no picture from before the wake word is looked at. False: the camera
    is off until the wake word.
    """
    clips: bool = True
    """In a pack that understands several pictures in their order, pictures are kept while a question is
    spoken, for questions about what happens meanwhile; false: they are answered as those about two pictures.
    """
    reflex_certainty: Annotated[float, Range(0, 1)] = 0.25
    """How much surer than its pack asks the brick for closed questions must be to stop at a layer in
    performance, 0 to 1, as a share of what is left to certainty; in throttled as much less as alpha says, in
    cascade the pack's own score.
    """
    reflex_keep: Annotated[float, Range(0, 1)] = 0.25
    """How many of the image tokens that its pack takes away that brick keeps after its first layer in
    performance, as a share, 0 to 1; less in throttled and cascade as above.
    """
    unit_s: Annotated[float, Range(0.2, 30, "seconds")] = 1.0
    """Speech between two transcriptions of an unfinished question in performance, 0.2 to 30 seconds."""
    cpu_steps_khz: tuple[Kilohertz, ...] = (1_104_000, 1_416_000, 1_608_000, 1_800_000)
    """CPU clocks worth using, rising, 100_000 to 5_000_000 kilohertz. The first is the highest at the lowest
    voltage; below it the rest of the board is awake for longer, and nothing is saved.
    """
    cool_cpu_khz: Kilohertz = 1_104_000
    """CPU clock while too hot, 100_000 to 5_000_000 kilohertz: the fastest at the lowest voltage, so the
    least power for the least delay.
    """
    ddr_steps_hz: tuple[Hertz, ...] = (1_056_000_000,)
    """Memory clocks worth using, rising, 100_000_000 to 10_000_000_000 hertz: the highest alone, because the
    whole board is awake for as long as a model waits for memory.
    """
    npu_steps_hz: tuple[Hertz, ...] = (900_000_000,)
    """NPU clocks worth using, rising, 100_000_000 to 10_000_000_000 hertz; the highest, for the same
    reason.
    """
    gpu_idle_hz: Hertz = 200_000_000
    """GPU clock below performance, 100_000_000 to 10_000_000_000 hertz: no model computes there, so its
    lowest.
    """
    cores: Annotated[int, Range(1, 64, "cores")] = 4
    """Cores and threads in every mode, 1 to 64 cores: taking cores away saved 1.2 percent of an RK3566's idle
    current, which is noise.
    """
    throttled_memory_mib: Annotated[int, Range(100, 65_536, "MiB")] = 1500
    """Memory budget of the models at the upper end of throttled, 100 to 65_536 MiB: the standard pack's need
    1437 MiB with those of the memory.
    """
    lean_memory_mib: Annotated[int, Range(100, 65_536, "MiB")] = 1500
    """Memory budget of the models at the lower end of throttled, 100 to 65_536 MiB."""
    cascade_memory_mib: Annotated[int, Range(100, 65_536, "MiB")] | None = None
    """Limit of the models' memory in cascade, 100 to 65_536 MiB: with it models are loaded one at a time, and
    none stays after the turn; without it they are kept, which costs less energy than loading them again.
    """
    cascade_one_at_a_time: bool = False
    """The same with no more memory than the largest model takes, or than `cascade_memory_mib`."""
    cascade_prefetch: bool = True
    """Where models are loaded one at a time, load the next one while the present one works, if both fit
    `cascade_memory_mib`, and without that setting what the largest model takes alone; where they do not fit,
    read its files ahead. False: nothing of a model is read before its turn.
    """
    long_answer_tokens: Annotated[int, Range(1, 1024, "tokens")] = 96
    """Longest answer in performance, 1 to 1024 tokens."""
    short_answer_tokens: Annotated[int, Range(1, 1024, "tokens")] = 64
    """Longest answer at the lower end of throttled and in cascade, 1 to 1024 tokens."""
    fast_answer_s: Annotated[float, Range(0.1, 120, "seconds")] = 2.0
    """Latency target in performance, 0.1 to 120 seconds; see `PowerPlan.latency_target_s`."""
    slow_answer_s: Annotated[float, Range(0.1, 120, "seconds")] = 6.0
    """Latency target in throttled, 0.1 to 120 seconds."""
    cascade_answer_s: Annotated[float, Range(0.1, 120, "seconds")] = 10.0
    """Latency target in cascade, 0.1 to 120 seconds."""
    fast_poll_s: Annotated[float, Range(0.5, 3600, "seconds")] = 5.0
    """Time between two battery readings in performance, and after an implausible or empty reading, 0.5 to
    3600 seconds; the alert line reports urgent changes sooner.
    """
    slow_poll_s: Annotated[float, Range(0.5, 3600, "seconds")] = 30.0
    """Time between two battery readings at the lower end of throttled and in cascade, 0.5 to 3600 seconds."""

    def __post_init__(self) -> None:
        if not 0 <= self.cutoff_percent < self.low_percent < self.high_percent <= 100:
            raise ValueError(
                "power thresholds must satisfy 0 <= cutoff_percent < low_percent < high_percent <= 100"
            )
        for name in ("cpu_steps_khz", "ddr_steps_hz", "npu_steps_hz"):
            steps = getattr(self, name)
            if not steps or list(steps) != sorted(set(steps)):
                raise ValueError(f"{name} must be one clock or several, rising")
        for less, more in _ORDERED:
            if getattr(self, less) > getattr(self, more):
                raise ValueError(f"{less} must be at most {more}")


_ORDERED = (
    ("full_frame_interval_s", "slow_frame_interval_s"),
    ("lean_memory_mib", "throttled_memory_mib"),
    ("short_answer_tokens", "long_answer_tokens"),
    ("fast_answer_s", "slow_answer_s"),
    ("fast_poll_s", "slow_poll_s"),
)
"""Pairs of fields whose first value may be at most the second."""
