"""The room of `hearing-tui`."""
