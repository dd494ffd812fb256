"""All parameters of a run in one typed tree: the top level of ``conf/*/parameters*.yml``."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memoryspan.evaluation.parameters import GenerationParameters, SentenceResetParameters
from memoryspan.mixture.parameters import MixtureParameters
from memoryspan.neural.adaptation.parameters import (
    DynamicEvaluationParameters,
    NeuralCacheParameters,
)
from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.search.parameters import SearchParameters
from memoryspan.neural.training_parameters import TrainingParameters
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.pipelines.models import NEURAL
from memoryspan.probes.parameters import ContextLengthParameters, GradientParameters
from memoryspan.text.parameters import CorpusParameters, NamedCorpus, TokenizerParameters


class Group(BaseModel):
    """A group that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NeuralModelParameters(Group):
    """What belongs to one neural model's namespace."""

    network: NetworkParameters
    training: TrainingParameters = Field(description="In place of the shared group's values.")


class RunParameters(Group):
    """Every top-level key that there is."""

    seed: int = Field(ge=0, lt=2**63, description="The one seed of everything random.")
    raw_folder: str = Field(description="Where downloaded corpora are kept.")
    checkpoint_folder: str = Field(description="Where training keeps its checkpoints.")
    corpus: CorpusParameters
    corpora: dict[str, NamedCorpus]
    tokenizer: TokenizerParameters
    ngram: NgramParameters
    training: TrainingParameters
    search: SearchParameters
    feedforward: NeuralModelParameters
    rnn: NeuralModelParameters
    gru: NeuralModelParameters
    lstm: NeuralModelParameters
    transformer: NeuralModelParameters
    lstm_neural_cache: NeuralCacheParameters
    lstm_dynamic: DynamicEvaluationParameters
    mixture: MixtureParameters
    sentence_reset: SentenceResetParameters
    generation: GenerationParameters
    context_length: ContextLengthParameters
    gradient: GradientParameters

    @model_validator(mode="before")
    @classmethod
    def _complete_own_training(cls, values: Any) -> Any:
        """What a network says of its training is checked together with what all share."""
        if not isinstance(values, dict) or not isinstance(values.get("training"), dict):
            return values
        groups = {name: values[name] for name in NEURAL if isinstance(values.get(name), dict)}
        completed = {
            name: group | {"training": values["training"] | own}
            for name, group in groups.items()
            if isinstance(own := group.get("training"), dict) and own
        }
        return values | completed

    def training_of(self, name: str) -> TrainingParameters:
        """How one network is trained: as all are, but for what it says itself."""
        own: TrainingParameters = getattr(self, name).training
        return own if own.model_fields_set else self.training
