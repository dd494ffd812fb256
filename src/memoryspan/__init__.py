"""memoryspan: train the classic language models and measure how far back each one remembers."""

__version__ = "0.1.0"
