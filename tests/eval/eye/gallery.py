"""A page with the nearest views of some queries, to look at; the pictures are inside the file."""

from __future__ import annotations

import base64
import html
import io
from pathlib import Path

from PIL import Image

from models.train.world.home.day import clock
from tests.eval.eye.days import Candidates, Scores, nearest
from tests.eval.eye.held_home import picture_of
from tests.eval.eye.queries import KINDS, Query
from tests.eval.stranger_home.facts import SEEN, Facts

QUERIES, VIEWS = 10, 5
_STYLE = """body{font:15px sans-serif;margin:24px;background:#fafafa}
.row{display:flex;gap:10px;margin:4px 0 4px}.one{width:190px;font-size:12px}
img{width:182px;height:182px;border:4px solid #c33;border-radius:4px}.right img{border-color:#2a2}
h2{margin:22px 0 2px;font-size:17px}.exit{color:#555;font-size:13px;margin-top:6px}"""


def _chosen(day: Candidates) -> list[int]:
    """Places of queries of every kind in turn."""
    by_kind = {kind: [at for at, query in enumerate(day.queries) if query.kind == kind] for kind in KINDS}
    found: list[int] = []
    while len(found) < min(QUERIES, len(day.queries)):
        for kind in KINDS:
            if by_kind[kind] and len(found) < QUERIES:
                found.append(by_kind[kind].pop(0))
    return found


def _picture(day: Candidates, at: int, query: Query) -> str:
    file = io.BytesIO()
    Image.fromarray(picture_of(day.views[at])).save(file, "JPEG", quality=80)
    data = base64.b64encode(file.getvalue()).decode()
    right = " right" if query.hits(day.facts[at]) else ""
    told = html.escape(f"{clock(day.views[at].at_s)} {_told(day.facts[at])}")
    return f'<div class="one{right}"><img src="data:image/jpeg;base64,{data}" alt="">{told}</div>'


def _told(facts: Facts) -> str:
    seen = ", ".join(item.name for item in facts.items if item.state == SEEN)
    return f"{facts.place}: {seen or 'nothing'}" + ("" if facts.quality == "clear" else f" ({facts.quality})")


def write_gallery(path: Path, day: Candidates, deepest: Scores, first: Scores, about: str) -> None:
    """The nearest views of ten queries by the deepest and the first exit; right ones have a green frame."""
    parts = [
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>Nearest views</title>"
        f"<style>{_STYLE}</style><h1>The five nearest of {len(day.views)} views, {html.escape(about)}</h1>"
        "<p>A green frame: the view shows what was asked for. Below each view: its time, place and what can "
        "be seen.</p>"
    ]
    ranked = {"deepest exit": nearest(deepest, VIEWS), "first exit": nearest(first, VIEWS)}
    for at in _chosen(day):
        query = day.queries[at]
        right = int(day.right[at].sum())
        parts.append(f"<h2>“{html.escape(query.text)}”</h2><div class='exit'>{right} right views</div>")
        for name, places in ranked.items():
            shown = "".join(_picture(day, int(place), query) for place in places[at])
            parts.append(f"<div class='exit'>{name}</div><div class='row'>{shown}</div>")
    path.write_text("\n".join(parts) + "</html>\n", encoding="utf-8")
