"""How the next deploy comes in: the program that verifies it, and the account that may call it. Both belong
to no release: one that is damaged, or older than them, can be followed by another. Sent to the headband's
computer: standard library only.

The account `headband-deploy` lets in the keys that may sign, for the receiver only. It has no other rights:
systemd starts another receiver as root, on a socket that only this account may open. That takes neither sudo
nor a login of root.
"""

from __future__ import annotations

import pwd
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from host.ship.atomic import has_content, point_link, update_file
from host.ship.running import DeployRefused, run, say
from host.ship.target.trust import ACCOUNT, RECEIVER, Trust

SOURCE = "host/ship/target/receive.py"
SOCKET = "headband-receive.socket"
UNITS = (SOCKET, "headband-receive@.service")
SYSTEMD = "etc/systemd/system"


class DeployAccess:
    """What a deploy needs of the headband's computer beside a release."""

    def __init__(self, prefix: Path) -> None:
        """`prefix` stands for `/`."""
        self._prefix = prefix
        self._wanted = prefix / SYSTEMD / "sockets.target.wants" / SOCKET
        self._trust = Trust(prefix)

    def is_as_in(self, release: Path) -> bool:
        """Whether everything is there, as that release has it."""
        return (
            self._trust.lets_in
            and self._wanted.is_symlink()
            and all(has_content(path, content) for path, content in self._files(release).items())
        )

    def bring(self, release: Path) -> None:
        """Takes it from a release that runs. A receiver that doesn't work is not taken: without one that
        works nobody but root could deploy.
        """
        changed = [path for path, content in self._files(release).items() if not has_content(path, content)]
        try:
            if self._prefix / RECEIVER in changed:
                run(sys.executable, "-I", release / SOURCE, "look")
            for path in changed:
                content = self._files(release)[path]
                update_file(path, content, 0o755 if path == self._prefix / RECEIVER else 0o644)
            self._trust.let_in()
            point_link(self._wanted, f"/{SYSTEMD}/{SOCKET}")
            self._make_account(release)
            _call("systemctl", "daemon-reload")
            # A receiver that runs already is a unit of its own: it outlives the restart of its socket.
            _call("systemctl", "restart" if self._prefix / SYSTEMD / SOCKET in changed else "start", SOCKET)
        except DeployRefused as problem:
            say(f"deploys without a login of root do not work yet: {problem}")

    def _files(self, release: Path) -> dict[Path, bytes]:
        units = {self._prefix / SYSTEMD / name: release / "host/service" / name for name in UNITS}
        sources = {self._prefix / RECEIVER: release / SOURCE, **units}
        return {path: source.read_bytes() for path, source in sources.items()}

    def _make_account(self, release: Path) -> None:
        try:
            pwd.getpwnam(ACCOUNT)
        except KeyError:
            _call("systemd-sysusers", release / "host/service/headband.sysusers")
        with suppress(OSError):
            if f"\n{ACCOUNT}:!" in (self._prefix / "etc/shadow").read_text():
                # sshd without PAM lets nobody into a locked account; `*` is no password and no lock.
                _call("usermod", "-p", "*", ACCOUNT)


def _call(*words: object) -> None:
    if shutil.which(str(words[0])):
        run(*words)
