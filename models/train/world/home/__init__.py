"""The drawn home: places, things, views through a camera, their truth, questions about them, and whole days.

Room coordinates are units, x to the right and y down; a room is 200 units high. Things are drawn
about twice as large as in a true room, so that a view of 130 units shows keys about 40 pixels wide.
"""
