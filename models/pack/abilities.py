"""What a pack can do, derived from its manifest."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from models.pack.chain import EYE, Chain, ChainError, chain_of, memory_eye
from models.pack.manifest import Manifest, PackError

_LIVE = {"stt": "ears", EYE: "eye", "llm": "decoder", "tts": "voice"}
"""What answers a question about the picture, by brick, in words."""


@dataclass(frozen=True)
class Abilities:
    """live: a spoken question about the picture is answered. exits: depths (blocks passed) at which a picture
    becomes a place in the recall space; untrained: those of them whose exit was trained for the last depth
    only. text: sentences become places in the recall space too. reflex: closed questions are answered without
    the decoder. motion: several pictures are understood in order. second_eye: the memory has an eye of its
    own, and the exits are that one's.
    """

    live: bool
    exits: tuple[int, ...]
    untrained: tuple[int, ...]
    text: bool
    reflex: bool
    motion: bool
    second_eye: bool = False

    @property
    def recall(self) -> bool:
        """What was seen is found by words."""
        return bool(self.exits) and self.text

    def line(self) -> str:
        """All of them on one line."""
        exits = f"after {_listed(self.exits)} blocks" if self.exits else "no"
        if self.untrained:
            exits += f" (untrained: {'all' if self.untrained == self.exits else _listed(self.untrained)})"
        if self.second_eye:
            exits += " of the memory's own eye"
        rest = {"recall": self.recall, "reflex": self.reflex, "motion": self.motion}
        said = "; ".join(f"{name} {'yes' if has else 'no'}" for name, has in rest.items())
        return f"live {'yes' if self.live else 'no'}; exits {exits}; {said}"

    def note(self) -> str:
        """Why what was seen is not found by words, and who answers closed questions without a reflex brick,
        in one sentence each; empty where the pack has all.
        """
        found, lacking = "", "exits" if self.text else "text tower and no exits"
        if self.exits and not self.text:
            found = "It has no text tower: what was seen is found by a picture like it, not by words."
        elif not self.exits:
            found = f"It has no {lacking}: what was seen can't be found again."
        closed = "It has no reflex brick: the language model answers every question about a picture."
        return " ".join([*([found] if found else []), *([closed] if self.live and not self.reflex else [])])


def require_live(name: str, bricks: Collection[str]) -> None:
    """Raises PackError where the pack of that name lacks a brick without which no question about the picture
    is answered.
    """
    lacking = [f"{word} ({brick})" for brick, word in _LIVE.items() if brick not in bricks]
    if lacking:
        raise PackError(
            f"Pack '{name}' has no {' and no '.join(lacking)}, so it answers no questions; "
            "headband models list shows which packs are live."
        )


def abilities(manifest: Manifest) -> Abilities:
    """Raises PackError for a chain with holes."""
    bricks = manifest.bricks
    chain: Chain | None = None
    untrained: tuple[int, ...] = ()
    eye = memory_eye(bricks)
    if eye in bricks:
        settings = bricks[eye].get("settings", {})
        try:
            chain = chain_of({**settings, **bricks[eye].get("files", {})})
        except ChainError as error:
            raise PackError(f"Pack '{manifest.name}', brick '{eye}': {error} in pack.toml.") from error
        untrained = tuple(settings.get("untrained_exits", ()))
    exits = chain.exit_depths if chain else ()
    return Abilities(
        live=set(_LIVE) <= set(bricks),
        exits=exits,
        untrained=tuple(depth for depth in exits if depth in untrained),
        text="text" in bricks,
        reflex="reflex" in bricks,
        motion="motion" in bricks,
        second_eye=eye != EYE,
    )


def _listed(numbers: tuple[int, ...]) -> str:
    """The numbers, as a range where they are neighbours."""
    first, last = numbers[0], numbers[-1]
    if len(numbers) > 2 and numbers == tuple(range(first, last + 1)):
        return f"{first} to {last}"
    return ", ".join(map(str, numbers))
