"""The waits on the board, part by part, beside their goals."""

from __future__ import annotations

from power.twin.parameters import Parameters, load_parameters
from power.twin.waits import DAY, SITUATIONS, Wait, wait

PACKS = ("micro", "standard", "fast")
_BRICKS = {"stt": "recogniser", "vision": "eye", "llm": "language model", "tts": "voice"}
_NAMES = {
    **_BRICKS,
    **{f"load {brick}": f"{name} loaded" for brick, name in _BRICKS.items()},
    "load": "loading",
    "listen": "silence",
}


def lines() -> list[str]:
    """The table, every situation with every pack, and how near writing comes to the memory's limit."""
    parameters = load_parameters()
    found = [
        f"Modelled on an RK3566: end of speech to first word, the questions of the {DAY} day, seconds. In",
        "brackets: every time at the low, and at the high end of its range. Picture: what of waking up, the",
        "camera and the eye is not done when the speech ends. Joules: what the whole question takes.",
    ]
    for situation in SITUATIONS:
        found += ["", f"{situation.title} (goal {situation.goal_s:g} s)"]
        packs = [pack for pack in PACKS if situation.asked_of(parameters, pack)]
        found += [_line(pack, wait(parameters, pack, situation)) for pack in packs]
    return [*found, "", *(_bound(parameters, pack) for pack in PACKS)]


def _line(pack: str, each: Wait) -> str:
    parts = ", ".join(
        f"{_NAMES.get(name, name)} {seconds:.2f}" for name, seconds in each.parts.items() if seconds >= 0.005
    )
    verdict = "kept" if each.kept else "missed"
    took = f"{each.seconds:5.2f} [{each.low_s:.1f} to {each.high_s:.1f}] {verdict:6}"
    return f"  {pack:8} {took} {each.energy_j:4.1f} J  {parts}"


def _bound(parameters: Parameters, pack: str) -> str:
    token = parameters.counted[f"pack.{pack}.token_s"]
    return (
        f"{pack}: {1e3 * token.value:.1f} ms a token written, {token.memory:.0%} of the rate at which memory "
        "could give its weights"
    )
