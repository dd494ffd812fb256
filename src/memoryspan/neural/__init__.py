"""Neural models: cells, networks, truncated BPTT and training."""
