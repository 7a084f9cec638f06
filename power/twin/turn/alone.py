"""A question where models are loaded one at a time, each released after its use, and the next is made ready
meanwhile, as `host.turn.early.look` and `models.process.bricks` do it.

Where two models fit together the next is loaded beside the present one: the recogniser beside the encoder of
the picture that was taken at the wake word, the language model beside what is left of that, the voice beside
the answer that is written. Where they do not, the next one's files are read ahead, and its load is shorter by
that. What overlaps is laid out in time; a stretch is called by what ends last in it, as that is waited for.
A model that is loaded while none computes on the cores is loaded at the clock that the plan has for that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from power.account.energy_model import LOAD, NPU
from power.policy.plan import PowerPlan
from power.twin.board_power import TurnStep, TwinBoard
from power.twin.work import REFLEX, TEXT, Work

if TYPE_CHECKING:
    from power.twin.parameters import Parameters
    from power.twin.turn.turns import TwinQuestion


@dataclass(frozen=True)
class Span:
    """Work in a stretch of time, seconds from the beginning of the wake word."""

    stage: str
    """Of the energy table."""
    name: str
    start_s: float
    end_s: float
    ahead: bool = False
    """Files are read that nobody waits for."""
    beside: bool = False
    """Beside one that computes on the cores, or while files are read: at the clock for that."""


@dataclass
class Course:
    """The work on one question."""

    plan: PowerPlan
    board: TwinBoard
    spans: list[Span] = field(default_factory=list)
    _read_from_s: dict[str, float] = field(default_factory=dict)
    """By brick, when the reading of its files begins."""

    def fit(self, *bricks: str) -> bool:
        """Can these be in memory together?"""
        need_mib = self.board.pack.memory_mib
        room_mib = self.plan.memory_ceiling_mib or max(need_mib.values())
        return sum(need_mib[brick] for brick in bricks) <= room_mib

    def work(self, stage: str, start_s: float, work: Work, name: str = "") -> float:
        """When the work ends that begins then."""
        return self.last(stage, self.board.seconds(work, self.plan, stage), start_s, name)

    def last(self, stage: str, seconds: float, start_s: float = 0.0, name: str = "") -> float:
        """When something ends that lasts so long and begins then."""
        self.spans.append(Span(stage, name or stage, start_s, start_s + seconds))
        return start_s + seconds

    @cached_property
    def usual(self) -> PowerPlan:
        """The plan without a clock of its own for loading."""
        return replace(self.plan, load_cpu_max_khz=self.plan.cpu_max_khz)

    def read(self, brick: str, start_s: float) -> float:
        """Its files are read ahead from then on, unless they are already; returns when that ends."""
        start_s = self._read_from_s.setdefault(brick, start_s)
        return start_s + self.board.pack.read_s.get(brick, 0.0)

    def load(self, brick: str, start_s: float, *, busy_until_s: float = 0.0) -> float:
        """When its load ends that begins then: shorter by what is read already. busy_until_s: until then
        another computes on the cores.
        """
        begun_s = self._read_from_s.get(brick, start_s)
        read_s = min(self.board.pack.read_s.get(brick, 0.0), max(0.0, start_s - begun_s))
        if read_s:
            self.spans.append(Span(LOAD, LOAD, begun_s, begun_s + read_s, ahead=True, beside=True))
        load, name = self.board.pack.load[brick], f"{LOAD} {brick}"
        left = Work(load.core_s, load.memory_s, load.fixed_s - read_s)
        beside_s = min(max(0.0, busy_until_s - start_s), self.board.seconds(left, self.usual, LOAD))
        if beside_s:
            self.spans.append(Span(LOAD, name, start_s, start_s + beside_s, beside=True))
            left = self._rest(left, beside_s)
        return self.work(LOAD, start_s + beside_s, left, name)

    def _rest(self, load: Work, beside_s: float) -> Work:
        """What is left of a load after so long beside another: it waits for its file first."""
        computes = Work(load.core_s, load.memory_s)
        done_s = max(0.0, beside_s - load.fixed_s)
        share = done_s / self.board.seconds(computes, self.usual, LOAD) if done_s else 0.0
        return computes * (1 - share) + Work(fixed_s=max(0.0, load.fixed_s - beside_s))

    def cut(self, stage: str, end_s: float) -> None:
        """What is not done of that by then is not done."""
        self.spans = [
            replace(each, end_s=min(each.end_s, end_s)) if each.stage == stage else each
            for each in self.spans
            if each.stage != stage or each.start_s < end_s
        ]

    def steps(self, start_s: float, end_s: float) -> list[TurnStep]:
        """What is done between two times, in order; where nothing is done, it listens."""
        times = {start_s, end_s, *(at for span in self.spans for at in (span.start_s, span.end_s))}
        inside = sorted(at for at in times if start_s <= at <= end_s)
        return [self._step(*each) for each in pairwise(inside)]

    def _step(self, start_s: float, end_s: float) -> TurnStep:
        board, plan = self.board, self.plan
        active = [each for each in self.spans if each.start_s <= start_s and end_s <= each.end_s]
        waited_for = [each for each in active if not each.ahead]
        if not waited_for:
            quiet = TurnStep("listen", end_s - start_s, board.stage_mw("listen", plan))
            return quiet if not active else TurnStep(quiet.stage, quiet.seconds, self._power_mw(active))
        last = max(waited_for, key=lambda each: each.end_s)
        stage = "vision" if last.stage == board.pack.vision_stage else last.stage
        part = last.name if last.name != last.stage else ""
        return TurnStep(stage, end_s - start_s, self._power_mw(active), part)

    def _power_mw(self, active: Iterable[Span]) -> float:
        idle_mw = self.board.stage_mw("idle", self.plan)
        plans = ((each.stage, self.usual if each.beside else self.plan) for each in active)
        return idle_mw + sum(self.board.stage_mw(stage, plan) - idle_mw for stage, plan in plans)


def until_called(question: TwinQuestion, talk: Parameters, *, asleep: bool) -> tuple[str, float]:
    """What passes until the wake word is heard, and for how long, from its beginning: nothing is begun for a
    question before. A computer that it wakes hears it when what the microcontroller recorded is read.
    """
    if asleep:
        return "resume", talk["sleep.resume_s"] + talk["sleep.hand_over_s"]
    return "listen", talk["talk.wake_word_s"] if question.wake_word else 0.0


def answered(
    question: TwinQuestion, course: Course, *, asleep: bool, seeing: bool, tokens: int, first_speech_s: float
) -> tuple[float, float]:
    """Fills the course; returns when the pause that ends the question is over, and when the first words
    sound. tokens: that the language model writes; first_speech_s: length of what the voice makes first.
    """
    board, plan, pack, talk = course.board, course.plan, course.board.pack, course.board.parameters
    reflex = pack.reflex and seeing and question.route == "now"
    speech_s = question.seconds + (talk["talk.wake_word_s"] if question.wake_word else 0.0)
    heard_s = speech_s + talk["talk.pause_s"]
    awake_s = course.last(*until_called(question, talk, asleep=asleep))
    taken_s = course.last("capture", talk["camera.capture_s"], awake_s) if question.camera else awake_s
    seen_s, known_s = _heard_and_seen(question, course, awake_s, taken_s, heard_s)
    if seen_s is not None and not seeing:
        course.cut(pack.vision_stage, known_s)
    if seeing and seen_s is None:
        seen_s = course.work(pack.vision_stage, course.load("vision", known_s), pack.vision, "vision")
    at_s = max(known_s, seen_s) if seeing and seen_s is not None else known_s
    if question.route == "memory" and pack.phrase is not None:
        at_s = course.last(TEXT, board.seconds(pack.phrase, plan), course.load(TEXT, at_s))
    if reflex:
        asked = pack.asked_of_reflex(tokens) + pack.read_for_reflex
        at_s = course.work(REFLEX, course.load(REFLEX, at_s), asked)
    if tokens and not (reflex and question.closed):
        beside = seeing and not reflex and course.fit("vision", "llm")
        on_npu = pack.vision_stage.endswith(NPU)
        busy_until_s = 0.0 if on_npu else at_s
        loaded_s = course.load("llm", known_s if beside else at_s, busy_until_s=busy_until_s)
        prompt = pack.prefill * (1.0 if seeing else talk["talk.text_prompt_share"])
        prompted_s = course.work("llm", max(loaded_s, at_s), prompt, "prompt")
        written_s = course.work("llm", prompted_s, pack.token * tokens, "answer")
        first_s = prompted_s + board.seconds(pack.token, plan)
        if course.fit("llm", "tts"):
            at_s = max(written_s, course.load("tts", first_s, busy_until_s=written_s))
        else:
            course.read("tts", first_s)
            at_s = course.load("tts", written_s)
    else:
        at_s = course.load("tts", at_s)
    return heard_s, course.work("tts", at_s, pack.tts_per_s * first_speech_s)


def _heard_and_seen(
    question: TwinQuestion, course: Course, awake_s: float, taken_s: float, heard_s: float
) -> tuple[float | None, float]:
    """When the picture is encoded that was taken at the wake word, None where it is not at once; and when
    the words are known.
    """
    pack, plan, talk = course.board.pack, course.plan, course.board.parameters
    seen_s = None
    ready_s = awake_s
    if question.camera and plan.ahead.picture == "wake word":
        ready_s = course.load("vision", awake_s)
        seen_s = course.work(pack.vision_stage, max(ready_s, taken_s), pack.vision, "vision")
        if not course.fit("vision", "stt"):
            course.read("stt", ready_s)
            ready_s = seen_s
    on_npu = pack.vision_stage.endswith(NPU)
    ready_s = course.load("stt", ready_s, busy_until_s=0.0 if on_npu else seen_s or 0.0)
    free_s = ready_s if seen_s is None or ready_s < seen_s else seen_s
    if question.camera and seen_s is None:
        free_s = course.read("vision", free_s)
    if not pack.reflex:
        course.read("llm", free_s)
    if seen_s is not None and not on_npu:
        ready_s = max(ready_s, seen_s)  # both want all cores
    reading = pack.stt + pack.stt_per_s * question.seconds
    read_s = course.work("stt", max(heard_s, ready_s), reading)
    return seen_s, max(read_s, heard_s + talk["talk.end_silence_s"] - talk["talk.pause_s"])
