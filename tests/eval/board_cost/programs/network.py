"""One picture through a graph of ncnn with zero weights, one thread: GRAPH SIDE. Settings as in ncnn's
benchmark.
"""

from __future__ import annotations

import sys

from marks import counted  # type: ignore[import-not-found]  # beside it where it runs


def main(path: str, side: str) -> None:
    """Runs it once; ends with a sentence where ncnn refuses the graph."""
    import ncnn

    net = ncnn.Net()
    net.opt.num_threads = 1
    net.opt.lightmode = True
    if net.load_param(path) or net.load_model(ncnn.DataReaderFromEmpty()):
        sys.exit(f"ncnn does not load {path}")
    picture = ncnn.Mat(int(side), int(side), 3)
    picture.fill(0.01)
    with counted():
        extractor = net.create_extractor()
        extractor.input("data", picture)
        failed, _ = extractor.extract("output")
    if failed:
        sys.exit(f"ncnn does not run {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
