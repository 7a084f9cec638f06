"""The shared-memory ring buffer that passes image rows between processes without a copy."""
