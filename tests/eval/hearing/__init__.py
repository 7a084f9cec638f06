"""What becomes of sound with speech in it: the wake word, the end of a question, and what was said."""
