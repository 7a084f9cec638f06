"""The camera with an emulated driver."""

from __future__ import annotations

import asyncio
import ctypes
import io
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

from hw.device import DeviceError
from hw.linux import v4l2_abi as v4l2
from hw.linux.jpeg_decoder import JpegDecoder
from hw.linux.pixel_formats import brightness
from hw.linux.v4l2_camera import V4l2Camera
from hw.linux.v4l2_stream import Frame
from hw.linux.wiring import CameraWiring
from tests.hw import contracts
from tests.hw.linux.fake_v4l2 import FakeCamera, FakeKernel

RED_YUV = (81, 90, 240)  # BT.601, limited range


def filled(*pattern: int, per_pixel: float, padding: int = 0):
    """Frames of one colour in packed bytes."""

    def frame(width: int, height: int) -> tuple[bytes, int]:
        row = np.resize(np.array(pattern, np.uint8), int(width * per_pixel)).tobytes() + bytes(padding)
        return row * height, len(row)

    return frame


def nv(u: int, v: int, padding: int = 0):
    def frame(width: int, height: int) -> tuple[bytes, int]:
        luma = (bytes([RED_YUV[0]]) * width + bytes(padding)) * height
        chroma = (bytes([u, v]) * (width // 2) + bytes(padding)) * (height // 2)
        return luma + chroma, width + padding

    return frame


def jpeg(width: int, height: int) -> tuple[bytes, int]:
    file = io.BytesIO()
    Pillow.new("RGB", (width, height), (255, 0, 0)).save(file, "JPEG", quality=95)
    return file.getvalue(), 0


Y, U, V = RED_YUV
RED = {
    "YUYV": filled(Y, U, Y, V, per_pixel=2, padding=12),
    "UYVY": filled(U, Y, V, Y, per_pixel=2),
    "NV12": nv(U, V, padding=64),
    "NV21": nv(V, U),
    "RGB3": filled(255, 0, 0, per_pixel=3),
    "BGR3": filled(0, 0, 255, per_pixel=3, padding=3),
    "MJPG": jpeg,
}


def camera(fake: FakeCamera, path: str = "/dev/video0", **wiring: object) -> V4l2Camera:
    settings = CameraWiring(**{"device": path, "settling_frames": 1, "hold_s": 0.0, **wiring})  # type: ignore[arg-type]
    return V4l2Camera(settings, timeout_s=0.4, kernel=FakeKernel({"/dev/video0": fake}))


@pytest.mark.parametrize("multiplanar", [False, True])
@pytest.mark.parametrize("name", RED)
def test_a_red_wall_is_red_in_every_format(name: str, multiplanar: bool) -> None:
    fake = FakeCamera({name: RED[name]}, multiplanar=multiplanar)
    frame = asyncio.run(camera(fake).capture())
    assert frame.shape == (48, 64, 3) and frame.dtype == np.uint8
    assert np.abs(frame.astype(int) - (255, 0, 0)).max() <= 4
    assert fake.opened == 0 and not fake.streaming  # sensor and memory may sleep


def test_grey_is_a_picture_too_but_the_last_choice() -> None:
    fake = FakeCamera({"GREY": filled(77, per_pixel=1), "YUYV": RED["YUYV"]})
    assert asyncio.run(camera(fake).capture())[0, 0, 1] < 10
    assert (asyncio.run(camera(fake, format="GREY").capture()) == 77).all()


def test_it_keeps_the_contract() -> None:
    asyncio.run(contracts.check_camera(camera(FakeCamera({"YUYV": RED["YUYV"]}))))


def test_size_and_interval_are_asked_for_and_what_the_driver_gives_is_taken() -> None:
    fake = FakeCamera({"YUYV": RED["YUYV"]}, sizes=((64, 48), (32, 24)))
    frame = asyncio.run(camera(fake, width_px=30, height_px=20, interval_s=0.2).capture())
    assert frame.shape == (24, 32, 3)
    assert fake.asked == {"size": (30, 20), "interval_s": 0.2}
    stubborn = FakeCamera({"YUYV": RED["YUYV"]}, intervals=False)
    assert asyncio.run(camera(stubborn, interval_s=0.2).capture()).shape == (48, 64, 3)


def test_a_slow_camera_has_the_time_that_its_exposure_takes_to_settle() -> None:
    """Five frames with 0.2 s between two, of a camera that is given up after 0.4 s without a picture."""
    slow = FakeCamera({"YUYV": RED["YUYV"]}, takes_its_time=True)
    asyncio.run(camera(slow, interval_s=0.2, settling_frames=4).capture())
    assert slow.frames == 5
    silent = FakeCamera({"YUYV": RED["YUYV"]}, silent=True)
    with pytest.raises(DeviceError, match=r"gave no picture within 1\.2 seconds"):
        asyncio.run(camera(silent, interval_s=0.2, settling_most_frames=3).capture())


def test_a_format_that_the_driver_takes_back_is_passed_over() -> None:
    fake = FakeCamera({"NV12": RED["NV12"], "MJPG": jpeg}, refuses=("NV12",))
    assert asyncio.run(camera(fake).capture())[0, 0, 0] > 250


def test_damaged_and_unsettled_frames_are_passed_over() -> None:
    fake = FakeCamera({"YUYV": RED["YUYV"]}, torn=2)
    asyncio.run(camera(fake, settling_frames=3).capture())
    assert fake.frames == 2 + 3 + 1


@pytest.mark.parametrize(
    ("levels", "wiring", "passed"),
    [
        ((10, 10, 100), {"settling_frames": 0}, 0),
        ((10, 10, 100), {"settling_frames": 1}, 1),  # the second is as the first
        ((10, 30, 50, 70, 74, 200), {"settling_frames": 1}, 4),
        ((10, 30, 50, 70, 74, 200), {"settling_frames": 1, "settling_levels": 1.0}, 6),
        ((200, 190, 120, 118), {"settling_frames": 2}, 3),
        (tuple(range(0, 250, 10)), {"settling_frames": 3, "settling_most_frames": 7}, 7),
        (tuple(range(0, 250, 10)), {"settling_frames": 3, "settling_most_frames": 0}, 3),
    ],
)
def test_frames_are_passed_over_until_their_brightness_stays(
    levels: tuple[int, ...], wiring: dict[str, Any], passed: int
) -> None:
    """The last level stays; a change of up to six levels from frame to frame is none."""
    fake = FakeCamera({
        "GREY": lambda width, height: (
            bytes([levels[min(fake.sequence, len(levels) - 1)]]) * (width * height), width
        )
    })  # fmt: skip
    eye = camera(fake, **wiring)
    assert (asyncio.run(eye.capture()) == levels[min(passed, len(levels) - 1)]).all()
    assert eye.use.frames == passed + 1


@pytest.mark.parametrize("name", RED)
def test_the_brightness_of_a_red_wall_is_known_in_every_raw_format(name: str) -> None:
    data, stride = RED[name](64, 48)
    found = brightness(name, np.frombuffer(data, np.uint8), 64, 48, stride)
    assert found == {"MJPG": None, "RGB3": 0, "BGR3": 0}.get(name, RED_YUV[0])
    assert brightness(name, np.zeros(7, np.uint8), 64, 48, stride) is None


def test_frames_for_which_the_driver_had_no_buffer_are_counted() -> None:
    fake = FakeCamera({"YUYV": RED["YUYV"]})
    kernel = FakeKernel({"/dev/video0": fake})
    eye = V4l2Camera(CameraWiring("/dev/video0", settling_frames=1, hold_s=60.0), kernel=kernel)

    async def scene() -> None:
        eye.start(1.0)
        await eye.capture()
        assert eye.use.frames == 2
        kernel.pass_time(missed=40)
        await eye.capture()
        assert eye.use.frames == 2 + 3 + 40 + 1
        await eye.close()

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("fake", "wiring", "says"),
    [
        (FakeCamera(RED), {"path": "/dev/video7"}, "no camera at /dev/video7, or it was unplugged"),
        (FakeCamera(RED, unplug_after=1), {}, "unplugged"),
        (FakeCamera(RED, silent=True), {}, r"within 0\.4 seconds"),
        (FakeCamera(RED, captures=False), {}, "no camera that streams"),
        (FakeCamera({"BA81": jpeg}), {}, "offers BA81"),
        (FakeCamera({"YUYV": jpeg}), {}, "damaged"),
        (FakeCamera({"MJPG": filled(1, per_pixel=1)}), {}, "damaged"),
    ],
)
def test_a_camera_that_fails_says_why(fake: FakeCamera, wiring: dict[str, str], says: str) -> None:
    with pytest.raises(DeviceError, match=says):
        asyncio.run(camera(fake, **wiring).capture())
    assert fake.opened == 0


@pytest.mark.parametrize("hold_s", [0.0, 30.0])
def test_a_picture_that_is_damaged_without_the_drivers_knowledge_is_taken_anew(hold_s: float) -> None:
    def frame(width: int, height: int) -> tuple[bytes, int]:
        data = jpeg(width, height)[0]
        return data[: len(data) // 2] if fake.frames < 2 else data, 0

    fake = FakeCamera({"MJPG": frame})
    eye = camera(fake, hold_s=hold_s)

    async def scene() -> None:
        eye.start(1.0)
        assert (await eye.capture()).shape == (48, 64, 3)
        await eye.close()

    asyncio.run(scene())
    assert fake.opened == 0


def test_a_camera_comes_back_when_it_is_plugged_in_again() -> None:
    fake = FakeCamera({"YUYV": RED["YUYV"]}, unplug_after=1)
    eye = camera(fake)
    with pytest.raises(DeviceError):
        asyncio.run(eye.capture())
    fake.unplug_after, fake.streaming = None, False
    assert asyncio.run(eye.capture()).shape == (48, 64, 3)


def test_a_stream_that_is_held_gives_the_present_view_without_starting_anew() -> None:
    shade = 10
    fake = FakeCamera({"GREY": lambda width, height: (bytes([shade]) * (width * height), width)})
    kernel = FakeKernel({"/dev/video0": fake})
    eye = V4l2Camera(CameraWiring("/dev/video0", settling_frames=4, hold_s=0.7), kernel=kernel)

    async def scene() -> None:
        nonlocal shade
        eye.start(5.0)
        assert (await eye.capture() == 10).all()
        kernel.pass_time()  # its buffers are full of the old view
        shade = 200
        before = fake.frames
        assert (await eye.capture() == 200).all()
        assert fake.frames - before == 3 + 1  # three old ones, and no settling
        assert (fake.openings, fake.streaming) == (1, True)
        await asyncio.sleep(0.4)
        await eye.capture()  # the time begins anew
        await asyncio.sleep(0.4)
        assert fake.streaming
        for _ in range(100):  # a busy computer may stop it later
            if fake.streaming:
                await asyncio.sleep(0.05)
        assert (fake.opened, fake.streaming) == (0, False)
        await eye.capture()
        assert fake.openings == 2
        await eye.close()
        assert (fake.opened, fake.streaming) == (0, False)

    asyncio.run(scene())


def test_a_camera_that_is_unplugged_while_it_is_held_comes_back() -> None:
    fake = FakeCamera({"YUYV": RED["YUYV"]}, unplug_after=3)
    eye = camera(fake, hold_s=30.0)

    async def scene() -> None:
        eye.start(1.0)
        await eye.capture()
        with pytest.raises(DeviceError, match="unplugged"):
            await eye.capture()
        assert fake.opened == 0
        fake.unplug_after, fake.streaming = None, False
        assert (await eye.capture()).shape == (48, 64, 3)
        await eye.close()
        await eye.close()

    asyncio.run(scene())


def test_the_first_device_that_delivers_pictures_is_found(tmp_path: Path) -> None:
    for name in ("video0", "video2", "video10"):
        (tmp_path / name).touch()
    kernel = FakeKernel({
        str(tmp_path / "video0"): FakeCamera(RED, captures=False),
        str(tmp_path / "video2"): FakeCamera({"BA81": jpeg}),
        str(tmp_path / "video10"): FakeCamera({"YUYV": RED["YUYV"]}, sizes=((20, 10),)),
    })  # fmt: skip
    eye = V4l2Camera(CameraWiring(), tmp_path, kernel=kernel)
    assert asyncio.run(eye.capture()).shape == (10, 20, 3)
    with pytest.raises(DeviceError, match="no V4L2 device delivers pictures"):
        asyncio.run(V4l2Camera(CameraWiring(), tmp_path / "none", kernel=kernel).capture())


def test_a_capture_can_be_ended() -> None:
    async def scene() -> None:
        eye = camera(FakeCamera(RED, silent=True))
        capturing = asyncio.create_task(eye.capture())
        await asyncio.sleep(0.02)
        await eye.close()
        with pytest.raises(DeviceError, match="closed"):
            await asyncio.wait_for(capturing, 0.35)

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("path", "says"), [("/dev/null", "does not work: Inappropriate ioctl"), ("/none", "no camera at /none")]
)
def test_the_real_kernel_is_asked(path: str, says: str) -> None:
    with pytest.raises(DeviceError, match=says):
        asyncio.run(V4l2Camera(CameraWiring(path)).capture())


def test_a_pipe_tells_when_there_is_something_to_read() -> None:
    read, write = os.pipe()
    kernel = v4l2.Kernel()
    assert not kernel.readable(read, 0.01)
    os.write(write, b"x")
    assert kernel.readable(read, 0.01)
    os.close(write)
    kernel.close(read)


HEADER = """#include <stdio.h>
#include <stddef.h>
#include <linux/videodev2.h>
int main(void) {{ printf("{formats}", {values}); }}
"""
KERNELS = {
    "VIDIOC_QUERYCAP": v4l2.QUERYCAP, "VIDIOC_ENUM_FMT": v4l2.ENUM_FMT, "VIDIOC_S_FMT": v4l2.S_FMT,
    "VIDIOC_REQBUFS": v4l2.REQBUFS, "VIDIOC_QUERYBUF": v4l2.QUERYBUF, "VIDIOC_QBUF": v4l2.QBUF,
    "VIDIOC_DQBUF": v4l2.DQBUF, "VIDIOC_STREAMON": v4l2.STREAMON, "VIDIOC_STREAMOFF": v4l2.STREAMOFF,
    "VIDIOC_S_PARM": v4l2.S_PARM, "sizeof(struct v4l2_plane)": ctypes.sizeof(v4l2.Plane),
    "offsetof(struct v4l2_format, fmt)": v4l2.Format.fmt.offset,
    "offsetof(struct v4l2_pix_format_mplane, num_planes)": v4l2._PixMplane.num_planes.offset,
    "offsetof(struct v4l2_buffer, m)": v4l2.Buffer.m.offset,
    "offsetof(struct v4l2_buffer, length)": v4l2.Buffer.length.offset,
    "offsetof(struct v4l2_plane, data_offset)": v4l2.Plane.data_offset.offset,
    "offsetof(struct v4l2_streamparm, parm.capture.timeperframe)": v4l2.StreamParameters.numerator.offset,
    "offsetof(struct v4l2_fmtdesc, pixelformat)": v4l2.FormatDescription.pixelformat.offset,
    "V4L2_CAP_VIDEO_CAPTURE_MPLANE": v4l2.CAP_CAPTURE_MPLANE, "V4L2_BUF_FLAG_ERROR": v4l2.BUFFER_ERROR,
    "V4L2_CAP_STREAMING": v4l2.CAP_STREAMING, "V4L2_CAP_DEVICE_CAPS": v4l2.CAP_DEVICE_CAPS,
}  # fmt: skip
"""Constants of the kernel's header -> those of `hw.linux.v4l2_abi`."""


@pytest.mark.skipif(
    shutil.which("cc") is None or not Path("/usr/include/linux/videodev2.h").exists(),
    reason="needs a C compiler and the kernel's headers",
)
def test_numbers_and_structures_are_the_kernels(tmp_path: Path) -> None:
    values = ", ".join(f"(unsigned long)({name})" for name in KERNELS)
    source = tmp_path / "header.c"
    source.write_text(HEADER.format(formats="%lu " * len(KERNELS), values=values))
    subprocess.run(["cc", "-o", str(tmp_path / "header"), str(source)], check=True)
    said = subprocess.run([tmp_path / "header"], check=True, capture_output=True, text=True).stdout
    assert dict(zip(KERNELS, map(int, said.split()), strict=True)) == KERNELS


@pytest.mark.parametrize(("side", "wanted"), [(640, 640), (1280, 640), (1920, 960), (2560, 640)])
def test_a_large_frame_becomes_a_picture_that_is_large_enough(side: int, wanted: int) -> None:
    decoder = JpegDecoder()
    raw = Frame("NV12", bytes(side * side // 2 * 3 // 2), side, side // 2, side)
    assert raw.picture(decoder).shape == (wanted // 2, wanted, 3)
    encoded = io.BytesIO()
    Pillow.new("RGB", (side, side // 2)).save(encoded, "JPEG")
    assert Frame("MJPG", encoded.getvalue(), side, side // 2, 0).picture(decoder).shape == (
        wanted // 2,
        wanted,
        3,
    )
