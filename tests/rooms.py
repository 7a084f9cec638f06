"""The rooms of the tree, which of them may import which, and the page that shows it.

`python -m tests.rooms` rewrites the tables and the picture in docs/architecture.md, also the one of the
session's rules.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from host.session.step import RULES

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
FOLDERS = ("firmware", "host", "hw", "models", "power")
BETWEEN_FOLDERS: Mapping[str, frozenset[str]] = {
    "host": frozenset({"models", "power", "hw"}),
    "power": frozenset({"hw"}),
    "models": frozenset(),
    "hw": frozenset(),
    "firmware": frozenset(),
}
"""Folder -> folders that it may import."""
WITHIN: Mapping[str, str] = {
    "host.config": "",
    "host.states": "",
    "host.to_its_end": "",
    "host.observe": "",
    "host.boot": "",
    "host.terminal": "config",
    "host.language": "",
    "host.speaking": "",
    "host.sensing": "",
    "host.hearing": "config",
    "host.answers": "language",
    "host.session": "states answers",
    "host.event_queue": "observe answers session",
    "host.system": "config states observe session event_queue",
    "host.wearer": "config to_its_end observe terminal answers session event_queue",
    "host.energy": "config states observe answers sensing session event_queue",
    "host.turn": "config memory observe language answers hearing sensing speaking session event_queue",
    "host.memory": "config to_its_end",
    "host.placement": "",
    "host.app": "boot config memory states observe terminal language answers hearing sensing session "
    "event_queue system wearer turn energy placement",
    "host.doctor": "boot config terminal wearer energy app ship placement",
    "host.rig": "config observe terminal app",
    "host.flash": "terminal",
    "host.packages": "",
    "host.ship": "boot flash packages terminal",
    "host.cli": "boot config memory states observe terminal session energy system wearer app doctor rig "
    "flash ship placement",
    "hw.supply": "",
    "hw.key_page": "",
    "hw.device": "",
    "hw.board": "device supply key_page",
    "hw.key_file": "device key_page",
    "hw.text_file": "",
    "hw.finite": "",
    "hw.settings": "text_file",
    "hw.private_file": "",
    "hw.scratch": "",
    "hw.plausible": "",
    "hw.i2c_faults": "",
    "hw.camera_use": "device",
    "hw.light_thread": "device",
    "hw.absent": "device",
    "hw.audio": "device",
    "hw.pmu": "device light_thread supply plausible i2c_faults key_page",
    "hw.pmu_usb": "settings",
    "hw.gauges": "supply plausible pmu",
    "hw.linux": "board device camera_use light_thread settings audio gauges i2c_faults",
    "hw.rk3566": "board device absent pmu gauges linux",
    "hw.laptop": "board device key_file absent gauges linux",
    "hw.emulated": "board device camera_use settings scratch private_file audio key_page key_file pmu linux",
    "models.brick": "",
    "models.clip": "brick",
    "models.caution": "",
    "models.closed_question": "brick caution",
    "models.detection": "brick",
    "models.reading": "",
    "models.exits": "",
    "models.small_network": "",
    "models.exit_predictor": "small_network",
    "models.sensing": "clip small_network",
    "models.place": "",
    "models.atomic_file": "",
    "models.activation_codec": "brick",
    "models.pixels": "",
    "models.listening": "brick",
    "models.ring": "brick",
    "models.pack": "atomic_file brick listening place sensing",
    "models.process": "brick clip closed_question pack ring",
    "models.bricks": "brick clip closed_question detection exits pack pixels reading ring process sensing",
    "models.install": "atomic_file pack bricks",
    "models.convert": "bricks pack pixels",
    "models.train": "atomic_file brick bricks caution clip closed_question convert detection exit_predictor "
    "listening pack pixels sensing small_network",
    "power.placement": "",
    "power.policy": "placement",
    "power.knobs": "policy",
    "power.account": "policy",
    "power.meters": "account",
    "power.twin": "account placement policy",
    "power.board_cost": "account",
    "power.report": "policy",
    "power.rig": "account policy meters twin",
    "power.replay": "placement policy report rig twin",
    "power.remembering": "account placement policy replay twin",
}
"""Room -> rooms of the same folder that it may import. A room is a folder of a folder, or a module beside
them.
"""


def _modules() -> dict[str, Path]:
    found = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = _modules()
"""Every module's name and file."""
_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)


@functools.cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@functools.cache
def imports(name: str, *, at_module_level: bool) -> tuple[str, ...]:
    """Absolute names of what the module imports; `at_module_level` leaves out what is inside functions or for
    types only.
    """
    return tuple(_imports(name, at_module_level))


def _imports(name: str, at_module_level: bool) -> Iterator[str]:
    path = MODULES[name]
    pending: list[ast.AST] = [_parsed(path)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{origin}.{alias.name}"
                yield inner if inner in MODULES else origin
        elif at_module_level and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            if not at_module_level:
                pending.extend(node.body)
            pending.extend(node.orelse)
        else:  # no import is inside an expression, where most of the nodes are
            pending.extend(each for each in ast.iter_child_nodes(node) if isinstance(each, _STATEMENTS))


def room(module: str) -> str:
    """The room that a module stands in: "host.app" for "host.app.main_loop"."""
    return ".".join(module.split(".")[:2])


@functools.cache
def arrows() -> dict[str, set[str]]:
    """Room -> other rooms that its modules import, also inside functions and for types."""
    found: dict[str, set[str]] = {}
    for name in MODULES:
        if "." not in name or name.startswith("firmware."):
            continue
        used = {
            room(each) for each in imports(name, at_module_level=False) if each in MODULES and "." in each
        }
        found.setdefault(room(name), set()).update(used - {room(name)})
    return found


def _first_sentence(name: str) -> str:
    text = ast.get_docstring(_parsed(MODULES[name])) or ""
    return (
        re.split(r"(?<=[.:]) |\n\n", " ".join(text.split("\n\n")[0].split()))[0].rstrip(":") if text else ""
    )


def table() -> str:
    """Every room in a row: where it is, what it is, what it imports of its own folder."""
    drawn = arrows()
    rows = ["| room | what it is | imports, within its folder |", "| --- | --- | --- |"]
    for name in WITHIN:
        own = sorted(
            each.split(".")[1] for each in drawn.get(name, ()) if each.split(".")[0] == name.split(".")[0]
        )
        path = name.replace(".", "/") + ("/" if MODULES[name].name == "__init__.py" else ".py")
        rows.append(f"| `{path}` | {_first_sentence(name)} | {', '.join(own)} |")
    return "\n".join(rows)


def picture() -> str:
    """The rooms of `host` as a Mermaid graph. An arrow means "imports"; what follows from others is left
    out.
    """
    drawn = {name: {each for each in used if each.startswith("host.")} for name, used in arrows().items()}
    drawn = {name: used for name, used in drawn.items() if name.startswith("host.") and name in WITHIN}

    def reached(name: str) -> set[str]:
        return {far for near in drawn[name] for far in {near} | reached(near)}

    lines = ["```mermaid", "graph TD"]
    for name, used in drawn.items():
        direct = used - {far for near in used for far in reached(near)}
        lines += [f"    {name.split('.')[1]} --> {each.split('.')[1]}" for each in sorted(direct)]
    return "\n".join([*lines, "```"])


def rules() -> str:
    """Every event of the session, when it comes, and the rule for it."""
    rows = ["| event | when | rule |", "| --- | --- | --- |"]
    for event, rule in RULES.items():
        when, told = (" ".join((each.__doc__ or "").split()) for each in (event, rule))
        rows.append(f"| `{event.__name__}` | {when} | {told} |")
    return "\n".join(rows)


def current(page: str) -> str:
    """The page with its generated parts renewed."""
    for mark, text in (("rooms", table()), ("arrows", picture()), ("rules", rules())):
        begin, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"
    return page


if __name__ == "__main__":
    PAGE.write_text(current(PAGE.read_text()))
