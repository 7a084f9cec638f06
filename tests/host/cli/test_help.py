"""Every command's --help has a sentence on its purpose and on each of its options."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from host.cli.main import _parser, main


def commands(
    parser: argparse.ArgumentParser, *words: str
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Each command as typed, and its parser."""
    yield words, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from commands(below, *words, name)


PARSERS = dict(commands(_parser()))
every_command = pytest.mark.parametrize("words", PARSERS, ids=" ".join)


def said(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    printed = capsys.readouterr()
    return int(stop.value.code or 0), printed.out, printed.err


@every_command
def test_help_says_what_it_is_for(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said((*words, "--help"), capsys)
    assert (code, err) == (0, "")
    description = out.split("\n\n")[1]
    assert description[0].isupper() and description.endswith("."), out
    for action in PARSERS[words]._actions:
        assert action.help or isinstance(action, argparse._SubParsersAction), action


@every_command
def test_what_it_does_not_know_is_one_sentence(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said((*words, "--no-such\noption"), capsys)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.endswith(f"see {' '.join(('headband', *words))} --help.\n")


@every_command
def test_a_word_too_many_is_told_by_the_command_that_it_was_given_to(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    needed = [action for action in PARSERS[words]._actions if not action.option_strings]
    if needed:  # it would be one of its words
        return
    code, out, err = said((*words, "extra"), capsys)
    assert (code, out) == (2, "")
    assert err == f"Unrecognized arguments: extra; see {' '.join(('headband', *words))} --help.\n"


@every_command
def test_a_dash_dash_is_no_value_of_an_option(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    for action in PARSERS[words]._actions:
        if action.option_strings and action.nargs is None:
            code, out, err = said((*words, f"{action.option_strings[0]}=--"), capsys)
            assert (code, out, err.count("\n")) == (2, "", 1) and "expected one argument" in err
