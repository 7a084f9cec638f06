"""The counting plugin on a program of known length, the graphs, and what is said where nothing counts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from power.board_cost.counts import read_counts
from tests.eval.board_cost import __main__ as command
from tests.eval.board_cost import emulated
from tests.eval.board_cost.graphs import graph_text, names, side_of

COMPILER = "aarch64-linux-gnu-gcc"
ROUNDS = 1000
PROGRAM = f"""
#include <sys/syscall.h>
#include <unistd.h>
static char data[1 << 20];
int main(void) {{
    char *at = data;
    long left = {ROUNDS}, sum = 0;
    syscall(31317, 1);
    __asm__ volatile("1: ldr x9, [%1], #64\\n add %2, %2, x9\\n subs %0, %0, #1\\n b.ne 1b"
        : "+r"(left), "+r"(at), "+r"(sum) : : "x9", "cc", "memory");
    syscall(31317, 0);
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
    (found,) = read_counts(out)
    assert ROUNDS <= found.loads <= ROUNDS + 20
    assert 4 * ROUNDS <= found.instructions <= 4 * ROUNDS + 200
    # Every round reads a line of its own, each after the one before it.
    assert found.memory_stream == pytest.approx(ROUNDS, abs=20) and found.memory_random < 20
    assert 4 * ROUNDS <= found.cycles <= 6 * ROUNDS + 400


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
    assert command.main(["--cpu-mhz", "0"]) == 2
    assert "above 0" in capsys.readouterr().err
