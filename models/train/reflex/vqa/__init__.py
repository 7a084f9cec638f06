"""Published question data, VQAv2 and VizWiz: reading, scoring as their evaluations do, and writing the drawn
home out in the same formats.
"""
