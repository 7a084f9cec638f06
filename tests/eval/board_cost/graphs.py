"""Published network architectures as graphs for ncnn, written without weights: what its benchmark table was
measured on.

Sources of the shapes: SqueezeNet 1.1 (arXiv 1602.07360 and its repository), MobileNet (1704.04861),
MobileNetV2 (1801.04381), ResNet-18 and -50 (1512.03385), GoogLeNet (1409.4842), AlexNet in its one-tower form
with groups, ViT-B/32 at 384 pixels (2010.11929). Rectifiers stand inside the convolutions, as in the files
that ncnn's benchmark reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

_HEAD = "7767517"
_SCALE = " 8=?"
"""Stands for the kind of scale of 8-bit weights until it is known who reads the layer's output."""
_CONVOLUTIONS = ("Convolution", "ConvolutionDepthWise")


@dataclass
class Graph:
    """Layers in order, each with the blobs it reads; a blob that several layers read is split when it is
    written.
    """

    side: int
    int8: bool = False
    _layers: list[tuple[str, list[str], str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.add("Input", [], f"0={self.side} 1={self.side} 2=3", "data")

    def add(self, kind: str, reads: list[str], settings: str, name: str = "") -> str:
        """Adds a layer; returns the name of its output."""
        made = name or f"b{len(self._layers)}"
        self._layers.append((kind, reads, made, settings))
        return made

    def conv(
        self,
        read: str,
        inputs: int,
        outputs: int,
        kernel: int,
        stride: int = 1,
        pad: int = -1,
        relu: bool = True,
    ) -> str:
        """A convolution with bias; `pad` is half the kernel unless given."""
        pad = kernel // 2 if pad < 0 else pad
        weights = inputs * outputs * kernel * kernel
        quantised = _SCALE if self.int8 else ""
        return self.add(
            "Convolution", [read],
            f"0={outputs} 1={kernel} 3={stride} 4={pad} 5=1 6={weights}{quantised}{' 9=1' if relu else ''}",
        )  # fmt: skip

    def depthwise(self, read: str, channels: int, kernel: int, stride: int = 1, group: int = 0) -> str:
        """One filter for each channel."""
        quantised = _SCALE if self.int8 else ""
        return self.add(
            "ConvolutionDepthWise", [read],
            f"0={channels} 1={kernel} 3={stride} 4={kernel // 2} 5=1 6={channels * kernel * kernel} "
            f"7={group or channels}{quantised} 9=1",
        )  # fmt: skip

    def grouped(self, read: str, inputs: int, outputs: int, kernel: int, pad: int, group: int) -> str:
        """A convolution in groups."""
        weights = inputs * outputs * kernel * kernel // group
        return self.add(
            "ConvolutionDepthWise", [read],
            f"0={outputs} 1={kernel} 3=1 4={pad} 5=1 6={weights} 7={group} 9=1",
        )  # fmt: skip

    def pool(self, read: str, kernel: int, stride: int, mean: bool = False, pad: int = 0) -> str:
        """Maximum or mean over squares."""
        return self.add("Pooling", [read], f"0={int(mean)} 1={kernel} 2={stride} 3={pad}")

    def mean(self, read: str) -> str:
        """Mean over the whole picture."""
        return self.add("Pooling", [read], "0=1 4=1")

    def dense(self, read: str, inputs: int, outputs: int, relu: bool = False, int8: bool = False) -> str:
        """A fully connected layer."""
        settings = f"0={outputs} 1=1 2={inputs * outputs}{' 8=2' if int8 else ''}{' 9=1' if relu else ''}"
        return self.add("InnerProduct", [read], settings)

    def text(self) -> str:
        """The graph in ncnn's text format; the last layer's output is called "output"."""
        readers = Counter(blob for _, reads, _, _ in self._layers for blob in reads)
        unscaled = {blob for kind, reads, _, _ in self._layers if kind not in _CONVOLUTIONS for blob in reads}
        lines, blobs, used = [], 0, Counter[str]()

        def source(blob: str) -> str:
            if readers[blob] < 2:
                return blob
            used[blob] += 1
            return f"{blob}_{used[blob] - 1}"

        for at, (kind, reads, made, settings) in enumerate(self._layers):
            if _SCALE in settings:
                # 1: by channel, 2: by layer. 100 more: the output is 8-bit, as only convolutions read it.
                scale = (1 if kind == "ConvolutionDepthWise" else 2) + (0 if made in unscaled else 100)
                settings = settings.replace(_SCALE, f" 8={scale}")
            made = "output" if at == len(self._layers) - 1 else made
            inputs = " ".join(source(each) for each in reads)
            lines.append(f"{kind} l{at} {len(reads)} 1 {inputs} {made} {settings}".replace("  ", " "))
            blobs += 1
            if (count := readers[made]) > 1:
                copies = " ".join(f"{made}_{each}" for each in range(count))
                lines.append(f"Split s{at} 1 {count} {made} {copies}")
                blobs += count
        return "\n".join([_HEAD, f"{len(lines)} {blobs}", *lines, ""])


def _squeezenet(int8: bool) -> Graph:
    graph = Graph(227, int8)
    here = graph.pool(graph.conv("data", 3, 64, 3, 2, 0), 3, 2)
    inputs = 64
    for squeeze, expand, then_pool in (
        (16, 64, False), (16, 64, True), (32, 128, False), (32, 128, True),
        (48, 192, False), (48, 192, False), (64, 256, False), (64, 256, False),
    ):  # fmt: skip
        small = graph.conv(here, inputs, squeeze, 1)
        both = [graph.conv(small, squeeze, expand, kernel) for kernel in (1, 3)]
        here, inputs = graph.add("Concat", both, "0=0"), 2 * expand
        here = graph.pool(here, 3, 2) if then_pool else here
    here = graph.mean(graph.conv(here, 512, 1000, 1, 1, 1))
    graph.add("Softmax", [here], "0=0")
    return graph


def _classified(graph: Graph, here: str, inputs: int, int8: bool = False) -> Graph:
    graph.add("Softmax", [graph.dense(here, inputs, 1000, int8=int8)], "0=0")
    return graph


def _mobilenet(int8: bool) -> Graph:
    graph = Graph(224, int8)
    here, inputs = graph.conv("data", 3, 32, 3, 2), 32
    for outputs, stride in (
        (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)
    ):  # fmt: skip
        here = graph.conv(graph.depthwise(here, inputs, 3, stride), inputs, outputs, 1)
        inputs = outputs
    return _classified(graph, graph.mean(here), 1024, int8)


def _mobilenet_v2(int8: bool) -> Graph:
    graph = Graph(224, int8)
    here, inputs = graph.conv("data", 3, 32, 3, 2), 32
    for expand, outputs, repeats, first in (
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
        (6, 320, 1, 1),
    ):  # fmt: skip
        for at in range(repeats):
            stride = first if at == 0 else 1
            wide = graph.conv(here, inputs, inputs * expand, 1)
            wide = graph.depthwise(wide, inputs * expand, 3, stride)
            made = graph.conv(wide, inputs * expand, outputs, 1, relu=False)
            added = stride == 1 and inputs == outputs
            here, inputs = graph.add("Eltwise", [here, made], "0=1") if added else made, outputs
    return _classified(graph, graph.mean(graph.conv(here, 320, 1280, 1)), 1280)


def _resnet18(int8: bool) -> Graph:
    graph = Graph(224, int8)
    here, inputs = graph.pool(graph.conv("data", 3, 64, 7, 2), 3, 2), 64
    for stage, outputs in enumerate((64, 128, 256, 512)):
        for at in range(2):
            stride = 2 if stage and not at else 1
            straight = here if at else graph.conv(here, inputs, outputs, 1, stride, relu=False)
            made = graph.conv(here, inputs, outputs, 3, stride)
            made = graph.conv(made, outputs, outputs, 3, relu=False)
            here, inputs = graph.add("ReLU", [graph.add("Eltwise", [straight, made], "0=1")], ""), outputs
    return _classified(graph, graph.pool(here, 7, 1, mean=True), 512)


def _resnet50(int8: bool) -> Graph:
    graph = Graph(224, int8)
    here, inputs = graph.pool(graph.conv("data", 3, 64, 7, 2), 3, 2), 64
    for stage, repeats in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for at in range(repeats):
            stride = 2 if stage and not at else 1
            straight = here if at else graph.conv(here, inputs, 4 * width, 1, stride, relu=False)
            made = graph.conv(graph.conv(here, inputs, width, 1, stride), width, width, 3)
            made = graph.conv(made, width, 4 * width, 1, relu=False)
            here, inputs = graph.add("ReLU", [graph.add("Eltwise", [straight, made], "0=1")], ""), 4 * width
    return _classified(graph, graph.pool(here, 7, 1, mean=True), 2048)


def _googlenet(int8: bool) -> Graph:
    graph = Graph(224, int8)
    here = graph.pool(graph.conv("data", 3, 64, 7, 2), 3, 2)
    here = graph.conv(graph.add("LRN", [here], "2=1.000000e-04"), 64, 64, 1)
    here = graph.pool(graph.add("LRN", [graph.conv(here, 64, 192, 3)], "2=1.000000e-04"), 3, 2)
    inputs = 192
    for shape in (
        (64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64), None,
        (192, 96, 208, 16, 48, 64), (160, 112, 224, 24, 64, 64), (128, 128, 256, 24, 64, 64),
        (112, 144, 288, 32, 64, 64), (256, 160, 320, 32, 128, 128), None,
        (256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128),
    ):  # fmt: skip
        if shape is None:
            here = graph.pool(here, 3, 2)
            continue
        one, three_in, three, five_in, five, pooled = shape
        branches = [
            graph.conv(here, inputs, one, 1),
            graph.conv(graph.conv(here, inputs, three_in, 1), three_in, three, 3),
            graph.conv(graph.conv(here, inputs, five_in, 1), five_in, five, 5),
            graph.conv(graph.pool(here, 3, 1, pad=1), inputs, pooled, 1),
        ]
        here, inputs = graph.add("Concat", branches, "0=0"), one + three + five + pooled
    return _classified(graph, graph.pool(here, 7, 1, mean=True), 1024)


def _alexnet(int8: bool) -> Graph:
    graph = Graph(227, int8)
    here = graph.conv("data", 3, 96, 11, 4, 0)
    here = graph.pool(graph.add("LRN", [here], "2=1.000000e-04"), 3, 2)
    here = graph.grouped(here, 96, 256, 5, 2, 2)
    here = graph.pool(graph.add("LRN", [here], "2=1.000000e-04"), 3, 2)
    here = graph.conv(here, 256, 384, 3)
    here = graph.grouped(graph.grouped(here, 384, 384, 3, 1, 2), 384, 256, 3, 1, 2)
    here = graph.dense(graph.pool(here, 3, 2), 9216, 4096, relu=True)
    return _classified(graph, graph.dense(here, 4096, 4096, relu=True), 4096)


def _vision_transformer(int8: bool) -> Graph:
    graph = Graph(384, int8)
    here = graph.add("Convolution", ["data"], "0=768 1=32 3=32 5=1 6=2359296")
    here = graph.add("Permute", [graph.add("Reshape", [here], "0=-1 1=768")], "0=1")
    here = graph.add("Concat", [graph.add("MemoryData", [], "0=768 1=1"), here], "0=0")
    here = graph.add("BinaryOp", [here, graph.add("MemoryData", [], "0=768 1=145")], "0=0")
    norm = "0=768 1=1.000000e-06 2=1"
    for _ in range(12):
        normal = graph.add("LayerNorm", [here], norm)
        seen = graph.add("MultiHeadAttention", [normal, normal, normal], "0=768 1=12 2=589824")
        here = graph.add("BinaryOp", [here, seen], "0=0")
        wide = graph.dense(graph.add("LayerNorm", [here], norm), 768, 3072)
        wide = graph.dense(graph.add("GELU", [wide], "0=1"), 3072, 768)
        here = graph.add("BinaryOp", [here, wide], "0=0")
    first = graph.add("Crop", [graph.add("LayerNorm", [here], norm)], "-23309=1,0 -23310=1,1 -23311=1,0")
    graph.add("Softmax", [graph.dense(first, 768, 1000)], "0=0 1=1")
    return graph


_MADE: dict[str, Callable[[bool], Graph]] = {
    "squeezenet": _squeezenet, "mobilenet": _mobilenet, "mobilenet_v2": _mobilenet_v2, "resnet18": _resnet18,
    "resnet50": _resnet50, "googlenet": _googlenet, "alexnet": _alexnet,
    "vision_transformer": _vision_transformer,
}  # fmt: skip

_NEVER_INT8 = ("mobilenet_v2_int8", "alexnet_int8", "vision_transformer_int8")


def graph_text(name: str) -> str:
    """The graph of a network by the name that ncnn's benchmark gives it, `_int8` at the end for 8-bit
    weights. Raises KeyError for one that is not written here.
    """
    plain = name.removesuffix("_int8")
    return _MADE[plain](name.endswith("_int8")).text()


def names() -> list[str]:
    """The networks that are written here, each also with 8-bit weights where its benchmark has such a row."""
    return [each for plain in _MADE for each in (plain, f"{plain}_int8") if each not in _NEVER_INT8]


def side_of(name: str) -> int:
    """The side of its square picture, pixels."""
    return _MADE[name.removesuffix("_int8")](False).side
