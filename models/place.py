"""Where this program runs, so that advice names what the person there has: a checkout has `./justw`, and a
release on a headband comes anew with a deploy from a checkout on another computer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Place = Literal["checkout", "headband", "elsewhere"]
ROOT = Path(__file__).parents[1]


def place() -> Place:
    """Which of them; elsewhere: installed as a package."""
    if (ROOT / "justw").is_file():
        return "checkout"
    return "headband" if (ROOT / "release.json").is_file() else "elsewhere"


def command() -> str:
    """How the command line is called here."""
    return "./justw headband" if place() == "checkout" else "headband"


def bring_packages() -> str:
    """What installs the Python packages that this program runs on."""
    return {
        "checkout": "remove the folder .venv and run ./justw, which installs them anew",
        "headband": from_checkout("deploy-app HOST"),
        "elsewhere": "install this program again, with what it requires",
    }[place()]


def bring_files(command: str = "") -> str:
    """What brings files back that belong to this program. command: does so in a checkout."""
    return {
        "checkout": f"restore it with: {command}" if command else "restore the checkout",
        "headband": from_checkout("deploy-app HOST"),
        "elsewhere": "install this program again",
    }[place()]


def from_checkout(recipe: str) -> str:
    """A recipe of the checkout, as it is told here."""
    command = f"./justw {recipe}"
    return command if place() == "checkout" else f"on the computer with the checkout: {command}"
