"""Training of the text reader: letters on signs and labels, found and read at the size of the picture."""
