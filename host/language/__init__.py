"""What the words of a question mean: the router, follow-up questions, how questions end. Text in, decisions
out.

Imports no other room.
"""
