"""What one model gave every token of the validation and the test split, on disk as ``.npz``.

Plain arrays and one JSON string: nothing is pickled.
"""

from dataclasses import dataclass, field
from pathlib import Path

from memoryspan.archive import corrupt, read_archive, write_archive
from memoryspan.language_model import Family, Floats, LanguageModel, sentence_log_probs
from memoryspan.text.streams import TokenStream


@dataclass(frozen=True, eq=False)
class ModelScores:
    """The scores of one model.

    Attributes:
        name: of the model.
        family: as in ``LanguageModel``.
        context_order: tokens of context that can matter; None = unbounded.
        parameters: trained weights, or stored probabilities and back-off weights.
        train_seconds: wall-clock time of its estimation or training.
        test_log_probs: float64 [N], nats, one per token of the test stream; -inf = never.
        validation_log_probs: float64 [M], the same of the validation stream.
        test_reset_log_probs: float64 [R], of the first R tokens of the test stream, each sentence
            as a text of its own (see ``modes``).
    """

    name: str
    family: Family
    context_order: int | None
    parameters: int
    train_seconds: float
    test_log_probs: Floats = field(repr=False)
    validation_log_probs: Floats = field(repr=False)
    test_reset_log_probs: Floats = field(repr=False)

    @classmethod
    def of(
        cls,
        model: LanguageModel,
        train_seconds: float,
        validation_stream: TokenStream,
        test_stream: TokenStream,
        reset_tokens: int | None,
    ) -> "ModelScores":
        """Let a model score every token of both held-out streams, each read from its beginning.

        And the first ``reset_tokens`` test tokens (None: all) sentence by sentence.
        """
        return cls(
            name=model.name,
            family=model.family,
            context_order=model.context_order,
            parameters=model.parameter_count,
            train_seconds=train_seconds,
            test_log_probs=model.token_log_probs(test_stream),
            validation_log_probs=model.token_log_probs(validation_stream),
            test_reset_log_probs=sentence_log_probs(model, test_stream.beginning(reset_tokens)),
        )

    def save(self, path: Path) -> None:
        """Write to ``path`` atomically; its folder is made where it is missing."""
        about = {
            "name": self.name,
            "family": self.family,
            "context_order": self.context_order,
            "parameters": self.parameters,
            "train_seconds": self.train_seconds,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays = {
            "test_log_probs": self.test_log_probs,
            "validation_log_probs": self.validation_log_probs,
            "test_reset_log_probs": self.test_reset_log_probs,
        }
        write_archive(path, about, arrays)

    @classmethod
    def load(cls, path: Path) -> "ModelScores":
        """Read what ``save`` wrote.

        Raises:
            MemoryspanError: the file is missing or is no file of scores.
        """
        about, arrays = read_archive(path)
        try:
            return cls(
                **about,
                test_log_probs=arrays["test_log_probs"],
                validation_log_probs=arrays["validation_log_probs"],
                test_reset_log_probs=arrays["test_reset_log_probs"],
            )
        except (KeyError, TypeError) as error:  # an archive of something else
            raise corrupt(path, error) from error
