"""The shape of a network, as a user can set it. Imports no torch."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Kind = Literal["feedforward", "rnn", "gru", "lstm", "transformer"]
Activation = Literal["tanh", "relu", "sigmoid"]
RecurrentInitialisation = Literal["orthogonal", "identity", "uniform"]
OutputLayerKind = Literal["full", "adaptive"]


class NetworkParameters(BaseModel):
    """The shape of a network, and the peak learning rate that this shape wants."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind = Field(
        description="feedforward (Bengio et al. 2003), rnn, gru, lstm or transformer"
    )
    hidden_size: int | None = Field(
        default=None, gt=0, description="H, units per layer; or leave it out and give `parameters`"
    )
    parameters: int | None = Field(
        default=None, gt=0, description="budget of weights from which the hidden size follows"
    )
    embedding_size: int = Field(default=256, gt=0, description="E, of the embedding")
    layers: int = Field(default=1, gt=0, le=64, description="hidden layers")
    tied: bool = Field(
        default=True, description="input and output layer share the embedding (Press & Wolf 2017)"
    )
    projection: bool = Field(
        default=True,
        description="a linear layer from the hidden units to the output layer; without it a tied"
        " network needs hidden_size = embedding_size",
    )
    layer_norm: bool = Field(
        default=False, description="layer normalisation of every hidden layer (Ba et al. 2016)"
    )
    output_layer: OutputLayerKind = Field(
        default="full", description="full softmax, or adaptive (Grave et al. 2017; not tied)"
    )
    cutoffs: tuple[int, ...] = Field(
        default=(2000, 10000), description="of the adaptive softmax: where its clusters begin"
    )
    window: int = Field(
        default=5,
        gt=0,
        le=4096,
        description="feedforward: tokens of context; transformer: tokens that a layer attends to",
    )
    direct_connections: bool = Field(
        default=False,
        description="feedforward: from the embeddings to the output layer (W in Bengio et al.)",
    )
    heads: int = Field(default=4, gt=0, description="attention heads (transformer)")
    activation: Activation = Field(default="tanh", description="of the plain rnn")
    recurrent_initialisation: RecurrentInitialisation = Field(
        default="orthogonal",
        description="of the recurrent matrices; uniform is torch's default ±1/√H",
    )
    recurrent_gain: float = Field(
        default=1.0, gt=0, description="factor on the initial recurrent matrices"
    )
    forget_bias: float = Field(default=1.0, description="initial bias of the LSTM's forget gate")
    chrono_length: int = Field(
        default=0,
        ge=0,
        description="if at least 3: chrono initialisation of the gate biases (LSTM, GRU) for"
        " dependencies up to this many steps (Tallec & Ollivier 2018), in place of forget_bias",
    )
    learning_rate: float = Field(
        default=0.004, gt=0, le=100, description="peak of the schedule; gated cells bear more"
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if (self.hidden_size is None) == (self.parameters is None):
            raise ValueError("give either hidden_size or parameters (a budget), not both or none")
        if self.chrono_length in (1, 2):
            raise ValueError("chrono_length must be 0 (off) or at least 3")
        if self.output_layer == "adaptive" and self.tied:
            raise ValueError("the adaptive output layer has matrices of its own: set tied: false")
        if list(self.cutoffs) != sorted({c for c in self.cutoffs if c > 0}):
            raise ValueError("cutoffs must be positive and rise")
        if self.direct_connections and self.kind != "feedforward":
            raise ValueError("direct_connections belong to the feedforward kind")
        if not self.projection and self.tied and self.hidden_size != self.embedding_size:
            raise ValueError("a tied network without projection needs hidden_size = embedding_size")
        return self
