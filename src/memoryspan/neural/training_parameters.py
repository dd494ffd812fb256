"""How networks are trained, as a user can set it. Imports no torch."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

OptimizerName = Literal["adamw", "sgd", "nt_asgd"]
ScheduleName = Literal["cosine", "one_cycle", "constant", "plateau"]


class TrainingParameters(BaseModel):
    """How every network is trained: truncated BPTT over parallel streams."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    streams: int = Field(default=20, gt=0, description="B, contiguous streams read in parallel")
    bptt: int = Field(default=35, gt=0, description="T, steps that gradients flow back through")
    variable_bptt: bool = Field(
        default=False,
        description="lengths drawn around T, the learning rate with them (Merity et al. 2018)",
    )
    epochs: int = Field(default=3, gt=0, description="passes over the training stream")
    max_minutes: float | None = Field(
        default=None,
        gt=0,
        description="time budget, in place of epochs; the schedule follows the clock then",
    )
    max_train_tokens: int | None = Field(
        default=None, gt=0, description="use only this many tokens of the training stream"
    )
    max_validation_tokens: int | None = Field(
        default=None, gt=0, description="use only this many tokens of the validation stream"
    )
    optimizer: OptimizerName = Field(
        default="adamw",
        description="adamw, sgd, or nt_asgd: SGD whose weights are averaged once validation no"
        " longer improves (Merity et al. 2018)",
    )
    averaging_patience: int = Field(
        default=5, gt=0, description="nt_asgd: epochs without a better validation loss"
    )
    schedule: ScheduleName = Field(
        default="cosine",
        description="after the warm-up: cosine or one_cycle (linear) down to the final share,"
        " constant, or plateau (cut after every epoch that validates no better)",
    )
    warmup_share: float = Field(
        default=0.1, ge=0, lt=1, description="share of the run in which the learning rate rises"
    )
    final_learning_rate_share: float = Field(
        default=0.01, ge=0, le=1, description="of the peak, at the end (cosine, one_cycle)"
    )
    plateau_factor: float = Field(
        default=0.25, gt=0, lt=1, description="what a plateau leaves of the learning rate"
    )
    clip_norm: float | None = Field(
        default=0.5, gt=0, description="largest gradient norm (Pascanu et al. 2013); null: none"
    )
    clip_value: float | None = Field(
        default=None, gt=0, description="largest absolute value of a gradient; null: none"
    )
    weight_decay: float = Field(default=0.01, ge=0, description="of all weights but biases")
    word_dropout: float = Field(
        default=0.0, ge=0, lt=1, description="words whose embedding is zero (Gal 2016)"
    )
    input_dropout: float = Field(
        default=0.2, ge=0, lt=1, description="variational: features of the embeddings (Gal 2016)"
    )
    hidden_dropout: float = Field(
        default=0.2, ge=0, lt=1, description="variational: units between hidden layers"
    )
    output_dropout: float = Field(
        default=0.2, ge=0, lt=1, description="variational: units of the last hidden layer"
    )
    recurrent_dropout: float = Field(
        default=0.0, ge=0, lt=1, description="DropConnect on recurrent weights (AWD-LSTM)"
    )
    activation_regularisation: float = Field(
        default=0.0, ge=0, description="α of the mean square of the last layer (Merity et al. 2018)"
    )
    temporal_regularisation: float = Field(
        default=0.0, ge=0, description="β of its mean squared change per step (ibid.)"
    )
    label_smoothing: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="share of the target spread over the vocabulary (full softmax only)",
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
    devices: int = Field(
        default=1, gt=0, description="processes per machine that share the streams (DDP)"
    )
    nodes: int = Field(default=1, gt=0, description="machines that share the streams (DDP)")
    compile: bool = Field(
        default=False, description="torch.compile; worth its minutes on a GPU only"
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.clip_norm is not None and self.clip_value is not None:
            raise ValueError("give clip_norm or clip_value, not both (null: none)")
        if self.label_smoothing and self.negatives:
            raise ValueError("label_smoothing needs the full softmax: set negatives: 0")
        if self.streams % (self.devices * self.nodes):
            raise ValueError(
                f"{self.streams} streams cannot be shared by {self.devices * self.nodes} processes"
                " (devices × nodes): make streams a multiple of them"
            )
        return self

    def with_values(self, own: Mapping[str, Any]) -> Self:
        """The same with some values in place of its own.

        Raises:
            ValidationError: if a key is unknown or a value does not fit.
        """
        return self.model_validate({**self.model_dump(), **own})
