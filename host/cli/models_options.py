"""Command-line options of `headband models`."""

from __future__ import annotations

import argparse
from pathlib import Path

from host.terminal.usage import SETTINGS_RULE


def models_options(parser: argparse.ArgumentParser) -> None:
    """Adds the actions of `headband models`."""
    kind = type(parser)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    result = kind(add_help=False)
    result.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object instead of text (`import`: one for each pack)",
    )
    licence = kind(add_help=False)
    licence.add_argument(
        "--accept-licence", action="store_true", help="agree to the licences without being asked"
    )

    actions.add_parser(
        "list", parents=[result],
        help="the packs: what is here, what is missing, whose it is, what it can do",
        description="Abilities of a pack: live: answers a question about the picture; exits: blocks of the "
        "encoder after which a picture can be remembered; recall: what was seen is found by words; reflex: "
        "answers closed questions without the decoder; motion: understands several pictures in order.",
    )  # fmt: skip
    fetch = actions.add_parser(
        "fetch", parents=[result, licence], help="bring a pack's files from where they are published",
        description="Goes on where it broke off; the pack appears once it is whole and every SHA-256 right.",
    )  # fmt: skip
    fetch.add_argument("pack", nargs="?", default="standard", metavar="NAME", help="default: standard")
    fetch.add_argument(
        "--hub", default="", metavar="ADDRESS", help="a server with the hub's layout (also: HEADBAND_HUB)"
    )
    take_in = actions.add_parser(
        "import", parents=[result, licence], help="take packs' files from a folder, for example a stick",
        description="A pack.toml there has to be signed by a key that this computer trusts (`headband "
        "signers`); otherwise you are asked.",
    )  # fmt: skip
    take_in.add_argument("folder", type=Path, metavar="DIR", help="where the files lie")
    take_in.add_argument("--pack", default="", metavar="NAME", help="this pack only")
    take_in.add_argument(
        "--unsigned", action="store_true", help="take a pack without a trusted signature, without asking"
    )
    sign = actions.add_parser("sign", help="sign a pack of yours, for computers that trust your key")
    sign.add_argument(
        "folder", type=Path, metavar="DIR", help="folder with pack.toml and every file that it names"
    )
    sign.add_argument(
        "--key", type=Path, metavar="FILE", help="ssh key to sign with (default: of ~/.ssh, or the agent's)"
    )
    verify = actions.add_parser("verify", parents=[result], help="read every file again and compare it")
    verify.add_argument("pack", nargs="?", default="", metavar="NAME", help="default: every pack here")
    use = actions.add_parser("use", parents=[result], help="choose the pack that is used where none is named")
    use.add_argument("pack", metavar="NAME", help="one of those that `headband models list` shows")
    use.add_argument(
        "--config", type=Path, metavar="FILE", help=f"settings that may name another pack ({SETTINGS_RULE})"
    )
