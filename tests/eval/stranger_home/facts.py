"""What is so in a view of a home, as values that every renderer can fill in."""

from __future__ import annotations

from dataclasses import dataclass

THINGS = (
    "keys", "glasses", "phone", "wallet", "bag", "cup", "book", "coat", "umbrella", "bottle",
    "remote control", "medicine box",
)  # fmt: skip
PAIRS_OF = ("keys", "glasses")
"""Things with a plural name."""
PLACES = ("kitchen", "hall", "desk", "bedroom", "bathroom", "living room", "shop", "street", "park")
TOPS = ("table", "desk", "shelf", "chair", "sofa", "bed", "counter", "floor", "ground", "hook", "bench")
"""The spoken names of what things lie on."""
HAND = "hand"
SEEN, CUT, COVERED, ABSENT, DOUBTFUL = "seen", "cut off", "covered", "absent", "doubtful"
"""How much is in view: enough to be named, a part inside the picture's border, a part beside something
nearer, nothing, or a share of which people would disagree.
"""
DARK, BLURRED, CLEAR = "dark", "blurred", "clear"


@dataclass(frozen=True)
class Item:
    """A thing. top: one of `TOPS` or the hand; state: one of the five above; side: where most of the part
    that the border cuts off lies (left, right, up, down); x: position from left to right, any unit; beside:
    what is next to it on the same top, None where people would disagree; label: a word on it in lower case,
    read: whether its letters can be read, None where people would disagree.
    """

    name: str
    top: str
    state: str = SEEN
    side: str = ""
    x: float = 0.0
    beside: tuple[str, ...] | None = ()
    label: str = ""
    read: bool | None = True
    whole: bool = True
    """Nothing of it is cut off or covered, so its label is in view."""
    colour: str = ""

    @property
    def held(self) -> bool:
        """In the wearer's hand."""
        return self.top == HAND


@dataclass(frozen=True)
class Top:
    """A surface: its state and the cut side, as for things."""

    name: str
    state: str = SEEN
    side: str = ""


@dataclass(frozen=True)
class Facts:
    """A view. place: one of `PLACES`; known: whether the view shows which place it is, None where people
    would disagree; quality: clear, dark or blurred; at most one item of each name.
    """

    place: str
    known: bool | None
    items: tuple[Item, ...] = ()
    tops: tuple[Top, ...] = ()
    quality: str = CLEAR

    def item(self, name: str) -> Item | None:
        """The thing of that name, whatever its state."""
        return next((each for each in self.items if each.name == name), None)

    def state(self, name: str) -> str:
        """The state of a thing; absent without one."""
        found = self.item(name)
        return found.state if found else ABSENT

    def lying_on(self, top: str) -> tuple[Item, ...]:
        """The things on a surface, from left to right."""
        return tuple(sorted((each for each in self.items if each.top == top), key=lambda each: each.x))
