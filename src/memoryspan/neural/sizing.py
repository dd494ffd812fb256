"""Equal budgets: the hidden size that gives a network a number of weights.

Counted on networks that are built without memory (torch's meta device), so that there is no
second formula to keep in step with the networks.
"""

from memoryspan.errors import MemoryspanError
from memoryspan.neural.networks import network_without_memory
from memoryspan.neural.parameters import NetworkParameters

TOLERANCE = 0.05  # largest share by which a network may miss its budget


def parameter_count(parameters: NetworkParameters, vocabulary_size: int, hidden_size: int) -> int:
    """Weights of the network with this hidden size in place of its own."""
    shape = parameters.model_copy(update={"hidden_size": hidden_size, "parameters": None})
    return network_without_memory(shape, vocabulary_size).parameter_count


def hidden_size_for(parameters: NetworkParameters, budget: int, vocabulary_size: int) -> int:
    """The hidden size whose number of weights is nearest to a budget.

    Raises:
        MemoryspanError: if even the nearest is more than 5 % away: the embedding is too large.
    """
    low, high = 1, 2
    while parameter_count(parameters, vocabulary_size, high) < budget:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if parameter_count(parameters, vocabulary_size, middle) < budget:
            low = middle
        else:
            high = middle
    misses = {
        size: abs(parameter_count(parameters, vocabulary_size, size) - budget)
        for size in (low, high)
    }
    best = min(misses, key=lambda size: misses[size])
    if misses[best] > TOLERANCE * budget:
        smallest = parameter_count(parameters, vocabulary_size, best)
        raise MemoryspanError(
            f"No {parameters.kind} network has {budget:,} parameters with a vocabulary of"
            f" {vocabulary_size:,} and embedding_size {parameters.embedding_size}: the nearest"
            f" has {smallest:,}. Raise `parameters` or lower `embedding_size`."
        )
    return best


def sized(parameters: NetworkParameters, vocabulary_size: int) -> NetworkParameters:
    """The same network with its budget turned into a hidden size."""
    if parameters.parameters is None:
        return parameters
    hidden_size = hidden_size_for(parameters, parameters.parameters, vocabulary_size)
    return parameters.model_copy(update={"hidden_size": hidden_size, "parameters": None})
