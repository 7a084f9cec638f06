"""The share of closed questions that a pack's reflex answers, as its training measured it."""

from __future__ import annotations

import tomllib
from pathlib import Path

PACKS = Path(__file__).parents[2] / "models" / "packs"
_SETTING = "[brick.reflex.settings] answered_share"


def answered_share(pack: str, packs: Path) -> float | None:
    """The setting `answered_share` of the reflex brick in the pack's `pack.toml`, 0 to 1; None where there is
    no such file, brick or setting. Raises ValueError where it is no share.
    """
    path = packs / pack / "pack.toml"
    if not path.is_file():
        return None
    share: object = tomllib.loads(path.read_text(encoding="utf-8"))
    for key in ("brick", "reflex", "settings", "answered_share"):
        share = share.get(key) if isinstance(share, dict) else None
    if share is None:
        return None
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise ValueError(f"In {path}, {_SETTING} is {share!r}; it must be a number, 0 to 1.")
    return float(share)
