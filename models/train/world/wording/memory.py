"""What is said to a headband that remembers, beside the templates of `host/language/intents.yaml`.

{item}: a thing with "my" or "the"; {time}: a time in the past; {name}: what the wearer calls a view; {place}.
"""

from __future__ import annotations

TRAINED: tuple[str, ...] = (
    "where did i leave {item}",
    "where did i put {item}",
    "where did i lose {item}",
    "where have i left {item}",
    "where have i put {item}",
    "where did i last see {item}",
    "where did i last have {item}",
    "where did you last see {item}",
    "where did you see {item}",
    "where was {item}",
    "where was {item} {time}",
    "where were you {time}",
    "where was i {time}",
    "when did i last see {item}",
    "when did i last have {item}",
    "when did i see {item}",
    "when did you last see {item}",
    "have you seen {item} today",
    "have you seen {item} {time}",
    "what did i look at {time}",
    "what did i see {time}",
    "what did you see {time}",
    "what did you see before",
    "what have i seen today",
    "what did i see in the {place}",
    "what did the sign say",
    "what did the sign at the {place} say",
    "what did the label say",
    "was {item} in the {place}",
    "was {item} on the table",
    "was the lamp on when i left",
    "was the light on when i left",
    "was the lamp on {time}",
    "was the stove on when i left",
    "remember this as {name}",
    "remember this is {name}",
    "remember that this is {name}",
    "remember that as {name}",
    "where was {name}",
    "forget what you saw {time}",
)
HELD_OUT: tuple[str, ...] = (
    "where did i drop {item}",
    "where have i lost {item}",
    "when did you see {item}",
    "where did i see {item} {time}",
    "what have you seen {time}",
    "remember this place as {name}",
)
"""Wordings that no training sentence has."""
TIMES: tuple[str, ...] = (
    "this morning", "this afternoon", "this evening", "yesterday", "today", "earlier", "before", "last night",
    "yesterday morning", "yesterday evening", "an hour ago", "ten minutes ago", "half an hour ago",
    "two hours ago", "five minutes ago", "last",
)  # fmt: skip
NAMES: tuple[str, ...] = (
    "parking", "my car", "the car", "my bicycle", "my seat", "my room", "my hotel", "the hotel", "home",
    "the gate", "the station", "the bus stop", "my medicine", "the door", "the way home", "my table",
    "work", "the office", "my house", "the shop", "the entrance", "the exit", "the way out", "the way back",
    "the way in", "my bike", "the garage", "the car park", "the parking lot", "my locker", "my desk",
    "my place", "my bed", "the lift", "the elevator", "the stairs", "the reception", "the restaurant",
    "the cafe", "the museum", "school", "the doctor", "the dentist", "the hospital", "the pharmacy",
    "the chemist", "the bank", "the church", "the market", "the beach", "the bridge", "the airport",
    "the terminal", "the train", "my train", "the taxi", "the ticket", "my ticket", "the receipt",
    "the password", "the code", "the menu", "the map", "the recipe", "the shopping list", "the bill",
    "the timetable", "the address", "the meeting point", "the toilet", "the bathroom", "my suitcase",
    "my luggage", "my passport", "the spare key", "my plants", "the fuse box", "the meter", "the tap",
    "the switch", "the best seat", "lunch", "breakfast", "dinner", "the dog", "my tent", "the camp",
    "the pool", "the gym", "the library", "the corner", "the machine", "platform {number}", "gate {number}",
    "level {number}", "floor {number}", "row {number}", "room {number}", "seat {number}", "number {number}",
    "track {number}", "zone {number}", "bay {number}",
)  # fmt: skip
"""What a wearer calls a view that is kept."""
OWNERS: tuple[str, ...] = ("my", "my", "my", "the")
