"""Linear interpolation: P(w|h) = Σ_m λ_m P_m(w|h) (Jelinek & Mercer 1980)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import Family, Floats, Ids, LanguageModel, sentence_log_probs
from memoryspan.statistics.expectation_maximization import interpolation_weights
from memoryspan.text.streams import TokenStream


class Mixture:
    """A ``LanguageModel`` made of others over the same vocabulary.

    Args:
        components: M models with different names; all must be read from the same tokens.
        weights: λ, one per component, not negative; they sum to one.
        name: of the mixture.

    Raises:
        MemoryspanError: there are no components, two have one name, they are over different
            vocabularies, or the weights are no distribution over them.
    """

    family: Family = "mixture"

    def __init__(
        self, components: Sequence[LanguageModel], weights: Sequence[float], name: str = "mixture"
    ) -> None:
        self.name = name
        self.components = tuple(components)
        self.weights = np.array(weights, np.float64)
        _check(self.components, self.weights)
        self.vocabulary_size = self.components[0].vocabulary_size
        reaches = [component.context_order for component in components]
        bounded = [reach for reach in reaches if reach is not None]
        self.context_order: int | None = max(bounded) if len(bounded) == len(reaches) else None
        parameters = sum(component.parameter_count for component in components)
        self.parameter_count = parameters + len(self.components) - 1

    @classmethod
    def fitted(
        cls, components: Sequence[LanguageModel], validation_log_probs: Mapping[str, Floats]
    ) -> "Mixture":
        """The mixture that makes the validation text most probable.

        Args:
            components: M models.
            validation_log_probs: by component name, its float64 [N] of the validation text, nats.

        Raises:
            MemoryspanError: as the constructor, or a token is impossible in every component.
        """
        scores = np.stack([validation_log_probs[component.name] for component in components])
        return cls(components, interpolation_weights(scores).tolist())

    @property
    def weight_of(self) -> dict[str, float]:
        """λ by component name."""
        names = (component.name for component in self.components)
        return dict(zip(names, self.weights.tolist(), strict=True))

    def token_log_probs(self, stream: TokenStream, window: int | None = None) -> Floats:
        """See ``LanguageModel``: float64 [N], nats."""
        return self._mixed([model.token_log_probs(stream, window) for model in self.components])

    def sentence_log_probs(self, stream: TokenStream) -> Floats:
        """See ``SentenceScorer``: float64 [N], nats."""
        return self._mixed([sentence_log_probs(model, stream) for model in self.components])

    def next_log_probs(self, contexts: Ids) -> Floats:
        """See ``LanguageModel``: float64 [B, V], nats."""
        return self._mixed([model.next_log_probs(contexts) for model in self.components])

    def _mixed(self, log_probs: list[Floats]) -> Floats:
        """log Σ_m λ_m P_m, without leaving the logarithms of tiny probabilities."""
        mixed = np.full(log_probs[0].shape, -np.inf)
        for weight, component in zip(self.weights, log_probs, strict=True):
            if weight > 0:
                np.logaddexp(mixed, np.log(weight) + component, out=mixed)
        return mixed

    def save(self, folder: Path) -> None:
        """Write the components and their weights to a folder, whole or not at all.

        Raises:
            MemoryspanError: it cannot be written.
        """
        from memoryspan.mixture.storage import save_mixture

        save_mixture(self, folder)


def _check(components: tuple[LanguageModel, ...], weights: Floats) -> None:
    """See ``Mixture``."""
    names = [component.name for component in components]
    sizes = {component.vocabulary_size for component in components}
    if not names or len(set(names)) < len(names):
        raise MemoryspanError(
            f"A mixture needs components with different names, not {names}. Name each one once."
        )
    if len(sizes) > 1:
        raise MemoryspanError(
            f"The components {names} are over vocabularies of {sorted(sizes)} tokens; make them "
            "from the same token streams."
        )
    fits = weights.shape == (len(names),) and bool((weights >= 0).all())
    if not fits or abs(float(weights.sum()) - 1) > 1e-9:
        raise MemoryspanError(
            f"The weights {weights.tolist()} are no distribution over the components {names}; "
            "give one per component, not negative, with the sum 1."
        )
