"""Random sentences for the headband itself, from the templates of `host/language/intents.yaml`: timers,
alarms, volume and all other commands, with numbers, durations and clock times in words.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from models.train.world.grammar import NUMBER_WORDS, is_held_out

INTENTS = Path(__file__).parents[4] / "host" / "language" / "intents.yaml"
_OFTEN = ("volume", "timer", "timer_off", "alarm", "alarm")
"""The commands with numbers; a clock time has two of them, so alarms come twice as often as the others."""
_NUMBERED_SHARE = 0.7
_SHORT_WORDS, _STOP_SHARE = 2, 0.25
_SHORT = tuple(each for each in range(1, 60) if each <= 20 or each % 5 == 0)
_TOKEN = re.compile(r"[\[\](){}|]|[^\[\](){}|]+")
_NUMBER = re.compile(rf"\b({'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))}|hundred)\b")
_DURATION = re.compile(rf"({_NUMBER.pattern}) (second|minute|hour)s?\b( timer)?")


@cache
def _groups() -> Mapping[str, Any]:
    groups: Mapping[str, Any] = yaml.safe_load(INTENTS.read_text(encoding="utf-8"))
    return groups


@cache
def templates_of(group: str) -> Mapping[str, tuple[str, ...]]:
    """The templates of each intent of a group of `host/language/intents.yaml`, without those that take any
    words.
    """
    return {
        intent: tuple(text for text in texts if "{rest}" not in text)
        for intent, texts in _groups()[group].items()
    }


@cache
def _templates() -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, Any]]:
    """The sentences of each command, and the values of the lists."""
    return templates_of("device"), _groups()["lists"]


def intents() -> tuple[str, ...]:
    """The names of the commands."""
    return tuple(_templates()[0])


@cache
def every_word() -> frozenset[str]:
    """Every word of the commands."""
    commands, lists = _templates()
    texts = [text for each in commands.values() for text in each]
    for listed in lists.values():
        texts += [value if isinstance(value, str) else value["in"] for value in listed.get("values", ())]
    words = {"oh", "hundred", *" ".join(NUMBER_WORDS).split()}
    for text in texts:
        for form in (text.replace("[s]", ""), text.replace("[s]", "s")):
            words |= set(re.sub(r"\{\w+\}|[\[\]()|-]", " ", form).split())
    return frozenset(words - {"color"})


def device_sentence(rng: random.Random, split: str) -> tuple[str, str]:
    """A random sentence of `split` ("train" or "held") and the command that it gives. A sentence without a
    number has few wordings and is in both.
    """
    while True:
        names = _OFTEN if rng.random() < _NUMBERED_SHARE else intents()
        intent = rng.choice(names)
        text = expanded(rng.choice(_templates()[0][intent]), rng)
        if not _NUMBER.search(text) or is_held_out(text) == (split == "held"):
            return text, intent


def short_command(rng: random.Random) -> str:
    """A random command of one or two words; one in four silences an answer, which is what a wearer says most
    and what must not be misheard.
    """
    commands = _templates()[0]
    while True:
        intent = "stop" if rng.random() < _STOP_SHARE else rng.choice(intents())
        text = expanded(rng.choice(commands[intent]), rng)
        if len(text.split()) <= _SHORT_WORDS:
            return text


def expanded(template: str, rng: random.Random) -> str:
    """A template with random choices made and random values in its slots."""
    tokens = _TOKEN.findall(template.replace("{hour} [oh|o] {minute}", "{clock}").replace("[-| ]", " "))
    words, rest = _sequence(tokens, rng)
    assert not rest, template
    words = words.replace("-", " ").replace("color", "colour")
    text = _DURATION.sub(_agreeing, " ".join(words.split()))
    return re.sub(r"\b(a|an|the|my) a hundred", r"\1 hundred", text)


def _agreeing(found: re.Match[str]) -> str:
    """The unit is in the plural unless the number is one or it describes a timer ("a ten minute timer")."""
    number, unit, timer = found.group(1), found.group(3), found.group(4) or ""
    return f"{number} {unit}{'' if timer or number == 'one' else 's'}{timer}"


def _sequence(tokens: Sequence[str], rng: random.Random) -> tuple[str, Sequence[str]]:
    """One of the alternatives up to the closing bracket, and the tokens from there on."""
    alternatives = [""]
    while tokens and tokens[0] not in ")]":
        token, tokens = tokens[0], tokens[1:]
        if token == "|":
            alternatives.append("")
            continue
        if token == "{":
            inner, tokens = _value(tokens[0], rng), tokens[2:]
        elif token in "([":
            inner, tokens = _sequence(tokens, rng)
            tokens = tokens[1:]
            inner = "" if token == "[" and rng.random() < 0.5 else inner
        else:
            inner = token
        alternatives[-1] += inner
    return rng.choice(alternatives), tokens


def _value(slot: str, rng: random.Random) -> str:
    if slot == "clock":
        minute = rng.randint(1, 59)
        return f"{NUMBER_WORDS[rng.randint(0, 23)]} {'oh ' if minute < 10 else ''}{NUMBER_WORDS[minute]}"
    listed = _templates()[1][slot]
    if "range" in listed:
        low, high = listed["range"]["from"], listed["range"]["to"]
        number = rng.randint(max(low, 1) if rng.random() < 0.98 else low, high)
        if slot == "number" and rng.random() < 0.5:
            number = rng.choice(_SHORT)
        return NUMBER_WORDS[number] if number < 100 else rng.choice(("a hundred", "one hundred"))
    value = rng.choice(listed["values"])
    return expanded(value if isinstance(value, str) else value["in"], rng)
