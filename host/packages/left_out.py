"""What of the locked packages a headband does without: whole packages, and files of those that it gets.

Packages name others that only their command lines, their trainers or their chat servers import. None of it is
sent or installed; a new environment is tried with every import of the application before it is used
(`host.ship.target.building`).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import metadata
from pathlib import Path

PACKAGES: Mapping[str, str] = {
    "diskcache": "llama-cpp-python's cache of prompts on disk; it unpickles what it finds (CVE-2025-69872)",
    "jinja2": "llama-cpp-python's chat formats",
    "markupsafe": "jinja2",
    "requests": "pywhispercpp's downloads",
    "certifi": "requests",
    "charset-normalizer": "requests",
    "idna": "requests",
    "urllib3": "requests",
    "platformdirs": "the command lines of pywhispercpp and mpremote",
    "flatbuffers": "onnxruntime's tools",
    "protobuf": "onnxruntime's tools",
    "packaging": "onnxruntime's tools, silero-vad's",
    "pathvalidate": "piper's command line",
    "pycparser": "cffi where it compiles",
}
"""Normalised name -> what would import it."""
FILES = (
    # Imports the chat formats and diskcache. Without it `llama_cpp` is a namespace; the application uses one
    # module of it, which calls the library.
    "llama_cpp/__init__.py",
    "llama_cpp/server/*",
    # The libraries a second time, and each under three names: they are loaded as *.so and *.so.0.
    "lib/*",
    "include/*",
    "bin/*",
    "llama_cpp/lib/*.so.*.*.*",
    "llama_cpp/lib/libggml*.so",
    "onnxruntime/quantization/*",
    "onnxruntime/tools/*",
    "onnxruntime/transformers/*",
    "numpy/_core/include/*",
    "numpy/distutils/*",
    "numpy/f2py/*",
    "piper/hebrew/*",  # a network for Hebrew's vowels
    "silero_vad/data/*",
    "*/tests/*",
    "*.a",
    "*.pyi",
)
"""Patterns of paths within a wheel; `*` matches slashes as well."""
KEPT = ("silero_vad/data/silero_vad_16k_op15.onnx",)
"""What `FILES` names and is needed."""


def left_out_packages_bytes() -> int:
    """Size of the packages that a headband does without, as they are installed on this computer."""
    total = 0
    for name in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            files = metadata.files(name) or []
            paths = (Path(str(each.locate())) for each in files if "__pycache__" not in each.parts)
            total += sum(path.stat().st_size for path in paths if path.is_file())
    return total


def is_sent(package: str) -> bool:
    """Whether a headband gets a package of its locks, by the normalised name."""
    return package not in PACKAGES
