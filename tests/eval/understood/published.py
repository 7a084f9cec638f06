"""Sentences that hundreds of people wrote for other assistants, of two published collections that are not in
the tree (`just eval understood --published DIR`): CLINC150 (Larson et al. 2019, CC BY 3.0), file
`data_full.json`, its parts "test" and "oos_test", and SLURP (Bastianelli et al. 2020, texts CC BY 4.0), file
`test.jsonl`. What a headband does too is to be done, whatever the value; all else is to be left alone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from host.language.awaited import LENGTH, TIME_OF_DAY
from host.language.number_words import in_words
from host.language.router import Decision, Router
from host.language.safety import SAFETY
from host.language.usual.small_talk import is_small_talk, usual_small_talk
from tests.eval.intervals import wilson_shown
from tests.eval.understood import judge
from tests.eval.understood.commanded import DELETES_OR_SETS, SETTINGS

CLINC, SLURP = "data_full.json", "test.jsonl"
_LOUDNESS, _PACE = ("louder", "quieter", "volume"), ("faster", "slower")
_TIME, _DATE = ("time", "time_elsewhere"), ("date", "another_date")
MEANT: Mapping[str, tuple[str, ...]] = {
    "timer": ("timer", LENGTH), "alarm": ("alarm", TIME_OF_DAY), "alarm_set": ("alarm", TIME_OF_DAY),
    "alarm_query": ("alarm_when",), "alarm_remove": ("alarm_off",),
    "time": _TIME, "timezone": (), "date": _DATE, "datetime_query": (*_TIME, *_DATE),
    "change_volume": _LOUDNESS, "audio_volume_up": _LOUDNESS, "audio_volume_down": _LOUDNESS,
    "change_speed": _PACE,
    "repeat": ("repeat",), "cancel": ("stop",),
    "thank_you": ("open",), "greeting": ("open",), "general_greet": ("open",),
    "what_is_your_name": ("open",), "are_you_a_bot": ("open",), "what_can_i_ask_you": ("help", "open"),
    "find_phone": ("memory", "now"),
}  # fmt: skip
"""The intents, or routes, that do what sentences of a kind of the collections ask for."""
NOT_JUDGED = (
    "current_location", "whisper_mode", "audio_volume_mute", "goodbye", "yes", "no", "maybe", "reminder",
    "user_name", "timezone", "datetime_convert", "how_old_are_you",
)  # fmt: skip
"""Kinds that a headband may take either way."""
_OF_SAFETY = ("travel_alert", "vaccines", "food_last", "cook_time", "jump_start", "tire_pressure", "gas")
"""Kinds about dangers, which may be declined as such."""
_SAYS_SO = ("another_date", "time_elsewhere")
"""Intents of which it is said that the headband does not know it."""
_CLOCK = re.compile(r"\b(\d{1,2}):?([0-5]\d)(?= ?[ap]\.?m\b)|\b(\d{1,2}):([0-5]\d)\b")


@dataclass(frozen=True)
class Published:
    """A sentence as a recogniser writes it, and its kind in the collection."""

    text: str
    kind: str


def as_heard(text: str) -> str:
    """A sentence in lower case without punctuation, numbers up to 99 and times of day in words."""
    told = _CLOCK.sub(lambda at: _clock(at[1] or at[3], at[2] or at[4]), text.lower())
    told = re.sub(r"(?<=\d)(?=[a-z])", " ", told.replace("%", " percent "))
    told = re.sub(r"\b\d{1,2}\b", lambda number: in_words(int(number[0])).replace("-", " "), told)
    told = re.sub(r"\b([ap])\.\s?m\b", r"\1m", told)
    return " ".join(re.sub(r"[^a-z0-9' ]", " ", told).split())


def _clock(hour: str, minute: str) -> str:
    late = int(minute)
    said = "" if not late else f"oh {in_words(late)}" if late < 10 else in_words(late).replace("-", " ")
    return f"{in_words(int(hour))} {said} "


def published(folder: Path) -> Iterator[tuple[str, tuple[Published, ...]]]:
    """The name and the sentences of each collection of a folder."""
    if (folder / CLINC).is_file():
        parts = json.loads((folder / CLINC).read_text(encoding="utf-8"))
        yield "CLINC150", tuple(Published(as_heard(t), k) for t, k in (*parts["test"], *parts["oos_test"]))
    if (folder / SLURP).is_file():
        lines = map(json.loads, (folder / SLURP).read_text(encoding="utf-8").splitlines())
        yield "SLURP", tuple(Published(as_heard(each["sentence"]), each["intent"]) for each in lines)


def report(router: Router, folder: Path) -> str:
    """The shares as text; `FileNotFoundError` where the folder has neither file."""
    lines = []
    for name, sentences in published(folder):
        judged = [each for each in sentences if each.kind not in NOT_JUDGED]
        lines.append(f"{name}, {len(judged)} of {len(sentences)} sentences:")
        for title, way in (("the headband", judge.understood), ("templates and rules alone", judge.by_rules)):
            lines += [f"  {title}", *_lines([(said, way(said.text, router)) for said in judged])]
    if not lines:
        raise FileNotFoundError(f"{folder} has neither {CLINC} of CLINC150 nor {SLURP} of SLURP")
    return "\n".join(lines)


def right(said: Published, found: Decision) -> bool:
    """Whether what is asked for is done; what a headband does not do is to be left alone."""
    if said.kind in MEANT:
        done = found.intent in MEANT[said.kind] or found.route in MEANT[said.kind]
        return done and (
            found.route != "open" or is_small_talk(said.text) or usual_small_talk(said.text) != ""
        )
    return left_alone(said, found)


def left_alone(said: Published, found: Decision) -> bool:
    """Whether it is asked again, declined, or asked of a language model without a picture."""
    declined = found.intent == SAFETY and said.kind in _OF_SAFETY
    return declined or found.intent in _SAYS_SO or found.route in ("unclear", "open")


def _lines(found: Sequence[tuple[Published, Decision]]) -> list[str]:
    wanted = [each for each in found if each[0].kind in MEANT]
    others = [each for each in found if each[0].kind not in MEANT]
    kinds = sorted({said.kind for said, _ in wanted})
    became = Counter(_of(decision) for said, decision in others if not left_alone(said, decision))
    sets = [decision.intent in (*DELETES_OR_SETS, *SETTINGS) for _, decision in others]
    return [
        f"    what it does too, done                 {_shown([right(*each) for each in wanted])}",
        f"      something else is set, kept or lost   {_shown([_harmed(*each) for each in wanted])}",
        *(f"      {kind:36s} {_share(kind, wanted)}" for kind in kinds),
        f"    all else, left alone                   {_shown([right(*each) for each in others])}",
        f"      something is set, kept or lost        {_shown(sets)}",
        f"      taken for: {dict(became.most_common(12))}",
    ]


def _shown(hits: Sequence[bool]) -> str:
    return wilson_shown(hits) if hits else "none"


def _share(kind: str, found: Sequence[tuple[Published, Decision]]) -> str:
    rights = [right(said, decision) for said, decision in found if said.kind == kind]
    return f"{sum(rights)}/{len(rights)}"


def _of(found: Decision) -> str:
    return found.intent if found.route == "device" else found.route


def _harmed(said: Published, found: Decision) -> bool:
    return found.intent in DELETES_OR_SETS and not right(said, found)
