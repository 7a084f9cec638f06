"""NOTICE names every installed package with its licence."""

from __future__ import annotations

import re
from email.message import Message
from pathlib import Path

import pytest

from host.packages import notice
from host.packages.locks import ROOT, applying_to, normalised, requirements

TEXT = notice.NOTICE.read_text()


def in_list(part: str) -> dict[str, str]:
    """Package -> licence of a generated list."""
    joined = part.replace("\n        ", " ")
    lines = [line.strip() for line in joined.splitlines() if line.startswith("    ")]
    return {name: licence for licence, _, names in (line.partition(": ") for line in lines)
            for name in names.split(", ")}  # fmt: skip


def test_every_installed_package_is_named_with_the_licence_that_it_says() -> None:
    generated = TEXT.partition(notice.BEGIN)[2]
    named = in_list(generated)
    assert {name: named.get(name) for name in notice.installed()} == notice.installed()
    assert "says nothing" not in generated


def test_what_a_headband_gets_is_told_apart_and_its_copyleft_is_explained() -> None:
    by_hand, _, generated = TEXT.partition(notice.BEGIN)
    sent = in_list(generated.partition(notice.ELSEWHERE)[0])
    assert set(sent) == notice.on_the_headband() & (set(notice.installed()) | set(sent))
    for name, licence in sent.items():
        if "GPL" in licence or "MPL" in licence:
            assert name in by_hand, name


@pytest.mark.parametrize("lock", sorted(path.name for path in ROOT.glob("requirements*.lock")))
def test_what_is_installed_only_where_an_owner_wants_it_is_named_as_well(lock: str) -> None:
    """An NPU's bindings, power meters, the training environment: with everything that they bring along."""
    words = {normalised(word.rstrip(".")) for word in re.findall(r"[\w.-]+", TEXT)}
    wanted = requirements(applying_to("aarch64", (ROOT / lock).read_text(), "3.11"))
    assert wanted and not {each.name for each in wanted} - words


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ({"License-Expression": "MIT-0"}, "MIT-0"),
        ({"License": "Apache 2.0"}, "Apache-2.0"),
        ({"License": "Permission is hereby granted\nfree of charge"}, ""),
        ({"License": "x", "Classifier": "License :: OSI Approved :: MIT License"}, "x"),
        ({"Classifier": "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)"}, "MPL-2.0"),
        ({}, ""),
    ],
)
def test_a_licence_is_read_from_whatever_field_has_it(fields: dict[str, str], licence: str) -> None:
    about = Message()
    about["Name"] = "Some_Package"
    for name, value in fields.items():
        about[name] = value

    class Package:
        metadata = about
        name = "Some_Package"

    assert notice.licence_of(Package()) == licence  # type: ignore[arg-type]


def test_the_command_says_what_is_out_of_date_and_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(notice, "NOTICE", tmp_path / "NOTICE")
    monkeypatch.setattr("sys.argv", ["notice"])
    notice.NOTICE.write_text(TEXT.replace("markupsafe,", ""))
    assert notice.main() == 1
    assert "just notice" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["notice", "--write"])
    assert notice.main() == 0
    monkeypatch.setattr("sys.argv", ["notice"])
    assert notice.main() == 0
    assert notice.NOTICE.read_text().startswith(TEXT.partition(notice.BEGIN)[0])
