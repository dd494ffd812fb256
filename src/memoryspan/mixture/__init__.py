"""Linear interpolation of language models of any family, and the cache that goes with it."""
