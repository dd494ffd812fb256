"""The optimizer of a training run: one of torch's, fused."""

from torch.optim import SGD, AdamW, Optimizer

from memoryspan.neural.network import Network
from memoryspan.neural.training_parameters import TrainingParameters

ADAM_BETAS = (0.9, 0.99)


def optimizer_of(training: TrainingParameters, network: Network) -> Optimizer:
    """AdamW (Loshchilov & Hutter 2019) or plain SGD; biases and normalisations do not decay."""
    groups = [
        {
            "params": [p for p in network.parameters() if p.ndim > 1],
            "weight_decay": training.weight_decay,
        },
        {"params": [p for p in network.parameters() if p.ndim == 1], "weight_decay": 0.0},
    ]
    rate = network.parameters_.learning_rate
    if training.optimizer == "adamw":
        return AdamW(groups, lr=rate, betas=ADAM_BETAS, fused=True)
    return SGD(groups, lr=rate, fused=True)
