"""The corpus as MLflow's dataset input."""

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

from memoryspan.text.streams import TokenStream

if TYPE_CHECKING:
    from mlflow.entities import DatasetInput

DIGEST_LENGTH = 8


def corpus_input(stream: TokenStream, source: str) -> "DatasetInput":
    """What a model was trained on: digest of the token ids, and the size of the stream."""
    from mlflow.entities import Dataset, DatasetInput, InputTag

    digest = hashlib.sha256(np.ascontiguousarray(stream.ids).tobytes()).hexdigest()
    profile = {
        "tokens": len(stream),
        "sentences": stream.sentence_count,
        "documents": len(stream.documents),
        "words": int(stream.document_words.sum()),
        "bytes": int(stream.document_bytes.sum()),
        "vocabulary_size": stream.vocabulary_size,
        "unknown_rate": stream.unknown_rate,
    }
    dataset = Dataset(
        name=source[-500:],
        digest=digest[:DIGEST_LENGTH],
        source_type="local",
        source=json.dumps({"uri": source}, ensure_ascii=False),
        profile=json.dumps(profile),
    )
    return DatasetInput(dataset, tags=[InputTag("mlflow.data.context", "training")])
