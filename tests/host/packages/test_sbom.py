"""The bill of materials names every package that is sent, and follows from the contents alone."""

from __future__ import annotations

import io
import json
import re
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.packages.sbom import Component, NoMetadata, bill, component
from host.ship.made_files import BILL, commit, described
from host.ship.release import Environment, Release, ReleaseFile, release_file

ABOUT = "Metadata-Version: 2.4\nName: Some_Package\nVersion: 1.2\nLicense-Expression: MIT\n\nWhat it is.\n"
WORD = st.text("abcdefgh-0123456789.", min_size=1, max_size=8)
PACKAGES = st.lists(st.builds(Component, WORD, WORD, st.sampled_from(["", "MIT", "BSD"]), st.just("0" * 64)))


def wheel(folder: Path, about: str = ABOUT) -> ReleaseFile:
    path = folder / "some_package-1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("some_package-1.2.dist-info/METADATA", about)
    return release_file(path)


def source(folder: Path) -> ReleaseFile:
    path = folder / "native-3.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        texts = {"native-3/native.egg-info/PKG-INFO": "Name: wrong", "native-3/PKG-INFO": ABOUT}
        for name, text in texts.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return release_file(path)


def test_wheels_and_sources_say_what_they_are(tmp_path: Path) -> None:
    for file in (wheel(tmp_path), source(tmp_path)):
        found = component(file.path, file.sha256)
        assert found == Component("some-package", "1.2", "MIT", file.sha256)


@pytest.mark.parametrize("content", [b"", b"not an archive", ABOUT.encode()])
@pytest.mark.parametrize("name", ["a-1.whl", "a-1.tar.gz"])
def test_a_file_that_is_no_package_is_one_sentence(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(NoMetadata, match=rf"^{re.escape(name)} doesn't say what package it is\.$"):
        component(tmp_path / name, "")


def test_a_package_without_a_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoMetadata):
        component(wheel(tmp_path, "Version: 1\n\n").path, "")


@given(PACKAGES, st.randoms())
def test_the_bill_is_cyclonedx_and_the_same_for_the_same_contents(packages: list[Component], chance) -> None:
    text = bill("1.0", packages, ["*.a"])
    found = json.loads(text)
    assert (found["bomFormat"], found["specVersion"], found["version"]) == ("CycloneDX", "1.5", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", found["serialNumber"])
    assert sorted((each["name"], each["version"]) for each in found["components"]) == sorted(
        (each.name, each.version) for each in packages
    )
    assert found["dependencies"][0]["dependsOn"] == [each["bom-ref"] for each in found["components"]]
    chance.shuffle(packages)
    assert bill("1.0", packages, ["*.a"]) == text != bill("1.1", packages, ["*.a"])


def test_a_release_carries_the_bill_of_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))
    item = wheel(tmp_path)
    environment = described(Environment({item.path.name: item}, {}, {}, left_out=("*.a",)))
    file = environment.described[BILL]
    (entry,) = json.loads(file.path.read_text())["components"]
    assert entry["hashes"] == [{"alg": "SHA-256", "content": item.sha256}]
    assert entry["purl"] == "pkg:pypi/some-package@1.2"
    again = described(environment)
    assert again.described == environment.described and again.name == environment.name
    release = Release(dict(environment.described), environment, "rk3566", commit="abc")
    assert release.request()["commit"] == "abc" and release.request()["release"] == {BILL: file.sha256}
    assert release.name == Release(dict(environment.described), environment, "rk3566").name


def test_the_commit_is_gits_and_says_when_files_have_changed(tmp_path: Path) -> None:
    import subprocess

    assert commit(tmp_path) == ""
    (tmp_path / "host").mkdir()
    (tmp_path / "host/a.py").write_text("1")
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    clean = commit(tmp_path)
    assert re.fullmatch("[0-9a-f]{40}", clean)
    (tmp_path / "notes.txt").write_text("no part of the application")
    assert commit(tmp_path) == clean
    (tmp_path / "host/b.py").write_text("2")
    assert commit(tmp_path) == f"{clean}-dirty"
