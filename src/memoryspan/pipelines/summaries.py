"""What every model's summary says, whatever its family."""

from typing import Any

from memoryspan.language_model import LanguageModel


def model_summary(model: LanguageModel, train_seconds: float) -> dict[str, Any]:
    """The keys that every model has; neural models add theirs."""
    return {
        "model": model.name,
        "family": model.family,
        "context_order": model.context_order,
        "vocabulary_size": model.vocabulary_size,
        "parameters": model.parameter_count,
        "train_seconds": train_seconds,
    }
