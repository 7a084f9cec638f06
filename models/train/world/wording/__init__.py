"""How people word what they say: to the headband about what it sees, about itself, and not to it at all."""
