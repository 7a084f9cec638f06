"""The meaning of a question's words: the router, follow-up questions, ends of questions. Text in, decisions
out.

`router` chooses who answers, `understanding` also completes and rewords the question, and `doubt` says what
becomes of both where a transcript is in doubt. The folders are what these ask: `past` finds questions to the
memory, `usual` puts a question into the usual words for it, `misheard` finds what is asked all the same where
words were not heard.

Imports no other room.
"""
