"""The tables of firmware/README.md, written from the code: `python -m tests.firmware.readme` renews them."""

import ast
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from firmware.pmu import guard_light as light
from firmware.pmu import registers as r

FIRMWARE = Path(__file__).parents[2] / "firmware"
README = FIRMWARE / "README.md"
_VALUES = (
    "ASK_", "REQUEST_", "GATE_", "GUARD_", "CAUSE_", "EVENT_KIND_", "KEY_DO_", "KEY_IS_", "STATUS_",
    "PAGE_PAIR",
)  # fmt: skip
"""Prefixes of names that are values of a register, not registers."""
_NO_REGISTERS = (
    "MAP_VERSION", "MAP_MAGIC", "ADDRESS", "CELL_BYTES", "REGISTER_COUNT", "MEMORY_BYTES", "ALARM_MASK",
    "NOT_DISCHARGING", "ZERO_CELSIUS_DK",
)  # fmt: skip
_LINE = re.compile(r"^([A-Z][A-Z0-9_]*)\b[^#\n]*?(?:\(\n[^#\n]*)?# *(.+)$", re.MULTILINE)
"""A constant with the comment beside it, also where the value is in brackets on the next line."""
_WIRES = {
    "HOST_SDA": "host I2C, SDA",
    "HOST_SCL": "host I2C, SCL",
    "SENSOR_SDA": "INA226 battery sensor, SDA",
    "SENSOR_SCL": "INA226 battery sensor, SCL",
    "MICROPHONE_SCK": "I2S microphone, bit clock",
    "MICROPHONE_WS": "I2S microphone, word select",
    "MICROPHONE_SD": "I2S microphone, data",
}
"""Pins whose name is sufficient as a description."""


def _comments(module: str) -> dict[str, str]:
    """The comment beside each constant of a module."""
    return dict(_LINE.findall((FIRMWARE / "pmu" / f"{module}.py").read_text()))


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(
        lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    )


def registers() -> str:
    """Every register of the map: code, SMBus command, name, access, meaning."""
    comments = _comments("registers")
    rows = []
    for name, value in vars(r).items():
        if not name.isupper() or name.startswith("_") or not isinstance(value, int):
            continue
        if name in _NO_REGISTERS or name.startswith(_VALUES):
            continue
        writable = value in r.WRITABLE
        holds = comments.get(name, "as the one above")
        holds = re.sub("^writable: |, writable", "", holds) if writable else holds
        access = "read, write" if writable else "read"
        rows.append((f"0x{value:02X}", f"0x{value * r.CELL_BYTES:02X}", f"`{name}`", access, holds))
    return _table(("code", "command", "register", "the host may", "holds"), sorted(rows))


def values() -> str:
    """The bits and numbers that registers hold."""
    comments = _comments("registers")
    rows = []
    for name, value in vars(r).items():
        if name.startswith(_VALUES):
            shown = f"0x{value:04X}" if name.startswith(("ASK_", "STATUS_")) else str(value)
            rows.append((f"`{name}`", shown, comments.get(name, "")))
    return _table(("name", "value", ""), rows)


def pins() -> str:
    """The pins of the Pico and what each is wired to."""
    comments = _comments("board")
    rows: list[tuple[int, str]] = []
    for name, value in _pin_numbers().items():
        if name in _WIRES:
            rows.append((value, _WIRES[name]))
        elif name.endswith("_PIN"):
            what = name.removesuffix("_PIN").replace("_", " ").lower()
            rows.append((value, f"{what}: {comments[name]}"))
        elif name.startswith("LED_PINS"):
            colour = ("red", "green", "blue")[int(name[-1])]
            rows.append((value, f"state light, {colour}: high = lit"))
    return _table(("GPIO", "wired to"), sorted(rows))


def _pin_numbers() -> dict[str, int]:
    """Constants of `board`, which only the microcontroller can import; LED_PINS as LED_PINS0, 1, 2."""
    found: dict[str, int] = {}
    for statement in ast.parse((FIRMWARE / "pmu" / "board.py").read_text()).body:
        if not isinstance(statement, ast.Assign):
            continue
        try:
            value = ast.literal_eval(statement.value)
        except ValueError:
            continue
        target = statement.targets[0]
        if isinstance(target, ast.Tuple):
            names = [name.id for name in target.elts if isinstance(name, ast.Name)]
            found |= dict(zip(names, value, strict=True))
        elif isinstance(target, ast.Name) and isinstance(value, tuple):
            found |= {f"{target.id}{index}": each for index, each in enumerate(value)}
        elif isinstance(target, ast.Name):
            found[target.id] = value
    return found


def patterns() -> str:
    """The patterns of the state light."""
    return _table(("code", "pattern", "colour", "rhythm", "means"), light.table())


PARTS = {"pins": pins, "patterns": patterns, "registers": registers, "values": values}


def current(text: str) -> str:
    """The page with each generated part, between `<!-- name -->` and `<!-- end -->`, as the code has it now.

    Raises `ValueError` when the page lacks a part.
    """
    for name, make in PARTS.items():
        before, start, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        if not (start and end):
            raise ValueError(f"the page has no part {name!r}")
        text = f"{before}{start}\n{make()}\n\n{end}{after}"
    return text


if __name__ == "__main__":
    README.write_text(current(README.read_text()))
