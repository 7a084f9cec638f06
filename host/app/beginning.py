"""What a session begins with: the settings of `headband.toml` that its rules depend on, and the wearer's own,
as far as this board can keep to them.
"""

from __future__ import annotations

from dataclasses import replace

from host.config import Config
from host.session.values import Options, WearerSettings
from hw.board import Board
from hw.supply import EventSource


def options_of(config: Config, board: Board) -> Options:
    """The settings that the session's rules depend on."""
    return Options(
        follow_up_s=config.listen.follow_up_s,
        wake_word=config.barge.wake_word,
        stop_word=config.barge.stop_word,
        go_on=config.barge.go_on,
        sleep_after_s=0.0 if board.suspendable_microphone is None else config.listen.sleep_after_s,
    )


def recordable(settings: WearerSettings, board: Board) -> WearerSettings:
    """The settings; recording is on where only a restart can switch it on."""
    if board.native and board.recording_off is None and not isinstance(board.gauge, EventSource):
        return replace(settings, recording=True)
    return settings
