"""The room of `hearing-daemon`."""
