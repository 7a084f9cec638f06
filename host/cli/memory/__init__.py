"""What `headband memory ACTION` does."""

from host.cli.memory.actions import memory

__all__ = ["memory"]
