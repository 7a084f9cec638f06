"""A deploy on the virtual board's own Debian 12 for arm64 and its Python, emulated in user mode: there is no
kernel of its own, no sshd and no systemd in this, which `just virtual-board` has.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from host.ship.remote import RemoteError
from tests.host.ship.bench import Bench
from tests.virtual import image

_ENTER = """
mount -o loop,ro,noload "$0" /mnt && mount --bind /proc /mnt/proc && mount --bind /dev /mnt/dev &&
mount --bind /tmp /mnt/tmp && exec /usr/sbin/chroot /mnt "$@"
"""


@pytest.fixture
def board() -> Iterator[Bench]:
    lack = image.lacking()
    if lack is None and not image.built().disk.exists():
        lack = "The virtual board's Debian is not here yet: `just virtual-board` makes it once."
    if lack is None:
        lack = image.user_mode_lacks()
    if lack is not None:
        pytest.skip(lack)
    enter = ["unshare", "--mount", "sh", "-c", _ENTER, str(image.built().disk)]
    with TemporaryDirectory(prefix="headband-smoke-", dir="/tmp") as folder:
        bench = Bench(Path(folder), inside=enter, python="python3")
        bench.remote.patience_s = 60.0
        yield bench
        bench.close()


def test_a_release_is_deployed_and_a_broken_one_gives_way_on_debian_for_arm64(board: Bench) -> None:
    looked = board.remote.run(
        "look", {"prefix": str(board.prefix), "healthy_s": 9, "settled_s": 0}, [], print
    )
    assert (looked["machine"], looked["python"]) == ("aarch64", "3.11")
    good = board.deploy(board.checkout("good"))
    assert good.changed and board.runs and board.current == good.release
    with pytest.raises(RemoteError, match=f"not healthy .*: back to {good.release}, which runs again"):
        board.deploy(board.checkout("broken", begin="raise SystemExit(1)"))
    assert board.runs and board.current == good.release
