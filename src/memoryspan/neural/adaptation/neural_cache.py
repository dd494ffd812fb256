"""The neural cache as a language model: a network that remembers what it has read.

The hidden state h is the last hidden layer of the network. (What the output layer reads, its
projection, would do as well; of an LSTM on plays it gave a validation perplexity of 65.4 where
the hidden layer gave 64.0 and the network alone 81.8. Hidden units are also bounded, so that one
range of θ fits all networks.)

Legend: B contexts, K tokens of each, N cached places, V tokens.
"""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from memoryspan.language_model import Family, Floats, Ids
from memoryspan.neural.adaptation.cache_equations import (
    cache_distribution,
    cache_log_probs,
    mixed,
)
from memoryspan.neural.adaptation.cache_stream import CacheSetting, stream_log_probs
from memoryspan.neural.contexts import Int64s, rows_of_distinct, windows
from memoryspan.neural.model import NeuralLanguageModel
from memoryspan.neural.network import Reading
from memoryspan.neural.sentences import rows_of_tokens, sentence_batches
from memoryspan.text.streams import TokenStream

PAIRS_AT_ONCE = 1 << 20  # of places in sentences: 8 MB in float64


def rows_of_pairs(length: int) -> int:
    """How many sentences of a length are read together, with products of all pairs of places."""
    return min(rows_of_tokens(length), PAIRS_AT_ONCE // length**2)


class NeuralCache:
    """A ``LanguageModel``: (1 − λ) P_vocab + λ P_cache (Grave, Joulin & Usunier 2017).

    Where nothing is cached yet (at the first token of a text, after a context of one token), it
    is the network alone. It keeps nothing from one call to the next.

    Args:
        model: the network; it stays as it is.
        size: N ≥ 1, how many of the last places are remembered.
        flatness: θ ≥ 0.
        weight: λ in [0, 1).
        name: unique within a run.
    """

    family: Family = "adaptive"
    context_order: int | None = None

    def __init__(
        self,
        model: NeuralLanguageModel,
        size: int,
        flatness: float,
        weight: float,
        name: str = "neural_cache",
    ) -> None:
        if size < 1 or flatness < 0 or not 0 <= weight < 1:
            raise ValueError(f"no neural cache: N = {size}, θ = {flatness}, λ = {weight}")
        self.name = name
        self.model = model
        self.setting = CacheSetting(size, flatness)
        self.weight = weight
        self.vocabulary_size = model.vocabulary_size
        self.parameter_count = model.parameter_count + 2

    @property
    def tuned(self) -> dict[str, float]:
        """N, θ and λ."""
        return {**self.setting._asdict(), "weight": self.weight}

    def token_log_probs(self, stream: TokenStream, window: int | None = None) -> Floats:
        """See ``LanguageModel``: float64 [P], nats.

        With a window, the cache has the places of the window alone.

        Raises:
            MemoryspanError: if the stream has another vocabulary size.
        """
        if window is not None and window < 2:  # nothing to remember yet
            return self.model.token_log_probs(stream, window)
        inputs, targets = self.model.inputs_and_targets(stream)
        if window is None:
            return self._read(inputs, targets)
        start = self._read(inputs[:window], targets[:window])
        return np.concatenate([start, self._read_windows(inputs, targets, window)])

    def _read(self, inputs: Int64s, targets: Int64s) -> Floats:
        log_vocab, (log_cache,) = stream_log_probs(self.model, inputs, targets, [self.setting])
        return mixed(log_vocab, log_cache, self.weight)

    @torch.inference_mode()
    def sentence_log_probs(self, stream: TokenStream) -> Floats:
        """See ``SentenceScorer``: float64 [P], nats; the cache has the sentence alone.

        Raises:
            MemoryspanError: if the stream has another vocabulary size.
        """
        self.model.inputs_and_targets(stream)  # checks it
        result = np.empty(len(stream))
        for places_BT, inputs_BT, targets_BT, inside_BT in sentence_batches(stream, rows_of_pairs):
            if len(places_BT) == 1:  # it may be long
                result[places_BT[0]] = self._read(inputs_BT[0], targets_BT[0])
                continue
            reading = self.model.read_contexts(torch.from_numpy(inputs_BT))
            inside = torch.from_numpy(inside_BT)
            log_vocab = self.model.target_log_probs(
                reading.output_BTE[inside], targets_BT[inside_BT]
            )
            log_cache = self._from_own_sentence(reading.hidden_BTH, torch.from_numpy(targets_BT))
            scores = mixed(log_vocab, log_cache[inside].numpy(), self.weight)
            result[places_BT[inside_BT]] = scores
        return result

    def _from_own_sentence(self, hidden_BTH: Tensor, targets_BT: Tensor) -> Tensor:
        """log P_cache [B, T] of the targets of sentences that nothing precedes."""
        products_BTT = (hidden_BTH @ hidden_BTH.transpose(1, 2)).double()
        matches_BTT = targets_BT.unsqueeze(2) == targets_BT.unsqueeze(1)
        steps_T = torch.arange(targets_BT.shape[1])
        distances_TT = steps_T.unsqueeze(1) - steps_T
        present_TT = (distances_TT > 0) & (distances_TT <= self.setting.size)
        log_probs = cache_log_probs(
            products_BTT.flatten(0, 1),
            matches_BTT.flatten(0, 1),
            self.setting.flatness,
            present_TT.repeat(len(targets_BT), 1),
        )
        return log_probs.view(targets_BT.shape)

    @torch.inference_mode()
    def _read_windows(self, inputs: Int64s, targets: Int64s, window: int) -> Floats:
        """Log-probabilities of ``targets[window:]``, each from its last ``window`` ≥ 2 inputs."""
        result = np.empty(max(0, len(targets) - window))
        for rows, contexts in windows(inputs, window):
            targets_B = targets[window + rows]
            contexts_BK = torch.from_numpy(contexts)
            reading = self.model.read_contexts(contexts_BK)
            log_vocab = self.model.target_log_probs(reading.output_BTE[:, -1], targets_B)
            products_BN, next_BN = self._remembered(contexts_BK, reading)
            matches_BN = next_BN == torch.from_numpy(targets_B).unsqueeze(1)
            log_cache = cache_log_probs(products_BN, matches_BN, self.setting.flatness)
            result[rows] = mixed(log_vocab, log_cache.numpy(), self.weight)
        return result

    @torch.inference_mode()
    def next_log_probs(self, contexts: Ids) -> Floats:
        """See ``LanguageModel``: float64 [B, V], nats; the cache has the places of the context."""
        if contexts.shape[1] < 2:
            return self.model.next_log_probs(contexts)
        seen = np.asarray(contexts, dtype=np.int64)
        return rows_of_distinct(seen, self.vocabulary_size, self._rows)

    def _rows(self, contexts_BK: Tensor) -> Floats:
        """log P [B, V] after contexts of K ≥ 2 tokens."""
        reading = self.model.read_contexts(contexts_BK)
        log_vocab = self.model.log_probs(reading.output_BTE[:, -1])
        products_BN, next_BN = self._remembered(contexts_BK, reading)
        flatness = self.setting.flatness
        probs_BV = cache_distribution(products_BN, next_BN, flatness, self.vocabulary_size)
        return mixed(log_vocab, probs_BV.log_().numpy(), self.weight)

    def _remembered(self, contexts_BK: Tensor, reading: Reading) -> tuple[Tensor, Tensor]:
        """h_t·h_i of the last state and those before it, float64 [B, N], and what followed them.

        N is the size of the cache or, in a shorter context, K − 1.
        """
        hidden_BKH = reading.hidden_BTH
        last = slice(max(0, contexts_BK.shape[1] - 1 - self.setting.size), -1)
        products_BN1 = hidden_BKH[:, last] @ hidden_BKH[:, -1].unsqueeze(2)
        return products_BN1.squeeze(2).double(), contexts_BK[:, 1:][:, last.start :]

    def save(self, folder: Path) -> None:
        """Write the network and the tuned values to a folder, whole or not at all.

        Raises:
            MemoryspanError: it cannot be written.
        """
        from memoryspan.neural.adaptation.storage import save_neural_cache

        save_neural_cache(self, folder)
