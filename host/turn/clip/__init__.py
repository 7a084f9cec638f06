"""A question about the last seconds: the pictures kept while it is spoken, and its answer."""
