"""The counting plugin on a program of known length, the graphs, and what is said where nothing counts."""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest

from hw.settings import SettingsError
from power.account.energy_model import load_energy_model
from power.board_cost.bricks import load_bricks, missing_runs
from power.board_cost.counts import Counts, CountsError, read_counts
from power.board_cost.validation import load_counted
from power.twin.parameters import load_parameters
from power.twin.waits import SITUATIONS
from power.twin.work import COUNTED_FILE
from tests.eval.board_cost import __main__ as command
from tests.eval.board_cost import emulated, here, waits
from tests.eval.board_cost.emulated import CannotCount
from tests.eval.board_cost.graphs import graph_text, names, side_of
from tests.eval.board_cost.runs import runs

COMPILER = "aarch64-linux-gnu-gcc"
ROUNDS = 1000
PROGRAM = f"""
#include <sys/syscall.h>
#include <unistd.h>
static char data[1 << 20];
int main(void) {{
    char *at = data;
    long sum = 0;
    for (int times = 0; times < 3; times++) {{
        long left = {ROUNDS};
        if (times != 1)
            syscall(31317, 1);
        __asm__ volatile("1: ldr x9, [%1], #64\\n add %2, %2, x9\\n subs %0, %0, #1\\n b.ne 1b"
            : "+r"(left), "+r"(at), "+r"(sum) : : "x9", "cc", "memory");
        if (times != 1)
            syscall(31317, 0);
    }}
    return (int)sum;
}}
"""


@pytest.mark.skipif(emulated.missing() is not None, reason=str(emulated.missing()))
@pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"there is no {COMPILER}")
def test_a_loop_of_known_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))
    source, program, out = (tmp_path / name for name in ("loop.c", "loop", "counts.json"))
    source.write_text(PROGRAM)
    subprocess.run([COMPILER, "-O1", "-static", "-o", str(program), str(source)], check=True)
    options = f"{emulated.plugin()},out={out},wait=1,l1=32768:4,ll=524288:16"
    subprocess.run([emulated.QEMU, "-cpu", emulated.CORE, "-plugin", options, str(program)], check=True)
    first, last = read_counts(out)
    for found in (first, last):
        assert ROUNDS <= found.loads <= ROUNDS + 20
        assert 4 * ROUNDS <= found.instructions <= 4 * ROUNDS + 200
        # Every round reads a line of its own, each after the one before it.
        assert found.memory_stream == pytest.approx(ROUNDS, abs=20) and found.memory_random < 20
        assert 4 * ROUNDS <= found.cycles <= 6 * ROUNDS + 400


PIECE_LINES = 3200
PASSES = 3
THREADED = f"""
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static char data[4][{PIECE_LINES} * 64] __attribute__((aligned(64)));
static pthread_barrier_t barrier;
static void *walk(void *piece) {{
    pthread_barrier_wait(&barrier);
    for (int pass = 0; pass < {PASSES}; pass++) {{
        long left = {PIECE_LINES};
        char *at = piece;
        __asm__ volatile("1: ldr x9, [%1], #64\\n subs %0, %0, #1\\n b.ne 1b"
            : "+r"(left), "+r"(at) : : "x9", "cc", "memory");
    }}
    return 0;
}}
int main(int count, char **unused) {{
    pthread_t threads[4];
    pthread_barrier_init(&barrier, 0, count);
    syscall(31317, 1);
    for (int i = 0; i < count; i++)
        pthread_create(threads + i, 0, walk, data[i]);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], 0);
    syscall(31317, 0);
    return 0;
}}
"""


@pytest.mark.skipif(emulated.missing() is not None, reason=str(emulated.missing()))
@pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"there is no {COMPILER}")
def test_threads_have_a_cache_each_and_share_the_other_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))
    source, program = tmp_path / "walk.c", tmp_path / "walk"
    source.write_text(THREADED)
    subprocess.run([COMPILER, "-O1", "-static", "-pthread", "-o", str(program), str(source)], check=True)
    lines = {}
    for threads in (1, 4):
        out = tmp_path / f"{threads}.json"
        options = f"{emulated.plugin()},out={out},wait=1,l1=32768:4,ll=524288:16"
        words = [emulated.QEMU, "-cpu", emulated.CORE, "-plugin", options, str(program)]
        subprocess.run([*emulated.one_processor(), *words, *["x"] * (threads - 1)], check=True)
        (found,) = read_counts(out)
        every = threads * PASSES * PIECE_LINES
        assert found.loads == pytest.approx(every, rel=0.2)
        assert found.level1_stream + found.level1_random == pytest.approx(every, rel=0.1)
        lines[threads] = found.memory_stream + found.memory_random
    assert lines[1] == pytest.approx(PIECE_LINES, rel=0.1), "one piece of 200 KiB stays in the shared cache"
    assert lines[4] > 0.8 * 4 * PASSES * PIECE_LINES, "four at once do not"


def test_graphs_name_every_blob_once_and_say_how_many_there_are() -> None:
    for name in names():
        head, counts, *layers = graph_text(name).splitlines()
        assert head == "7767517" and side_of(name) in (224, 227, 384)
        read: list[str] = []
        made: list[str] = []
        for layer in layers:
            words = layer.split()
            inputs, outputs = int(words[2]), int(words[3])
            read += words[4 : 4 + inputs]
            made += words[4 + inputs : 4 + inputs + outputs]
        assert counts == f"{len(layers)} {len(made)}"
        assert len(set(made)) == len(made) and len(set(read)) == len(read)
        assert set(made) - set(read) == {"output"} and set(read) <= set(made)


def test_8_bit_weights_stay_8_bit_only_between_convolutions() -> None:
    kinds = [re.findall(r" 8=(\d+)", graph_text(name)) for name in ("mobilenet_int8", "squeezenet_int8")]
    assert [(each.count("101"), each.count("102"), each.count("2")) for each in kinds] == [
        (13, 13, 2),
        (0, 8, 18),
    ]


@pytest.mark.parametrize(
    ("found", "version", "words"),
    [
        ((), "", "There is no qemu-aarch64 here"),
        (("qemu-aarch64",), "qemu-aarch64 version 10.0.2", "is for QEMU 6 to 8"),
        (("qemu-aarch64",), "qemu-aarch64 version 7.2.22", "built without plugins"),
    ],
)
def test_what_is_missing_is_one_sentence(
    found: tuple[str, ...], version: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(arguments: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(arguments, 0, version if arguments[1] == "--version" else "", "")

    monkeypatch.setattr(shutil, "which", lambda name: name if name in found else None)
    monkeypatch.setattr(subprocess, "run", run)
    problem = emulated.missing()
    assert problem is not None and words in problem and problem.count("\n") == 0


def test_the_command_prints_both_tables_and_refuses_what_is_not_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command.main([]) == 0
    text = capsys.readouterr().out
    assert "squeezenet" in text and "Modelled on 4 cores" in text and "not run: opi3b" in text
    assert command.main(["--json", "--cores", "1"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "modelled" and len(told["published"]) >= 8
    assert command.main(["--count", "nothing"]) == 2
    assert "There is no run 'nothing'" in capsys.readouterr().err


def test_the_waits_are_printed_with_what_misses_its_goal(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--waits"]) == 0
    text = capsys.readouterr().out
    for situation in SITUATIONS:
        assert f"{situation.title} (goal {situation.goal_s:g} s)" in text
    rows = re.findall(
        r"^  (micro|standard|fast) +([\d.]+) \[([\d.]+) to ([\d.]+)\] (kept|missed)", text, re.M
    )
    asked = [each.asked_of(load_parameters(), pack) for each in SITUATIONS for pack in waits.PACKS]
    assert len(rows) == sum(asked) == len(asked) - 1 and {row[-1] for row in rows} == {"kept", "missed"}
    assert "of the rate at which memory could give its weights" in text and "whole sentences only" in text


WORK = Counts(7, 4, 1, 0, 2, 0, 16, 0, 7.0, 0, 0, 0, 0, 0, 0)


def test_a_run_that_cannot_be_counted_is_named_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "counted.json"
    path.write_text("{}")
    asked: list[str] = []

    def counted(name: str, *_: object) -> list[Counts]:
        asked.append(name)
        if name == "micro tts":
            raise CannotCount("There is no piper_tts for aarch64 here.")
        return [WORK]

    monkeypatch.setattr(command, "missing", lambda: None)
    monkeypatch.setattr(command, "counted", counted)
    monkeypatch.setattr(command, "load_counted", lambda: load_counted(path))
    monkeypatch.setattr(command, "keep", partial(command.keep, path=path))
    wanted = ["micro decoder", "micro tts", "micro vision"]
    assert command.main(["--count", *wanted]) == 2
    said = capsys.readouterr().err
    assert "micro tts: not counted. There is no piper_tts for aarch64 here." in said
    assert said.endswith("1 of 3 runs could not be counted, for the reasons above.\n")
    assert load_counted(path) == {"micro decoder": [WORK], "micro vision": [WORK]}
    asked.clear()
    assert command.main(["--count", *wanted, "--uncounted"]) == 2
    assert asked == ["micro tts"]


def test_without_qemu_nothing_is_begun(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "missing", lambda: "There is no QEMU here.")
    monkeypatch.setattr(command, "counted", lambda *_: pytest.fail("it counts"))
    assert command.main(["--count"]) == 2
    assert capsys.readouterr().err == "just board-cost: There is no QEMU here.\n"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--cpu-mhz", "nan"], '"nan" was given; it must be a number, 100 to 10_000 MHz'),
        (["--cpu-mhz", "inf"], '"inf" was given'),
        (["--ddr-mhz", "0"], '"0" was given'),
        (["--count", "--timeout", "nan"], '"nan" was given; it must be a number, 1 to'),
        (["--uncounted"], "--uncounted says what --count counts"),
        (["--waits", "--json"], "not allowed with argument"),
        (["--runs", "--here"], "not allowed with argument"),
        (["--waits", "--cpu-mhz", "1000"], "another operating point is for the table of costs alone"),
        (["--write", "--cores", "1"], "another operating point is for the table of costs alone"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        command.main(options)
    assert says in capsys.readouterr().err


def test_counts_that_were_kept_stay_where_the_disk_is_full(tmp_path: Path) -> None:
    path = tmp_path / "counted.json"
    command.keep({"micro stt": [WORK]}, path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(OSError):
            command.keep({"micro stt": [WORK], "micro tts": [WORK]}, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert load_counted(path) == {"micro stt": [WORK]}


def test_a_refusal_of_the_system_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(command, "COUNTED_FILE", tmp_path / "file" / "counted.toml")
    assert command.main(["--write"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("just board-cost: ") and error.count("\n") == 1


def test_a_program_that_marked_no_region_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "counts.json").touch()
    with pytest.raises(CountsError, match="marked no region"):
        read_counts(tmp_path / "counts.json")
    (tmp_path / "counted.json").write_text('{"micro stt": []}')
    with pytest.raises(SettingsError, match="micro stt has no region"):
        load_counted(tmp_path / "counted.json")


def test_a_wheel_that_is_not_published_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(arguments: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(arguments, 1, "", "ERROR: No matching distribution found\n")

    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path))
    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(CannotCount, match=r"^No wheel of ncnn==9 for aarch64 .* No matching distribution"):
        emulated.wheel("ncnn==9")


def test_every_piece_of_work_names_runs_that_can_be_counted() -> None:
    for brick in load_bricks().values():
        assert missing_runs(brick, {name: [WORK] for name in runs()}) == []


def test_how_much_longer_the_board_takes_is_a_core_against_a_core(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(here, "_median", lambda name: [0.1, 0.05, *[0.01] * 6])
    assert command.main(["--here"]) == 0
    told = dict(line.split(":", 1) for line in capsys.readouterr().out.splitlines())
    assert list(told) == list(here.STAGES)
    assert told["stt"] == " 395 ms on one core by the counts, 50.0 ms here: 7.9 times"
    kept = load_energy_model().longer
    assert set(here.STAGES) <= set(kept) and all(1 < times < 15 for times in kept.values())


def test_the_twins_tables_are_what_the_kept_counts_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written = tmp_path / "counted.toml"
    monkeypatch.setattr(command, "COUNTED_FILE", written)
    assert command.main(["--write"]) == 0
    assert str(written) in capsys.readouterr().out
    assert written.read_text() == COUNTED_FILE.read_text(), "after a change: ./justw board-cost --write"
    monkeypatch.setattr(command, "load_counted", dict)
    assert command.main(["--write"]) == 2
    assert "need counts of micro stt, micro vision, " in capsys.readouterr().err
    twin = load_parameters()
    found = {name for brick in load_bricks().values() for name in brick.twin}
    assert {f"pack.{name}" for name in found} == set(twin.counted)
    assert all(twin.quantities[name].value > 0 for name in twin.counted)
