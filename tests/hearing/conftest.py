"""Property tests here have no deadline: two busy cores make any single example slow."""

from hypothesis import settings

settings.register_profile("hearing", deadline=None)
settings.load_profile("hearing")
