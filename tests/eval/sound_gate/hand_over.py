"""Sound that is lost in the hand-over from the PMU's microphone to the host's; a part of
`tests.eval.sound_gate`.
"""

from __future__ import annotations

import asyncio

import numpy as np
from numpy.typing import NDArray

from hw.device import MICROPHONE_RATE_HZ, Pcm
from tests.hw.pmu.sleeping_headband import Headband, headband, pass_time, place_in, watched

_HAND_OVERS = 12


def hand_overs(speech: list[NDArray[np.float32]], seed: int, bus_hz: int = 400_000) -> None:
    """Prints the samples that are lost or doubled at the seam, by resume time, level, position and noise."""
    rng = np.random.default_rng(seed)
    shifts: dict[str, list[int]] = {"sound": [], "clock": []}
    missing, rates, took, read = [], [], [], []
    for index in range(_HAND_OVERS):
        noise_rms = (4.0, 40.0, 200.0)[index % 3]
        band = headband(
            np.round(rng.standard_normal(20 * MICROPHONE_RATE_HZ) * noise_rms).astype(np.int16),
            resume_s=rng.uniform(0.6, 1.0), delay_samples=int(rng.integers(0, 500)),
            gain=rng.uniform(0.3, 3.0), hiss=float(rng.uniform(2, 10)), bus_hz=bus_hz,
        )  # fmt: skip
        line = speech[index] / np.sqrt(np.mean(speech[index] ** 2)) * max(600.0, 5 * noise_rms)
        said = np.clip(np.round(line), -32768, 32767).astype(np.int16)
        delay = asyncio.run(_one(band, said))
        over = band.microphone.last_hand_over
        if over is None or over.joined_by == "nothing":
            continue
        shifts[over.joined_by].append(delay)
        missing.append(over.lost_samples)
        rates.append(over.wire_s / over.recorded_s)
        took.append(over.took_s)
        read.append(over.recorded_s)
    print(
        f"\nHand-over at {bus_hz // 1000} kHz, {len(took)} of {_HAND_OVERS} sentences that woke, "
        "host awake 0.6-1.0 s after the line:"
    )
    for how, errors in shifts.items():
        if errors:
            worst = max(abs(error) for error in errors) / MICROPHONE_RATE_HZ * 1000
            print(
                f"  seam found by {how}: {len(errors)}, lost or doubled at most {worst:.2f} ms (wanted < 20)"
            )
    print(f"  samples missing in pages: {sum(missing)}")
    print(
        f"  read {np.mean(read):.2f} s of sound on average in {np.mean(took):.2f} s "
        f"(longest {max(took):.2f} s); one second takes {np.mean(rates):.2f} s on the bus, modelled"
    )


async def _one(band: Headband, said: Pcm) -> int:
    """One hand-over. The error of the seam in samples: positive for lost, negative for doubled ones."""
    room = watched(band)
    await band.microphone.sleep()
    heard: list[Pcm] = []

    async def listen() -> None:
        async for chunk in band.microphone:
            heard.append(chunk)

    listening = asyncio.create_task(listen())
    await pass_time(band.clock, 4.0)
    band.room.say(said)
    await pass_time(band.clock, 12.0)
    listening.cancel()
    if band.microphone.last_hand_over is None:
        return 0
    whole, stream = np.concatenate(room), np.concatenate(heard)
    half = MICROPHONE_RATE_HZ // 2
    before = place_in(whole, stream[half : 2 * half]) - half
    after = place_in(whole, stream[-2 * half : -half]) - (stream.size - 2 * half)
    return after - before
