"""The session core: `step(state, event) -> (state, actions)`, pure: without I/O, asyncio or a clock of its
own.

It decides what the headband does next. Sources turn what happens into events, performers carry out actions.
May import values only.
"""
