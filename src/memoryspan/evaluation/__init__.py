"""Perplexity, comparison and generation, for any language model."""
