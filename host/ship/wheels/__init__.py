"""The Python packages that a deploy brings: for which Debian, fetched, compiled, held against the locks."""
