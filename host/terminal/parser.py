"""Reads a command's words. Imports the standard library only, as the commands that a headband runs as root
do.
"""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from host.terminal.usage import one_line


class Parser(argparse.ArgumentParser):
    """As argparse, but bad usage is one sentence."""

    def error(self, message: str) -> NoReturn:
        """Prints bad usage as one sentence, without the usage text."""
        self.exit(2, f"{one_line(message[0].upper() + message[1:])}; see {self.prog} --help.\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse, but what a command does not know is refused by its own parser, whose help has the
        options; argparse hands it up to the first one.
        """
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """As argparse, but an option's value "--" (`--out=--`) is refused, where it gives an empty list."""
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            raise argparse.ArgumentError(action, "expected one argument")
        return super()._get_values(action, arg_strings)
