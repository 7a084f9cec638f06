"""A finished turn as JSON and as a few lines for a person."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from host.config import ListenConfig
from host.hearing.rest_of_recording import rest_note, speech_after
from host.turn.reflex_answer import as_fields
from host.turn.turn import Turn
from hw.device import Pcm
from models.listening.voice_activity import VoiceActivity
from models.process.residency import BrickEvent
from models.process.rss import Peak

_NOTED_RATIO = 1.1
Picture = NDArray[np.uint8]
MAIN_STAGES = ("stt", "vision", "reflex", "motion", "llm", "tts")


class Announced:
    """An observer that notes what is said unasked."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def observe(self, event: str, fields: dict[str, Any]) -> None:
        """Notes the sentence of an announcement."""
        if event == "announcement":
            self.sentences.append(fields["sentence"])


def timings_ms(turn: Turn, events: Sequence[BrickEvent]) -> dict[str, float]:
    """Milliseconds by stage: load, execute and release of every brick, the endpointing silence, end of speech
    to first audio, the turn.
    """
    result: dict[str, float] = defaultdict(float)
    for event in events:
        if event.kind in ("load", "execute", "release"):
            result[f"{event.brick}_{event.kind}"] += (event.end_s - event.start_s) * 1000
    result["endpoint_silence"] = turn.endpoint_silence_s * 1000
    if turn.response_s is not None:
        result["end_of_speech_to_first_audio"] = turn.response_s * 1000
        result["processing_to_first_audio"] = (turn.response_s - turn.endpoint_silence_s) * 1000
    if turn.ended_s is not None:
        result["turn"] = (turn.ended_s - turn.started_s) * 1000
    return {name: round(value, 1) for name, value in result.items()}


def energy_mwh(turn: Turn) -> dict[str, Any]:
    """Energy in mWh from the wake word to the end of the answer, and by stage. The total is measured if the
    microcontroller's counters could be read, else modelled; the stages are always modelled.
    """
    if turn.spent is None:
        return {"kind": "modelled", "total": 0.0, "stages": {}, "stages_kind": "modelled", "note": ""}
    return {
        "kind": turn.spent.kind,
        "meter": "pmu" if turn.spent.kind == "measured" else "model",
        "total": round(turn.spent.total_mwh, 4),
        "stages": {name: round(value, 4) for name, value in turn.spent.stages_mwh.items()},
        "stages_kind": "modelled",
        "note": turn.spent.note,
    }


def memory_report(peak: Peak, events: Sequence[BrickEvent], fork_server_mib: float) -> dict[str, Any]:
    """Memory in MiB. main, fork_server, bricks: resident set sizes, shared pages included; bricks_own,
    tree_peak: every shared page counted once.
    """
    bricks = dict.fromkeys(event.brick for event in events)
    resident = {b: max(e.peak_rss_mib or 0.0 for e in events if e.brick == b) for b in bricks}
    own = {b: max(peak.by_pid_mib.get(e.pid, 0.0) for e in events if e.brick == b) for b in bricks}
    return {
        "main": round(peak.main_rss_mib, 1),
        "fork_server": round(fork_server_mib, 1),
        "bricks": {brick: round(value, 1) for brick, value in resident.items()},
        "bricks_own": {brick: round(value, 1) for brick, value in own.items()},
        "tree_peak": round(peak.tree_mib, 1),
    }


def sight_note(picture: Picture | None) -> str | None:
    """A note if a picture, uint8 [h, w, 3], was scaled to a square for the model; None for an almost square
    one.
    """
    if picture is None:
        return None
    height, width = picture.shape[:2]
    if max(height, width) < _NOTED_RATIO * min(height, width):
        return None
    return f"a {'wide' if width > height else 'tall'} picture, seen whole, and so everything smaller"


def rest_of_recording(pcm: Pcm, heard_s: float, cut: bool, config: ListenConfig) -> str | None:
    """A note if a recording, int16 [n] at 16 kHz, has speech after its first `heard_s` seconds, which were
    heard. `cut`: the question in them was ended for its length.
    """
    return rest_note(speech_after(pcm, heard_s, VoiceActivity(), config), cut, config)


def turn_report(
    turn: Turn,
    events: Sequence[BrickEvent],
    asked_s: float,
    memory_mib: dict[str, Any],
    audio_out: str | None,
    faults: Sequence[str | None] = (),
    picture: Picture | None = None,
    announcements: Sequence[str] = (),
) -> dict[str, Any]:
    """The object that `headband ask --json` prints. Brick events before `asked_s` are listed but not counted
    in the turn's timings, nor is work that begins after the turn. faults: why a file could not be written,
    None for one that was. picture: the view, uint8 [h, w, 3]. announcements: what was said unasked.
    """
    until_s = math.inf if turn.ended_s is None else turn.ended_s
    own = [
        event
        for event in events
        if asked_s <= event.start_s and (event.kind == "release" or event.start_s <= until_s)
    ]
    return {
        "transcript": turn.transcript,
        "probability": round(turn.probability, 3),
        "route": turn.decision.route,
        "intent": turn.decision.intent,
        "first": [each.intent for each in turn.decision.first],
        "classified": turn.decision.certainty,
        "answer": turn.answer,
        "answered_by": turn.answered_by,
        "reflex": None if turn.closed is None else as_fields(turn.closed),
        "mode": turn.plan.mode.value,
        "mode_reason": turn.plan.reason,
        "views": turn.views,
        "sight": sight_note(picture) if turn.decision.route in ("now", "frames") else None,
        "failure": turn.failure,
        "timings_ms": timings_ms(turn, own),
        "memory_mib": memory_mib,
        "energy_mwh": energy_mwh(turn),
        "bricks": [
            {
                "brick": event.brick,
                "event": event.kind,
                "start_ms": round((event.start_s - turn.started_s) * 1000, 1),
                "end_ms": round((event.end_s - turn.started_s) * 1000, 1),
                "pid": event.pid,
                "peak_rss_mib": event.peak_rss_mib,
            }
            for event in events
        ],
        "announcements": list(announcements),
        "audio_out": audio_out,
        "unsaved": [fault for fault in faults if fault is not None],
    }


def of_reflex(fields: dict[str, Any]) -> str:
    """What the reflex brick made of a question, in words; `fields` of `host.turn.reflex_answer.as_fields`."""
    if "problem" in fields:
        return f"handed over: {fields['problem']}"
    cause = f" ({fields['cause']})" if fields["cause"] else ""
    if fields["handed_over"] and not fields["layer"] and not cause:
        return f"{fields['reasons'][-1]}, {fields['ms']:.0f} ms"  # the network was not asked
    done = "handed over" if fields["handed_over"] else "advice" if fields["advice"] else "answered"
    agreed = fields.get("agreed")
    twice = "" if agreed is None else f", two pictures {'agree' if agreed else 'differ'}"
    twice += ", the text reader agrees" if fields.get("read") else ""
    return (
        f"{done}{cause} after layer {fields['layer']}, {fields['confidence']:.0%} sure{twice}, "
        f"{fields['ms']:.0f} ms"
    )


def _of_the_device(report: dict[str, Any]) -> list[str]:
    """The intents of what the device replies to, in their order."""
    return [*report["first"], *([report["intent"]] if report["route"] == "device" else [])]


def summary(report: dict[str, Any]) -> str:
    """The report as a few lines of text."""
    timings = report["timings_ms"]
    lines = [
        f"  heard    {report['transcript'] or '(nothing)'}",
        f"  route    {report['route']}" + "".join(f" / {intent}" for intent in _of_the_device(report)),
        f"  answer   {report['answer'] or '(silence)'}",
        f"  mode     {report['mode']}: {report['mode_reason']}",
        *(f"  unasked  {sentence}" for sentence in report["announcements"]),
    ]
    reflex = report["reflex"]
    if reflex is not None:
        lines.append(f"  reflex   {of_reflex(reflex)}")
    first = timings.get("end_of_speech_to_first_audio")
    if first is not None:
        lines.append(
            f"  timing   {first:.0f} ms from end of speech to first sound, "
            f"{timings['endpoint_silence']:.0f} ms of it waiting for silence"
        )
    stages = [
        f"{name} {timings[name + '_execute']:.0f}" for name in MAIN_STAGES if name + "_execute" in timings
    ]
    loads = [f"{name} {timings[name + '_load']:.0f}" for name in MAIN_STAGES if name + "_load" in timings]
    if stages:
        loaded = f"{', '.join(loads)} ms" if loads else "none"
        lines.append(f"  stages   {', '.join(stages)} ms; loads {loaded}")
    memory = report["memory_mib"]
    lines.append(
        f"  memory   main {memory['main']:.0f} MiB, peak of all processes {memory['tree_peak']:.0f} MiB"
    )
    lines.append(f"  energy   {report['energy_mwh']['total']:.2f} mWh ({report['energy_mwh']['kind']})")
    if report["sight"]:
        lines.append(f"  sight    {report['sight']}")
    if report["failure"]:
        lines.append(f"  failure  {report['failure']}")
    if report["audio_out"]:
        lines.append(f"  sound    {report['audio_out']}")
    return "\n".join(lines)
