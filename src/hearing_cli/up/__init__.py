"""The supervisor: `policy` and `plan` decide, `loop` is its one waist, the rest touch the world."""
