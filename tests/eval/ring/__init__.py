"""The ring between processes: hand-over, many slots at once, and kills at random times."""
