"""A copy of a network whose weights follow the text that it reads, and their usual gradients.

Legend: P tokens of a text, T tokens of a chunk, V tokens.
"""

import itertools
from collections.abc import Iterator, Mapping
from copy import deepcopy

import numpy as np
import torch
from torch import Tensor

from memoryspan.language_model import Floats
from memoryspan.neural.adaptation.dynamic_equations import Step, update
from memoryspan.neural.batching import IGNORED, Chunking, StreamLoader
from memoryspan.neural.contexts import Int64s
from memoryspan.neural.network import Network
from memoryspan.text.streams import TokenStream


class AdaptingNetwork:
    """Reads one text from its beginning, chunk by chunk, and learns from each.

    The state goes on from chunk to chunk as it was read; no gradient flows back into it.

    Args:
        network: stays as it is.
        steps: of the update, by the name of the weights.
    """

    def __init__(self, network: Network, steps: Mapping[str, Step]) -> None:
        self.network = deepcopy(network).requires_grad_(True)
        self.weights = dict(self.network.named_parameters())
        self.trained = dict(network.named_parameters())
        self.steps = steps
        self.restart()

    @torch.no_grad()
    def restart(self) -> None:
        """Back to the trained weights and the beginning of a text."""
        for name, weights in self.weights.items():
            weights.copy_(self.trained[name])
        self.state = self.network.initial_state(1)

    def read(self, inputs: Int64s, targets: Int64s, chunk: int) -> Floats:
        """log P of the next P targets, nats [P]; after every ``chunk`` of them it learns."""
        result = np.empty(len(targets))
        for start in range(0, len(targets), chunk):
            part = slice(start, start + chunk)
            result[part] = self.score_and_learn(inputs[part], targets[part])
        return result

    def score_and_learn(self, inputs: Int64s, targets: Int64s) -> Floats:
        """log P of the next T ≥ 1 targets, nats [T]; only then the weights are updated by them."""
        reading = self.network.read(torch.from_numpy(inputs)[None], self.state)
        self.state = self.network.carried(reading.state)
        nats_T = self.network.output_layer.nats(reading.output_BTE[0], torch.from_numpy(targets))
        for name, gradient in _gradients(nats_T.mean(), self.weights):
            update(self.weights[name], self.trained[name], gradient, self.steps[name])
        return -nats_T.detach().double().numpy()

    @torch.no_grad()
    def log_probs_after(self, inputs: Int64s) -> Floats:
        """log P of every token after T ≥ 1 more, nats [1, V]; these teach it nothing."""
        reading = self.network.read(torch.from_numpy(inputs)[None], self.state)
        self.state = self.network.carried(reading.state)
        log_probs: Floats = self.network.output_layer.log_probs(reading.output_BTE[:, -1]).numpy()
        return log_probs


def mean_squared_gradients(
    network: Network, stream: TokenStream, tokens: int, chunk: int, streams: int
) -> dict[str, Tensor]:
    """MS_g: the mean over batches of a training text of the squared gradient of their mean nats.

    Args:
        network: stays as it is; read without dropout.
        stream: the training text.
        tokens: how many to read at least, or the whole text: spread over it, as every stream
            begins at another place.
        chunk: tokens of a batch in each stream.
        streams: that are read side by side.

    Returns:
        By the name of the weights, of their shape.
    """
    network = deepcopy(network).requires_grad_(True)
    all_weights = dict(network.named_parameters())
    squares = {name: torch.zeros_like(w, requires_grad=False) for name, w in all_weights.items()}
    loader = StreamLoader(stream, min(streams, len(stream)), Chunking(chunk))
    batches = min(loader.chunks(0), -(-tokens // (chunk * len(loader.starts))))
    state = network.initial_state(len(loader.starts))
    for batch in itertools.islice(loader, batches):
        reading = network.read(batch.inputs_BT, state)
        state = network.carried(reading.state)
        there_BT = batch.targets_BT != IGNORED
        targets_N = batch.targets_BT[there_BT]
        nats_N = network.output_layer.nats(reading.output_BTE[there_BT], targets_N)
        for name, gradient in _gradients(nats_N.mean(), all_weights):
            squares[name].addcmul_(gradient, gradient, value=1 / batches)
    return squares


def _gradients(nats: Tensor, weights: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """The gradient by every tensor of weights, with its name."""
    return zip(weights, torch.autograd.grad(nats, list(weights.values())), strict=True)
