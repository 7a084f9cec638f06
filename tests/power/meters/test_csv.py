"""CSV files of this project and of other programs, valid and damaged."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from power.meters.csv_file import read_csv
from power.meters.meter import MeterError, MeterRecording, open_meter
from tests.power.meters.csv_writer import write_csv
from tests.power.meters.load import Load, loads, worst_event


def recorded(load: Load, rate_hz: float, lose: frozenset[int] = frozenset()) -> MeterRecording:
    """The recording of an integrating instrument."""
    count = round(load.duration_s * rate_hz)
    fine_s = (np.arange(count * 8) + 0.5) / rate_hz / 8
    power_mw = load.power_mw(fine_s).reshape(count, 8).mean(axis=1)
    kept = np.array([row not in lose for row in range(count)])
    time_s = ((np.arange(count) + 0.5) / rate_hz)[kept]
    return MeterRecording(
        "joulescope", "measured", rate_hz, time_s, power_mw[kept], np.full(len(time_s), 3_850.0), True,
        (np.arange(count) % 256).astype(np.uint8)[kept], count, count - len(time_s), 321.5,
    )  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(loads(0.002, 0.1, events=2), st.data())
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, load: Load, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("csv") / "run.csv"
    load = load.in_whole_samples(10_000.0)
    count = round(load.duration_s * 10_000)
    lose = (
        data.draw(st.frozensets(st.integers(1, max(1, count - 2)), max_size=5)) if count > 3 else frozenset()
    )
    original = recorded(load, 10_000.0, lose)
    write_csv(original, path)
    text = path.read_text()
    for content in (text, "".join(line for line in text.splitlines(True) if "lost" not in line)):
        path.write_text(content)  # without the comment lines, gaps in the times show the lost samples
        recording = read_csv(path)
        assert (recording.lost, recording.expected) == (original.lost, original.expected)
        assert recording.energy_mwh == pytest.approx(original.energy_mwh, rel=1e-4)
        assert recording.marker is not None and original.marker is not None
        assert np.array_equal(recording.marker, original.marker)
        assert recording.kind == "measured" and recording.voltage_measured
        assert recording.start_monotonic_s == pytest.approx(321.5 + original.time_s[0])
    if not lose:
        assert np.mean(recording.power_mw) == pytest.approx(load.mean_mw(), rel=0.01)
        assert worst_event(recording, load, -float(original.time_s[0])) < 0.05


def test_steps_from_two_milliseconds_to_ten_seconds(tmp_path: Path) -> None:
    load = Load((300.0, 3_000.0, 300.0, 90.0, 1_200.0), (0.1, 0.002, 0.1, 10.0, 0.02))
    write_csv(recorded(load, 10_000.0), tmp_path / "run.csv")
    recording = asyncio.run(open_meter(f"csv:{tmp_path / 'run.csv'}").stop())
    assert np.mean(recording.power_mw) == pytest.approx(load.mean_mw(), rel=0.01)
    assert worst_event(recording, load, -0.5 / 10_000) < 0.05


def parsed(tmp_path: Path, text: str, settings: str = "") -> MeterRecording:
    path = tmp_path / "day.csv"
    path.write_text(text)
    meter = open_meter(f"csv:{path}{settings}")
    asyncio.run(meter.start())
    recording = asyncio.run(meter.stop())
    assert meter.kind == recording.kind
    return recording


def test_the_power_profilers_export(tmp_path: Path) -> None:
    text = "Timestamp(ms),Current(uA),D0-D7\n0,1000,10000001\n0.01,2000,00000000\n0.04,5,01000000\n"
    recording = parsed(tmp_path, text, ",mv=3700")
    assert recording.power_mw == pytest.approx([3.7, 7.4, 0.0185])
    assert recording.time_s == pytest.approx([0, 1e-5, 4e-5])
    assert recording.marker is not None and list(recording.marker) == [0b1000_0001, 0, 0b10]
    assert not recording.voltage_measured
    with pytest.raises(MeterError, match=r"no voltage: name the supply's, as in csv:FILE,mv=3800"):
        parsed(tmp_path, text)


def test_the_power_profilers_export_of_a_lower_rate(tmp_path: Path) -> None:
    """Below 100 kHz a row is several samples: an input that was both is X, one that is not known -."""
    text = "Timestamp(ms),Current(uA),D0-D7\n0,-1000,00000000\n1,2000,X0000001\n2,5,1000000-\n"
    recording = parsed(tmp_path, text, ",mv=3700")
    assert recording.marker is not None and list(recording.marker) == [0, 0b1000_0001, 1]
    assert recording.power_mw == pytest.approx([-3.7, 7.4, 0.0185])
    apart = parsed(tmp_path, "Timestamp(ms),Current(uA),D0,D1\n0,1,X,-\n1,2,-,1\n2,3, X ,X\n", ",mv=3700")
    assert apart.marker is not None and list(apart.marker) == [1, 2, 3]
    for wrong in ("X000000", "X0000002", "XX", "Y0000000"):
        with pytest.raises(MeterError, match=f"line 3: the input field D0-D7 is '{wrong}'"):
            parsed(tmp_path, f"Timestamp(ms),Current(uA),D0-D7\n0,1,00000000\n1,2,{wrong}\n", ",mv=3700")


def test_powertools_export_and_inputs_in_columns_of_their_own(tmp_path: Path) -> None:
    recording = parsed(
        tmp_path,
        "Time(ms),Main(mA),Main Voltage(V),D1,D0\n0,100,3.7,0,1\n0.2,200,3.6,1,1\n0.4,100,3.7,0,0\n",
    )
    assert recording.power_mw == pytest.approx([370, 720, 370]) and recording.voltage_measured
    assert recording.marker is not None and list(recording.marker) == [1, 3, 0]


def test_a_spreadsheets_export_with_decimal_commas_and_gaps(tmp_path: Path) -> None:
    recording = parsed(
        tmp_path,
        "\ufeff# kind: modelled\n\ntime [ms];Leistung;power [W]\n"
        "0;;1,5\n1;;2,5\n2;;\n\n3;x;3,5\n6;;3,5\n7;;3\n8;;3\n9;;3\n",
    )
    assert recording.kind == "modelled"
    assert recording.power_mw == pytest.approx([1_500, 2_500, 3_500, 3_500, 3_000, 3_000, 3_000])
    assert (recording.lost, recording.expected) == (3, 10)


def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    assert len(parsed(tmp_path, "time_s,power_mw\n0,5\n1,6\n2,7\n3").time_s) == 3


@pytest.mark.parametrize("cut", ["3,", "3,5", "3,-", "3,5e", "3,."])
def test_nor_does_a_number_count_that_a_logger_is_still_writing(tmp_path: Path, cut: str) -> None:
    """Of 512.5 it has written the beginning when the repeat is over."""
    recording = parsed(tmp_path, f"time_s,power_mw\n0,510.5\n1,511.5\n2,513.5\n{cut}")
    assert list(recording.power_mw) == [510.5, 511.5, 513.5] and recording.lost == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("# only: this\n", "is empty"),
        ("time_s,power_mw\n", "no samples"),
        ("time_s,power_mw\n1,2\n", "fewer than two samples"),
        ("time_s,power_mw\n0,1\n1,abc\n", r"line 3: the power is 'abc'; it must be a finite number"),
        ("time_s,power_mw\n0,1\n1,nan\n2,3\n", r"line 3: the power is 'nan'.*leave it empty where"),
        ("time_s,power_mw\n0,1\n\n1,-inf\n2,3\n", "line 4: the power is '-inf'"),
        ("time_s,current_ma,voltage_v\n0,1,4\n1,3,1e400\n", "line 3: the voltage is '1e400'"),
        ("time_s;power_w\n0;0,5\n25:99:00;0,5\n2;0,5\n", "line 3: the time is '25:99:00'"),
        ("time_s,power_mw\n0,1\n2026-11-23T04:00:01,1\n", "line 3: the time is '2026-11-23T04:00:01'"),
        ("time_s,power_mw\n0,1\n,\n1,2\n2,1 5\n", "line 5: the power is '1 5'"),
        ("time_s,power_mw\n0,1\n1,2\n# note\n1,2\n2,3\n", "line 5: its time is that of the line before"),
        ("time_s,power_mw\n0,1\n1,2\ntime_s,power_mw\n0,1\n", "line 4: the time is 'time_s'"),
        ("time_s,power_mw\n0,1\n1\n2,2\n", "line 3 is no row of numbers"),
        ("time_s,power_mw\n0,1\n2,2\n1,3\n", "line 4: its time goes back by 1 s"),
        ("time,power_mw\n0,1\n1,2\n", "'time' lacks its unit: call it time_s or time_ms"),
        ("time_s,voltage_mv\n0,1\n1,2\n", "must name time_s and power_mw"),
        ("0,1\n1,2\n", "must name time_s"),
        ("# sample_rate_hz: -100\ntime_s,power_mw\n0,1\n1,2\n", "sample_rate_hz is '-100'.*above 0"),
        ("# voltage_mv: -3800\ntime_s,current_ma\n0,1\n1,2\n", "voltage_mv is '-3800'.*above 0"),
        ("# voltage_mv: 0\ntime_s,current_ma\n0,1\n1,2\n", "voltage_mv is '0'.*above 0"),
        ("# kind: guessed\ntime_s,power_mw\n0,1\n1,2\n", "kind is 'guessed'.*measured or modelled"),
        (
            "time_s,current_ma,voltage_mv\n0,150,3800\n1,150,5,3800\n2,150,3800\n",
            "line 3 has 4 fields, and the header 3 names; between numbers with decimal commas",
        ),
        ("time_s,power_mw\n0,1\n1," + "x" * 5_000 + "\n", r"line 3: the power is 'x{40}\.\.\.'; it must"),
        ("time_s,power_mw,marker\n0,1,0\n1,2,300\n", "a marker is 300; it must be a whole number, 0 to 255"),
        ("time_s,power_mw,marker\n0,1,0\n1,2,0.9\n", "a marker is 0.9"),
        ("time_s,power_mw,marker\n0,1,0\n1,2,1e30\n", r"a marker is 1e\+30"),
        (
            "# sample_rate_hz: 10\ntime_s,power_mw\n0,1\n0.001,2\n0.002,3\n",
            "sample_rate_hz is 10, and the file has 1000 samples a second",
        ),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(MeterError, match=sentence):
        parsed(tmp_path, text)


@pytest.mark.parametrize("said", ["Modelled", "MODELLED", "modelled"])
def test_what_a_file_calls_modelled_is_not_measured(tmp_path: Path, said: str) -> None:
    assert parsed(tmp_path, f"# Kind: {said}\ntime_s,power_mw\n0,1\n1,2\n").kind == "modelled"


def test_of_a_log_that_goes_on_each_recording_has_what_came_since_its_start(tmp_path: Path) -> None:
    """So several repeats can be measured with one file, which would have the marker of all of them."""
    path, began_s = tmp_path / "log.csv", time.monotonic() - 60.0
    head = f"# start_monotonic_s: {began_s:.6f}\n# expected: 9\n# lost: 0\ntime_s,power_mw,marker\n"
    path.write_text(head + "".join(f"{at},{at + 1},{at % 2}\n" for at in range(0, 50, 10)))

    async def record() -> MeterRecording:
        meter = open_meter(f"csv:{path}")
        await meter.start()
        with path.open("a") as file:
            file.write("".join(f"{at},{at + 1},{at % 2}\n" for at in (61, 62, 63, 64, 66)))
        return await meter.stop()

    recording = asyncio.run(record())
    assert list(recording.power_mw) == [62, 63, 64, 65, 67]
    assert recording.marker is not None and list(recording.marker) == [1, 0, 1, 0, 0]
    assert recording.start_monotonic_s == pytest.approx(began_s + 61.0)
    assert (recording.lost, recording.expected) == (1, 6)
    path.write_text(head + "0,1,0\n1,2,1\n2,3,0\n")
    assert list(asyncio.run(open_meter(f"csv:{path}").stop()).power_mw) == [1, 2, 3]
    assert len(parsed(tmp_path, head + "0,1,0\n1,2,1\n2,3,0\n").time_s) == 3, "a file from before is whole"


@pytest.mark.parametrize("place", [1, 2, 4])
def test_it_is_modelled_wherever_the_file_says_so(tmp_path: Path, place: int) -> None:
    lines = ["time_s,power_mw", "0,1", "1,2", "2,3"]
    lines.insert(place, "# kind: modelled")
    assert parsed(tmp_path, "\n".join(lines) + "\n").kind == "modelled"


def test_what_goes_on_after_the_last_column_without_a_number_is_none(tmp_path: Path) -> None:
    rows = '0,1,\n1,2 # it began, at last\n2,3,"cold, wet"\n'
    assert list(parsed(tmp_path, f"time_s,power_mw\n{rows}").power_mw) == [1, 2, 3]


def test_a_pipe_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    """It could be read once only, and a recording is read at the end of each repeat."""
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(MeterError, match=r"pipe\.csv is no file; name one"):
        open_meter(f"csv:{tmp_path / 'pipe.csv'}")


def test_samples_that_a_logger_left_out_everywhere_are_lost(tmp_path: Path) -> None:
    """It states 1 kHz and wrote every other sample, so that no step of time is longer than the others."""
    rows = "".join(f"{0.002 * row:.3f},{500 + row % 7}\n" for row in range(500))
    text = f"# sample_rate_hz: 1000\ntime_s,power_mw\n{rows}"
    recording = parsed(tmp_path, text)
    assert recording.lost_share == pytest.approx(0.5, abs=0.01) and recording.unplaced_s > 0.4
    assert parsed(tmp_path, text.replace(": 1000", ": 500")).lost == 0


@pytest.mark.parametrize(("every", "share"), [(2, 0.5), (50, 0.98)])
def test_rows_with_an_empty_field_are_lost_also_where_most_are(
    tmp_path: Path, every: int, share: float
) -> None:
    """As of a logger that writes the voltage seldom."""
    rows = "".join(f"{row / 100:.2f},150,{'' if row % every else 3800}\n" for row in range(1001))
    recording = parsed(tmp_path, f"time_s,current_ma,voltage_mv\n{rows}")
    assert recording.lost_share == pytest.approx(share, abs=0.005)


def test_lost_samples_that_a_file_denies_are_lost(tmp_path: Path) -> None:
    rows = "".join(f"{row / 100:.2f},5\n" for row in range(200) if not 60 <= row < 180)
    recording = parsed(tmp_path, f"# expected: 80\n# lost: 0\ntime_s,power_mw\n{rows}")
    assert (recording.lost, recording.expected, recording.unplaced_s) == (120, 200, 0)


def test_a_file_that_is_missing_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MeterError, match=r"nothing\.csv cannot be read \(No such file"):
        open_meter(f"csv:{tmp_path}/nothing.csv")
    with pytest.raises(MeterError, match="Which file"):
        open_meter("csv")
