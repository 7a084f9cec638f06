"""The power modes, and the plan: one value that every part of the headband obeys."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal, get_args

from power.placement.ahead import Ahead
from power.placement.choice import Placed

ModeName = Literal["performance", "throttled", "cascade"]
"""A mode in which the headband works, so one that can be asked for."""
MODES: tuple[str, ...] = get_args(ModeName)
"""Most power first."""
ResidencyKind = Literal["resident", "budgeted", "one_at_a_time"]


class Mode(Enum):
    """The power region of the state machine, most power first: those of `MODES`, then cut-off."""

    PERFORMANCE = "performance"
    THROTTLED = "throttled"
    CASCADE = "cascade"
    CUTOFF = "cutoff"

    @property
    def rank(self) -> int:
        """3 for performance down to 0 for cut-off: more rank, more power."""
        return _RANKS[self._value_]


_RANKS = {mode.value: 3 - place for place, mode in enumerate(Mode)}


@dataclass(frozen=True)
class ReflexBudget:
    """How much the brick for closed questions computes beyond what its pack found worth it. Both 0 to 1, as a
    share of the way from the pack's own number to 1: 0 is the pack's number.
    """

    certainty: float
    """Of the score from which a layer's answer is taken; at 1 every layer runs."""
    keep: float
    """Of the share of image tokens that go on after the first layer; at 1 all go on."""


@dataclass(frozen=True)
class PowerPlan:
    """How to run until the next plan; nothing but the plan limits performance."""

    mode: Mode
    alpha: float
    """1 at the upper end of throttled (and in performance), 0 at its lower end (and below)."""
    reason: str
    """Why, as the clause after "because": "the battery is at 18 percent"."""
    residency: ResidencyKind
    """How long models stay in memory."""
    memory_ceiling_mib: int | None
    """Memory limit of all models together, MiB; None is no limit."""
    keep_fork_server: bool
    """Keep the process that starts models quickly, which takes memory."""
    prefetch: bool
    """Load the next model while the present one works, where the memory ceiling allows."""
    frame_interval_s: float | None
    """Seconds between camera frames; None is one frame per question."""
    frames_for: str | None
    """What those frames are for; see `power.policy.savings.FramesFor`."""
    longest_sleep_s: float | None
    """The computer sleeps at most so many seconds, to look at what is to be remembered; None: it is not woken
    for that.
    """
    second_picture: bool
    """A question may take a second picture: to compare it with the first, or to be sure of an answer."""
    clip_interval_s: float | None
    """Seconds between pictures that are kept while a question is spoken, in case it asks what happened in the
    last seconds; None: none are. Only for packs that understand several pictures in order.
    """
    clip_on_arrival: bool
    """Those pictures are encoded as they come, not when the question proves to be about them."""
    kept_encodings: int
    """So many encodings of recent views may stay in memory for further questions; 0: no view is encoded
    without a question.
    """
    recall_deepens: int
    """Of so many views that fit a question to the memory best, those that stopped early are encoded to full
    depth, and all are ranked again; 0: none.
    """
    recall_looks: int
    """So many of the best are looked at again by the language model, at most; 0: none, so the answer is less
    sure.
    """
    deepens_memory: bool
    """Remembered views are encoded to full depth between questions, because there is outside power."""
    placed: tuple[Placed, ...]
    """Where each brick computes and with how many threads, with the reason; none: as the pack says."""
    ahead: Ahead
    """What is done before the end of a question, with the reason."""
    reflex: ReflexBudget
    """What closed questions may cost in a pack that answers them without the language model."""
    unit_s: float | None
    """Seconds of speech between two transcriptions of an unfinished question; None: only at pauses."""
    cpu_max_khz: int | None
    """Highest CPU clock; None leaves it to the governor."""
    load_cpu_max_khz: int | None
    """The same while a model is loaded and none computes on the cores: that keeps one of them busy."""
    online_cpus: int
    """Cores to keep running; a model without a place in `placed` uses as many threads, or fewer where the
    computer has fewer cores.
    """
    ddr_max_hz: int | None
    """Highest memory clock; None leaves it to the governor."""
    npu_max_hz: int | None
    """Highest NPU clock; None leaves it to the governor."""
    gpu_max_hz: int | None
    """Highest GPU clock; None leaves it to the governor."""
    answer_max_tokens: int
    """Longest answer the language model may give."""
    latency_target_s: float
    """Wanted from the end of the question to the first word of the answer; one value per mode. A goal for
    whoever tunes the plan; after half of it a closed question goes on to the language model, and a question
    to the memory with the views as they are.
    """
    suspend_between_events: bool
    """The computer suspends between events until the PMU wakes it; in every mode on battery power."""
    sleep_within_s: float | None
    """Suspend after at most so many quiet seconds; None: after `[listen] sleep_after_s`."""
    why: tuple[str, ...]
    """Why it does with models and clocks what it does, one clause each."""
    battery_poll_s: float
    """Seconds between two battery readings without an alert."""
