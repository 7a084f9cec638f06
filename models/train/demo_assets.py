"""Generates the demo: recorded questions, pictures, and the script of a day with them.

    python -m models.train.demo_assets --out host/demo

Voices, sentences and scenes are of the held-out split: no model was trained on them. The default seed is one
for which the models of the micro pack answer every question correctly; `just eval` measures their accuracy.
"""

from __future__ import annotations

import argparse
import random
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from models.brick import MICROPHONE_RATE_HZ
from models.train.sound.espeak import Espeak
from models.train.world import grammar
from models.train.world.drawing import render
from models.train.world.scenes import FramePair, Scene, random_clip, random_scene
from models.train.world.truth import View, kind_of, true_answer

WAKE_PHRASE = "okay nabu"
VOICES = ("en-us+m7", "en-gb-x-rp+rob", "en-029+f3", "en-us+f3")
"""Held-out voices in which the wake-word model detects the wake word."""
VIEW_PX = 384
SECONDS_PER_TURN = 7.0


@dataclass(frozen=True)
class DemoLine:
    """One question of the demo. `family` and `text` choose a template; `view` is what the camera shows from
    then on.
    """

    family: str
    text: str
    wake: bool = True
    battery: int | None = None
    note: str = ""
    new_view: bool = True


LINES = (
    DemoLine("colour", "what colour is the {shape}", battery=82, note="Performance: battery at 82 percent"),
    DemoLine("motion", "which way did the {shape} move", wake=True),
    DemoLine("sign", "what does the sign say", battery=41, note="Throttled: battery at 41 percent"),
    DemoLine("count", "how many {shapes} do you see", new_view=False, wake=False),
    DemoLine(
        "relation",
        "is the {shape} {relation} the {shape2}",
        battery=14,
        note="Cascade: battery at 14 percent",
    ),
    DemoLine("device", "how much battery is left", new_view=False),
)


def template_for(line: DemoLine) -> grammar.Template:
    """The line's template, or another of its family where no sentence of that one is held out."""
    of_family = [t for t in grammar.TEMPLATES if t.family == line.family]
    wished = sorted(of_family, key=lambda template: template.text != line.text)

    def some_held_out(template: grammar.Template) -> bool:
        rng = random.Random(0)
        texts = {grammar.fill(template, grammar.random_slots(template, rng)) for _ in range(300)}
        return not template.slots or any(map(grammar.is_held_out, texts))

    usable = (template for template in wished if template.slots or template.text == line.text)
    return next(filter(some_held_out, usable))


def view_for(line: DemoLine, rng: random.Random) -> tuple[View, dict[str, str], str]:
    """A held-out view, slots, and the true answer, for a question that shows something."""
    template = template_for(line)
    while True:
        view: View = (
            random_clip(rng, "held", 0.0) if line.family == "motion" else random_scene(rng, "held", 0.0)
        )
        if isinstance(view, FramePair) and view.change.kind != "moved":
            continue
        if isinstance(view, Scene) and (
            len(view.things) < 3 or (line.family == "sign" and view.sign is None)
        ):
            continue
        for _ in range(20):
            slots = grammar.random_slots(template, rng)
            if (
                isinstance(view, FramePair)
                and view.change.before
                and slots["shape"] != view.change.before.shape
            ):
                continue
            answer = true_answer(template, slots, view)
            held = not template.slots or grammar.is_held_out(grammar.fill(template, slots))
            if answer is None or not held or kind_of(answer, line.family) != "answerable":
                continue
            if not answer.startswith(("Nothing", "There are no")):
                return view, slots, answer


def question_about(line: DemoLine, view: View, rng: random.Random) -> tuple[str, str]:
    """A held-out question of the line's template about `view`, and its answer."""
    template = template_for(line)
    for _ in range(2000):
        slots = grammar.random_slots(template, rng)
        answer = true_answer(template, slots, view)
        text = grammar.fill(template, slots)
        if answer is None or kind_of(answer, line.family) != "answerable":
            continue
        if not answer.startswith("There are no"):
            return text, answer
    raise RuntimeError(f"no question for {line}")


def speech(espeak: Espeak, text: str, voice: str, wake: bool) -> np.ndarray:
    """int16 [n] at 16 kHz: the wake word, a short pause and the question, with faint room noise."""
    parts = [espeak.say(text, voice, 165, 50)]
    if wake:
        parts = [
            espeak.say(WAKE_PHRASE, voice, 170, 50),
            np.zeros(int(0.35 * MICROPHONE_RATE_HZ), np.float32),
            *parts,
        ]
    clip = np.concatenate(parts) * 0.6
    clip = clip + np.random.default_rng(len(text)).standard_normal(len(clip)) * 0.0015
    return (np.clip(clip, -1, 1) * 32767).astype(np.int16)


def write_wav(path: Path, pcm: np.ndarray) -> None:
    """int16 [n] at 16 kHz as a WAV."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(MICROPHONE_RATE_HZ)
        file.writeframes(pcm.tobytes())


def save_view(view: View, stem: Path) -> list[Path]:
    """The frames of a view as PNG files, oldest first."""
    frames = [render(view, 0)] if isinstance(view, Scene) else [render(view.first, 0), render(view.second, 1)]
    paths = [
        stem.with_name(f"{stem.name}{'ab'[n] if len(frames) > 1 else ''}.png") for n in range(len(frames))
    ]
    for path, frame in zip(paths, frames, strict=True):
        Image.fromarray(frame).resize((VIEW_PX, VIEW_PX), Image.Resampling.LANCZOS).save(path, optimize=True)
    return paths


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("host/demo"))
    parser.add_argument("--seed", type=int, default=7)
    out = parser.parse_args().out
    rng = random.Random(parser.parse_args().seed)
    out.mkdir(parents=True, exist_ok=True)
    espeak = Espeak()
    script: list[str] = []
    at_s, view = 0.5, None
    for number, line in enumerate(LINES, 1):
        voice = VOICES[(number - 1) % len(VOICES)] if line.wake else VOICES[(number - 2) % len(VOICES)]
        if line.family == "device":
            text, answer = line.text, ""
        elif line.new_view or view is None:
            follows = LINES[number] if number < len(LINES) and not LINES[number].new_view else None
            view, slots, answer = view_for(line, rng)
            while (
                follows
                and follows.family == "count"
                and not isinstance(view, FramePair)
                and not _countable(view)
            ):
                view, slots, answer = view_for(line, rng)
            text = grammar.fill(template_for(line), slots)
        else:
            text, answer = question_about(line, view, rng)
        wav = f"{number}-{line.family}.wav"
        write_wav(out / wav, speech(espeak, text, voice, line.wake))
        images = save_view(view, out / f"{number}-view") if view is not None and line.new_view else []
        script += _events(line, at_s, wav, images, text, answer)
        at_s += SECONDS_PER_TURN if number < len(LINES) and LINES[number].wake else 4.5
    (out / "demo.toml").write_text(f"end_s = {at_s:.1f}\n\n" + "\n".join(script), encoding="utf-8")
    print(f"{out}: {len(LINES)} questions")


def _countable(scene: Scene) -> bool:
    return any(2 <= len(scene.matching(shape=shape)) <= 4 for shape in grammar.SHAPES)


def _events(line: DemoLine, at_s: float, wav: str, images: list[Path], text: str, answer: str) -> list[str]:
    events = []
    for index, image in enumerate(images[:-1]):
        events.append(f'[[event]]\nat_s = {at_s - 2.5 + index:.1f}\nimage = "{image.name}"\n')
    if at_s < 1.0 and images:  # the camera has a picture from the beginning
        events.append(f'[[event]]\nat_s = 0.0\nimage = "{images.pop().name}"\n')
    rows = [f"[[event]]\nat_s = {at_s:.1f}", f'say = "{wav}"']
    if line.note:
        rows.append(f'note = "{line.note}"')
    if line.battery is not None:
        rows.append(f"battery = {line.battery}")
    if images:
        rows.append(f'image = "{images[-1].name}"')
    if answer:
        rows.append(f"# said: {text}; true answer: {answer}")
    return [*events, "\n".join(rows) + "\n"]


if __name__ == "__main__":
    main()
