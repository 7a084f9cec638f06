"""One of the application's bricks as its process runs it, one thread: ROOT DESCRIPTION REQUEST... A region
for loading, and one for each request: a file of sound (raw float32 at 16 kHz) for the recogniser, a question
about a picture for the language model, a text for the voice, a phrase for the text encoder; for the eye a
side in pixels, or its way to a place in the recall space: stem:SIDE, deeper:BLOCKS, place; for reflex
VIEW:QUESTION, or find:VIEW or read:VIEW for what is there and what is written; for motion unit:BLOCKS, or
ask:FAMILY:THING. A request that begins with "-" is no region. DESCRIPTION: a JSON file with the brick's
`module` and `options`, `picture`, tokens and width of what it sees, and `views`, a folder with pictures N.npy
and the eye's rows of them, N-rows.npy.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import sys
import types
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from marks import counted  # type: ignore[import-not-found]  # beside it where it runs


def main(root: str, description: str, *requests: str) -> None:
    """Loads the brick and sends it the requests."""
    sys.path.append(root)
    _without_its_init("llama_cpp")
    import numpy as np

    from models import brick as values

    told = json.loads(Path(description).read_text())
    random = np.random.default_rng(1)
    answers: list[Any] = []

    def picture(side: str) -> Any:
        return random.integers(0, 256, (int(side), int(side), 3), np.uint8)

    def look(words: str) -> Any:
        kind, _, number = words.partition(":")
        if kind == "stem":
            return values.Encode((picture(number),), 0)
        if kind == "deeper":
            return values.Resume(tuple(answers), int(number))
        return values.Embed(tuple(answers)) if kind == "place" else values.Frame(picture(words))

    def rows() -> Any:
        return random.standard_normal(told["picture"]).astype(np.float32)

    def reflex(words: str) -> Any:
        from models.closed_question import ClosedQuestion
        from models.detection import Detect
        from models.reading import Read

        first, _, rest = words.partition(":")
        number = rest if first in ("find", "read") else first
        if first == "read":
            return Read(np.load(f"{told['views']}/{number}.npy"))
        seen = values.Embedding(np.load(f"{told['views']}/{number}-rows.npy"))
        return Detect(seen) if first == "find" else ClosedQuestion(rest, seen)

    def motion(words: str) -> Any:
        from models.clip import ClipQuestion, SmallPicture, Unit
        from models.sensing.registration import SIDE

        kind, *rest = words.split(":")
        if kind == "ask":
            return ClipQuestion(rest[0], rest[1], "", 1)
        activation = values.Activation(int(rest[0]), told["options"].get("encoder", ""), rows())
        small = SmallPicture(random.integers(0, 256, (SIDE, SIDE), np.uint8))
        return Unit(activation, 0.2 * next(taken), 1, small)

    taken = itertools.count()
    of: dict[str, Callable[[str], Any]] = {
        "stt": lambda path: values.Utterance(np.fromfile(path, np.float32)),
        "vision": look,
        "tts": values.Sentence,
        "text": values.Phrase,
        "llm": lambda question: values.Prompt(question, (values.Embedding(rows()),)),
        "reflex": reflex,
        "motion": motion,
    }
    create = importlib.import_module(told["module"]).create
    brick = create(told["options"], values.Context())
    with counted():
        brick.load()
    for each in requests:
        request = of[told["module"].rpartition(".")[2]](each.removeprefix("-"))
        with nullcontext() if each.startswith("-") else counted():
            answers = list(brick.execute(request))


def _without_its_init(name: str) -> None:
    """Such a package can be imported without what its __init__ would import."""
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations:
        bare = types.ModuleType(name)
        bare.__path__ = list(spec.submodule_search_locations)
        sys.modules[name] = bare


if __name__ == "__main__":
    main(*sys.argv[1:])
