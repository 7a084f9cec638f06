"""What storing activations costs in answers and in retrieval: float16 and INT4 against going on at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from models import activation_codec
from models.brick import Activation, Brick
from models.pack.catalogue import Pack
from models.pack.chain import Chain
from models.train.over_runs import over
from tests.eval.eye.answers import Asked
from tests.eval.eye.days import AT, Candidates, candidates, recalled
from tests.eval.eye.page import Lacks, Table, share
from tests.eval.eye.pieces import Eye, answer, chain_in, decoder_of, loaded, phrases, with_text

Codec = Callable[[Activation], Activation]
"""An activation as it is after it was stored and read."""
_BATCH = 16


def _through(coding: activation_codec.Coding) -> Codec:
    return lambda each: activation_codec.decode(activation_codec.encode(each, coding), each.encoder)


CODECS: Mapping[str, Codec] = {"float16": _through("float16"), "int4": _through("int4")}


def depths_kept(chain: Chain) -> list[int]:
    """The depths from which a look goes on: after the first group, and in the middle."""
    return sorted({chain.depths[1], chain.depths[len(chain.depths) // 2]})


def report(
    pack: Pack,
    asked: Sequence[Asked],
    days: int,
    views: int,
    first_seed: int,
    codecs: Mapping[str, Codec] = CODECS,
) -> list[Table]:
    """Both tables; the one of retrieval only for a pack with a text tower. Raises Lacks without a chain."""
    chain = chain_in(pack)
    with loaded(pack.bricks["vision"]) as brick:
        eye = Eye(brick)
        tables = []
        if "llm" in pack.bricks:
            with decoder_of(pack) as decoder:
                tables.append(_answers(eye, decoder, chain, codecs, asked))
        else:
            tables.append(
                Table("Answers from stored activations", notes=[f"Pack '{pack.name}' has no decoder."])
            )
        try:
            with_text(pack)
        except Lacks as error:
            return [*tables, Table("Retrieval from stored activations", notes=[str(error)])]
        found = [candidates(first_seed + number, views) for number in range(days)]
        return [*tables, _retrieval(pack, eye, chain, codecs, found)]


def difference(before: Sequence[bool], after: Sequence[bool]) -> str:
    """Points by which paired shares differ, with a 95 % bootstrap interval."""
    change = 100 * (np.asarray(after, float) - np.asarray(before, float))
    drawn = np.random.default_rng(0).choice(change, (4000, len(change))).mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return f"{change.mean():+.2f} points [{low:+.2f}, {high:+.2f}]"


def _answers(
    eye: Eye, decoder: Brick, chain: Chain, codecs: Mapping[str, Codec], asked: Sequence[Asked]
) -> Table:
    depths = depths_kept(chain)
    plain: list[str] = []
    stored: dict[tuple[str, int], list[str]] = {(name, depth): [] for name in codecs for depth in depths}
    for each in asked:
        picture, text = each.picture(), each.question.text
        plain.append(answer(decoder, text, eye.look(picture)))
        for depth in depths:
            (kept,) = eye.encode([picture], depth)
            for name, codec in codecs.items():
                (image,) = eye.rows([codec(kept)])
                stored[name, depth].append(answer(decoder, text, image))
    right = [each.question.judge(said) for each, said in zip(asked, plain, strict=True)]
    rows = [("not stored", "-", share(right), "", "")]
    for (name, depth), said in stored.items():
        verdicts = [each.question.judge(one) for each, one in zip(asked, said, strict=True)]
        same = [one == other for one, other in zip(plain, said, strict=True)]
        rows.append((name, f"block {depth}", share(verdicts), difference(right, verdicts), share(same)))
    columns = ("stored as", "after", "right", "against not stored", "the same answer")
    return Table("Answers from stored activations, drawn home as text", columns, rows)


def _retrieval(
    pack: Pack, eye: Eye, chain: Chain, codecs: Mapping[str, Codec], days: Sequence[Candidates]
) -> Table:
    kept_at, last = chain.depths[1], chain.exit_depths[-1]
    percent: dict[str, list[tuple[float, ...]]] = {}
    for day in days:
        with loaded(pack.bricks["text"]) as tower:
            texts = phrases(tower, [query.text for query in day.queries])
        places: dict[str, list[np.ndarray]] = {"not stored": [], **{name: [] for name in codecs}}
        for start in range(0, len(day.views), _BATCH):
            kept = eye.encode(day.pictures(start, start + _BATCH), kept_at)
            for name in places:
                codec = codecs.get(name)
                some = [codec(each) for each in kept] if codec else list(kept)
                places[name].append(eye.embed(eye.resume(some, last)))
        for name, parts in places.items():
            percent.setdefault(name, []).append(recalled(texts @ np.concatenate(parts).T, day).percent)
    rows = []
    for name, values in percent.items():
        cells = [over([each[at] for each in values], shares=True) for at in range(len(AT))]
        apart = [each[-1] - plain[-1] for each, plain in zip(values, percent["not stored"], strict=True)]
        rows.append((name, *cells, "" if name == "not stored" else over(apart, " points", 2)))
    columns = ("stored as", *(f"R@{k}" for k in AT), f"R@{AT[-1]} against not stored")
    title = f"Retrieval at the exit after block {last} from activations stored after block {kept_at}"
    number = sum(len(day.queries) for day in days)
    return Table(
        title, columns, rows, [f"{number} queries on {len(days)} days of {len(days[0].views)} views."]
    )
