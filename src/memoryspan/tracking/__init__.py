"""MLflow: one flat run per model."""
