"""Model weights: a catalogue of what is known, a store of what is here, and sources to pull from."""
