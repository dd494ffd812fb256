"""How far back a model remembers: one file per probe."""
