"""An encoder that is cut into a chain of graphs: which graphs there are, what each takes and gives, and the
encoder's identity.

In `[brick.vision]` and `[brick.recall]`, `files` names either one graph, `model`, or the chain:

    stem                float32 [1, 3, side_px, side_px], 0 to 1, scaled by `mean` and `std` -> activation
    group_01 ...        activation -> activation, float32 or float16 [1, activation_tokens, activation_width]
    exit_01 ...         activation after the group of that number -> float32 [1, embedding], of length 1
    rows                activation after the last group -> the decoder's rows [1, tokens, width]
    predictor           no graph, and optional: JSON, how deep a view is encoded (`models.exit_predictor`)

Each graph has one input and one output, and fixed shapes. `groups` in the settings has the number of blocks
of each group; the depth of an activation is the number of blocks that it has passed, 0 after the stem. An
exit is optional. `settings` with these keys are in the brick's options, as are the files' paths by key and,
as `encoder`, the identity.

The brick `vision` is the eye that looks for the decoder. Where that has no exits whose places words share,
a pack may have a second eye, `recall`, for the memory: `memory_eye` says which one places views, and
`reflex_eye` which one the reflex brick reads.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from models.brick import BrickSpec

STEM, ROWS = "stem", "rows"
PREDICTOR = "predictor"
"""The key of a file beside the graphs: `models.exit_predictor`, of a chain with exits."""
EYE, RECALL_EYE = "vision", "recall"
"""The bricks that encode pictures."""
REFLEX = "reflex"
_NUMBERED = re.compile(r"(group|exit)_(\d\d)")
_IDENTITY_BITS = 64


class ChainError(Exception):
    """A chain with holes; the message is the end of a sentence, without a full stop."""


def memory_eye(bricks: Container[str]) -> str:
    """The brick that places views in the recall space: the memory's own eye in a pack that has one."""
    return RECALL_EYE if RECALL_EYE in bricks else EYE


def reflex_eye(bricks: Mapping[str, BrickSpec]) -> str:
    """The brick whose rows the reflex brick reads, of a pack that has one."""
    return str(bricks[REFLEX].options.get("eye") or EYE)


def group_key(number: int) -> str:
    """The key of a group's file; groups count from 1."""
    return f"group_{number:02}"


def exit_key(number: int) -> str:
    """The key of the file of the exit after that group."""
    return f"exit_{number:02}"


@dataclass(frozen=True)
class Chain:
    """The graphs of an encoder.

    groups: blocks in each. exits: numbers of the groups after which an exit stands, ascending. tokens, width:
    shape of the decoder's rows; activation: shape of an activation; embedding: length of a place in the
    recall space, 0 without exits.
    """

    side_px: int
    groups: tuple[int, ...]
    exits: tuple[int, ...]
    tokens: int
    width: int
    activation: tuple[int, int]
    embedding: int

    @property
    def depth(self) -> int:
        """Blocks of the whole encoder."""
        return sum(self.groups)

    @property
    def depths(self) -> tuple[int, ...]:
        """The depths at which there are activations, from 0: after the stem, and after each group."""
        return (0, *accumulate(self.groups))

    @property
    def exit_depths(self) -> tuple[int, ...]:
        """The depths at which there is an exit."""
        return tuple(self.depths[number] for number in self.exits)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its files, in the order in which a picture passes them, the exits last."""
        groups = (group_key(number + 1) for number in range(len(self.groups)))
        return (STEM, *groups, ROWS, *map(exit_key, self.exits))


def is_chain(files: Iterable[str]) -> bool:
    """Whether these keys of files are those of a chain, with or without holes."""
    return any(key in (STEM, ROWS) or _NUMBERED.fullmatch(key) for key in files)


def chain_of(options: Mapping[str, Any]) -> Chain | None:
    """The chain of a brick's options or of a manifest's files and settings together; None for one graph.
    Raises ChainError for a chain with holes.
    """
    numbers: dict[str, set[int]] = {"group": set(), "exit": set()}
    for key in options:
        if found := _NUMBERED.fullmatch(key):
            numbers[found[1]].add(int(found[2]))
    if not is_chain(options):
        if options.get("groups"):
            raise ChainError("the settings name groups, and files has no 'stem' of a chain")
        return None
    if "model" in options:
        raise ChainError("files has one graph, 'model', and a chain; it needs one of the two")
    groups = tuple(int(blocks) for blocks in options.get("groups", ()))
    if not groups:
        raise ChainError("a chain needs the number of blocks of each group as groups in its settings")
    wanted = (STEM, *(group_key(number + 1) for number in range(len(groups))), ROWS)
    lacking = [key for key in wanted if key not in options]
    if lacking:
        raise ChainError(f"the chain of {len(groups)} groups lacks {lacking[0]!r} in files")
    for kind, found_numbers in numbers.items():
        beyond = found_numbers - set(range(1, len(groups) + 1))
        if beyond:
            raise ChainError(f"files has '{kind}_{min(beyond):02}', and settings has {len(groups)} groups")
    if not options.get("side_px"):
        raise ChainError("a chain needs side_px in its settings")
    embedding = int(options.get("embedding", 0))
    if numbers["exit"] and not embedding:
        raise ChainError("a chain with exits needs embedding in its settings")
    tokens, width = int(options.get("tokens", 64)), int(options.get("width", 128))
    activation = (
        int(options.get("activation_tokens") or tokens),
        int(options.get("activation_width") or width),
    )
    exits = tuple(sorted(numbers["exit"]))
    return Chain(int(options["side_px"]), groups, exits, tokens, width, activation, embedding if exits else 0)


def graphs_of(files: Mapping[str, str]) -> dict[str, str]:
    """The files that are graphs: an encoder is the same with and without a predictor."""
    return {key: path for key, path in files.items() if key != PREDICTOR}


def identity(pack: str, version: str, sums: Mapping[str, str]) -> str:
    """The identity of an encoder: its pack, the pack's version and a number of 16 hexadecimal digits from the
    SHA-256 of its files. sums: hex SHA-256 by key, empty if unknown.

    The sums are mixed by arithmetic, because importing hashlib costs the main process 4 MiB.
    """
    mixed = 0
    for key in sorted(sums):
        mixed = (31 * mixed + int(sums[key] or "0", 16)) % (1 << _IDENTITY_BITS)
    return f"{pack} {version} {mixed:016x}"
