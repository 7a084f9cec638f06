"""The network that answers closed questions about a picture, as one ONNX graph per cross-modal layer."""
