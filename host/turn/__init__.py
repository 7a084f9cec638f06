"""The performers of a conversation: listening, answering and announcing. Their work on a question begins
before it ends.

May import `host.event_queue`, `host.session` and every room of values below them.
"""
