"""Every command in README and docs works as it stands there.

What takes seconds on the emulated board runs, in a folder of its own. Of the rest, which needs hours,
hardware, root or a network, the recipe exists and the command's own parser takes the arguments.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from host.cli.main import main, prepare
from host.language.meaning import Abilities, meaning
from host.language.router import Router
from models.brick import Transcript
from tests.demo_files import COLOUR, DEMO
from tests.eval.__main__ import main as evaluate
from tests.kept_fork_server import KeptForkServer

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "firmware/README.md")]
PAGES += sorted((ROOT / "docs").glob("*.md"))
OURS = re.compile(r"(\./justw|just|headband|\.venv/bin/\S+) \S")
RECIPE = re.compile(
    r"^(?P<name>[a-z][\w-]*)(?: (?P<parameters>[^:\n]+))?:(?:.*)\n(?P<body>(?: +.*\n)*)", re.M
)
HANDS_ON = re.compile(r'(?:-m|_in-train) (?P<module>[\w.]+)(?P<words>[\w -]*) "\$@"')
"""The line of a recipe with the module that it runs, and the words that come before the person's."""
PATH = re.compile(r"(?:docs|firmware|host|hw|models|power|tests)/[\w./-]+")

RUNS = (
    "--version", "ask", "run --script", "demo", "status", "doctor", "recording", "forget", "memory status",
    "models list", "models verify", "models use", "power pmu", "power twin",
    "power replay normal --capacity-mah", "power used", "power paper", "rig list", "rig meters",
    "signers list", "tune --show",
)  # fmt: skip
"""Beginnings of headband's commands that take seconds here."""
READ_ONLY = {
    "ask --board": "devices", "run --board": "devices", "firmware": "a PMU", "deploy": "a headband",
    "wheels": "a network", "models fetch": "a network", "models import": "somebody's files",
    "models sign": "somebody's files", "memory forget": "a memory",
    "power replay": "as the one that runs, three times", "power sensitivity": "half a minute",
    "power remember": "a minute for each pack",
    "rig run": "minutes", "tune": "minutes", "replay": "a headband's journal", "releases": "a headband",
    "signers": "root",
}  # fmt: skip
"""Beginnings of those whose arguments are read and no more, and what they would need."""
MODULES = (
    "tests.virtual", "tests.eval", "tests.eval.cost", "tests.eval.cost.latency", "tests.eval.soak",
    "tests.eval.board_cost",
    "tests.host.session.walk", "tests.eval.memory.look", "tests.eval.memory.store",
    "tests.host.memory.crashes", "tests.host.memory.kills",
    "tests.firmware.micropython", "models.train.all", "models.convert", "models.convert.ballast.generate",
    "models.train.reflex.vqa.write", "tests.models.convert.published", "host.packages.audit",
    "host.ship.rollback", "host.ship.wheels.lock_check",
)  # fmt: skip
"""What the other recipes run: hours, QEMU, PyTorch."""
ON_THE_BOARD = {"rollback": "host.ship.rollback"}
"""What `host/service/headband` runs itself -> its module."""
SCRIPTS = ("docs", "nightly")
"""Recipes without arguments that rewrite this very tree, or run its slow tests."""
STANDS_FOR = {"NAME": "micro", "host/demo/demo.toml": "day.toml"}
"""`demo` lives through the same day as `run --script host/demo/demo.toml`: one of them does so here."""
BEFORE = {"power used": "ask --audio question.wav --keep --mode cascade"}
QUICKER = {"demo": "--fast"}


def commands() -> list[str]:
    """As the pages have them, each once. In a line of code two spaces end a command."""
    found: dict[str, None] = {}
    for page in PAGES:
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
        lines = re.findall(r"^ {4}.*$", text, re.M)
        spans = re.findall(r"`([^`]+)`", re.sub(r"^ {4}.*$", "", text, flags=re.M))
        for code in [part for line in lines for part in line.split("  ")] + spans:
            words = " ".join(code.split())
            if OURS.match(words.rpartition("| ")[2]):
                found[words.removeprefix("./justw ") if "justw headband" in words else words] = None
    return list(found)


def recipes() -> dict[str, re.Match[str]]:
    return {found["name"]: found for found in RECIPE.finditer((ROOT / "justfile").read_text())}


def what_runs(command: str) -> tuple[str, list[str]]:
    """The module behind a command, and the module's arguments; "" for a script of the justfile."""
    program, *words = shlex.split(command.rpartition("| ")[2])
    if program == "headband":
        return (ON_THE_BOARD[words[0]], words[1:]) if words[0] in ON_THE_BOARD else ("host", words)
    if program.startswith(".venv"):
        return ("pip", words) if program.endswith("pip") else (words[1], words[2:])
    name, *words = words
    recipe = recipes()[name]
    hands_on = HANDS_ON.search(recipe["body"])
    if hands_on is None:
        assert name in SCRIPTS and not words, f"no test knows what {command!r} needs"
        return "", []
    by_default = re.findall(r'="(\S+)"', recipe["parameters"] or "")
    return hands_on["module"], [*hands_on["words"].split(), *(words or by_default)]


def begins(arguments: list[str], with_one_of: Iterable[str]) -> str:
    """The longest of these with which the arguments begin, or ""."""
    told = " ".join(arguments)
    fits = [each for each in with_one_of if told == each or told.startswith(f"{each} ")]
    return max(fits, key=len, default="")


COMMANDS = commands()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a person has who tries the pages: the checkout's folders, a question and a picture."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "host").symlink_to(ROOT / "host")
    shutil.copy(DEMO / COLOUR[0], folder / "question.wav")
    shutil.copy(DEMO / COLOUR[1], folder / "photo.png")
    day = '[[event]]\nat_s = 0.0\nbattery = 14\nimage = "photo.png"\nsay = "question.wav"\n'
    (folder / "day.toml").write_text(day)
    return folder


@pytest.fixture(autouse=True)
def _at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("models.process.bricks.ForkServer", KeptForkServer)
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HEADBAND_CACHE"):
        monkeypatch.delenv(name, raising=False)


def read_by_its_parser(module: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The module is there, and its parser takes the arguments; nothing of what it does is done."""
    spec = importlib.util.find_spec(module)
    assert spec is not None, module
    if not arguments:
        return

    class Understood(Exception):
        pass

    read = argparse.ArgumentParser.parse_args

    def parse_args(self: argparse.ArgumentParser, *given: object) -> None:
        read(self, *given)  # type: ignore[call-overload]
        raise Understood

    with monkeypatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", parse_args)
        patch.setattr(sys, "argv", [module, *arguments])
        entry = importlib.import_module(f"{module}.__main__" if spec.submodule_search_locations else module)
        with pytest.raises(Understood):
            entry.main()


@contextlib.contextmanager
def standard_input(path: Path) -> Iterator[None]:
    before = os.dup(0)
    with open(path, "rb") as file:
        os.dup2(file.fileno(), 0)
    yield
    os.dup2(before, 0)
    os.close(before)


def exit_code(arguments: list[str]) -> int:
    try:
        return main(arguments)
    except SystemExit as leaving:  # --version, --help
        return int(leaving.code or 0)


@pytest.mark.parametrize("command", COMMANDS)
def test_it_works(command: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module, arguments = what_runs(command)
    if module == "host":
        arguments = [STANDS_FOR.get(word, word) for word in arguments]
        begin = begins(arguments, {*RUNS, *READ_ONLY})
        assert begin, f"no test knows what {command!r} needs"
        if "--help" in arguments:
            assert exit_code(arguments) == 0
        elif begin in READ_ONLY:
            prepare(arguments)
        else:
            if begin in BEFORE:
                assert main(BEFORE[begin].split()) == 0
            with standard_input(home / "question.wav"):
                assert exit_code([*arguments, *QUICKER.get(begin, "").split()]) == 0
    elif module == "tests.eval":

        def start(started: list[str], **_: object) -> SimpleNamespace:
            read_by_its_parser(started[2], arguments[1:], monkeypatch)
            return SimpleNamespace(returncode=0)

        monkeypatch.setattr(subprocess, "run", start)
        assert evaluate(arguments) == 0
    elif module == "pytest":
        tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
        markers = tools["pytest"]["ini_options"]["markers"]
        assert arguments[:1] != ["-m"] or any(each.startswith(f"{arguments[1]}:") for each in markers)
        assert all((ROOT / word).exists() for word in arguments if "/" in word)
    elif module == "pip":
        from pip._internal.commands import create_command

        _, files = create_command(arguments[0]).parse_args(arguments[1:])
        assert files == [] and (ROOT / arguments[-1]).exists()
    elif module:
        assert module in MODULES, f"no test knows what {command!r} needs"
        read_by_its_parser(module, arguments, monkeypatch)


def test_the_pages_have_commands_of_every_kind() -> None:
    """Else the pattern that finds them is wrong."""
    begun = {begins(what_runs(command)[1], {*RUNS, *READ_ONLY}) for command in COMMANDS}
    assert begun >= {*RUNS, *READ_ONLY}
    assert {what_runs(command)[0] for command in COMMANDS} >= {*MODULES, "pytest", "pip", ""}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_files_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text()
    linked = [each for each in re.findall(r"\]\(([^)]+)\)", text) if "://" not in each]
    assert [each for each in linked if not (page.parent / each).exists()] == []
    named = [span for span in re.findall(r"`([^`\s]+)`", text) if PATH.fullmatch(span)]
    assert [each for each in named if not (ROOT / each).exists()] == []


def test_the_device_answers_every_sentence_of_the_page_for_the_wearer() -> None:
    table = re.search(r"^\| you say \|.*?\n\n", (ROOT / "docs/wear.md").read_text(), re.M | re.S)
    assert table is not None
    rows = table[0].split("\n\n")[0].splitlines()
    said = [text for row in rows for text in re.findall(r'"([^"]+)"', row.split("|")[1])]
    assert len(said) > 15
    can = Abilities(0.5, remembers=True, clips=True, usual=True)
    found = [(text, meaning(Transcript(text, 0.99), Router(), can).decision) for text in said]
    assert [text for text, decision in found if decision.route != "device" and not decision.first] == []


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150
