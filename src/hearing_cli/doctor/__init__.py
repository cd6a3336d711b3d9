"""The checks of `hearing doctor`, each a small function without arguments that gives a `Check`."""
