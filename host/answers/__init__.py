"""Answers that need no model: the device's own skills, timers, and what is said about energy.

Values in, sentences out: no device is touched here. May import `host.language`, and values of `hw` and
`power`.
"""
