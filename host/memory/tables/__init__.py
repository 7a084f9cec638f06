"""The tables of an open store, one in a module: what is read of each and written to it."""
