"""The policy's settings with which the rig measures."""

from __future__ import annotations

from dataclasses import replace

from power.policy.config import PowerConfig

AWAKE_S = 10.0
"""Quiet time before it sleeps."""
LOOKS_AFTER_S = 10.0
"""Longest sleep in performance of a headband that remembers."""
CASCADE_MIB = 2048
"""Limit of the models' memory in cascade, which every brick alone is below."""


def measurable(config: PowerConfig) -> PowerConfig:
    """The policy's settings under which every figure of a scenario is there to be measured: a scenario does
    not wait for dwell times, standby lasts longer than the policy lets it, with the camera's looks, a
    headband that remembers sleeps no longer than a scenario waits before it looks, and in cascade every brick
    is loaded for itself.
    """
    return replace(
        config,
        dwell_s=0.0,
        sleep_within_s=AWAKE_S,
        memory_wake_s=LOOKS_AFTER_S,
        frames_between_questions=True,
        cascade_memory_mib=config.cascade_memory_mib or CASCADE_MIB,
        cascade_prefetch=False,
    )
