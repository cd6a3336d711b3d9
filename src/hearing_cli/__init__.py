"""The room of `hearing-cli`."""
