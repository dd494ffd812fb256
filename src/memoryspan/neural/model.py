"""Trained networks as language models: probabilities and states.

Networks run in float32 and without dropout here; their logits are normalised in float64, so that
probabilities sum to one exactly. Not here: training.

Legend: B sequences, K context tokens, N tokens of a stream, T steps, E embedding size, V tokens.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import Family, Floats, Ids
from memoryspan.neural.cells import State
from memoryspan.neural.contexts import Int64s, rows_of_distinct, windows
from memoryspan.neural.model_files import load_network, save_network
from memoryspan.neural.network import Network, Reading
from memoryspan.neural.networks import initial_network
from memoryspan.neural.parameters import Kind, NetworkParameters
from memoryspan.neural.recurrent import RecurrentNetwork
from memoryspan.neural.sentences import sentence_batches
from memoryspan.neural.sizing import sized
from memoryspan.text.streams import TokenStream
from memoryspan.text.vocabulary import END_ID

FAMILIES: dict[Kind, Family] = {
    "feedforward": "feed-forward",
    "rnn": "recurrent",
    "gru": "recurrent",
    "lstm": "recurrent",
    "transformer": "transformer",
}

_LOGITS_AT_ONCE = 4_000_000  # elements of a block of logits: 16 MB in float32


class NeuralLanguageModel:
    """A network that answers as a ``LanguageModel``.

    Args:
        name: unique within a run.
        network: taken over: put into evaluation mode.
    """

    family: Family

    def __init__(self, name: str, network: Network) -> None:
        self.name = name
        self.network = network.eval().requires_grad_(False)
        self.vocabulary_size = network.vocabulary_size
        self.parameter_count = network.parameter_count
        self.context_order = network.context_order
        self.family = FAMILIES[network.parameters_.kind]

    @property
    def parameters(self) -> NetworkParameters:
        """The network's shape."""
        return self.network.parameters_

    @torch.inference_mode()
    def token_log_probs(self, stream: TokenStream, window: int | None = None) -> Floats:
        """See ``LanguageModel.token_log_probs``; the state is carried over the whole stream.

        Raises:
            MemoryspanError: if the stream has another vocabulary size.
        """
        inputs, targets = self.inputs_and_targets(stream)
        sees_all = window is None or (
            self.context_order is not None and window >= self.context_order
        )
        if sees_all or window is None:
            return self.sequence_log_probs(inputs, targets)
        # The first tokens have fewer than `window` tokens before them: the state is zero anyway.
        start = self.sequence_log_probs(inputs[:window], targets[:window])
        return np.concatenate([start, self._read_windows(inputs, targets, window)])

    @torch.inference_mode()
    def sentence_log_probs(self, stream: TokenStream) -> Floats:
        """See ``SentenceScorer``: float64 [N], nats.

        Raises:
            MemoryspanError: if the stream has another vocabulary size.
        """
        self._check_vocabulary(stream)
        result = np.empty(len(stream))
        for places_BT, inputs_BT, targets_BT, inside_BT in sentence_batches(stream):
            if len(places_BT) == 1:  # it may be long
                result[places_BT[0]] = self.sequence_log_probs(inputs_BT[0], targets_BT[0])
                continue
            output_BTE = self.read_contexts(torch.from_numpy(inputs_BT)).output_BTE
            output_NE = output_BTE[torch.from_numpy(inside_BT)]
            result[places_BT[inside_BT]] = self.target_log_probs(output_NE, targets_BT[inside_BT])
        return result

    def inputs_and_targets(self, stream: TokenStream) -> tuple[Int64s, Int64s]:
        """What is read before each token of a stream, and the tokens, int64 [N] each.

        Raises:
            MemoryspanError: if the stream has another vocabulary size.
        """
        self._check_vocabulary(stream)
        targets = stream.ids.astype(np.int64)
        return np.concatenate([[END_ID], targets[:-1]])[: len(targets)], targets

    @torch.inference_mode()
    def sequence_log_probs(self, inputs: Int64s, targets: Int64s) -> Floats:
        """Log-probabilities [N], in nats, of one sequence read from its beginning."""
        result = np.empty(len(targets))
        for block, reading in self.readings(inputs):
            result[block] = self.target_log_probs(reading.output_BTE[0], targets[block])
        return result

    def readings(self, inputs: Int64s) -> Iterator[tuple[slice, Reading]]:
        """What the network makes of one sequence read from its beginning, block by block."""
        state = self.network.initial_state(1)
        size = max(1, _LOGITS_AT_ONCE // self.vocabulary_size)
        for start in range(0, len(inputs), size):
            block = slice(start, start + size)
            reading = self.network.read(torch.from_numpy(inputs[block])[None], state)
            state = reading.state
            yield block, reading

    def _read_windows(self, inputs: Int64s, targets: Int64s, window: int) -> Floats:
        """Log-probabilities of ``targets[window:]``, each from its last ``window`` inputs."""
        result = np.empty(max(0, len(targets) - window))
        for rows, contexts in windows(inputs, window):
            output_BE = self._last_output(torch.from_numpy(contexts))
            result[rows] = self.target_log_probs(output_BE, targets[window + rows])
        return result

    @torch.inference_mode()
    def next_log_probs(self, contexts: Ids) -> Floats:
        """See ``LanguageModel.next_log_probs``.

        Contexts that are equal as far as the model can see get bit-equal rows: each distinct one
        is computed once.
        """
        seen = np.asarray(contexts, dtype=np.int64)
        if self.context_order is not None:
            seen = seen[:, max(0, seen.shape[1] - self.context_order) :]
        return rows_of_distinct(
            seen,
            self.vocabulary_size,
            lambda contexts_BK: self.log_probs(self._last_output(contexts_BK)),
        )

    def _last_output(self, contexts_BK: Tensor) -> Tensor:
        """The output [B, E] after contexts with nothing before them."""
        if contexts_BK.shape[1] == 0:
            return self.network.nothing_read(len(contexts_BK))
        return self.read_contexts(contexts_BK).output_BTE[:, -1]

    def read_contexts(self, contexts_BK: Tensor) -> Reading:
        """What the network makes of contexts with nothing before them, K ≥ 1."""
        return self.network.read(contexts_BK, self.network.initial_state(len(contexts_BK)))

    def target_log_probs(self, output_NE: Tensor, targets: Int64s) -> Floats:
        """log P(target), nats [N], each from its output."""
        result = np.empty(len(targets))
        size = max(1, _LOGITS_AT_ONCE // self.vocabulary_size)
        for start in range(0, len(targets), size):
            block = slice(start, start + size)
            log_probs_NV = self.network.output_layer.log_probs(output_NE[block])
            targets_N1 = torch.from_numpy(targets[block]).unsqueeze(1)
            result[block] = log_probs_NV.gather(1, targets_N1).squeeze(1).numpy()
        return result

    def log_probs(self, output_BE: Tensor) -> Floats:
        """log P of every token, nats [B, V], from outputs."""
        log_probs: Floats = self.network.output_layer.log_probs(output_BE).numpy()
        return log_probs

    def _check_vocabulary(self, stream: TokenStream) -> None:
        if stream.vocabulary_size != self.vocabulary_size:
            raise MemoryspanError(
                f"The model {self.name} has a vocabulary of {self.vocabulary_size:,} tokens, the"
                f" text one of {stream.vocabulary_size:,}: they were not made together. Run the"
                " pipeline from the tokenize step."
            )

    def save(self, folder: Path) -> None:
        """Write weights and description; see ``model_files``."""
        save_network(folder, self.name, self.network)


class RecurrentLanguageModel(NeuralLanguageModel):
    """A recurrent network as a ``StatefulLanguageModel``. A state is a list of layers' tensors."""

    network: RecurrentNetwork

    def initial_state(self, batch_size: int) -> list[State]:
        """The zero state."""
        return self.network.initial_state(batch_size)

    @torch.inference_mode()
    def step(self, tokens: Ids, state: object) -> tuple[Floats, object]:
        """See ``StatefulLanguageModel.step``."""
        if not isinstance(state, list):
            raise TypeError("the state must come from initial_state or step")
        tokens_B1 = torch.from_numpy(np.asarray(tokens, dtype=np.int64))[:, None]
        output_B1E, new_state = self.network(tokens_B1, state)
        return self.log_probs(output_B1E[:, 0]), new_state


def as_language_model(name: str, network: Network) -> NeuralLanguageModel:
    """The language model of a network."""
    if isinstance(network, RecurrentNetwork):
        return RecurrentLanguageModel(name, network)
    return NeuralLanguageModel(name, network)


def initial_model(
    network: NetworkParameters, vocabulary_size: int, seed: int, name: str = "initial"
) -> NeuralLanguageModel:
    """The untrained model with which ``training.train`` begins for this seed."""
    shape = sized(network, vocabulary_size)
    return as_language_model(name, initial_network(shape, vocabulary_size, seed))


def load(folder: Path) -> NeuralLanguageModel:
    """Read what ``save`` wrote.

    Raises:
        MemoryspanError: if a file is missing, damaged, of another version, or does not fit.
    """
    return as_language_model(*load_network(folder))
