"""How an encoder is cut into a chain of graphs: which layers form a group, and where the exits are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from models.convert.checkpoint.folder import ConvertError
from models.pack.chain import ROWS, STEM, exit_key, group_key


@dataclass(frozen=True)
class ChainPlan:
    """groups: layers in each graph. exits: depths (numbers of layers passed) at which an embedding can be
    taken, by one graph for all of them.
    """

    groups: tuple[int, ...]
    exits: tuple[int, ...] = ()

    @property
    def depths(self) -> tuple[int, ...]:
        """The depth after each group."""
        return tuple(accumulate(self.groups))

    @property
    def group_layers(self) -> tuple[range, ...]:
        """The layers of each group, counted from 0."""
        return tuple(
            range(depth - count, depth) for depth, count in zip(self.depths, self.groups, strict=True)
        )

    @property
    def pieces(self) -> tuple[str, ...]:
        """The graphs that run one after the other."""
        return (STEM, *(group_key(number) for number in range(1, len(self.groups) + 1)), ROWS)

    @property
    def all_pieces(self) -> tuple[str, ...]:
        """Every graph: those in a row, and "exit" where there are exits."""
        return (*self.pieces, *(("exit",) if self.exits else ()))

    def files(self, folder: str, suffix: str = ".onnx") -> dict[str, str]:
        """The brick's table `files`: path by key. Every exit is the same file."""
        named = {piece: piece for piece in self.pieces}
        for number, depth in enumerate(self.depths, start=1):
            if depth in self.exits:
                named[exit_key(number)] = "exit"
        return {key: f"{folder}/{piece}{suffix}" for key, piece in named.items()}


def parse_plan(groups: str, exits: str, layers: int, *, head: bool) -> ChainPlan:
    """The chain for an encoder of `layers` layers.

    groups: layers in each group, "2" for all or "1,2,3,6"; exits: depths, "" for the end of every group;
    head: the checkpoint has a head that pools the rows. Raises ConvertError with one sentence.
    """
    told = _numbers("--groups", groups)
    if len(told) == 1:
        whole, rest = divmod(layers, told[0])
        told = (told[0],) * whole + (rest,) * bool(rest)
    if sum(told) != layers:
        raise ConvertError(f"--groups {groups} is {sum(told)} layers, and the encoder has {layers}.")
    if len(told) > 99:
        raise ConvertError(f"--groups {groups} makes {len(told)} groups; 99 is most.")
    if exits and not head:
        raise ConvertError(
            "--exits can't be made: the checkpoint has no head that pools a picture to one embedding."
        )
    plan = ChainPlan(told)
    depths = _numbers("--exits", exits) if exits else plan.depths * head
    if wrong := [depth for depth in depths if depth not in plan.depths]:
        ends = ", ".join(map(str, plan.depths))
        raise ConvertError(f"--exits {wrong[0]} isn't the end of a group; the groups end at {ends}.")
    return ChainPlan(told, tuple(sorted(set(depths))))


def _numbers(option: str, text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise ConvertError(f"{option} {text} isn't a number of layers, or several separated by commas.")
    return tuple(int(part) for part in parts)
