"""From microphone chunks to questions: endpointer, echo canceller, barge-in. No I/O: samples in, events out.

May import `host.config` and the interfaces of `hw`.
"""
