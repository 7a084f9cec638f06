"""`rknnlite.api` for a computer without an NPU."""

from .rknn_lite import RKNNLite as RKNNLite
