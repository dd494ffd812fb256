"""The search for a network's learning rate and shape, with Optuna: the same budget for each."""
