"""When to save power, and how much: the settings of `power.policy`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PowerConfig:
    """When to save power, and how much."""

    high_percent: float = 50.0
    """Charge above which nothing is saved, percent."""
    low_percent: float = 20.0
    """Charge below which the headband runs in cascade, percent."""
    cutoff_percent: float = 5.0
    """Charge at or below which it saves and stops, percent."""
    reentry_percent: float = 5.0
    """How far the charge must rise above a threshold to leave the mode below it, points; more than the noise
    of the gauge.
    """
    dwell_s: float = 60.0
    """Shortest stay in a mode before a better one, seconds; outside power and a request need not wait."""
    confirm_readings: int = 2
    """Readings in a row that must ask for cut-off before a running headband stops; a first reading counts at
    once.
    """
    deep_cascade_percent: float = 10.0
    """Charge at or below which even the fork server is given up between questions, percent."""
    hot_battery_c: float = 45.0
    """Battery temperature at which performance is withheld, degrees Celsius; lithium cells should not be
    worked hotter.
    """
    hot_soc_c: float = 70.0
    """Chip temperature at which performance is withheld, degrees Celsius: the first trip point of the
    RK3566.
    """
    cool_by_c: float = 3.0
    """How far below a hot limit counts as cool again, degrees."""

    full_frame_interval_s: float = 0.5
    """Seconds between camera frames in performance."""
    slow_frame_interval_s: float = 5.0
    """Seconds between camera frames at the lower end of throttled."""
    away_after_s: float = 600.0
    """Seconds of one and the same view, without a word or a touch, after which nobody is taken to wear the
    headband; 0: somebody always does."""
    away_sleep_s: float = 3.0
    """Quiet seconds before it sleeps while nobody wears it."""
    prefill_ahead_alpha: float = 0.5
    """alpha in throttled from which the language model takes the view in before it is known whether the
    question is about it."""
    cascade_prefill_ahead: bool = True
    """In cascade too, with its state carried over to the next process: the seconds that it saves the wearer
    are seconds awake."""
    unit_s: float = 1.0
    """Seconds of speech between two readings of an unfinished question in performance."""
    cpu_steps_khz: tuple[int, ...] = (1_416_000, 1_608_000, 1_800_000)
    """CPU clocks worth using, kilohertz, rising. Below the first, a piece of work costs more energy, not
    less: the voltage no longer falls with the clock while the rest of the board is awake for longer
    (`EnergyModel.thriftiest_khz`).
    """
    cool_cpu_khz: int = 1_104_000
    """CPU clock while too hot, kilohertz: the fastest at the lowest voltage, so the least power for the least
    delay.
    """
    ddr_steps_hz: tuple[int, ...] = (528_000_000, 780_000_000, 1_056_000_000)
    """Memory clocks worth using, hertz, rising."""
    npu_steps_hz: tuple[int, ...] = (600_000_000, 900_000_000)
    """NPU clocks worth using, hertz, rising."""
    gpu_idle_hz: int = 200_000_000
    """GPU clock below performance, hertz: no model computes there, so its lowest."""
    cores: int = 4
    """Cores and threads in every mode: taking cores away saved 1.2 percent of an RK3566's idle current, which
    is noise.
    """
    throttled_memory_mib: int = 1200
    """Memory budget of the models at the upper end of throttled, MiB."""
    lean_memory_mib: int = 500
    """Memory budget of the models at the lower end of throttled, MiB."""
    cascade_memory_mib: int | None = None
    """Ceiling of the models' memory in cascade, MiB; None is whatever the one loaded model needs."""
    cascade_prefetch: bool = False
    """In cascade, load the next model while the present one works, within `cascade_memory_mib`."""
    long_answer_tokens: int = 96
    """Longest answer in performance, tokens."""
    short_answer_tokens: int = 32
    """Longest answer at the lower end of throttled and in cascade, tokens."""
    fast_answer_s: float = 2.0
    """Latency target in performance, seconds."""
    slow_answer_s: float = 6.0
    """Latency target at the lower end of throttled, seconds."""
    cascade_answer_s: float = 10.0
    """Latency target in cascade, seconds."""
    fast_poll_s: float = 5.0
    """Seconds between looks at the battery in performance, and whenever it cannot be believed or seems empty:
    the alert line tells of what is urgent sooner."""
    slow_poll_s: float = 30.0
    """Seconds between looks at the battery at the lower end of throttled and in cascade."""

    def __post_init__(self) -> None:
        if not 0 <= self.cutoff_percent < self.low_percent < self.high_percent <= 100:
            raise ValueError(
                "power thresholds must satisfy 0 <= cutoff_percent < low_percent < high_percent <= 100"
            )
        if self.reentry_percent < 0 or self.dwell_s < 0 or self.confirm_readings < 1:
            raise ValueError(
                "reentry_percent and dwell_s must not be negative, confirm_readings must be at least 1"
            )
