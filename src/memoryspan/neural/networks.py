"""Building networks: from their parameters, and with their initial weights."""

import torch

from memoryspan.neural.feedforward import FeedforwardNetwork
from memoryspan.neural.network import Network
from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.recurrent import RecurrentNetwork
from memoryspan.neural.transformer import TransformerNetwork

FAMILIES: dict[str, type[Network]] = {
    "feedforward": FeedforwardNetwork,
    "transformer": TransformerNetwork,
}


def network_without_memory(parameters: NetworkParameters, vocabulary_size: int) -> Network:
    """The network on torch's meta device: shapes only."""
    with torch.device("meta"):
        return FAMILIES.get(parameters.kind, RecurrentNetwork)(parameters, vocabulary_size)


def build_network(parameters: NetworkParameters, vocabulary_size: int) -> Network:
    """A network whose weights are not drawn yet; draws nothing from torch's global generator."""
    return network_without_memory(parameters, vocabulary_size).to_empty(device="cpu")


def initial_network(parameters: NetworkParameters, vocabulary_size: int, seed: int) -> Network:
    """The network at the beginning of training."""
    network = build_network(parameters, vocabulary_size)
    with torch.no_grad():
        network.initialise(torch.Generator().manual_seed(seed))
    return network
