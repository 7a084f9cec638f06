"""Every sentence of the headband's own, with every number in it, is suitable for speech."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import pytest

import host
from host.answers.certainty_replies import Grounds, how_sure, why
from host.answers.device import DeviceState, answer_device
from host.answers.energy_replies import Outlook, PastAnswer, cost, lasting, used_today, why_short
from host.answers.last_command import last_command
from host.answers.reflex import ClosedResult
from host.answers.timer_replies import clock, ended, farewell, span
from host.answers.timers import Now, Timers
from host.language.number_words import in_words
from host.language.router import Decision
from hw.supply import BatteryReading
from models.closed_question import ClosedAnswer
from power.account.ledger import Account, Book, Drain, Spent
from power.policy.plan import Mode
from power.policy.policy import Policy

VOICE = Path(__file__).parents[3] / "models" / "packs" / "micro" / "voice.onnx.json"
MIDNIGHT_S = time.mktime((2026, 3, 7, 0, 0, 0, 0, 0, -1))
SPOKEN = (
    "host.turn.steps", "host.system.watchdog", "host.wearer.saved_settings", "host.app.main_loop",
    "host.wearer.recording_switch", "host.answers.declined", "host.answers.device",
    "host.answers.energy_replies", "host.answers.timer_replies", "host.answers.last_command",
    "host.answers.certainty_replies",
)  # fmt: skip
"""Modules whose constant sentences are spoken."""
UNITS = "hour|minute|second|question|word|percent|degree|milliwatt hour|timer|alarm"


def reading(percent: int | None, charging: bool = False) -> BatteryReading:
    state = "absent" if percent is None else "good"
    problem = "The bus reads only ones: 0x55 is not connected." if percent is None else None
    return BatteryReading(percent, 3800, 500 if charging else -400, 25.0, charging, state, problem)  # type: ignore[arg-type]


def constants() -> Iterator[str]:
    for name in SPOKEN:
        module = importlib.import_module(name)
        for key, value in vars(module).items():
            if key.isupper() and isinstance(value, str) and value.endswith((".", "?", "!")):
                yield value


def about_the_device() -> Iterator[str]:
    state = DeviceState(50)
    plan = Policy().decide(reading(50), 0.0)[0]

    def said(intent: str, state: DeviceState = state, wall_s: float = MIDNIGHT_S, **slots: object) -> str:
        return answer_device(Decision("device", intent, dict(slots)), state, reading(50), plan, wall_s).text

    for minute in range(24 * 60):
        yield said("time", wall_s=MIDNIGHT_S + 60 * minute)
    for day in range(31):
        yield said("date", wall_s=MIDNIGHT_S + 86400 * day)
    for number in range(101):
        yield said("volume", number=number)
        for intent in ("louder", "quieter"):
            yield said(intent, DeviceState(max(10, number)))
    for intent in ("slower", "faster", "repeat", "save_power", "full_power", "own_power", "recording_off",
                   "recording_on", "unheard of"):  # fmt: skip
        yield said(intent)


def about_energy() -> Iterator[str]:
    for percent in (None, *range(101)):
        for mode in (None, *Mode):
            for charging in (False, True):
                plan = Policy().decide(reading(percent, charging), 0.0, mode)[0]
                for intent in ("battery", "lasting", "which_mode"):
                    given = Decision("device", intent)
                    yield answer_device(given, DeviceState(50), reading(percent, charging), plan, 0.0).text
                yield why_short(None, plan)
                for tokens in (None, 0, plan.answer_max_tokens):
                    yield why_short(PastAnswer(plan, tokens), plan)
                yield why_short(PastAnswer(plan, 3, silenced=True), plan)
    yield cost(None)
    for tenths in range(101):
        spent = Spent("turn", "modelled", 0.0, 9.0, {"llm": tenths / 10})
        yield from (cost(spent), cost(spent.measured(tenths / 10)))
    yield used_today(Book(), reading(50))
    for share in range(101):
        for kind in ("modelled", "measured"):
            parts = (("turn", share), ("standby", 100 - share), ("asleep", share // 2))
            yield used_today(
                Book(
                    Account(activity, kind, "battery", 60.0, share, {"listen": float(mwh)})  # type: ignore[arg-type]
                    for activity, mwh in parts
                ),
                reading(50),
            )
    for power_mw in range(5, 3000, 50):
        drain = Drain().after(Spent("standby", "modelled", 0.0, 3600.0, {"listen": float(power_mw)}))
        yield lasting(reading(50), drain)
    yield lasting(replace(reading(50), current_ma=None), Drain())
    assert Outlook()


def about_timers() -> Iterator[str]:
    state = DeviceState(50)
    plan = Policy().decide(reading(50), 0.0)[0]
    units = (1, 60, 3600)

    def said(
        intent: str, state: DeviceState, mono_s: float = 0.0, **slots: object
    ) -> tuple[str, DeviceState]:
        given = Decision("device", intent, dict(slots))
        reply = answer_device(given, state, reading(50), plan, MIDNIGHT_S + mono_s, mono_s=mono_s)
        return reply.text, reply.state

    for number in range(101):
        for unit in units:
            text, one = said("timer", state, number=number, unit=unit)
            yield text
            yield said("timer_left", one, 1.0)[0]
            yield said("timer_off", one, 1.0)[0]
            text, two = said("timer", one, number=number + 1, unit=unit, number2=30, unit2=1)
            yield text
            yield from (said("timer_left", two)[0], said("timer_off", two)[0])
            yield said("timer_off", two, all=True)[0]
            yield said("timer_off", two, number=number + 2, unit=unit)[0]
            for set_ in (one, two):
                now = Now(0.5, MIDNIGHT_S)
                yield from (farewell(set_.timers, now, kept) or "Good." for kept in (True, False))
                for later_s in (0.0, 59.0, 60.0, 700.0, 7200.0):
                    mono_s = (number + 1) * unit + 31 + later_s
                    yield ended(set_.timers.running, Now(mono_s, MIDNIGHT_S + mono_s)) or "Good."
        for seconds in (number + 1, 60 * (number + 1), 3600 * (number + 1)):
            for intent in ("timer_to", "timer_by"):
                text, changed = said(intent, two if number else state, seconds=seconds)
                yield text
                for whole in ({"whole": True}, {}):
                    last = last_command([Decision("device", intent)], two, changed, 0.0)
                    yield said("undo", replace(changed, last=last), **whole)[0]
            yield said("timer_by", two, seconds=-seconds)[0]
        _, due = said("timer", state, number=number or 1, unit=60)
        yield said("timer_left", due, (number or 1) * 60 + 5.0)[0]
    for hour in range(24):
        for minute in (0, 1, 15, 59):
            text, alarm = said("alarm", state, hour=hour, minute=minute)
            yield text
            yield from (said("alarm_when", alarm)[0], said("alarm_off", alarm)[0])
            yield said("alarm_by", alarm, seconds=3600)[0]
            text, moved = said("alarm_to", alarm, hour=(hour + 2) % 24, minute=minute)
            last = last_command([Decision("device", "alarm_to")], alarm, moved, 0.0)
            yield from (text, said("undo", replace(moved, last=last))[0])
            _, alarms = said("alarm", alarm, hour=(hour + 1) % 24, minute=minute)
            yield from (said("alarm_when", alarms)[0], said("alarm_off", alarms)[0])
            yield said("timer_left", alarms)[0]
    yield from (said(intent, state)[0] for intent in ("timer_left", "timer_off", "alarm_when", "alarm_off"))
    yield said("alarm", state, hour=25)[0]
    assert Timers()


def about_certainty() -> Iterator[str]:
    for hundredths in range(101):
        for cause in (
            "",
            "dark",
            "blurred",
            "cut left",
            "occluded",
            "small",
            "absent",
            "false premise",
            "off topic",
        ):
            answer = ClosedAnswer(
                "It is red.", hundredths / 100, hundredths / 100, cause, bool(cause), values={"colour": "red"}
            )
            for agreed, read_alike in product((None, False, True), (False, True)):
                result = ClosedResult(answer, hundredths % 2 == 0, agreed, read_alike)
                yield from (each(Grounds("reflex", result)) for each in (how_sure, why))
                yield result.sentence


@cache
def sentences() -> frozenset[str]:
    return frozenset(
        [*constants(), *about_the_device(), *about_energy(), *about_timers(), *about_certainty()]
    ) - {""}


def faults(sentence: str) -> Iterator[str]:
    """The faults of a sentence."""
    if not sentence[:1].isupper() and not sentence[:1].isdigit():
        yield "does not begin as a sentence"
    if not sentence.endswith((".", "?")):
        yield "does not end"
    if found := re.search(r"[^A-Za-z0-9 ,.'?:-]|  |\d:|:\d|\b0x|[a-z][A-Z]", sentence):
        yield f"{found[0]!r} is not for the ear"
    if found := re.search(rf"(?<![\d.])1 (?:{UNITS})s\b", sentence):
        yield f"{found[0]!r} is one"
    name = r"(?: and \d+ [a-z]+)? timer"
    if found := re.search(rf"(?<![\d.])(?!1 )\d+ (?:hour|minute|second|question|word)\b(?!{name})", sentence):
        yield f"{found[0]!r} are several"
    if found := re.search(
        r"\b(?:are [^.]*\b(?:it)\.|\bis [^.]*timer and [^.]* timer)|timer and [^.]*\bis off", sentence
    ):
        yield f"{found[0]!r}: number"
    if found := re.search(r"\ba (?:8|11|18)\b|\ban (?![aeiou8]|11\b|18\b)", sentence):
        yield f"{found[0]!r}: article"
    if found := re.search(r"\b(?!ten|eleven|twelve)(\w+) \1\b", sentence):
        yield f"{found[0]!r} twice"
    if found := re.search(r"\d+ (?:\d+|oh) ", sentence):
        yield f"{found[0]!r} is no way to say a number"


def test_every_sentence_is_said_as_people_speak():
    found = {sentence: list(faults(sentence)) for sentence in sentences()}
    wrong = {sentence: why for sentence, why in found.items() if why}
    assert not wrong, (len(wrong), dict(list(wrong.items())[:10]))
    assert len(found) > 3000


def test_the_voice_has_a_sound_for_everything_in_them():
    pytest.importorskip("piper")
    from piper.phonemize_espeak import EspeakPhonemizer

    known = set(json.loads(VOICE.read_text())["phoneme_id_map"])
    words = sorted({word for sentence in sentences() for word in sentence.split()})
    sounds = EspeakPhonemizer().phonemize("en-us", " ".join(words))
    strange = {sound for part in sounds for sound in part} - known
    assert not strange and len(words) > 200


def test_no_module_with_spoken_constants_is_forgotten():
    """True for a sentence that begins with I or with Sorry, which is the headband's own."""
    folder = Path(host.__file__).parent
    for module in pkgutil.iter_modules([str(folder)]):
        text = (folder / f"{module.name}.py").read_text() if not module.ispkg else ""
        if re.search(r'^[A-Z_]+ = "(?:I|Sorry)\b[^"]*[.?!]"', text, re.MULTILINE):
            assert f"host.{module.name}" in SPOKEN


@pytest.mark.parametrize(
    ("hour", "minute", "said"),
    [
        (4, 23, "four twenty-three in the morning"), (16, 5, "four oh five in the afternoon"),
        (12, 0, "noon"), (0, 0, "midnight"), (0, 1, "twelve oh one at night"),
        (1, 0, "one o'clock in the morning"), (18, 30, "six thirty in the evening"),
        (21, 59, "nine fifty-nine at night"), (12, 15, "twelve fifteen in the afternoon"),
    ],
)  # fmt: skip
def test_times_of_day(hour: int, minute: int, said: str):
    assert clock(MIDNIGHT_S + 3600 * hour + 60 * minute) == said


def test_numbers_in_words():
    assert [in_words(n) for n in (0, 9, 10, 19, 20, 21, 59, 90, 99)] == [
        "zero", "nine", "ten", "nineteen", "twenty", "twenty-one", "fifty-nine", "ninety", "ninety-nine",
    ]  # fmt: skip
    assert span(1) == "1 second" and span(61) == "1 minute and 1 second"


def test_a_fault_of_the_gauge_is_told_in_the_wearers_words():
    plan = Policy().decide(reading(None), 0.0)[0]
    plan = replace(plan, reason="the bus reads only ones: the battery gauge is unpowered or not connected")
    said = answer_device(Decision("device", "which_mode"), DeviceState(50), reading(None), plan, 0.0).text
    assert said == f"I am in {plan.mode.value} mode, because I cannot read the battery."
    assert "because I could not read the battery" in why_short(PastAnswer(plan, None), plan)
