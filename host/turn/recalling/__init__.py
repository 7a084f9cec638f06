"""Answers from what was seen earlier, and takes remembered views further through the encoder."""
