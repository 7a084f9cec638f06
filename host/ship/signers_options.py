"""The command line of `headband signers`. Every command reads it, so it imports nothing of what they do: with
that would come OpenSSL, three mebibytes of a process that listens all day. Standard library only.
"""

from __future__ import annotations

import argparse


def signers_options(parser: argparse.ArgumentParser) -> None:
    """Adds the actions."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="the fingerprints of the trusted keys")
    add = actions.add_parser("add", help="trust a key from now on")
    add.add_argument("key", metavar="FILE", help="with the public key of ssh; - is standard input")
    remove = actions.add_parser("remove", help="trust a key no longer")
    remove.add_argument("key", metavar="FINGERPRINT", help="as `list` shows it, SHA256:...")
