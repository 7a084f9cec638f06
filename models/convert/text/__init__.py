"""Text encoders as ONNX graphs of fixed shape, and their tokenizers as a file of the pack."""
