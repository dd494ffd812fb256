"""What a user can set about networks and their training. Imports no torch."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Kind = Literal["feedforward", "rnn", "gru", "lstm"]
Activation = Literal["tanh", "relu", "sigmoid"]
RecurrentInitialisation = Literal["orthogonal", "identity", "uniform"]


class NetworkParameters(BaseModel):
    """The shape of a network, and the peak learning rate that this shape wants."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind = Field(description="feedforward (Bengio et al. 2003), rnn, gru or lstm")
    hidden_size: int | None = Field(
        default=None, gt=0, description="H, units per layer; or leave it out and give `parameters`"
    )
    parameters: int | None = Field(
        default=None, gt=0, description="budget of weights from which the hidden size follows"
    )
    embedding_size: int = Field(
        default=256, gt=0, description="E, of the embedding that input and output layer share"
    )
    layers: int = Field(default=1, gt=0, le=8, description="hidden layers (recurrent kinds)")
    window: int = Field(
        default=5, gt=0, le=1024, description="tokens of context (feedforward only)"
    )
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
        description="if at least 3: chrono initialisation of the LSTM's gate biases for"
        " dependencies up to this many steps (Tallec & Ollivier 2018), in place of forget_bias",
    )
    learning_rate: float = Field(
        default=0.004, gt=0, lt=1, description="peak of the schedule; gated cells bear more"
    )

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        if (self.hidden_size is None) == (self.parameters is None):
            raise ValueError("give either hidden_size or parameters (a budget), not both or none")
        if self.kind == "feedforward" and self.layers != 1:
            raise ValueError("layers must be 1 for the feedforward kind")
        if self.chrono_length in (1, 2):
            raise ValueError("chrono_length must be 0 (off) or at least 3")
        return self


class TrainingParameters(BaseModel):
    """How every network is trained: truncated BPTT over parallel streams, AdamW, one cycle."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    streams: int = Field(default=20, gt=0, description="B, contiguous streams read in parallel")
    bptt: int = Field(default=35, gt=0, description="T, steps that gradients flow back through")
    epochs: int = Field(default=3, gt=0, description="passes over the training stream")
    max_train_tokens: int | None = Field(
        default=None, gt=0, description="use only this many tokens of the training stream"
    )
    max_validation_tokens: int | None = Field(
        default=None, gt=0, description="use only this many tokens of the validation stream"
    )
    warmup_share: float = Field(
        default=0.1, ge=0, lt=1, description="share of steps in which the learning rate rises"
    )
    final_learning_rate_share: float = Field(
        default=0.01, ge=0, le=1, description="of the peak, at the end of the cosine"
    )
    clip_norm: float = Field(default=0.5, gt=0, description="largest gradient norm (inf: no limit)")
    weight_decay: float = Field(default=0.01, ge=0, description="AdamW, of all but the biases")
    embedding_dropout: float = Field(
        default=0.2, ge=0, lt=1, description="variational: one mask per sequence (Gal 2016)"
    )
    output_dropout: float = Field(
        default=0.2, ge=0, lt=1, description="variational, after every hidden layer"
    )
    recurrent_dropout: float = Field(
        default=0.0, ge=0, lt=1, description="DropConnect on recurrent weights (AWD-LSTM)"
    )
    reset_share: float = Field(
        default=0.01,
        ge=0,
        lt=1,
        description="share of streams that forget their state at the start of a chunk, so that"
        " the model learns to begin in the middle of a text",
    )
    negatives: int = Field(
        default=1024,
        ge=0,
        description="sampled softmax in training: tokens beside the target; 0 or V and more: all",
    )
    patience: int = Field(
        default=3, gt=0, description="stop after so many epochs without a better validation loss"
    )
    checkpoint_minutes: float = Field(
        default=5.0, ge=0, description="a checkpoint at least so often, and after every epoch"
    )
    log_steps: int = Field(default=50, gt=0, description="optimiser steps per row of the history")
    accelerator: Literal["auto", "cpu", "gpu"] = Field(
        default="auto", description="auto: a CUDA device if there is one"
    )
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        default="auto", description="auto: bfloat16 autocast where the hardware has it"
    )
