"""The room of `hearing-assistant`."""
