"""The emulated camera, which shows the pictures of a folder in order."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hw.audio.sound_and_picture_files import MediaError
from hw.device import DeviceError, DeviceMissing
from hw.emulated.camera import FileCamera, _natural


def colour(value: int) -> np.ndarray:
    return np.full((8, 8, 3), value, np.uint8)


def test_the_camera_steps_through_a_folder_and_stays_on_the_last(tmp_path: Path) -> None:
    for index in (2, 0, 1):
        Image.fromarray(colour(index)).save(tmp_path / f"frame{index}.png")
    (tmp_path / "notes.txt").write_text("not a frame")

    async def scene() -> None:
        camera = FileCamera(tmp_path)
        seen = [int((await camera.capture())[0, 0, 0]) for _ in range(4)]
        assert seen == [0, 1, 2, 2]
        camera.show(colour(9))
        frame = await camera.capture()
        frame[:] = 0
        assert (await camera.capture())[0, 0, 0] == 9
        camera.unplug()
        with pytest.raises(DeviceError, match="camera"):
            await camera.capture()

    asyncio.run(scene())


def test_a_long_series_is_read_as_it_is_seen(tmp_path: Path) -> None:
    for index in range(11):
        Image.fromarray(colour(index)).save(tmp_path / f"frame{index}.png")

    async def scene() -> None:
        camera = FileCamera(tmp_path)
        (tmp_path / "frame6.png").write_bytes(b"broken meanwhile")
        seen = [int((await camera.capture())[0, 0, 0]) for _ in range(6)]
        assert seen == [0, 1, 2, 3, 4, 5]
        with pytest.raises(DeviceError, match=r"frame6\.png is not an image"):
            await camera.capture()
        seen = [int((await camera.capture())[0, 0, 0]) for _ in range(5)]
        assert seen == [7, 8, 9, 10, 10]

    asyncio.run(scene())


def test_the_camera_refuses_what_it_cannot_show(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="no pictures"):
        FileCamera(tmp_path)
    with pytest.raises(MediaError, match="does not exist"):
        FileCamera(tmp_path / "none.png")
    with pytest.raises(DeviceMissing, match="no picture was given"):
        asyncio.run(FileCamera().capture())


def test_names_of_pictures_may_hold_what_only_looks_like_a_number(tmp_path: Path) -> None:
    names = ["frame10.png", "frame9.png", "frame1\u00b22.png", "9\u0663.png"]
    ordered = sorted((tmp_path / name for name in names), key=_natural)
    assert [path.name for path in ordered][-2:] == ["frame9.png", "frame10.png"]
