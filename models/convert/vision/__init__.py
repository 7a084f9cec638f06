"""Vision encoders as ONNX graphs of fixed shape, in fewer bits, and for the RK3566's NPU."""
