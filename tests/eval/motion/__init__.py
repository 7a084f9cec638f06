"""`just eval motion`: questions about the last seconds, answered from clips and heard aloud."""
