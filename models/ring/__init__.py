"""The shared-memory ring in which image rows and states cross processes without a copy."""
