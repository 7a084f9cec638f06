"""Files of a pack from what is trained: the pieces of the vision encoder, the text tower, the decoder."""
