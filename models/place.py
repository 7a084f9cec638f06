"""How this program is installed, so that advice names commands that exist there: a checkout has `./justw`; a
release on a headband is replaced by a deploy from a checkout on another computer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Place = Literal["checkout", "headband", "elsewhere"]
ROOT = Path(__file__).parents[1]


def place() -> Place:
    """Kind of installation; elsewhere: as a Python package."""
    if (ROOT / "justw").is_file():
        return "checkout"
    return "headband" if (ROOT / "release.json").is_file() else "elsewhere"


def command() -> str:
    """The command that starts the command line here."""
    return "./justw headband" if place() == "checkout" else "headband"


def bring_packages() -> str:
    """Advice for installing the Python packages that this program needs."""
    return {
        "checkout": "remove the folder .venv and run ./justw, which installs them anew",
        "headband": from_checkout("deploy-app HOST"),
        "elsewhere": "install this program again, with what it requires",
    }[place()]


def bring_files(command: str = "") -> str:
    """Advice for restoring this program's files. command: restores them in a checkout."""
    return {
        "checkout": f"restore it with: {command}" if command else "restore the checkout",
        "headband": from_checkout("deploy-app HOST"),
        "elsewhere": "install this program again",
    }[place()]


def from_checkout(recipe: str) -> str:
    """Advice for running a recipe of the checkout."""
    command = f"./justw {recipe}"
    return command if place() == "checkout" else f"on the computer with the checkout: {command}"
