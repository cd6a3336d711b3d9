"""Fakes that tests of every room share; each is the real interface with the world taken out."""
