"""What every model's summary says, whatever its family; and whose tokens the model knows."""

from collections.abc import Mapping
from typing import Any

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import LanguageModel
from memoryspan.text.streams import TokenStream


def model_summary(
    model: LanguageModel, train_seconds: float, train_stream: TokenStream
) -> dict[str, Any]:
    """The keys that every model has; neural models add theirs."""
    return {
        "model": model.name,
        "family": model.family,
        "context_order": model.context_order,
        "vocabulary_size": model.vocabulary_size,
        "vocabulary_digest": train_stream.vocabulary_digest,
        "parameters": model.parameter_count,
        "train_seconds": train_seconds,
    }


def check_same_tokens(summary: Mapping[str, Any], digest: str) -> None:
    """Refuse to ask a model about the ids of another vocabulary.

    Raises:
        MemoryspanError: the text was tokenised anew since the model was made. Two vocabularies
            of one size would go unnoticed otherwise, and every figure would be wrong.
    """
    if summary.get("vocabulary_digest") != digest:
        model = summary.get("model", "The model")
        raise MemoryspanError(
            f"{model} was made from other tokens than those of data/03_primary: the corpus or the "
            "tokenizer has changed since. Make it anew with the same --params and --env: "
            "`--pipelines ngram,train`, or all with `kedro run`."
        )
