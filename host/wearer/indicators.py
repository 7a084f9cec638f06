"""Light and volume, as the session sets them."""

from __future__ import annotations

from host.event_queue import Performs
from host.session import actions
from hw.device import Light, Speaker


class Indicators:
    """Performs `SetLight` and `SetVolume`."""

    def __init__(self, light: Light, speaker: Speaker) -> None:
        self._light, self._speaker = light, speaker

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {actions.SetLight: self._set_light, actions.SetVolume: self._set_volume}

    def _set_light(self, action: actions.SetLight) -> None:
        self._light.set(action.pattern)

    def _set_volume(self, action: actions.SetVolume) -> None:
        self._speaker.set_volume(action.percent)
