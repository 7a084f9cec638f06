"""Chooses the settings file: the one that `--config` names, else the one that $HEADBAND_CONFIG names (none if
that is empty), else `headband.toml` in the current folder, else none, which means the built-in defaults.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from host.config import Config, ConfigError, load_config

VARIABLE = "HEADBAND_CONFIG"
IN_THIS_FOLDER = Path("headband.toml")


def settings_file(named: Path | None) -> Path | None:
    """The settings file, None for the built-in defaults. `named`: the value of `--config`."""
    if named is not None:
        return named
    if VARIABLE in os.environ:
        return Path(os.path.expanduser(os.environ[VARIABLE])) if os.environ[VARIABLE] else None
    return IN_THIS_FOLDER.absolute() if os.path.lexists(IN_THIS_FOLDER) else None


def chosen_settings(named: Path | None) -> Config:
    """The settings in use. Prints the name of a file that the command line does not name to standard error.
    Raises `ConfigError`.
    """
    file = settings_file(named)
    if file is not None and _is_named_pipe(file):
        raise ConfigError(f"The settings file {file} is a pipe, for whose writer one waits for ever.")
    config = load_config(file)
    if file is not None and named is None:
        print(f"Settings: {file}", file=sys.stderr)
    return config


def _is_named_pipe(file: Path) -> bool:
    """Not one that a shell has opened, such as /dev/stdin or /dev/fd/63."""
    try:
        return stat.S_ISFIFO(os.stat(file).st_mode) and not str(file).startswith("/dev/")
    except OSError:
        return False


def settings_in_words(named: Path | None) -> str:
    """Name of the settings file in use, for a person."""
    return str(settings_file(named) or "built-in, no settings file")
