"""Power meters behind one interface: each records power over time and counts lost samples."""
