"""The meaning of a question's words: the router, follow-up questions, ends of questions. Text in, decisions
out.

Imports no other room.
"""
