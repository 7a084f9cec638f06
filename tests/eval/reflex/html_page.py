"""A page to look at: questions with their picture, the rows that were kept, and what was said. The pictures
are inside the file, so it needs nothing else.
"""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.brick import Brick, Embedding
from models.bricks.reflex import attended
from models.closed_question import ClosedAnswer, ClosedQuestion
from models.pixels import square_pixels
from tests.eval.reflex.cases import Case
from tests.eval.reflex.collect import Asked

QUESTIONS = 40
_SIDE_PX = 192
_STYLE = """body{font:15px sans-serif;margin:24px;background:#fafafa;color:#222}
.all{display:grid;grid-template-columns:repeat(auto-fill,minmax(250px,1fr));gap:18px}
.one{background:#fff;border:1px solid #ddd;border-left:6px solid #999;border-radius:4px;padding:10px}
.right{border-left-color:#2a2}.wrong{border-left-color:#c33}.over{border-left-color:#36c}
.seen{position:relative;width:192px;height:192px}.seen img,.seen svg{position:absolute;left:0;top:0}
b{display:block;margin:8px 0 2px}.small{font-size:12px;color:#555}"""


def chosen(asked: Sequence[Asked], number: int = QUESTIONS) -> list[Asked]:
    """Questions of every world, family and cause in turn."""
    by_kind: dict[tuple[str, str, str], list[Asked]] = {}
    for one in asked:
        by_kind.setdefault((one.case.world, one.case.cause, one.case.family), []).append(one)
    found: list[Asked] = []
    while len(found) < min(number, len(asked)):
        for kind in by_kind.values():
            if kind and len(found) < number:
                found.append(kind.pop(0))
    return found


def verdict(case: Case, found: ClosedAnswer) -> str:
    """right, wrong, or over (handed over)."""
    if found.cause:
        return "right" if found.cause == case.cause or case.judge(found.text) else "wrong"
    if not found.text:
        return "over"
    return "right" if case.judge(found.text) else "wrong"


def _picture(rgb: NDArray[np.uint8]) -> str:
    file = io.BytesIO()
    Image.fromarray(square_pixels(rgb, _SIDE_PX)).save(file, "JPEG", quality=82)
    return base64.b64encode(file.getvalue()).decode()


def heat_map(saliency: NDArray[np.float32], kept: int) -> str:
    """An SVG over the picture: rows that were kept the redder the more the question attends to them, the
    others darkened. "" where the rows are no square.
    """
    side = round(len(saliency) ** 0.5)
    if side * side != len(saliency):
        return ""
    cell = _SIDE_PX / side
    chosen_rows = set(attended(saliency, min(kept, len(saliency))).tolist())
    most = float(saliency.max()) or 1.0
    cells = []
    for at, value in enumerate(saliency):
        fill, opacity = ("#f30", 0.65 * float(value) / most) if at in chosen_rows else ("#000", 0.45)
        x, y = (at % side) * cell, (at // side) * cell
        cells.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{cell:.1f}" height="{cell:.1f}" fill="{fill}" '
            f'fill-opacity="{opacity:.2f}"/>'
        )
    size = f'width="{_SIDE_PX}" height="{_SIDE_PX}"'
    return f"<svg {size} aria-hidden='true'>{''.join(cells)}</svg>"


def _entry(one: Asked, found: ClosedAnswer) -> str:
    case, kind = one.case, verdict(one.case, found)
    ran = found.layer > 0
    heat = heat_map(found.saliency, found.kept) if ran and found.saliency is not None else ""
    said = found.text or ("no answer" if found.cause else "handed over to the language model")
    stop = f"layer {found.layer}" if ran else "before the first layer"
    total_ms, unsaid = sum(found.layers_ms), found.guess and not found.text
    told = [
        f"{stop}, {found.kept} of {len(one.rows)} rows, {total_ms:.1f} ms",
        f"answerable {found.answerable:.0%}" + (f", cause {found.cause}" if found.cause else ""),
        f"confidence {found.confidence:.0%}" + (f", guess “{found.guess}”" if unsaid else ""),
        f"in truth: {case.truth}" + (f" ({case.cause})" if case.cause else ""),
        f"{case.world}, {case.family}",
    ]  # fmt: skip
    return (
        f'<div class="one {kind}"><div class="seen"><img width="{_SIDE_PX}" height="{_SIDE_PX}" alt="" '
        f'src="data:image/jpeg;base64,{_picture(case.picture())}">{heat}</div>'
        f"<b>{html.escape(case.text)}</b>{html.escape(said)}"
        f'<div class="small">{"<br>".join(map(html.escape, told))}</div></div>'
    )


def write_page(path: Path, brick: Brick, asked: Sequence[Asked], about: str) -> None:
    """Asks the brick and writes the page."""
    parts = []
    for one in chosen(asked):
        question = ClosedQuestion(one.case.text, Embedding(rows=one.rows), explain=True)
        (found,) = brick.execute(question)
        parts.append(_entry(one, found))
    path.write_text(
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>Closed questions</title>"
        f"<style>{_STYLE}</style><h1>{len(parts)} closed questions, {html.escape(about)}</h1>"
        "<p>Green: right; red: wrong; blue: handed over. Red cells: rows that went on after the first layer, "
        "the more of the question's attention the redder; darkened cells were left out. Without a map no "
        "layer ran.</p>"
        f"<div class='all'>{''.join(parts)}</div></html>\n",
        encoding="utf-8",
    )
