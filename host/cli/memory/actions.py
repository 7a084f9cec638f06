"""`headband memory`: looks into what the headband remembers, on the disk of the computer that keeps it."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict

from host.cli.memory.opened import NOTHING, Opened, found_by_words, opened_memory
from host.cli.memory.unsealed import export, report, save
from host.memory.files import files
from host.memory.key import DATABASE, forget_everything
from host.memory.values import MemoryProblem, NotHere, Row
from host.terminal.output_paths import refuse_same_file, writable_file
from host.terminal.usage import UsageError, one_line, print_json
from host.wearer.recording_request import headband_runs
from host.wearer.recording_state import recording_requests_path
from host.wearer.saved_settings import saved_settings_path

RUNS = (
    'A headband runs with these settings: tell it "forget everything", or end it first '
    "(on a headband: sudo systemctl stop headband)."
)


FORGOTTEN = "Everything is forgotten: the key is destroyed, and what it sealed is deleted."


def memory(options: argparse.Namespace) -> int:
    """`headband memory ACTION`; returns the exit code. Raises `UsageError`."""
    action = {
        "status": _status, "search": _search, "show": _show, "forget": _forget, "verify": _verify,
        "rebuild": _rebuild, "export": export, "report": report,
    }[options.action]  # fmt: skip
    try:
        with opened_memory(options) as opened:
            return action(opened, options)
    except NotHere as problem:
        raise UsageError(str(problem)) from None
    except MemoryProblem as problem:
        print(one_line(problem), file=sys.stderr)
        return 1


def _status(opened: Opened, options: argparse.Namespace) -> int:
    if not files(opened.folder / DATABASE):
        print_json({"memory": None}) if options.json else print(NOTHING)
        return 0
    status = opened.store.status(opened.now)
    if options.json:
        print_json({"memory": asdict(status)})
        return 0
    print(f"views      {status.views}, {status.kept} of them kept for good")
    if status.first_s is not None and status.last_s is not None:
        print(f"from       {_when(status.first_s)} to {_when(status.last_s)}")
    print(
        f"size       {status.size_bytes / 1e6:.1f} MB of at most {opened.config.memory.max_bytes / 1e6:.0f}"
    )
    print(f"kept for   {opened.config.memory.retention_days:g} days")
    if status.depths:
        placed = ", ".join(f"{views} after {depth}" for depth, views in sorted(status.depths.items()))
        print(f"placed     {placed} blocks of the encoder")
    if status.looked_through:
        print(f"things     {status.looked_through} views were looked through by the object detector")
    if status.activations:
        print(
            f"begun      {status.activations} activations, {status.activation_bytes / 1e6:.1f} MB of at most "
            f"{opened.config.memory.activation_bytes / 1e6:.0f}, from which views are taken on"
        )
    if status.unembedded:
        print(f"unplaced   {status.unembedded} views can't be searched by words yet")
    if status.damaged:
        print(f"damaged    {status.damaged} views can't be opened; `headband memory verify` says which")
    return 0


def _search(opened: Opened, options: argparse.Namespace) -> int:
    since_s = None if options.last is None else opened.store.time_of(opened.now) - options.last
    matches = found_by_words(opened, options, [options.words], options.count, since_s)[0]
    if options.json:
        print_json({"words": options.words, "found": [{**asdict(m.row), "score": m.score} for m in matches]})
        return 0
    for match in matches:
        print(f"{match.score:6.3f}  {_line(match.row)}")
    if not matches:
        print("Nothing that was placed by this pack's encoder.")
    return 0


def _show(opened: Opened, options: argparse.Namespace) -> int:
    writable_file(options.out, "the picture")
    refuse_same_file((options.out,), opened.files)
    row = opened.store.row(options.id, opened.now)
    picture = opened.store.picture(options.id)
    if row is None or picture is None:
        raise UsageError(f"There is no view {options.id}.")
    if options.out is not None:
        save(options.out, [picture])
    things = opened.store.things(row.number)
    if options.json:
        seen = {} if things is None else {"things": [asdict(each) for each in things]}
        print_json({"view": {**asdict(row), **seen}})
        return 0
    print(_line(row))
    print(f"gate       {row.reason}\nplaced     after {row.depth} blocks of {row.encoder or 'no encoder'}")
    if things is not None:
        told = ", ".join(f"{each.name} {each.probability:.0%}" for each in things)
        print(f"things     {told or 'none'}")
    print(f"picture    {row.picture_bytes} bytes{f', saved as {options.out}' if options.out else ''}")
    return 0


def _forget(opened: Opened, options: argparse.Namespace) -> int:
    if [options.id is not None, options.last is not None, options.all].count(True) != 1:
        raise UsageError("Say what to forget: ID, --last TIME or --all.")
    if options.all:
        lock = recording_requests_path(saved_settings_path(opened.config))
        if lock is not None and headband_runs(lock):
            print(RUNS, file=sys.stderr)
            return 1
        there = opened.exists
        assert opened.board.key_page is not None
        forget_everything(opened.board.key_page, opened.folder)
        print(FORGOTTEN if there else NOTHING)
        return 0
    store = opened.store
    if options.last is not None:
        count = store.forget_since(store.time_of(opened.now) - options.last, opened.now)
    else:
        count = store.forget([options.id])
    if options.last is None and not count:
        raise UsageError(f"There is no view {options.id}.")
    print(f"Forgotten: {count} view{'' if count == 1 else 's'}.")
    return 0


def _verify(opened: Opened, options: argparse.Namespace) -> int:
    found = opened.store.verify()
    if options.json:
        begun = {"damaged_activations": found.activations, "damaged_things": found.things}
        print_json({"damaged": found.views, **begun, "problems": found.problems})
    else:
        for problem in found.problems:
            print(f"database: {problem}")
        views = ", ".join(map(str, found.views))
        print(f"damaged views: {views}" if found.views else "Every view is whole.")
        if found.activations:
            count = len(found.activations)
            print(f"damaged activations: {count}; their views are taken on from their pictures")
        if found.things:
            count = len(found.things)
            print(f"damaged lists of things: {count}; their views are found by what they look like")
    return 1 if found.views or found.problems else 0


def _rebuild(opened: Opened, options: argparse.Namespace) -> int:
    rows = opened.store.rebuild()
    print(f"The index was made anew from {rows} row{'' if rows == 1 else 's'}.")
    return 0


def _line(row: Row) -> str:
    kept = f", kept{f' as {row.name}' if row.name else ''}" if row.kept else ""
    return f"view {row.number}  {_when(row.time_s)}{kept}"


def _when(time_s: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time_s))
