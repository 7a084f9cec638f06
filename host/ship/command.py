"""`headband deploy HOST` and `headband wheels`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

from host.packages.left_out import PACKAGES, left_out_packages_bytes
from host.ship.deploying import AppDeploy
from host.ship.made_files import commit, described, made_files
from host.ship.release import Environment, application
from host.ship.remote import RemoteError, Ssh
from host.ship.signing import SigningKey, blob, find_key
from host.ship.wheels.debian import DEBIANS
from host.ship.wheels.wheelhouse import environment_for, installed_bytes
from host.terminal.usage import with_output


def deploy(options: argparse.Namespace) -> int:
    """`headband deploy`: returns the exit code; 1 for a failure, 2 for bad input or a failed
    firmware deploy.
    """
    if options.rollback and (options.firmware or options.npu):
        print("--rollback brings nothing: leave --firmware and --npu out.", file=sys.stderr)
        return 2
    if options.firmware:
        from host.flash.command import firmware

        code = firmware(argparse.Namespace(**vars(options), action="deploy", dry_run=False))
        if code:
            return code
    elif any((options.port, options.serial_id, options.loader, options.cell, options.capacity_mah)):
        print(
            "--port, --serial-id, --loader, --cell and --capacity-mah are for the PMU's firmware: give "
            "--firmware too.",
            file=sys.stderr,
        )
        return 2
    try:
        remote = Ssh(options.host, options.ssh_config, options.key)
        key = partial(_key, options)
        app = AppDeploy(remote, _say, key, commit=commit(), downgrade=options.allow_downgrade)
        if options.rollback:
            app.rollback()
        else:
            app.run({**application(), **made_files()}, _described(options.npu), options.board)
    except RemoteError as problem:
        print(with_output(problem), file=sys.stderr)
        return problem.code
    except KeyboardInterrupt:
        print(
            "Stopped. The headband runs the release it had, or, where its trial had begun, the new one once "
            "that is healthy; the same command goes on.",
            file=sys.stderr,
        )
        return 130
    return 0


def _key(options: argparse.Namespace, known: list[str]) -> SigningKey:
    """The key to sign with. A headband that trusts no key yet is to trust it: the person is asked. Raises
    `RemoteError`.
    """
    key = find_key(options.key, known)
    name = f"{key.fingerprint} ({key.file or 'of the agent'})"
    if known and blob(key.public) not in map(blob, known):
        raise RemoteError(
            f"{options.host} does not trust {name}: `headband signers add` there trusts it from then on.",
            code=2,
        )
    if known:
        return key
    if not options.trust_key:
        if sys.stdin is None or not sys.stdin.isatty():  # None: it is closed
            raise RemoteError(
                f"{options.host} trusts no key yet, and nobody is there to be asked: "
                f"--trust-key has it trust {name}.",
                code=2,
            )
        _say(f"{options.host} trusts no key yet; from now on it would refuse what another one signed.")
        if not _agreed(f"Shall it trust {name}? [y/N] "):
            raise RemoteError("Nothing was sent, because no key was trusted.", code=2)
    _say(f"{options.host} will trust {name}")
    return key


def _agreed(question: str) -> bool:
    try:
        return input(question).strip().lower() in ("y", "yes")
    except (EOFError, UnicodeDecodeError):  # Ctrl-D; a letter in another encoding than the terminal's
        print()
        return False


def _described(npu: bool) -> Callable[[str, str], Environment]:
    """As `environment_for`, with the bill of materials."""
    made = environment_for(_say, npu=npu)
    return lambda machine, python: described(made(machine, python))


def wheels(options: argparse.Namespace) -> int:
    """`headband wheels`: fetches the packages that a deploy sends, so that the deploy needs no network."""
    python = next(each.python for each in DEBIANS if each.number == options.debian)
    try:
        found = environment_for(_say, npu=options.npu)(options.machine, python)
    except RemoteError as problem:
        print(with_output(problem), file=sys.stderr)
        return 1
    size = sum(
        each.size_bytes for part in (found.wheels, found.build, found.sources) for each in part.values()
    )
    compiled = " and ".join(found.sources)
    there = f", {len(found.build)} that compile {compiled} there" if compiled else ""
    _say(f"{len(found.wheels)} wheels{there}: {size / 1e6:.0f} MB")
    installed, left_out = installed_bytes(found)
    more = left_out_packages_bytes()
    before = installed + left_out + more
    _say(
        f"installed {installed / 1e6:.0f} MB instead of {before / 1e6:.0f}: left out are "
        f"{left_out / 1e6:.0f} MB of these wheels, and {len(PACKAGES)} packages that the application never "
        f"imports ({more / 1e6:.0f} MB as they are installed here)"
    )
    return 0


def _say(text: str) -> None:
    print(text, flush=True)
