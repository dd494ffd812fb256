"""All parameters of a run in one typed tree: the top level of ``conf/*/parameters*.yml``."""

from pydantic import BaseModel, ConfigDict, Field

from memoryspan.evaluation.parameters import GenerationParameters
from memoryspan.mixture.parameters import MixtureParameters
from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.training_parameters import TrainingParameters
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.probes.parameters import ContextLengthParameters, GradientParameters
from memoryspan.text.parameters import CorpusParameters, NamedCorpus, TokenizerParameters


class Group(BaseModel):
    """A group that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NeuralModelParameters(Group):
    """What belongs to one neural model's namespace."""

    network: NetworkParameters


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
    feedforward: NeuralModelParameters
    rnn: NeuralModelParameters
    gru: NeuralModelParameters
    lstm: NeuralModelParameters
    transformer: NeuralModelParameters
    mixture: MixtureParameters
    generation: GenerationParameters
    context_length: ContextLengthParameters
    gradient: GradientParameters
