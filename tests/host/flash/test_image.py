"""The firmware image of a checkout: its commit and its hashes."""

from __future__ import annotations

import re
from pathlib import Path

from host.flash.image import firmware_image, sha256


def test_the_image_is_the_checkout_at_its_commit(tmp_path: Path) -> None:
    image = firmware_image()
    assert re.fullmatch(r"[0-9a-f]{8}\+?", image.commit)
    assert image.hashes["pmu/app.py"] == sha256(image.files["pmu/app.py"])
    assert f'COMMIT = "{image.commit}"'.encode() in image.files["pmu/build.py"]
    (tmp_path / "pmu").mkdir()
    for name in ("loader.py", "main.py", "pmu/app.py"):
        (tmp_path / name).write_text("")
    assert firmware_image(tmp_path).commit == "00000000"
