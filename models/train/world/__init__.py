"""Generated pictures and questions about them: scenes, rendering, question grammar, true answers."""
