"""What the headband remembers of what it saw: values, the sealed store, its key, and its scan. May import
the settings, and of `models` and `hw` what has no devices; SQLite, pictures and ciphers are used in the
memory brick's own process and by `headband memory`.
"""
