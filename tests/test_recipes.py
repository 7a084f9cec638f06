"""What the recipes refuse, what they say before a download, and what they answer without one."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models.convert.checkpoints import write_checkpoint

ROOT = Path(__file__).parents[1]
RECIPES = {
    "default",
    "demo",
    "test",
    "check",
    "headband",
    "bench",
    "eval",
    "train",
    "ballast",
    "docs",
    "lock",
    "lock-check",
    "audit",
    "nightly",
    "npu",
}


def test_the_recipes_are_there() -> None:
    found = set(
        re.findall(r"^([a-z][\w-]*)(?: [^:=\n]*)?:(?!=)", (ROOT / "justfile").read_text(), re.MULTILINE)
    )
    assert found >= RECIPES


@pytest.mark.parametrize(
    ("recipe", "code", "words"),
    [
        (["headband", "ask"], 2, "The emulated board needs a recorded question"),
        (["headband", "status", "--battery", "140"], 2, "0 to 100 percent"),
        (["deploy", "--help"], 0, "--port"),
        (["deploy"], 2, "HOST"),
        (["deploy-app"], 2, "HOST"),
        (["convert"], 2, "Give a checkpoint's folder, and the one that its pack goes to: CHECKPOINT OUT"),
        (["convert", "--help"], 0, "Hugging Face"),
    ],
)
def test_a_recipe_says_one_thing_and_only_that(recipe: list[str], code: int, words: str) -> None:
    """just adds nothing to the sentence, and asking for help deploys nothing."""
    just = ROOT / ".venv" / "bin" / "just"
    done = subprocess.run([just, *recipe], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == code and words in done.stdout + done.stderr
    assert code == 0 or len(done.stderr.splitlines()) == 1


def test_the_folder_in_which_a_person_stands_has_files_and_no_modules(tmp_path: Path) -> None:
    (tmp_path / "models.py").write_text("raise SystemExit(9)\n")
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "__init__.py").write_text("")
    asked = f"{ROOT}/.venv/bin/just --justfile {ROOT}/justfile headband --version".split()
    told = subprocess.run(asked, cwd=tmp_path, capture_output=True, timeout=60)
    assert (told.returncode, told.stdout[:9]) == (0, b"headband ")


@pytest.mark.parametrize(
    "recipe", ["demo", "headband", "models", "rig", "deploy", "deploy-firmware", "deploy-app"]
)
def test_what_takes_a_persons_files_reads_them_where_the_person_stands(recipe: str) -> None:
    text = (ROOT / "justfile").read_text(encoding="utf-8")
    start = rf'^\[no-cd\]\n{recipe} [^\n]*:\n    @"{{{{ python }}}}" -P -m host\b'
    assert re.search(start, text, re.MULTILINE)


def train_recipe(folder: Path, *recipe: str) -> subprocess.CompletedProcess[str]:
    """Runs a recipe in a checkout whose Python only says which environment it was to make, and fails."""
    checkout = folder / "check out"
    python = checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    for name in ("justfile", "requirements-train.lock", "requirements-torch.in"):
        shutil.copy(ROOT / name, checkout)
    for name in ("models", "host", "hw", "power", "firmware"):
        (checkout / name).symlink_to(ROOT / name)
    makes = 'case "$*" in "-m venv "*) echo $* >&2; exit 7 ;; esac'
    python.write_text(f'#!/bin/sh\n{makes}\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (checkout / ".venv" / "stamp").touch()
    if (folder / "another").exists():
        (checkout / ".venv-train").symlink_to(folder / "another")
    just = [str(ROOT / ".venv/bin/just"), "--justfile", str(checkout / "justfile"), *recipe]
    return subprocess.run(just, cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("recipe", [["convert", "from", "to"], ["train"], ["ballast"], ["test-train"]])
def test_what_a_recipe_downloads_first_is_said_before_it_does(tmp_path: Path, recipe: list[str]) -> None:
    if "convert" in recipe:
        write_checkpoint(tmp_path / "from", "smolvlm")
    done = train_recipe(tmp_path, *recipe)
    said, called = done.stderr.splitlines()
    assert done.returncode == 7 and called.startswith("-m venv")
    assert "PyTorch" in said and "200 MB to several GB to download the first time" in said


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        (["convert", "/nowhere", "to"], "There is no folder /nowhere."),
        (["convert", "from", "to", "--precision", "q5"], "--precision q5 isn't one of"),
        (["convert", "from", "to", "--unchequed"], "Unrecognized arguments: --unchequed"),
        (["convert", "from"], "Give a checkpoint's folder"),
        (["train", "--quik"], "unrecognized arguments: --quik"),
        (["ballast", "--outt", "x"], "unrecognized arguments: --outt x"),
    ],
)
def test_what_is_refused_is_refused_before_anything_is_downloaded(
    tmp_path: Path, recipe: list[str], words: str
) -> None:
    done = train_recipe(tmp_path, *recipe)
    assert done.returncode == 2 and words in done.stderr and "PyTorch" not in done.stderr


@pytest.mark.parametrize("recipe", [["train", "--help"], ["train", "--dry-run"], ["ballast", "--help"]])
def test_what_needs_no_pytorch_is_answered_without_it(tmp_path: Path, recipe: list[str]) -> None:
    done = train_recipe(tmp_path, *recipe)
    assert done.returncode == 0 and done.stdout and not done.stderr


@pytest.mark.parametrize("option", ["--dry-run", "--unchecked"])
def test_a_conversion_that_compares_nothing_needs_no_pytorch(tmp_path: Path, option: str) -> None:
    write_checkpoint(tmp_path / "from", "smolvlm")
    done = train_recipe(tmp_path, "convert", "from", "to", option)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "to").exists() == (option == "--unchecked")


def test_a_training_environment_that_is_another_checkouts_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "another").mkdir()
    done = train_recipe(tmp_path, "train")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "remove the link" in done.stderr
