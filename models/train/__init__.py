"""How the micro pack is made: data that is generated, and training in PyTorch. Never part of the
application.
"""
