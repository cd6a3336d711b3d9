"""The room of `hearing-ctl`."""
