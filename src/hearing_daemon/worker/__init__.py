"""The recognizer in a process of its own: what crosses the pipe, the child's loop, the parent's handle."""
