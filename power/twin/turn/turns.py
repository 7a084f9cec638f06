"""One question on the twin: its stages in order, with duration and power.

The order is that of `host/turn/steps.py`. The wake word ends a sleep. While the wearer speaks, the computer
resumes, takes a picture and, where the plan says so, encodes it and lets the language model process it as
far as time allows; it loads the recogniser. After the pause that ends the question the recogniser runs, then
language model and voice. Where the plan says so, the camera's sensor starts before the wake word is heard. In
a pack that answers closed questions without the language model, that is tried first with a question about the
present view. The voice begins with the first sentence; except in cascade, the rest is computed while it is
spoken. In a pack that understands several pictures in order the camera goes on until the question is
understood, and a question about several pictures is one about those (`clips`). While the wearer has it
remember, a question to the memory has its phrase placed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from power.policy.plan import PowerPlan
from power.twin.board_power import TurnStep, TwinBoard
from power.twin.turn.alone import Course, answered, until_called
from power.twin.turn.clips import ClipCost
from power.twin.work import MOTION, REFLEX, TEXT, Work

ANSWERED_BY_MODEL = ("now", "frames", "open")
SEEING = ("now", "frames")


@dataclass
class TwinBricks:
    """Models in memory, the least recently used first."""

    memory_mib: dict[str, float]
    loaded: list[str] = field(default_factory=list)

    def take(self, brick: str, plan: PowerPlan) -> bool:
        """Bring that model into memory; returns whether it had to be loaded."""
        missing = brick not in self.loaded
        if plan.residency == "one_at_a_time":
            self.loaded = [brick]
            return missing
        if not missing:
            self.loaded.remove(brick)
        self.loaded.append(brick)
        ceiling = plan.memory_ceiling_mib
        while ceiling is not None and len(self.loaded) > 1 and self._sum() > ceiling:
            self.loaded.pop(0)
        return missing

    def keeping_mw(self, mw_per_gib: float) -> float:
        """Power of the memory in use while the computer sleeps."""
        return mw_per_gib * self._sum() / 1024

    def fit(self, bricks: tuple[str, ...], plan: PowerPlan) -> bool:
        """Can these be in memory together?"""
        if plan.residency == "one_at_a_time":
            return False
        ceiling = plan.memory_ceiling_mib
        return ceiling is None or sum(self.memory_mib[brick] for brick in bricks) <= ceiling

    def _sum(self) -> float:
        return sum(self.memory_mib[brick] for brick in self.loaded)


@dataclass(frozen=True)
class TurnTaken:
    """The steps of one question."""

    listening: tuple[TurnStep, ...]
    thinking: tuple[TurnStep, ...]
    speaking: tuple[TurnStep, ...]
    latency_s: float
    """From the end of the question to the first sound of the answer."""
    given: bool
    """It gets its whole answer: as many tokens as it takes, and two pictures where two are compared."""

    waits_s: tuple[tuple[str, float], ...] = ()
    """What the wait has before `thinking` begins: the pause that ends a question, and what of the picture was
    not done by then.
    """

    @property
    def steps(self) -> tuple[TurnStep, ...]:
        """All of it."""
        return self.listening + self.thinking + self.speaking

    def waited_for(self) -> dict[str, float]:
        """The parts of `latency_s` by name, seconds, in order."""
        found = dict(self.waits_s)
        for step in self.thinking:
            name = step.part or step.stage
            found[name] = found.get(name, 0.0) + step.seconds
        return found


@dataclass(frozen=True)
class TwinQuestion:
    """What the wearer asks."""

    route: str
    seconds: float
    answer_tokens: int
    wake_word: bool
    """Does it begin with the wake word? Otherwise it follows an answer."""
    camera: bool
    closed: bool = False
    """Would a pack with a reflex brick answer it without the language model?"""


def take_turn(
    question: TwinQuestion, plan: PowerPlan, board: TwinBoard, bricks: TwinBricks, asleep: bool
) -> TurnTaken:
    """The steps of one question; `bricks` is changed to what is in memory afterwards."""
    if plan.residency == "one_at_a_time" and plan.prefetch:
        bricks.loaded.clear()
        return _alone(question, plan, board, asleep)
    talk, pack = board.parameters, board.pack
    seeing = question.route in SEEING and question.camera
    clip = ClipCost.of(board, plan, question.camera)
    about_clip = clip is not None and question.route == "frames"
    before = [_step(board, plan, *until_called(question, talk, asleep=asleep))]
    if question.camera and asleep and plan.ahead.sensor == "sound":
        before = _sensor_ahead(board, plan, before[0])
    elif question.camera:
        before.append(_step(board, plan, "capture", talk["camera.capture_s"]))
    at_wake_word = plan.ahead.picture == "wake word"
    if question.camera and at_wake_word:
        before += _see(board, plan, bricks)
    before += _load(board, plan, bricks, "stt")
    reflex = board.pack.reflex and seeing and question.route == "now"
    beside = ("stt", "vision", "llm", *((REFLEX,) if board.pack.reflex else ()))
    if question.camera and board.pack.reflex and plan.residency != "one_at_a_time":
        before += _load(board, plan, bricks, REFLEX)
    speech_s = question.seconds + (talk["talk.wake_word_s"] if question.wake_word else 0.0)
    heard_s = speech_s + talk["talk.pause_s"]
    busy_s = sum(step.seconds for step in before)
    spare_s = max(0.0, heard_s - busy_s)
    ahead = TurnStep("llm", 0.0, 0.0)
    if question.camera and at_wake_word and plan.ahead.prefill and bricks.fit(beside, plan):
        before += _load(board, plan, bricks, "llm")
        picture = _work(board, plan, "llm", pack.prefill * (1 - talk["talk.text_prompt_share"]))
        ahead = replace(picture, seconds=min(picture.seconds, spare_s))
    first_s = sum(step.seconds for step in before if step.stage in ("resume", "listen", "capture"))
    encoded = clip.on_arrival(heard_s - first_s, spare_s - ahead.seconds, bricks.loaded) if clip else []
    quiet_s = spare_s - ahead.seconds - sum(step.seconds for step in encoded)
    listening = [*before, ahead, *encoded, _step(board, plan, "listen", quiet_s)]
    late_s = max(0.0, busy_s - heard_s)

    thinking = _load(board, plan, bricks, "stt")  # in cascade another model may have replaced it
    reading = _work(board, plan, "stt", pack.stt + pack.stt_per_s * question.seconds)
    heard = [reading]
    if pack.vision_stage.endswith("_npu") and plan.residency != "one_at_a_time":
        listening, heard, late_s = _beside(board, plan, listening, reading, late_s, seeing)
    thinking += heard
    still_s = max(0.0, talk["talk.end_silence_s"] - talk["talk.pause_s"] - reading.seconds)
    known_s = heard_s - first_s + reading.seconds + still_s  # from the first picture on
    if clip is not None:
        encoded += clip.on_arrival(reading.seconds + still_s, still_s, bricks.loaded)
        thinking += encoded[1:]
        still_s -= sum(step.seconds for step in encoded[1:])
    thinking.append(_step(board, plan, "listen", still_s))
    if clip is not None:
        listening, thinking = clip.beside(listening, first=True), clip.beside(thinking)
    if clip is not None and about_clip:
        for brick in ("vision", MOTION):
            thinking += _load(board, plan, bricks, brick)
        thinking += clip.answer(known_s, sum(step.seconds for step in encoded))
    elif seeing and not at_wake_word:
        thinking += _see(board, plan, bricks)
    compares = seeing and question.route == "frames" and not about_clip
    two_views = plan.frame_interval_s is not None or plan.second_picture
    if compares and two_views:
        if plan.frame_interval_s is None:
            thinking.append(_step(board, plan, "capture", talk["camera.capture_s"]))
        thinking += _see(board, plan, bricks)
    if question.route == "memory" and pack.phrase is not None:
        thinking += _load(board, plan, bricks, TEXT)
        thinking.append(TurnStep(TEXT, board.seconds(pack.phrase, plan), board.stage_mw("vision", plan)))
    tokens = 0
    answerable = two_views or not compares
    if question.route in ANSWERED_BY_MODEL and answerable and not about_clip:
        tokens = min(question.answer_tokens, plan.answer_max_tokens)
    answered = reflex and question.closed
    if reflex:
        thinking += _load(board, plan, bricks, REFLEX)
        thinking.append(_work(board, plan, REFLEX, pack.asked_of_reflex(tokens) + pack.read_for_reflex))
    if tokens and not answered:
        thinking += _load(board, plan, bricks, "llm")
        prompt = _work(board, plan, "llm", pack.prefill * (1.0 if seeing else talk["talk.text_prompt_share"]))
        done_s = ahead.seconds if question.route == "now" else 0.0  # two pictures are processed together
        thinking.append(replace(prompt, seconds=prompt.seconds - done_s, part="prompt"))
    whole_s = tokens / talk["talk.tokens_per_s"] if tokens else talk["talk.fixed_reply_s"]
    said = tokens or whole_s * talk["talk.tokens_per_s"]
    opening = opening_tokens(board, plan, said, at_once=answered or not tokens)
    first, spoken = (min(1.0, count / said) for count in opening)
    cascade = plan.residency == "one_at_a_time"
    written = 0 if answered else tokens
    words = _work(board, plan, "llm", pack.token * written * (1.0 if cascade else first))
    thinking.append(replace(words, part="answer" if cascade else "first words"))
    thinking += _load(board, plan, bricks, "tts")
    thinking.append(_work(board, plan, "tts", pack.tts_per_s * whole_s * spoken))

    rest = [] if cascade else [_work(board, plan, "llm", pack.token * written * (1 - first))]
    rest.append(_work(board, plan, "tts", pack.tts_per_s * whole_s * (1 - spoken)))
    speaking = _speak(board, plan, rest, whole_s)
    if cascade:
        bricks.loaded.clear()
    waits_s = (("pause", talk["talk.pause_s"]), ("picture", late_s))
    latency_s = sum(seconds for _, seconds in waits_s) + sum(step.seconds for step in thinking)
    short = question.route not in ANSWERED_BY_MODEL or about_clip
    full = short or question.answer_tokens <= plan.answer_max_tokens
    return TurnTaken(
        _real(listening), _real(thinking), _real(speaking), latency_s, answerable and full, waits_s
    )


def _alone(question: TwinQuestion, plan: PowerPlan, board: TwinBoard, asleep: bool) -> TurnTaken:
    """With room for one model at a time; all that is written is written before any of it is spoken."""
    talk, pack = board.parameters, board.pack
    seeing = question.route in SEEING and question.camera
    two_views = plan.frame_interval_s is not None or plan.second_picture
    answerable = two_views or not (seeing and question.route == "frames")
    tokens = 0
    if question.route in ANSWERED_BY_MODEL and answerable:
        tokens = min(question.answer_tokens, plan.answer_max_tokens)
    at_once = not tokens or (pack.reflex and question.closed and question.route == "now" and seeing)
    whole_s = tokens / talk["talk.tokens_per_s"] if tokens else talk["talk.fixed_reply_s"]
    said = tokens or whole_s * talk["talk.tokens_per_s"]
    spoken = min(1.0, opening_tokens(board, plan, said, at_once=at_once)[1] / said)
    course = Course(plan, board)
    heard_s, sounds_s = answered(
        question, course, asleep=asleep, seeing=seeing, tokens=tokens, first_speech_s=whole_s * spoken
    )
    pause_s = talk["talk.pause_s"]
    rest = [_work(board, plan, "tts", pack.tts_per_s * whole_s * (1 - spoken))]
    full = question.route not in ANSWERED_BY_MODEL or question.answer_tokens <= plan.answer_max_tokens
    return TurnTaken(
        _real(course.steps(0.0, heard_s)),
        _real(course.steps(heard_s, sounds_s)),
        _real(_speak(board, plan, rest, whole_s)),
        sounds_s - heard_s + pause_s,
        answerable and full,
        (("pause", pause_s), ("picture", 0.0)),
    )


def _sensor_ahead(board: TwinBoard, plan: PowerPlan, called: TurnStep) -> list[TurnStep]:
    """The same with the camera's sensor on from the first of what was recorded on, and its first frame after
    the wake word and after its exposure has settled.
    """
    talk = board.parameters
    ahead_s = max(0.0, talk["sleep.hand_over_s"] - talk["sleep.first_sound_s"])
    settles_s = max(0.0, talk["camera.capture_s"] - ahead_s)
    seeing_mw = called.power_mw + board.sensor_mw(plan)
    before = replace(called, seconds=called.seconds - ahead_s)
    beside = replace(called, seconds=ahead_s, power_mw=seeing_mw)
    return [before, beside, _step(board, plan, "capture", settles_s + talk["camera.frame_s"])]


def _beside(
    board: TwinBoard,
    plan: PowerPlan,
    listening: list[TurnStep],
    reading: TurnStep,
    late_s: float,
    seeing: bool,
) -> tuple[list[TurnStep], list[TurnStep], float]:
    """An eye on the NPU that is late goes on while the cores recognise the question, which nothing else waits
    for: the steps before and during that, and how late the picture is after all. What of it is not done when
    the question turns out to be about something else is not done.
    """
    index = next((number for number, step in enumerate(listening) if step.stage == "vision"), None)
    if index is None:
        return listening, [reading], late_s
    eye = listening[index]
    open_s = min(late_s, eye.seconds)
    beside_s = min(open_s, reading.seconds)
    waited_for_s = open_s - beside_s if seeing else 0.0
    before = [*listening]
    before[index] = replace(eye, seconds=eye.seconds - open_s + waited_for_s)
    both_mw = board.together_mw("stt", board.pack.vision_stage, plan)
    both = replace(reading, seconds=beside_s, power_mw=both_mw)
    alone = replace(reading, seconds=reading.seconds - beside_s)
    return before, [both, alone], late_s - open_s + waited_for_s


def opening_tokens(
    board: TwinBoard, plan: PowerPlan, tokens: float, *, at_once: bool = False
) -> tuple[float, float]:
    """Tokens of an answer of `tokens` that are written, and of those the spoken ones, before the first word
    sounds: `host.turn.answer_player` waits for a whole sentence no longer than its patience, and has a slow
    voice make the sentence in two parts. at_once: all is written.
    """
    talk = board.parameters
    sentence = min(tokens, talk["talk.first_sentence_tokens"])
    if not at_once and board.seconds(board.pack.token, plan) * sentence > talk["talk.patience_s"]:
        return talk["talk.first_written_tokens"], talk["talk.first_spoken_tokens"]
    voice_s = board.seconds(board.pack.tts_per_s * (sentence / talk["talk.tokens_per_s"]), plan)
    slow = voice_s > talk["talk.first_piece_s"]
    return sentence, min(sentence, talk["talk.first_spoken_tokens"]) if slow else sentence


def load_all(plan: PowerPlan, board: TwinBoard, bricks: TwinBricks) -> tuple[TurnStep, ...]:
    """Every model into memory, as a plan with resident models asks for when it begins."""
    steps: list[TurnStep] = []
    for brick in board.pack.bricks:
        steps += _load(board, plan, bricks, brick)
    return _real(steps)


def _speak(board: TwinBoard, plan: PowerPlan, rest: list[TurnStep], whole_s: float) -> list[TurnStep]:
    """The answer is spoken while the rest of it is computed, or after it where that takes longer."""
    speaking, left_s = [], whole_s
    for step in rest:
        beside_s = min(left_s, step.seconds)
        speaking.append(TurnStep(step.stage, beside_s, board.together_mw("speak", step.stage, plan)))
        speaking.append(TurnStep(step.stage, step.seconds - beside_s, step.power_mw))
        left_s -= beside_s
    return [*speaking, _step(board, plan, "speak", left_s)]


def _see(board: TwinBoard, plan: PowerPlan, bricks: TwinBricks) -> list[TurnStep]:
    stage = board.pack.vision_stage
    steps = _load(board, plan, bricks, "vision")
    seconds = board.seconds(board.pack.vision, plan)
    return [*steps, TurnStep("vision", seconds, board.stage_mw(stage, plan))]


def _load(board: TwinBoard, plan: PowerPlan, bricks: TwinBricks, brick: str) -> list[TurnStep]:
    return [_work(board, plan, "load", board.pack.load[brick])] if bricks.take(brick, plan) else []


def _work(board: TwinBoard, plan: PowerPlan, stage: str, work: Work) -> TurnStep:
    return _step(board, plan, stage, board.seconds(work, plan, stage))


def _step(board: TwinBoard, plan: PowerPlan, stage: str, seconds: float) -> TurnStep:
    return TurnStep(stage, seconds, board.stage_mw(stage, plan))


def _real(steps: list[TurnStep]) -> tuple[TurnStep, ...]:
    return tuple(step for step in steps if step.seconds > 0)
