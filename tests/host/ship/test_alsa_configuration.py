"""The headband's sound follows the system's configuration of ALSA and no file of the service's user."""

from __future__ import annotations

import ctypes.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from host.ship.release import ROOT
from tests.host.ship.test_unit import UNIT, directives

CONFIGURATION = ROOT / "host/service/asound.conf"
WHERE = "ALSA_CONFIG_PATH=/opt/headband/current/host/service/asound.conf"
NAMED = """
import ctypes, ctypes.util, sys
alsa = ctypes.CDLL(ctypes.util.find_library("asound"))
alsa.snd_lib_error_set_handler(None)
assert alsa.snd_config_update() >= 0
top = ctypes.c_void_p.in_dll(alsa, "snd_config")
found = ctypes.c_void_p()
for name in sys.argv[1:]:
    print(name, alsa.snd_config_search(top, name.encode(), ctypes.byref(found)) == 0)
"""


def known(home: Path, names: list[str], **environment: str) -> dict[str, bool]:
    """Whether ALSA knows each name, for a user with that home."""
    words = [sys.executable, "-c", NAMED, *names]
    chosen = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), **environment}
    done = subprocess.run(words, env=chosen, capture_output=True, text=True, check=True)
    return {name: found == "True" for name, found in (line.split() for line in done.stdout.splitlines())}


@pytest.mark.skipif(ctypes.util.find_library("asound") is None, reason="ALSA's library is not here")
def test_files_in_the_home_of_the_services_user_are_not_read(tmp_path: Path) -> None:
    (tmp_path / ".config/alsa").mkdir(parents=True)
    (tmp_path / ".asoundrc").write_text("pcm.of_home { type null }\n")
    (tmp_path / ".config/alsa/asoundrc").write_text("pcm.of_config { type null }\n")
    names = ["pcm.of_home", "pcm.of_config", "pcm.default", "pcm.plughw", "pcm.null"]
    without = known(tmp_path, names, ALSA_CONFIG_PATH="")
    assert without["pcm.of_home"] and without["pcm.plughw"], "without the setting ALSA reads it"
    with_it = known(tmp_path, names, ALSA_CONFIG_PATH=str(CONFIGURATION))
    assert with_it == {**without, "pcm.of_home": False, "pcm.of_config": False}


def test_unit_and_command_name_the_configuration_of_their_release() -> None:
    assert WHERE in directives(UNIT)["Environment"][0].split()
    wrapper = (ROOT / "host/service/headband").read_text()
    assert re.search(rf"^\s+PYTHONPATH=\S+ .*{re.escape(WHERE)}", wrapper, re.M)
