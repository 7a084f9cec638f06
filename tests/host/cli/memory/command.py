"""`headband memory` with the settings of a test."""

from __future__ import annotations

from pathlib import Path

from host.cli.main import main


def memory(state: Path, action: str, *arguments: str) -> int:
    return main(["memory", action, "--config", str(state.parent / "headband.toml"), *arguments])
