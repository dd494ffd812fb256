"""Trained networks that adapt to what they read: the neural cache and dynamic evaluation."""
