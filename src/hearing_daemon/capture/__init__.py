"""Capture: each leg a child process, seen by the service as a stream of `LegEvent`s."""
